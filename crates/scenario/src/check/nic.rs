//! Flows with `tcp.local`: their first link is the NIC queue, which must decide at once whether a packet fits.

use eddyline_path::queue::QueueParams;

use crate::diagnostic::Report;
use crate::model::{Link, Local, Tcp};
use crate::tree::{Node, Step, quoted};
use crate::typed::Typed;

/// Reports flows with `tcp.local` whose first link is not a plain drop-tail link.
pub(crate) fn check(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    let duplexes = typed.duplexes.iter().flatten().flat_map(|d| d.directions());
    let links: Vec<Link> = typed.links.iter().flatten().cloned().chain(duplexes).collect();
    let mut one = |list: &'static str, item: usize, tcp: &Tcp, data: &[String]| {
        if tcp.local == Local::Drop {
            return;
        }
        // missing links and errors of the link itself are reported by other checks
        let Some(nic) = data.first().and_then(|name| links.iter().find(|l| l.name == *name)) else { return };
        let Some(why) = reason(nic) else { return };
        let path = [Step::Key(list), Step::Item(item), Step::Key("tcp"), Step::Key("local")];
        let message = format!("the first link of data, {}, {why}", quoted(&nic.name));
        report.wrong(root, &path, message, Some("put a link with a drop-tail queue before it, as the NIC".to_owned()));
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

/// Why this link cannot be a NIC queue.
fn reason(nic: &Link) -> Option<&'static str> {
    match nic {
        Link { queue, .. } if !matches!(queue, QueueParams::DropTail(_)) => {
            Some("has another queue than droptail, the only one that reports to the sender that it is full")
        }
        Link { medium: Some(_), .. } => Some("shares a half-duplex medium, which no NIC does"),
        Link { reconstruct: Some(_), .. } => Some("reconstructs acknowledgements, which no NIC does"),
        Link { policer: Some(_), .. } => Some("has a policer, which no NIC has"),
        Link { trace, jitter, changes, outages, .. }
            if trace.is_some() || jitter.is_some() || !changes.is_empty() || !outages.is_empty() =>
        {
            Some("changes over time, which no NIC does")
        }
        _ => None,
    }
}
