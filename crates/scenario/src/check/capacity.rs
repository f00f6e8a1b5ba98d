//! Feasibility of links: sizes, times and numbers of packets that a world can handle.

use std::collections::HashMap;
use std::sync::Arc;

use eddyline_path::framing::Framing;
use eddyline_path::queue::{Limit, QueueParams, atm_cells};
use eddyline_path::traffic::{Trace, mean_rate_bps};
use eddyline_path::variation::LinkTrace;
use eddyline_units::{Rate, Time};

use crate::diagnostic::Report;
use crate::model::{ApplicationParams, Flow, Link};
use crate::network::PROBE_SYN;
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
    /// A recording may have other rates than `rate`.
    recorded: bool,
}

impl<'a> Crossed<'a> {
    fn new(path: Vec<Step<'a>>, link: &Link) -> Self {
        let framing = link.framing.unwrap_or_default().numbers();
        // the maximum over its steps
        let rate = link.changes.iter().filter_map(|c| c.rate).fold(link.rate, Rate::max);
        let delay = link.changes.iter().filter_map(|c| c.delay).fold(link.delay, Time::max);
        let queue = link.queue;
        let recorded = matches!(link.trace, Some(LinkTrace::Csv(_) | LinkTrace::Mahimahi(_)));
        Self { path, rate, delay, queue, framing, largest: 0, busy: false, offered: Vec::new(), recorded }
    }

    /// The highest rate that unresponsive traffic offers within `duration`, in bit/s, and the most of it that waits, in bits, where all
    /// of its models send at their mean rates.
    fn load(&self, duration: Time) -> (f64, f64) {
        let mut offered = self.offered.clone();
        offered.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (mut now, mut bps, mut highest, mut waiting, mut most) = (Time::ZERO, 0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for (at, more) in offered.into_iter().chain([(duration, 0.0)]) {
            let at = at.min(duration);
            waiting = (waiting + (bps - self.rate.as_bps() as f64) * (at - now).as_secs_f64()).max(0.0);
            most = most.max(waiting);
            now = at;
            bps += if at < duration { more } else { 0.0 };
            highest = highest.max(bps);
        }
        (highest, most)
    }
}

/// Reports links that cannot carry the packets that cross them.
pub(crate) fn check(root: &Node, typed: &Typed, traces: &[Option<Arc<Trace>>], report: &mut Report<'_>) {
    let (mut links, index) = links(typed);
    cross(typed, traces, &mut links, &index);
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
        let (offered, waiting) = link.load(duration);
        let duration = duration.as_secs_f64();
        let used = per_second(if link.busy { rate } else { offered.min(rate) });
        let in_flight = used * link.delay.as_secs_f64().min(duration);
        if in_flight > MAX_AT_ONCE {
            let message = format!("{in_flight:.1e} packets in flight at {}; at most 100 million", link.rate);
            wrong("delay", message, None, report);
        }
        let waiting = per_second(waiting);
        if waiting > MAX_AT_ONCE && limit == Limit::Unlimited && !link.recorded {
            let message = format!(
                "unlimited, and traffic above the rate leaves {waiting:.1e} packets waiting; at most 100 million"
            );
            wrong("queue.limit", message, Some("give the queue a limit, as in limit = \"1000 packets\""), report);
        }
        packets += used * duration;
    }
    if packets > MAX_PACKETS {
        let message = format!("some {packets:.1e} packets in this time at these rates; at most 10 trillion");
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
        add(l.name.clone(), Crossed::new(path, l));
    }
    for (i, duplex) in typed.duplexes.iter().enumerate() {
        let Some(d) = duplex else { continue };
        for (direction, key) in d.directions().into_iter().zip(["down", "up"]) {
            let path = vec![Step::Key("duplex"), Step::Item(i), Step::Key(key)];
            add(direction.name.clone(), Crossed::new(path, &direction));
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
