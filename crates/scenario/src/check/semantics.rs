//! Semantics of a file: relations between values that are each valid.

use eddyline_cc::ControllerParams;
use eddyline_units::Time;

use super::delay;
use crate::diagnostic::Report;
use crate::model::{Flow, Tcp, Traffic};
use crate::tree::{At, Node, Step};
use crate::typed::Typed;

/// Latest time in a scenario; sums of a few of them fit in [`Time`].
const LATEST: Time = Time::from_ms(200 * 86_400_000);
/// Maximum number of flows of a scenario, with every `count` expanded.
const MAX_FLOWS: u64 = 1_000_000;
/// Maximum number of samples of a series.
const MAX_SAMPLES: u64 = 10_000_000;

/// Reports contradictions.
pub(crate) fn check(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    top_level(root, typed, report);
    let mut total = 0u64;
    for (i, flow) in typed.flows.iter().enumerate() {
        let Some(flow) = flow else { continue };
        self::flow(flow, i, root, report);
        total += u64::from(flow.count);
        if total > MAX_FLOWS && total - u64::from(flow.count) <= MAX_FLOWS {
            let path = [Step::Key("flow"), Step::Item(i), Step::Key("count")];
            report.wrong(root, &path, format!("{total} flows up to here; at most {MAX_FLOWS} in a scenario"), None);
        }
    }
    for (i, traffic) in typed.traffic.iter().enumerate() {
        if let Some(traffic) = traffic {
            self::traffic(traffic, i, root, report);
        }
    }
    for (i, arrivals) in typed.arrivals.iter().enumerate() {
        if let Some(a) = arrivals {
            let shared = Shared { list: "arrivals", item: i, root };
            shared.endpoint(a.packet.get(), a.header.get(), a.receive_window.map(|w| w.get()), report);
            shared.tcp(&a.tcp, a.delayed_ack, report);
            shared.controller(&a.controller, &a.tcp, a.delayed_ack, report);
        }
    }
}

fn top_level(root: &Node, typed: &Typed, report: &mut Report<'_>) {
    if ["flow", "traffic", "arrivals", "probe"].iter().all(|list| root.tables(list).is_empty())
        && !report.has_list_errors()
    {
        let hint = Some("add a [[flow]] table".to_owned());
        report.wrong(root, &[], "no flow and no traffic: nothing would be sent", hint);
    }
    let left_out = |f: &Option<Flow>| f.as_ref().is_some_and(|f| f.count == 0);
    if typed.traffic.is_empty()
        && typed.probes.is_empty()
        && typed.arrivals.is_empty()
        && !typed.flows.is_empty()
        && typed.flows.iter().all(left_out)
    {
        report.wrong(root, &[], "every flow has a count of 0: nothing would be sent", None);
    }
    let Some(top_level) = &typed.top_level else { return };
    if top_level.warmup >= top_level.duration {
        let overridden = |key| root.get(key).is_some_and(|node| matches!(node.at, At::Override(_)));
        let (key, message) = if overridden("duration") && !overridden("warmup") {
            ("duration", format!("{} is not above the warmup, {}", top_level.duration, top_level.warmup))
        } else {
            ("warmup", format!("{} is not below the duration, {}", top_level.warmup, top_level.duration))
        };
        report.wrong(root, &[Step::Key(key)], message, Some("summaries cover warmup to duration".to_owned()));
    }
    if let Some(interval) = top_level.record.interval {
        let path = [Step::Key("record"), Step::Key("interval")];
        if interval > top_level.duration {
            report.wrong(root, &path, format!("{interval} is above the duration, {}", top_level.duration), None);
        } else if top_level.duration.as_ps() / interval.as_ps().max(1) > MAX_SAMPLES {
            let message = format!("{interval} makes more than {MAX_SAMPLES} samples in {}", top_level.duration);
            report.wrong(root, &path, message, Some("write a longer interval".to_owned()));
        }
    }
}

fn flow(flow: &Flow, item: usize, root: &Node, report: &mut Report<'_>) {
    let shared = Shared { list: "flow", item, root };
    shared.endpoint(flow.packet.get(), flow.header.get(), flow.receive_window.map(|w| w.get()), report);
    shared.tcp(&flow.tcp, flow.delayed_ack, report);
    shared.controller(&flow.controller, &flow.tcp, flow.delayed_ack, report);
    let staggered = flow.stagger.saturating_mul(u64::from(flow.count).saturating_sub(1));
    let last = flow.start.saturating_add(staggered).saturating_add(flow.start_jitter);
    if last > LATEST {
        let key = if staggered >= flow.start_jitter { "stagger" } else { "start_jitter" };
        let message = format!("the last of {} flows would start after 200 d, the longest duration", flow.count);
        shared.wrong(&[key], message, None, report);
    }
    shared.stop(flow.stop, last, report);
}

