//! Names: unique, and references exist. Works on the tree, so that tables with other errors are checked too.

use std::collections::{HashMap, HashSet};

use crate::diagnostic::Report;
use crate::suggestion::{listed, nearest};
use crate::tree::{At, Node, Step, quoted};

/// Lists of tables with names; all share one namespace.
pub(crate) const NAMED: [&str; 6] = ["link", "duplex", "flow", "traffic", "arrivals", "probe"];

/// Reports names that are empty, duplicate or unknown.
pub(crate) fn check(root: &Node, report: &mut Report<'_>) {
    unique(root, report);
    printable(root, report);
    let mut links: Vec<String> = names(root, "link").map(str::to_owned).collect();
    links.extend(names(root, "duplex").flat_map(|d| [format!("{d}/down"), format!("{d}/up")]));
    let known: HashSet<&str> = links.iter().map(String::as_str).collect();
    let both = &["data", "ack"][..];
    for (list, keys) in [("flow", both), ("traffic", &["path"]), ("arrivals", both), ("probe", both)] {
        for (i, table) in root.tables(list).iter().enumerate() {
            for key in keys {
                for (j, link) in table.tables(key).iter().enumerate() {
                    let Some(name) = link.text().filter(|name| !known.contains(name)) else { continue };
                    let path = [Step::Key(list), Step::Item(i), Step::Key(key), Step::Item(j)];
                    if report.is_full() {
                        return report.wrong(root, &path, "", None);
                    }
                    let all = || links.iter().map(String::as_str);
                    let hint = if names(root, "duplex").any(|d| d == name) {
                        Some(format!("a duplex has two links: \"{name}/down\" or \"{name}/up\"?"))
                    } else {
                        nearest(name, all()).map(|n| format!("did you mean {n:?}?"))
                    };
                    let allowed = if links.is_empty() { "none".to_owned() } else { listed(all()) };
                    report.wrong(root, &path, format!("unknown link {}; links are: {allowed}", quoted(name)), hint);
                }
            }
        }
    }
}

fn names<'a>(root: &'a Node, list: &str) -> impl Iterator<Item = &'a str> {
    root.tables(list).iter().filter_map(|table| table.get("name")?.text())
}

/// Texts that are output again must not control a terminal or break a report.
fn printable(root: &Node, report: &mut Report<'_>) {
    if root.get("title").and_then(Node::text).is_some_and(|t| t.contains(char::is_control)) {
        report.wrong(root, &[Step::Key("title")], "a title is one line without control characters", None);
    }
    for (i, table) in root.tables("expect").iter().enumerate() {
        let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
        if table.get("why").and_then(Node::text).is_some_and(|t| t.contains(steers)) {
            let path = [Step::Key("expect"), Step::Item(i), Step::Key("why")];
            report.wrong(root, &path, "control characters other than line ends and tabs", None);
        }
    }
}

fn unique(root: &Node, report: &mut Report<'_>) {
    let mut taken: HashMap<String, (&str, At)> = HashMap::new();
    let mut many: Vec<(&str, u64, At)> = Vec::new();
    for list in NAMED {
        for (i, table) in root.tables(list).iter().enumerate() {
            let Some(node) = table.get("name") else { continue };
            let Some(name) = node.text() else { continue };
            let path = [Step::Key(list), Step::Item(i), Step::Key("name")];
            if let Some(message) = no_name(name) {
                report.wrong(root, &path, message, None);
            }
            let made = if list == "duplex" {
                vec![name.to_owned(), format!("{name}/down"), format!("{name}/up")]
            } else {
                vec![name.to_owned()]
            };
            for name in made {
                match taken.get(&name) {
                    Some((by, at)) => report.wrong(root, &path, taken_message(&name, by, report.line(*at)), None),
                    None => drop(taken.insert(name, (list, node.at))),
                }
            }
            let count = table.get("count").and_then(|c| c.to_json().as_u64()).unwrap_or(1);
            if list == "flow" && count > 1 {
                many.push((name, count, node.at));
            }
        }
    }
    // Flows of one table are called NAME[0], NAME[1], ...: another table may not be called so.
    let many: HashMap<&str, (u64, At)> = many.into_iter().map(|(name, count, at)| (name, (count, at))).collect();
    for list in NAMED {
        for (i, table) in root.tables(list).iter().enumerate() {
            let Some(name) = table.get("name").and_then(Node::text) else { continue };
            let Some((base, index)) = name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) else { continue };
            let Some((count, at)) = many.get(base) else { continue };
            if index.parse::<u64>().is_ok_and(|n| n < *count && n.to_string() == index) {
                let path = [Step::Key(list), Step::Item(i), Step::Key("name")];
                report.wrong(root, &path, taken_message(name, "flow", report.line(*at)), None);
            }
        }
    }
}

/// Why a name is invalid by itself.
pub(super) fn no_name(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        return Some("an empty name; a name has at least one letter");
    }
    let wrong = name.chars().count() > 200 || name.chars().any(char::is_control);
    wrong.then_some("a name has at most 200 characters, none of them control characters")
}

fn taken_message(name: &str, by: &str, line: Option<usize>) -> String {
    let place = line.map_or(String::new(), |line| format!(" in line {line}"));
    format!(
        "the name {} is taken by a [[{by}]] table{place}; names are unique across links, flows, traffic, arrivals and probes",
        quoted(name)
    )
}
