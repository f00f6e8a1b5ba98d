//! Flows that share a connection: each names one that exists, has the same paths in exchange, and no third one claims it.

use std::collections::HashMap;

use crate::diagnostic::Report;
use crate::model::Flow;
use crate::suggestion::{listed, nearest};
use crate::tree::{Node, Step, quoted};
use crate::typed::Typed;

/// Reports flows that cannot be two directions of one connection.
pub(crate) fn check(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    let tables = || typed.flows.iter().enumerate().filter_map(|(i, f)| Some((i, f.as_ref()?)));
    let mut partner: HashMap<&str, &str> = HashMap::new();
    for (i, flow) in tables() {
        let Some(name) = flow.piggyback.as_deref() else { continue };
        let mut wrong = |message: String, hint: Option<String>| {
            report.wrong(root, &[Step::Key("flow"), Step::Item(i), Step::Key("piggyback")], message, hint);
        };
        let Some((_, other)) = tables().find(|(_, f)| f.name == name) else {
            // errors of the other table itself are reported first
            if root.tables("flow").iter().all(|t| t.get("name").and_then(Node::text) != Some(name)) {
                let others = || tables().filter(|(_, f)| f.name != flow.name);
                let able = others().filter(|(_, f)| reason(flow, f).is_none()).map(|(_, f)| f.name.as_str());
                let hint = nearest(name, able).map(|n| format!("did you mean {n:?}?"));
                let which = match others().next() {
                    Some(_) => format!("others are: {}", listed(others().map(|(_, f)| f.name.as_str()))),
                    None => "there is no other".to_owned(),
                };
                wrong(format!("unknown flow {}; {which}", quoted(name)), hint);
            }
            continue;
        };
        if let Some(reason) = reason(flow, other) {
            wrong(reason, None);
            continue;
        }
        let taken = [(flow, other), (other, flow)]
            .into_iter()
            .find_map(|(one, two)| partner.get(one.name.as_str()).filter(|p| **p != two.name).map(|p| (one, *p)));
        if let Some((one, by)) = taken {
            let message = format!("{} shares its connection with {} already", quoted(&one.name), quoted(by));
            wrong(message, Some("a connection has two directions".to_owned()));
            continue;
        }
        partner.insert(&flow.name, &other.name);
        partner.insert(&other.name, &flow.name);
    }
}

/// Why the two flows cannot be the two directions of one connection.
fn reason(flow: &Flow, other: &Flow) -> Option<String> {
    let name = quoted(&other.name);
    if flow.name == other.name {
        return Some(format!("{name} is this flow; the other direction is another one"));
    }
    if flow.count == 0 || other.count == 0 {
        return Some(format!("{name} and this flow share a connection: a count of 0 for one leaves the other alone"));
    }
    if flow.count > 1 || other.count > 1 {
        return Some(format!(
            "only flows with a count of 1 share a connection, not tables of {}",
            flow.count.max(other.count)
        ));
    }
    if flow.data != other.ack || flow.ack != other.data {
        return Some(format!(
            "{name} does not go the other way: its data must cross the links of ack, its ack those of data"
        ));
    }
    if flow.access_delay.data != other.access_delay.ack || flow.access_delay.ack != other.access_delay.data {
        return Some(format!("{name} has other access delays: its data must have those of ack, its ack those of data"));
    }
    None
}
