//! Feasibility of links: sizes, times and numbers of packets that a world can handle.

use std::collections::HashMap;
use std::sync::Arc;

use eddyline_path::framing::Framing;
use eddyline_path::queue::{Limit, QueueParams, atm_cells};
use eddyline_path::traffic::{Trace, mean_rate_bps};
use eddyline_path::variation::Recording;
use eddyline_units::{Rate, Time};

use crate::diagnostic::Report;
use crate::model::{ApplicationParams, Flow, Link};
use crate::network::PROBE_SYN;
use crate::trace::Traces;
use crate::tree::{Node, Step};
use crate::typed::Typed;

/// Maximum number of packets in flight on a link, or in its queue.
const MAX_AT_ONCE: f64 = 1e8;
/// Maximum number of packets of a run.
const MAX_PACKETS: f64 = 1e13;
/// Maximum transmission time of a packet.
const MAX_TRANSMISSION: Time = Time::from_ms(200 * 86_400_000);
const DEFAULT_PACKET: u64 = 1500;

/// A link and the packets that cross it.
struct Crossed<'a> {
    path: Vec<Step<'a>>,
    rate: Rate,
    delay: Time,
    queue: QueueParams,
    framing: Framing,
    /// The largest packet that crosses.
    largest: u64,
    /// An endless transfer has its slowest link here.
    busy: bool,
    /// What unresponsive traffic adds to the rate that is offered, in bit/s, or takes away, and when.
    offered: Vec<(Time, f64)>,
}

/// What unresponsive traffic is to a link, where all of its models send at their mean rates.
#[derive(Debug, Default)]
struct Load {
    /// The highest rate that is offered, in bit/s.
    highest: f64,
    /// The most that waits, in bits.
    waiting: f64,
    /// Bits that the link transmits of it.
    carried: f64,
}

impl<'a> Crossed<'a> {
    fn new(path: Vec<Step<'a>>, link: &Link, recording: Option<&Recording>) -> Self {
        let framing = link.framing.unwrap_or_default().numbers();
        // the maximum over its steps, or over a recording, whose rates replace it
        let stepped = link.changes.iter().filter_map(|c| c.rate).fold(link.rate, Rate::max);
        let recorded = recording.and_then(|r| r.rows().iter().map(|row| row.rate.unwrap_or(stepped)).max());
        let rate = recorded.unwrap_or(stepped);
        let delay = link.changes.iter().filter_map(|c| c.delay).fold(link.delay, Time::max);
        let queue = link.queue;
        Self { path, rate, delay, queue, framing, largest: 0, busy: false, offered: Vec::new() }
    }

    /// What unresponsive traffic is to it within `duration`.
    fn load(&self, duration: Time) -> Load {
        let mut offered = self.offered.clone();
        offered.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let rate = self.rate.as_bps() as f64;
        let (mut now, mut bps, mut waiting, mut load) = (Time::ZERO, 0.0_f64, 0.0_f64, Load::default());
        for (at, more) in offered.into_iter().filter(|(at, _)| *at < duration).chain([(duration, 0.0)]) {
            let seconds = (at - now).as_secs_f64();
            let before = waiting;
            waiting = (waiting + (bps - rate) * seconds).max(0.0);
            load.carried += before + bps * seconds - waiting;
            load.waiting = load.waiting.max(waiting);
            bps += more;
            load.highest = load.highest.max(bps);
            now = at;
        }
        load
    }
}

/// Reports links that cannot carry the packets that cross them.
pub(crate) fn check(root: &Node, typed: &Typed, traces: &Traces, report: &mut Report<'_>) {
    let (mut links, index) = links(typed, &traces.of_links);
    cross(typed, &traces.of_traffic, &mut links, &index);
    let duration = typed.top_level.as_ref().map(|h| h.duration);
    let mut packets = 0.0;
    for link in &links {
        let wrong = |key: &str, message: String, hint: Option<&str>, report: &mut Report<'_>| {
            let path: Vec<Step<'_>> = link.path.iter().copied().chain(key.split('.').map(Step::Key)).collect();
            report.wrong(root, &path, message, hint.map(str::to_owned));
        };
        let limit = link.queue.limit();
        if let Some(why) = limit.refuses(link.largest) {
            let least = if matches!(limit, Limit::Cells(_)) {
                format!("{} cells", atm_cells(link.largest))
            } else {
                "that".to_owned()
            };
            wrong("queue.limit", format!("{why}; at least {least}"), None, report);
        }
        for error in link.queue.refuses(link.largest).into_iter().chain(link.queue.conflict()) {
            wrong(&format!("queue.{}", error.key), error.message, None, report);
        }
        let size = if link.largest == 0 { DEFAULT_PACKET } else { link.largest };
        if link.rate.transmission_time(link.framing.line_bytes(u32::try_from(size).unwrap_or(u32::MAX)))
            > MAX_TRANSMISSION
        {
            wrong("rate", format!("a packet of {size} B takes longer than 200 d at {}", link.rate), None, report);
        }
        let Some(duration) = duration else { continue };
        let per_second = |bps: f64| bps / (8.0 * size as f64);
        let rate = link.rate.as_bps() as f64;
        let load = link.load(duration);
        let duration = duration.as_secs_f64();
        let used = per_second(if link.busy { rate } else { load.highest.min(rate) });
        let in_flight = used * link.delay.as_secs_f64().min(duration);
        if in_flight > MAX_AT_ONCE {
            let message = format!("{in_flight:.1e} packets in flight at {}; at most 100 million", link.rate);
            wrong("delay", message, None, report);
        }
        let waiting = per_second(load.waiting);
        if waiting > MAX_AT_ONCE && limit == Limit::Unlimited {
            let message = format!(
                "unlimited, and traffic above the rate leaves {waiting:.1e} packets waiting; at most 100 million"
            );
            wrong("queue.limit", message, Some("give the queue a limit, as in limit = \"1000 packets\""), report);
        }
        packets += per_second(if link.busy { rate * duration } else { load.carried });
    }
    if packets > MAX_PACKETS {
        let message = format!("some {packets:.1e} packets in this time at these rates; at most 10 trillion");
        report.wrong(root, &[Step::Key("duration")], message, Some("write a shorter duration".to_owned()));
    }
}