fn traffic(traffic: &Traffic, item: usize, root: &Node, report: &mut Report<'_>) {
    Shared { list: "traffic", item, root }.stop(traffic.stop, traffic.start, report);
}

/// Checks that several kinds of table share.
struct Shared<'a> {
    list: &'static str,
    item: usize,
    root: &'a Node,
}

impl Shared<'_> {
    fn wrong(&self, keys: &[&str], message: String, hint: Option<&str>, report: &mut Report<'_>) {
        let mut path = vec![Step::Key(self.list), Step::Item(self.item)];
        path.extend(keys.iter().map(|k| Step::Key(k)));
        report.wrong(self.root, &path, message, hint.map(str::to_owned));
    }

    fn endpoint(&self, packet: u64, header: u64, receive_window: Option<u64>, report: &mut Report<'_>) {
        if packet <= header {
            let message = format!("{packet} B is not above the header, {header} B: no payload is left");
            return self.wrong(&["packet"], message, Some("write a larger packet or a smaller header"), report);
        }
        if let Some(window) = receive_window.filter(|w| *w < packet - header) {
            let message = format!("{window} B is less than one full segment, {} B of payload", packet - header);
            self.wrong(&["receive_window"], message, Some("leave it out for no limit"), report);
        }
    }

    fn tcp(&self, tcp: &Tcp, delayed_ack: Option<bool>, report: &mut Report<'_>) {
        if delayed_ack.is_some() && tcp.ack_every.is_some() {
            let message = "delayed_ack and tcp.ack_every are both given; only one of them is allowed".to_owned();
            self.wrong(&["delayed_ack"], message, Some("delayed_ack = true is short for tcp.ack_every = 2"), report);
        }
        if tcp.ack_congestion_control && (tcp.ack_every.is_some() || delayed_ack.is_some()) {
            let key = if tcp.ack_every.is_some() { &["tcp", "ack_every"][..] } else { &["delayed_ack"] };
            let message = "given, and so is tcp.ack_congestion_control, which sets it by itself".to_owned();
            self.wrong(key, message, Some("leave it out: the first is 2"), report);
        }
        if !tcp.timestamp_clock.is_default() && !tcp.timestamps {
            let message = "given, but nothing reads that clock: tcp.timestamps is false".to_owned();
            self.wrong(&["tcp", "timestamp_clock"], message, Some("write timestamps = true, or leave it out"), report);
        }
        for (key, on) in [("prr", tcp.prr), ("rack", tcp.rack)] {
            if on && !tcp.sack {
                let message = "true, which needs selective acknowledgements; tcp.sack is false".to_owned();
                self.wrong(&["tcp", key], message, Some("leave one of the two out"), report);
            }
        }
        if !tcp.fast_retransmit && tcp.sack {
            let message = "false, but tcp.sack is true and finds losses anyway".to_owned();
            self.wrong(&["tcp", "fast_retransmit"], message, Some("say sack = false as well"), report);
        }
        if tcp.partial_ack_timer.is_some() && tcp.sack {
            let message = "given, but tcp.sack is true: selective acknowledgements guide the recovery".to_owned();
            self.wrong(&["tcp", "partial_ack_timer"], message, Some("say sack = false as well"), report);
        }
    }

    fn controller(&self, controller: &ControllerParams, tcp: &Tcp, delayed_ack: Option<bool>, report: &mut Report<'_>) {
        for (key, message, hint) in delay::errors(controller, tcp, delayed_ack) {
            let path: Vec<&str> = ["controller"].iter().chain(key).copied().collect();
            self.wrong(&path, message, Some(hint), report);
        }
        if let Some(conflict) = controller.conflict() {
            self.wrong(&["controller", conflict.key], conflict.message, None, report);
        }
    }

    fn stop(&self, stop: Option<Time>, start: Time, report: &mut Report<'_>) {
        if let Some(stop) = stop.filter(|stop| *stop <= start) {
            let message = format!("{stop} is not after the (last) start, {start}");
            self.wrong(&["stop"], message, Some("leave it out to go on to the end"), report);
        }
    }
}
