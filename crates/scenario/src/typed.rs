//! The tree as typed tables, for those that are valid by the schema.

use eddyline_cc::{ControllerParams, Custom, CustomKind};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::diagnostic::Report;
use crate::model::{Arrivals, Duplex, Expect, File, Flow, Link, Probe, Traffic};
use crate::tree::{Node, Step};
use crate::vocabulary::Vocabulary;

/// Lists of tables at the top of a file.
pub(crate) const LISTS: [&str; 7] = ["link", "duplex", "flow", "traffic", "arrivals", "probe", "expect"];

/// A file in which tables with errors are missing.
#[derive(Debug)]
pub(crate) struct Typed {
    /// Everything outside the lists.
    pub top_level: Option<File>,
    pub links: Vec<Option<Link>>,
    pub duplexes: Vec<Option<Duplex>>,
    pub flows: Vec<Option<Flow>>,
    pub traffic: Vec<Option<Traffic>>,
    pub arrivals: Vec<Option<Arrivals>>,
    pub probes: Vec<Option<Probe>>,
    pub expect: Vec<Option<Expect>>,
}

impl Typed {
    /// Reads the tables that are valid by the schema. Errors of deserialization are reported at their table.
    pub fn read(root: &Node, vocabulary: &Vocabulary, report: &mut Report<'_>) -> Self {
        let top_level = if report.has_top_level_errors() { None } else { top_level(root, report) };
        Self {
            top_level,
            links: tables(root, "link", report),
            duplexes: tables(root, "duplex", report),
            flows: controlled(root, "flow", vocabulary, report),
            traffic: tables(root, "traffic", report),
            arrivals: controlled(root, "arrivals", vocabulary, report),
            probes: tables(root, "probe", report),
            expect: tables(root, "expect", report),
        }
    }

    /// The whole file, if no part of it is missing.
    pub fn whole(self) -> Option<File> {
        let mut file = self.top_level?;
        file.link = self.links.into_iter().collect::<Option<_>>()?;
        file.duplex = self.duplexes.into_iter().collect::<Option<_>>()?;
        file.flow = self.flows.into_iter().collect::<Option<_>>()?;
        file.traffic = self.traffic.into_iter().collect::<Option<_>>()?;
        file.arrivals = self.arrivals.into_iter().collect::<Option<_>>()?;
        file.probe = self.probes.into_iter().collect::<Option<_>>()?;
        file.expect = self.expect.into_iter().collect::<Option<_>>()?;
        Some(file)
    }
}

fn top_level(root: &Node, report: &mut Report<'_>) -> Option<File> {
    let entries = root.entries().iter().filter(|e| !LISTS.contains(&e.key.as_str()));
    let top_level = Json::Object(entries.map(|e| (e.key.clone(), e.node.to_json())).collect());
    serde_json::from_value(top_level).map_err(|e| report.wrong(root, &[], e.to_string(), None)).ok()
}

fn tables<T: DeserializeOwned>(root: &Node, list: &'static str, report: &mut Report<'_>) -> Vec<Option<T>> {
    let read = |(i, node): (usize, &Node)| {
        if report.has_errors(list, i) {
            return None;
        }
        let refused = |e: serde_json::Error| {
            report.wrong(root, &[Step::Key(list), Step::Item(i)], e.to_string(), None);
        };
        serde_json::from_value(node.to_json()).map_err(refused).ok()
    };
    root.tables(list).iter().enumerate().map(read).collect()
}

/// Tables with a controller, which may be a registered one.
trait Controlled: DeserializeOwned {
    fn controller(&mut self) -> &mut ControllerParams;
}

impl Controlled for Flow {
    fn controller(&mut self) -> &mut ControllerParams {
        &mut self.controller
    }
}

impl Controlled for Arrivals {
    fn controller(&mut self) -> &mut ControllerParams {
        &mut self.controller
    }
}

fn controlled<T: Controlled>(
    root: &Node,
    list: &'static str,
    vocabulary: &Vocabulary,
    report: &mut Report<'_>,
) -> Vec<Option<T>> {
    if vocabulary.kinds().is_empty() {
        return tables(root, list, report);
    }
    let read = |(i, node): (usize, &Node)| {
        if report.has_errors(list, i) {
            return None;
        }
        let table = [Step::Key(list), Step::Item(i)];
        let kind = node.get("controller").and_then(|c| c.get("kind")).and_then(Node::text);
        let custom = kind.and_then(|name| vocabulary.kind(name));
        let mut json = node.to_json();
        let params = custom.map(|kind| (kind, take_controller(&mut json)));
        let mut typed: T =
            serde_json::from_value(json).map_err(|e| report.wrong(root, &table, e.to_string(), None)).ok()?;
        if let Some((kind, params)) = params {
            let refused = |message| report.wrong(root, &[table[0], table[1], Step::Key("controller")], message, None);
            *typed.controller() = read_custom(kind, params).map_err(refused).ok()?;
        }
        Some(typed)
    };
    root.tables(list).iter().enumerate().map(read).collect()
}

/// Removes the parameters of a registered controller from a table: the types have variants for built-in ones only.
fn take_controller(table: &mut Json) -> Json {
    std::mem::replace(&mut table["controller"], json!({ "kind": "reno" }))
}

fn read_custom(kind: &dyn CustomKind, params: Json) -> Result<ControllerParams, String> {
    let mut table = if let Json::Object(table) = params { table } else { serde_json::Map::new() };
    table.remove("kind");
    Custom::new(kind, &table).map(ControllerParams::Custom)
}
