//! The result, made from what the emulator and the samples say.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use eddyline_path::Class;
use eddyline_scenario::Network;
use eddyline_scenario::network::Group;
use eddyline_scenario::result::{
    self, Counters, DelayResult, Drops, FlowResult, GroupResult, LinkResult, QueueResult, RttResult, RunResult, Spread,
    TrafficResult, WindowResult,
};

use crate::approximations;
use crate::emulator::{FlowMeter, LaneReport};
use crate::flow_state::FlowState;
use crate::sampler::FlowSamples;
use crate::trust::{Faults, judge};

/// Name of this world.
const WORLD: &str = "kernel";

/// The end of a run.
#[derive(Debug)]
pub struct Ending<'a> {
    /// The scenario.
    pub network: &'a Network,
    /// What the emulator's threads measured.
    pub reports: &'a [LaneReport],
    /// The flows.
    pub flows: &'a [Arc<FlowState>],
    /// Samples of them.
    pub samples: &'a [FlowSamples],
    /// What the emulator did wrong.
    pub faults: &'a Faults,
}

/// The result document.
#[must_use]
pub fn summarise(ending: &Ending<'_>) -> RunResult {
    let network = ending.network;
    let flows: Vec<FlowResult> = (0..network.flows.len()).map(|i| flow_result(ending, i)).collect();
    let emulation = judge(network, ending.faults);
    let mut notes = approximations::of(network);
    if !emulation.trusted {
        notes.push(format!("this run cannot be trusted: {}", emulation.because.join("; ")));
    }
    RunResult {
        world: WORLD.to_owned(),
        title: network.title.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario_sha256: network.scenario_sha256.clone(),
        seed: network.seed,
        links: (0..network.links.len()).map(|i| link_result(ending, i)).collect(),
        groups: network.groups.iter().map(|g| group_result(g, &flows[g.first..g.first + g.count])).collect(),
        flows,
        arrivals: Vec::new(),
        traffic: network
            .traffic
            .iter()
            .map(|t| TrafficResult { name: t.name.clone(), ..TrafficResult::default() })
            .collect(),
        probes: Vec::new(),
        counters: counters(ending),
        approximations: notes,
        theory: None,
        sampling: None,
        emulation: Some(emulation),
        cost: result::Cost::default(),
    }
}

fn flow_result(ending: &Ending<'_>, i: usize) -> FlowResult {
    let (flow, samples, state) = (&ending.network.flows[i], &ending.samples[i], &ending.flows[i]);
    let mut meter = FlowMeter::default();
    ending.reports.iter().for_each(|r| meter.merge(&r.flows[i]));
    let completed = state.completed.get().copied();
    let mean = |sum: f64| (samples.count > 0).then(|| sum / samples.count as f64);
    let from = ending.network.warmup.max(flow.start);
    let until = completed.unwrap_or(ending.network.duration);
    let alive = until.saturating_sub(from).as_secs_f64();
    let rate = |n: f64| (alive > 0.0).then(|| n / alive);
    let goodput = samples.begin.zip(samples.end).and_then(|((from, before), (until, after))| {
        let span = until.saturating_sub(from).as_secs_f64();
        (span > 0.0).then(|| (after - before) as f64 * 8.0 / span)
    });
    let rtt = (samples.rtt_bytes > 0).then(|| samples.rtt / samples.rtt_bytes as f64);
    let (forward, reverse) = (meter.forward_s(), meter.reverse_s());
    let range = samples.cwnd_range;
    FlowResult {
        name: flow.name.clone(),
        controller: flow.controller.name().to_owned(),
        throughput_bps: rate(meter.data_bytes as f64 * 8.0),
        goodput_bps: goodput,
        packets_per_s: rate(meter.new_packets as f64),
        rtt_s: RttResult { mean: rtt, ..RttResult::default() },
        responsiveness_rpm: None,
        base_rtt_s: mean(samples.min_rtt).filter(|rtt| rtt.is_finite()),
        queueing_delay_s: forward.zip(reverse).map(|(f, r)| f + r),
        forward_queueing_delay_s: forward,
        reverse_queueing_delay_s: reverse,
        ack_compression: meter.compression(),
        window_packets: WindowResult {
            mean: mean(samples.cwnd),
            min: range.map(|(low, _)| low),
            max: range.map(|(_, high)| high),
        },
        delivered_bytes: Some(state.delivered.load(Ordering::Relaxed)),
        retransmits: samples.last.map(|state| state.retransmits),
        timeouts: samples.last.and_then(|state| state.timeouts),
        completed_at_s: completed.map(|at| at.as_secs_f64()),
        ..FlowResult::default()
    }
}

