//! Half-duplex media and hosts: names that tables share instead of owning.

use std::collections::BTreeMap;

use eddyline_units::Time;

use super::names::no_name;
use crate::diagnostic::Report;
use crate::model::MediumParams;
use crate::suggestion::nearest;
use crate::tree::{Node, Step, quoted};
use crate::typed::Typed;

/// A medium as one link names it.
struct Named<'a> {
    path: Vec<Step<'static>>,
    medium: &'a MediumParams,
}

/// Reports media with a single link, different turnarounds of one medium, and invalid names.
pub(crate) fn check(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    let named = named(typed);
    let mut links_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut turnaround_of: BTreeMap<&str, Time> = BTreeMap::new();
    for Named { medium, .. } in &named {
        *links_of.entry(medium.name()).or_default() += 1;
    }
    // a link with errors may be the other link of the medium
    let all_known = typed.links.iter().all(Option::is_some) && typed.duplexes.iter().all(Option::is_some);
    for Named { path, medium } in &named {
        let name = medium.name();
        if let Some(message) = no_name(name) {
            report.wrong(root, path, message, None);
        } else if links_of[name] == 1 && all_known {
            let others = links_of.keys().copied().filter(|other| *other != name);
            let hint = nearest(name, others).map(|n| format!("did you mean {n:?}?"));
            let message = format!("no other link names the medium {}; a medium has at least two links", quoted(name));
            report.wrong(root, path, message, hint.or_else(|| Some("leave it out".to_owned())));
        }
        let Some(turnaround) = medium.turnaround() else { continue };
        let known = *turnaround_of.entry(name).or_insert(turnaround);
        if known != turnaround {
            let path: Vec<Step<'_>> = path.iter().copied().chain([Step::Key("turnaround")]).collect();
            let message = format!("{turnaround}, but {known} at another link of the medium {}", quoted(name));
            report.wrong(root, &path, message, Some("give it once, or the same everywhere".to_owned()));
        }
    }
    for list in ["flow", "traffic", "arrivals", "probe"] {
        for (i, table) in root.tables(list).iter().enumerate() {
            if let Some(message) = table.get("host").and_then(Node::text).and_then(no_name) {
                report.wrong(root, &[Step::Key(list), Step::Item(i), Step::Key("host")], message, None);
            }
        }
    }
}

fn named(typed: &Typed) -> Vec<Named<'_>> {
    let mut named = Vec::new();
    for (i, link) in typed.links.iter().enumerate() {
        if let Some(medium) = link.as_ref().and_then(|l| l.medium.as_ref()) {
            named.push(Named { path: vec![Step::Key("link"), Step::Item(i), Step::Key("medium")], medium });
        }
    }
    for (i, duplex) in typed.duplexes.iter().enumerate() {
        let Some(duplex) = duplex else { continue };
        for (way, given) in [("down", &duplex.down), ("up", &duplex.up)] {
            if let Some(medium) = &given.medium {
                let path = vec![Step::Key("duplex"), Step::Item(i), Step::Key(way), Step::Key("medium")];
                named.push(Named { path, medium });
            }
        }
    }
    named
}
