//! The result, made from the counters.

use eddyline_path::Class;
use eddyline_path::histogram::Histogram;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow as FlowSpec, Group, Probe};
use eddyline_scenario::result::{
    self, ArrivalsResult, Cost, Counters, DelayResult, Drops, FlowResult, GroupResult, LinkResult, QueueResult,
    RttResult, RunResult, Sampling, Spread, TrafficResult, WindowResult,
};
use eddyline_units::Time;

use super::probes::Probes;
use crate::endpoint::Flow;
use crate::meter::{BottleneckSampler, Bottlenecks, FlowRecord, Mean, RttHistogram, TRIM, per_minute};
use crate::network::Net;

/// The final state of a run.
pub struct Ending<'a, F> {
    pub network: &'a Network,
    /// In order.
    pub flows: F,
    /// Where each link is, with its number there.
    pub links: Vec<(&'a Net, usize)>,
    pub probes: Vec<Probes>,
    pub sampler: Option<&'a BottleneckSampler>,
    pub arrivals: Vec<ArrivalsResult>,
    pub traffic: Vec<TrafficResult>,
    pub counters: Counters,
}

/// The result document of world `sim`.
pub fn summarise(ending: Ending<'_, impl Iterator<Item = Flow>>) -> RunResult {
    let Ending { network, flows, links, mut probes, sampler, arrivals, traffic, counters } = ending;
    let count = network.flows.len();
    let mut results = Vec::with_capacity(count);
    let (mut histograms, mut rtts) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (mut flow, spec) in flows.zip(&network.flows) {
        let (result, histogram, rtt) = flow_result(&mut flow, spec, network.duration);
        results.push(result);
        histograms.push(histogram);
        rtts.push(rtt);
    }
    let group = |g: &Group| {
        let range = g.first..g.first + g.count;
        let all = RttHistogram::together(histograms[range.clone()].iter());
        group_result(g, &results[range.clone()], &rtts[range], &all)
    };
    let probes = probes.iter_mut().zip(&network.probes);
    let probes = probes.map(|(p, spec)| p.result(spec, loaded_s(network, spec, &histograms))).collect();
    let groups = network.groups.iter().map(group).collect();
    let bottlenecks = sampler.map(|s| {
        let crossing = |(net, number): &(&Net, usize)| net.meter(*number).0.transmitted().map(|bytes| bytes > 0.0);
        s.judge(&links.iter().map(crossing).collect::<Vec<_>>())
    });
    let sampling = bottlenecks
        .as_ref()
        .map(|b| Sampling { bottleneck_grid_s: Some(b.grid.as_secs_f64()), bottleneck_switches: Some(b.switches) });
    RunResult {
        world: "sim".to_owned(),
        title: network.title.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario_sha256: network.scenario_sha256.clone(),
        seed: network.seed,
        flows: results,
        links: links.iter().enumerate().map(|(i, at)| link_result(network, *at, bottlenecks.as_ref(), i)).collect(),
        groups,
        arrivals,
        traffic,
        probes,
        counters,
        approximations: network.without_sockets().into_iter().collect(),
        theory: None,
        sampling,
        emulation: None,
        cost: Cost::default(),
    }
}

/// The trimmed mean of the round-trip times of all flows but dynamic ones that share a link with the probes.
fn loaded_s(network: &Network, probe: &Probe, histograms: &[RttHistogram]) -> Option<f64> {
    let probed = |l: &u32| probe.data.contains(l) || probe.ack.contains(l);
    let shares = |f: &FlowSpec| f.data.iter().chain(f.ack.iter()).any(probed);
    let loaded = network.flows.iter().zip(histograms).filter(|(f, _)| shares(f));
    RttHistogram::together(loaded.map(|(_, histogram)| histogram)).trimmed_mean(TRIM)
}

fn distribution(rtt: &Mean, min: Option<f64>, quantile: impl Fn(f64) -> Option<f64>) -> RttResult {
    RttResult { mean: rtt.mean_s(), min, p50: quantile(0.5), p99: quantile(0.99) }
}