/// The links with their recordings, which are in the order of the file.
fn links(typed: &Typed, recordings: &[Option<Arc<Recording>>]) -> (Vec<Crossed<'static>>, HashMap<String, usize>) {
    let recording = |i: usize| recordings.get(i).and_then(Option::as_deref);
    let mut links = Vec::new();
    let mut index = HashMap::new();
    let mut add = |name: String, link: Crossed<'static>| {
        index.insert(name, links.len());
        links.push(link);
    };
    for (i, link) in typed.links.iter().enumerate() {
        let Some(l) = link else { continue };
        let path = vec![Step::Key("link"), Step::Item(i)];
        add(l.name.clone(), Crossed::new(path, l, recording(i)));
    }
    for (i, duplex) in typed.duplexes.iter().enumerate() {
        let Some(d) = duplex else { continue };
        let first = typed.links.len() + 2 * i;
        for (direction, (key, place)) in d.directions().into_iter().zip([("down", first), ("up", first + 1)]) {
            let path = vec![Step::Key("duplex"), Step::Item(i), Step::Key(key)];
            add(direction.name.clone(), Crossed::new(path, &direction, recording(place)));
        }
    }
    (links, index)
}

fn cross(typed: &Typed, traces: &[Option<Arc<Trace>>], links: &mut [Crossed<'_>], index: &HashMap<String, usize>) {
    for flow in typed.flows.iter().flatten() {
        over(&flow.data, flow.packet.get(), links, index);
        over(&flow.ack, flow.ack_packet.get(), links, index);
        // SYN and FIN take the data path
        over(&flow.data, flow.ack_packet.get(), links, index);
    }
    for arrivals in typed.arrivals.iter().flatten() {
        over(&arrivals.data, arrivals.packet.get(), links, index);
        over(&arrivals.ack, arrivals.ack_packet.get(), links, index);
        over(&arrivals.data, arrivals.ack_packet.get(), links, index);
    }
    for probe in typed.probes.iter().flatten() {
        over(&probe.data, probe.request.get().max(PROBE_SYN), links, index);
        over(&probe.ack, probe.response.get().max(PROBE_SYN), links, index);
    }
    for (i, traffic) in typed.traffic.iter().enumerate() {
        let Some(traffic) = traffic else { continue };
        over(&traffic.path, traffic.packet.get(), links, index);
        let trace = traces.get(i).and_then(Option::as_deref);
        let packet = u32::try_from(traffic.packet.get()).unwrap_or(u32::MAX);
        let rate = mean_rate_bps(&traffic.model, packet, trace).unwrap_or(0.0);
        for name in &traffic.path {
            if let Some(i) = index.get(name) {
                links[*i].offered.push((traffic.start, rate));
                links[*i].offered.extend(traffic.stop.map(|stop| (stop.max(traffic.start), -rate)));
            }
        }
    }
    let endless = |f: &&Flow| f.size.is_none() && f.stop.is_none() && f.application == ApplicationParams::Bulk;
    for flow in typed.flows.iter().flatten().filter(endless) {
        let on_path = flow.data.iter().filter_map(|name| index.get(name));
        if let Some(slowest) = on_path.min_by_key(|i| links[**i].rate) {
            links[*slowest].busy = true;
        }
    }
}

/// Packets of `size` bytes cross these links.
fn over(names: &[String], size: u64, links: &mut [Crossed<'_>], index: &HashMap<String, usize>) {
    for name in names {
        if let Some(i) = index.get(name) {
            links[*i].largest = links[*i].largest.max(size);
        }
    }
}
