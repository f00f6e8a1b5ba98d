//! Limits of CAKE queues that the file leaves out, filled in before validation: they follow from the rate and `rtt`.

use eddyline_path::queue::CakeParams;
use eddyline_units::{Quantity, Rate, Time};

use crate::relative_limit::directions;
use crate::tree::{Entry, Node, Step, Value};

/// Gives each CAKE queue that has no limit Linux's for its bandwidth, or for the link's rate.
pub(crate) fn fill_in(root: &mut Node) {
    let mut found = Vec::new();
    for (i, link) in root.tables("link").iter().enumerate() {
        found.extend(limit(link, None).map(|limit| (vec![Step::Key("link"), Step::Item(i)], limit)));
    }
    for (i, duplex) in root.tables("duplex").iter().enumerate() {
        for (way, preset) in directions(duplex) {
            let limit = duplex.get(way).and_then(|direction| limit(direction, preset.map(|p| p.rate)));
            found.extend(limit.map(|limit| (vec![Step::Key("duplex"), Step::Item(i), Step::Key(way)], limit)));
        }
    }
    for (mut path, limit) in found {
        path.push(Step::Key("queue"));
        if let Some(Node { value: Value::Table(queue), at }) = root.descend(&path) {
            let (node, at) = (Node { value: Value::Text(limit), at: *at }, *at);
            queue.push(Entry { key: "limit".to_owned(), at, node });
        }
    }
}

/// The limit of a link's queue; none if that is no CAKE without limit, or if what it follows from cannot be read.
fn limit(link: &Node, rate: Option<Rate>) -> Option<String> {
    let queue = link.get("queue")?;
    if queue.get("kind")?.text()? != "cake" || queue.entry("limit").is_some() {
        return None;
    }
    let rate = match given(queue, "bandwidth").or(given(link, "rate")) {
        Some(given) => Rate::parse(given.text()?).ok()?,
        None => rate?,
    };
    let rtt = match queue.get("rtt") {
        Some(given) => Time::parse(given.text()?).ok()?,
        None => CakeParams::RTT,
    };
    Some(CakeParams::default_limit(rate, rtt).to_string())
}

/// A value; null is none.
fn given<'a>(table: &'a Node, key: &str) -> Option<&'a Node> {
    table.get(key).filter(|node| !matches!(node.value, Value::Null))
}
