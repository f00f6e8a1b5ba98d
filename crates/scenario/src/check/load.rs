//! Links against what crosses them: sizes, times and numbers of packets that no world could handle.

use std::collections::HashMap;

use eddyline_path::queue::QueueParams;
use eddyline_units::{Bytes, Quantity, Rate, Time};

use crate::diagnostic::Report;
use crate::model::{ApplicationParams, Flow};
use crate::tree::{Node, Step};
use crate::typed::Typed;

/// Packets that fill rate times delay.
const MOST_IN_FLIGHT: f64 = 1e8;
/// Packets of a whole run.
const MOST_PACKETS: f64 = 1e13;
/// Transmission time of one packet.
const LONGEST: Time = Time::from_ms(200 * 86_400_000);
const DEFAULT_PACKET: u64 = 1500;

/// A link as far as packets on it matter.
struct Crossed<'a> {
    path: Vec<Step<'a>>,
    rate: Rate,
    delay: Time,
    queue: QueueParams,
    /// The largest packet that crosses.
    largest: u64,
    /// An endless transfer has its slowest link here.
    busy: bool,
}

/// Reports links that what crosses them does not fit.
pub(crate) fn check(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    let (mut links, index) = links(typed);
    cross(typed, &mut links, &index);
    let duration = typed.head.as_ref().map(|h| h.duration.as_secs_f64());
    let mut packets = 0.0;
    for link in &links {
        let wrong = |key: &'static str, message: String, report: &mut Report<'_>| {
            let path: Vec<Step<'_>> = link.path.iter().copied().chain(key.split('.').map(Step::Key)).collect();
            report.wrong(root, &path, message, None);
        };
        if let Some(limit) = byte_limit(&link.queue).filter(|limit| *limit < link.largest) {
            let message =
                format!("{limit} B holds no packet of {} B, which cross this link; at least that", link.largest);
            wrong("queue.limit", message, report);
        }
        let size = if link.largest == 0 { DEFAULT_PACKET } else { link.largest };
        if link.rate.transmission_time(size) > LONGEST {
            wrong("rate", format!("a packet of {size} B takes longer than 200 d at {}", link.rate), report);
        }
        let rate = link.rate.as_bps() as f64 / (8.0 * size as f64);
        let in_flight = rate * link.delay.as_secs_f64();
        if in_flight > MOST_IN_FLIGHT {
            let message = format!("{in_flight:.1e} packets in flight at {}; at most 100 million", link.rate);
            wrong("delay", message, report);
        }
        if link.busy {
            packets += rate * duration.unwrap_or(0.0);
        }
    }
    if packets > MOST_PACKETS {
        let message = format!("some {packets:.1e} packets in this time at these rates; at most 10 million million");
        report.wrong(root, &[Step::Key("duration")], message, Some("write a shorter duration".to_owned()));
    }
}

fn links(typed: &Typed) -> (Vec<Crossed<'static>>, HashMap<String, usize>) {
    let mut links = Vec::new();
    let mut index = HashMap::new();
    let mut add = |name: String, link: Crossed<'static>| {
        index.insert(name, links.len());
        links.push(link);
    };
    for (i, link) in typed.links.iter().enumerate() {
        let Some(l) = link else { continue };
        let path = vec![Step::Key("link"), Step::Item(i)];
        let queue = l.queue;
        add(l.name.clone(), Crossed { path, rate: l.rate, delay: l.delay, queue, largest: 0, busy: false });
    }
    for (i, duplex) in typed.duplexes.iter().enumerate() {
        let Some(d) = duplex else { continue };
        for (direction, key) in d.directions().into_iter().zip(["down", "up"]) {
            let path = vec![Step::Key("duplex"), Step::Item(i), Step::Key(key)];
            let queue = direction.queue;
            let (rate, delay) = (direction.rate, direction.delay);
            add(direction.name, Crossed { path, rate, delay, queue, largest: 0, busy: false });
        }
    }
    (links, index)
}

fn cross(typed: &Typed, links: &mut [Crossed<'_>], index: &HashMap<String, usize>) {
    let mut over = |names: &[String], size: u64| {
        for name in names {
            if let Some(i) = index.get(name) {
                links[*i].largest = links[*i].largest.max(size);
            }
        }
    };
    for flow in typed.flows.iter().flatten() {
        over(&flow.data, flow.packet.get());
        over(&flow.ack, flow.ack_packet.get());
        // SYN and FIN take the data path
        over(&flow.data, flow.ack_packet.get());
    }
    for traffic in typed.traffic.iter().flatten() {
        over(&traffic.path, traffic.packet.get());
    }
    let endless = |f: &&Flow| f.size.is_none() && f.stop.is_none() && f.application == ApplicationParams::Bulk;
    for flow in typed.flows.iter().flatten().filter(endless) {
        let on_path = flow.data.iter().filter_map(|name| index.get(name));
        if let Some(slowest) = on_path.min_by_key(|i| links[**i].rate) {
            links[*slowest].busy = true;
        }
    }
}

/// The queue's limit where it is one in bytes, whatever the discipline.
fn byte_limit(queue: &QueueParams) -> Option<u64> {
    let params = serde_json::to_value(queue).ok()?;
    Bytes::parse(params.get("limit")?.as_str()?).ok().map(Bytes::get)
}
