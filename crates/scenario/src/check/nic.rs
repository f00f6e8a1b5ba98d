//! Senders that hear of their own card: it must be a link that knows at once whether a packet finds room.

use eddyline_path::queue::QueueParams;

use crate::diagnostic::Report;
use crate::model::{Link, Local, Tcp};
use crate::tree::{Node, Step, quoted};
use crate::typed::Typed;

/// Reports flows with `tcp.local` whose first link has no plain drop-tail queue of its own.
pub(crate) fn check(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    let duplexes = typed.duplexes.iter().flatten().flat_map(|d| d.directions());
    let links: Vec<Link> = typed.links.iter().flatten().cloned().chain(duplexes).collect();
    let mut one = |list: &'static str, item: usize, tcp: &Tcp, data: &[String]| {
        if tcp.local == Local::Drop {
            return;
        }
        // a link that is not there, or has mistakes of its own, is reported elsewhere
        let Some(card) = data.first().and_then(|name| links.iter().find(|l| l.name == *name)) else { return };
        let Some(why) = mistake(card) else { return };
        let path = [Step::Key(list), Step::Item(item), Step::Key("tcp"), Step::Key("local")];
        let message = format!("the first link of data, {}, {why}", quoted(&card.name));
        report.wrong(root, &path, message, Some("put a link with a drop-tail queue before it: the card".to_owned()));
    };
    for (i, flow) in typed.flows.iter().enumerate() {
        if let Some(flow) = flow {
            one("flow", i, &flow.tcp, &flow.data);
        }
    }
    for (i, arrivals) in typed.arrivals.iter().enumerate() {
        if let Some(arrivals) = arrivals {
            one("arrivals", i, &arrivals.tcp, &arrivals.data);
        }
    }
}

/// Why nobody can be told at once whether this link has room.
fn mistake(card: &Link) -> Option<&'static str> {
    match card {
        Link { queue, .. } if !matches!(queue, QueueParams::DropTail(_)) => {
            Some("has another queue than droptail, which alone tells a sender that it is full")
        }
        Link { medium: Some(_), .. } => Some("shares a half-duplex medium, which no card does"),
        Link { reconstruct: Some(_), .. } => Some("reconstructs acknowledgements, which no card does"),
        Link { policer: Some(_), .. } => Some("has a policer, which no card has"),
        Link { trace, jitter, changes, outages, .. }
            if trace.is_some() || jitter.is_some() || !changes.is_empty() || !outages.is_empty() =>
        {
            Some("changes over time, which no card does")
        }
        _ => None,
    }
}
