//! Limits of drop-tail queues that a preset has and the file does not, filled in before validation.
//!
//! `down.queue = { kind = "droptail" }` names the kind of queue that the preset has: its limit stays, and follows a changed rate. So a
//! sweep over kinds compares the others with the preset's own queue, not with an unlimited one.

use eddyline_path::queue::{DropTailParams, QueueParams};
use eddyline_units::{Quantity, Rate};

use crate::relative_limit::directions;
use crate::tree::{Entry, Node, Step, Value};

/// Gives each drop-tail queue of a preset's link that has no limit that of the preset.
pub(crate) fn fill_in(root: &mut Node) {
    for i in 0..root.tables("duplex").len() {
        for (way, preset) in directions(&root.tables("duplex")[i]) {
            let Some(preset) = preset else { continue };
            let Some(direction) = root.tables("duplex")[i].get(way) else { continue };
            let Some(queue) = direction.get("queue") else { continue };
            if queue.entry("limit").is_some() || queue.get("kind").and_then(Node::text) != Some("droptail") {
                continue;
            }
            let rate = direction.get("rate").and_then(Node::text).and_then(|t| Rate::parse(t).ok());
            let QueueParams::DropTail(DropTailParams { limit }) = preset.queue_at(rate.unwrap_or(preset.rate)) else {
                continue;
            };
            let at = queue.at;
            let node = Node { value: Value::Text(limit.to_string()), at };
            let path = [Step::Key("duplex"), Step::Item(i), Step::Key(way), Step::Key("queue")];
            if let Some(Node { value: Value::Table(queue), .. }) = root.descend(&path) {
                queue.push(Entry { key: "limit".to_owned(), at, node });
            }
        }
    }
}