fn flow_result(flow: &mut Flow, spec: &FlowSpec, now: Time) -> (FlowResult, RttHistogram, Mean) {
    let state = flow.state();
    let record: FlowRecord = flow.meter_mut().finish(now, state.delivered_bytes);
    let window = record.window.map_or(WindowResult::default(), |(mean, min, max)| WindowResult {
        mean: Some(mean),
        min: Some(min),
        max: Some(max),
    });
    let queueing = record.forward_s.zip(record.reverse_s).map(|(f, r)| f + r);
    let result = FlowResult {
        name: spec.name.clone(),
        controller: spec.controller.name().to_owned(),
        throughput_bps: record.throughput_bps,
        goodput_bps: record.goodput_bps,
        packets_per_s: record.packets_per_s,
        rtt_s: distribution(&record.rtt, record.rtt_min.map(Time::as_secs_f64), |q| record.histogram.quantile(q)),
        responsiveness_rpm: record.histogram.trimmed_mean(TRIM).and_then(per_minute),
        base_rtt_s: record.base_s,
        queueing_delay_s: queueing,
        forward_queueing_delay_s: record.forward_s,
        reverse_queueing_delay_s: record.reverse_s,
        ack_compression: record.compression,
        window_packets: window,
        delivered_bytes: Some(state.delivered_bytes),
        retransmits: Some(state.retransmits),
        timeouts: Some(state.timeouts),
        completed_at_s: state.completed_at.map(Time::as_secs_f64),
        card_refusals: state.nic_refusals,
        delivered_ce: state.delivered_ce,
        failure: flow.failure(),
    };
    (result, record.histogram, record.rtt)
}

fn link_result(
    network: &Network,
    (net, number): (&Net, usize),
    bottlenecks: Option<&Bottlenecks>,
    index: usize,
) -> LinkResult {
    let link = &network.links[index];
    let (m, lost) = net.meter(number);
    let window = network.duration - network.warmup;
    let transmitted = m.transmitted();
    let total: f64 = transmitted.iter().sum();
    // transmission times are rounded to picoseconds, so the bits may be more than the capacity, by that rounding
    let capacity = link.capacity_bits(network.warmup, network.duration).max(total * 8.0);
    let used = |bytes: f64| (capacity > 0.0).then(|| bytes * 8.0 / capacity);
    let mean = |integral: u128| Some(integral as f64 / window.as_ps() as f64);
    let share = bottlenecks.and_then(|b| b.shares.as_ref()).map(|shares| shares[index]);
    LinkResult {
        name: link.name.clone(),
        utilisation: used(total),
        data_utilisation: used(transmitted[Class::Data as usize]),
        goodput_utilisation: used(m.transmitted_payload()),
        ack_utilisation: used(transmitted[Class::Ack as usize]),
        queue_packets: QueueResult { mean: mean(m.packet_ps), max: Some(m.max_packets as f64) },
        queue_bytes: QueueResult { mean: mean(m.byte_ps), max: Some(m.max_bytes as f64) },
        queueing_delay_s: DelayResult {
            mean: (m.waits > 0).then(|| m.waited as f64 / m.waits as f64 / 1e12),
            p50: m.histogram.quantile(0.5),
            p99: m.histogram.quantile(0.99),
        },
        drops: Drops {
            data: Some(m.drops[Class::Data as usize]),
            ack: Some(m.drops[Class::Ack as usize]),
            cross: Some(m.drops[Class::Cross as usize]),
        },
        marked: Some(m.marks),
        lost: Some(lost),
        corrupted: net.corrupted(number),
        bottleneck: share.map(|s| s >= 0.5),
        bottleneck_share: share,
    }
}

fn group_result(group: &Group, flows: &[FlowResult], rtts: &[Mean], histogram: &Histogram) -> GroupResult {
    let sum = |f: fn(&FlowResult) -> Option<f64>| flows.iter().filter_map(f).reduce(|a, b| a + b);
    let count = |f: fn(&FlowResult) -> Option<u64>| Some(flows.iter().filter_map(f).sum());
    let goodputs: Vec<f64> = flows.iter().filter_map(|f| f.goodput_bps).collect();
    let min = flows.iter().filter_map(|f| f.rtt_s.min).reduce(f64::min);
    let all = rtts.iter().fold(Mean::default(), |sum, m| sum.merged(m));
    GroupResult {
        name: group.name.clone(),
        count: group.count as u64,
        throughput_bps: sum(|f| f.throughput_bps),
        goodput_bps: Spread::of(&goodputs),
        packets_per_s: sum(|f| f.packets_per_s),
        jain_index: result::jain_index(&goodputs),
        rtt_s: distribution(&all, min, |q| histogram.quantile(q)),
        responsiveness_rpm: histogram.trimmed_mean(TRIM).and_then(per_minute),
        delivered_bytes: count(|f| f.delivered_bytes),
        retransmits: count(|f| f.retransmits),
        timeouts: count(|f| f.timeouts),
        completed: count(|f| Some(u64::from(f.completed_at_s.is_some()))),
    }
}