fn link_result(ending: &Ending<'_>, index: usize) -> LinkResult {
    let network = ending.network;
    let spec = &network.links[index];
    let Some(link) = ending.reports.iter().flat_map(|r| &r.links).find(|l| l.index == index) else {
        return LinkResult { name: spec.name.clone(), ..LinkResult::default() };
    };
    let meter = link.meter();
    let window = network.duration.saturating_sub(network.warmup);
    let transmitted = meter.transmitted();
    let total: f64 = transmitted.iter().sum();
    let capacity = spec.capacity_bits(network.warmup, network.duration).max(total * 8.0);
    let used = |bytes: f64| (capacity > 0.0).then(|| bytes * 8.0 / capacity);
    let mean = |integral: u128| Some(integral as f64 / window.as_ps() as f64);
    let drops = |class: Class| Some(meter.drops[class as usize]);
    LinkResult {
        name: spec.name.clone(),
        utilisation: used(total),
        data_utilisation: used(transmitted[Class::Data as usize]),
        goodput_utilisation: used(meter.transmitted_payload()),
        ack_utilisation: used(transmitted[Class::Ack as usize]),
        queue_packets: QueueResult { mean: mean(meter.packet_ps), max: Some(meter.max_packets as f64) },
        queue_bytes: QueueResult { mean: mean(meter.byte_ps), max: Some(meter.max_bytes as f64) },
        queueing_delay_s: DelayResult {
            mean: (meter.waits > 0).then(|| meter.waited as f64 / meter.waits as f64 / 1e12),
            p50: meter.histogram.quantile(0.5),
            p99: meter.histogram.quantile(0.99),
        },
        drops: Drops { data: drops(Class::Data), ack: drops(Class::Ack), cross: drops(Class::Cross) },
        marked: Some(meter.marks),
        lost: Some(link.lost),
        corrupted: None,
        bottleneck: None,
        bottleneck_share: None,
    }
}

fn group_result(group: &Group, flows: &[FlowResult]) -> GroupResult {
    let sum = |f: fn(&FlowResult) -> Option<f64>| flows.iter().filter_map(f).reduce(|a, b| a + b);
    let count = |f: fn(&FlowResult) -> Option<u64>| Some(flows.iter().filter_map(f).sum());
    let goodputs: Vec<f64> = flows.iter().filter_map(|f| f.goodput_bps).collect();
    GroupResult {
        name: group.name.clone(),
        count: group.count as u64,
        throughput_bps: sum(|f| f.throughput_bps),
        goodput_bps: Spread::of(&goodputs),
        packets_per_s: sum(|f| f.packets_per_s),
        jain_index: result::jain_index(&goodputs),
        delivered_bytes: count(|f| f.delivered_bytes),
        retransmits: count(|f| f.retransmits),
        timeouts: count(|f| f.timeouts),
        completed: count(|f| Some(u64::from(f.completed_at_s.is_some()))),
        ..GroupResult::default()
    }
}

fn counters(ending: &Ending<'_>) -> Counters {
    let sum = |what: fn(&LaneReport) -> u64| ending.reports.iter().map(what).sum::<u64>();
    let (sent, delivered, dropped) =
        (sum(|r| r.packets.sent), sum(|r| r.packets.delivered), sum(|r| r.packets.dropped));
    Counters {
        events: None,
        packets_sent: Some(sent),
        packets_delivered: Some(delivered),
        packets_dropped: Some(dropped),
        packets_in_flight: Some(sent - delivered - dropped),
        data_packets_delivered: Some(sum(|r| r.packets.data)),
    }
}
