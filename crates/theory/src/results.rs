//! Flows, links and groups of an equilibrium in the result type.

use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use eddyline_scenario::result::{FlowResult, GroupResult, LinkResult, RttResult, Spread, WindowResult, jain_index};

use crate::equilibrium::Equilibrium;
use crate::model::{Model, Response, alpha, delay, mean_rate, overlaps, propagation, transmission};
use crate::packets::{ack_ratio, bits};

/// Every flow in the equilibrium `at`.
pub(crate) fn flow_results(
    network: &Network,
    model: &Model,
    at: &Equilibrium,
    base_rtts_s: Option<&[f64]>,
) -> Vec<FlowResult> {
    let flow = |(s, flow): (usize, &Flow)| match model.place[s].filter(|_| model.is_known(flow)) {
        Some(place) if alpha(&flow.controller).is_some() => {
            flow_result(network, flow, at, place, base_rtts_s.map(|b| b[s]))
        }
        Some(place) => response_result(flow_result(network, flow, at, place, None), model.responses[s].as_ref()),
        None => FlowResult {
            name: flow.name.clone(),
            controller: flow.controller.name().to_owned(),
            ..FlowResult::default()
        },
    };
    network.flows.iter().enumerate().map(flow).collect()
}

/// Queueing delay in seconds of the packets and acknowledgements of flow `s` of the problem, whether or not the sender
/// measures all of it.
pub(crate) fn queueing_delay(flow: &Flow, at: &Equilibrium, s: usize) -> Option<f64> {
    if delay(&flow.controller).is_one_way() {
        return Some(at.forward_delays[s]? + at.reverse_delays[s]?);
    }
    Some(at.delays[s])
}

/// Window in packets of a FAST flow that assumes this base round-trip time.
pub(crate) fn window(network: &Network, flow: &Flow, at: &Equilibrium, s: usize, base: f64) -> Option<f64> {
    let x = at.rates[s];
    if delay(&flow.controller).is_one_way() {
        return queueing_delay(flow, at, s).map(|q| x * (propagation(network, flow) + q));
    }
    // the fixed point of eq. 2 of the two-way paper: w = w baseRTT / RTT + alpha, and w / RTT = x
    Some(alpha(&flow.controller).unwrap_or_default() + x * base)
}

fn flow_result(network: &Network, flow: &Flow, at: &Equilibrium, s: usize, base: Option<f64>) -> FlowResult {
    let x = at.rates[s];
    let propagation = propagation(network, flow);
    let base = base.unwrap_or(propagation);
    let queueing_delay = queueing_delay(flow, at, s);
    FlowResult {
        name: flow.name.clone(),
        controller: flow.controller.name().to_owned(),
        throughput_bps: Some(x * bits(flow.packet)),
        goodput_bps: Some(x * bits(flow.mss())),
        packets_per_s: Some(x),
        rtt_s: RttResult {
            mean: queueing_delay.map(|q| propagation + q + transmission(network, flow)),
            ..RttResult::default()
        },
        base_rtt_s: Some(base),
        queueing_delay_s: queueing_delay,
        forward_queueing_delay_s: at.forward_delays[s],
        reverse_queueing_delay_s: at.reverse_delays[s],
        window_packets: WindowResult { mean: window(network, flow, at, s, base), ..WindowResult::default() },
        ..FlowResult::default()
    }
}

/// Replaces what differs for a flow with a response function.
fn response_result(result: FlowResult, response: Option<&Response>) -> FlowResult {
    // rates are those of packets that arrive
    let arriving = |rate: Option<f64>| rate.map(|x| x * (1.0 - response.map_or(0.0, |r| r.loss)));
    FlowResult {
        throughput_bps: arriving(result.throughput_bps),
        goodput_bps: arriving(result.goodput_bps),
        packets_per_s: arriving(result.packets_per_s),
        window_packets: WindowResult { mean: response.map(|r| r.window), ..WindowResult::default() },
        ..result
    }
}

/// Acknowledgements a second; fewer where the sender keeps a fixed number of them queued (`ack_alpha`).
pub(crate) fn acks_per_s(flow: &Flow, at: &Equilibrium, s: usize) -> f64 {
    let all = at.rates[s] / ack_ratio(flow);
    let target = flow.controller.delay_options().and_then(|o| o.ack_alpha);
    match (target, at.reverse_delays[s]) {
        (Some(target), Some(q)) if q > 0.0 => all.min(target.get() / q),
        _ => all,
    }
}

/// What crosses a link each second.
#[derive(Debug, Clone, Copy, Default)]
struct Crossing {
    data_bits: f64,
    payload_bits: f64,
    ack_bits: f64,
    other_bits: f64,
    packets: f64,
    ack_packets: f64,
}

pub(crate) fn link_results(network: &Network, model: &Model, at: &Equilibrium) -> Vec<LinkResult> {
    let ack_priority = model.problem.ack_priority();
    let mut crossing = vec![Crossing::default(); network.links.len()];
    for (flow, place) in network.flows.iter().zip(&model.place) {
        let Some(s) = place else { continue };
        let x = at.rates[*s];
        let acks = acks_per_s(flow, at, *s);
        let shares = model.problem.reaching_of(*s);
        let share = |at: usize| shares.get(at).copied().unwrap_or(1.0);
        for (at, l) in flow.data.iter().enumerate() {
            let c = &mut crossing[*l as usize];
            let x = x * share(at);
            c.data_bits += x * bits(flow.packet);
            c.payload_bits += x * bits(flow.mss());
            c.packets += x;
        }
        for (at, l) in flow.ack.iter().enumerate() {
            let c = &mut crossing[*l as usize];
            let acks = acks * share(flow.data.len() + at);
            c.ack_bits += acks * bits(flow.ack_packet);
            c.packets += acks;
            c.ack_packets += acks;
        }
    }
    for traffic in network.traffic.iter().filter(|t| overlaps(t, network)) {
        let rate = mean_rate(traffic).unwrap_or_default();
        for l in traffic.path.iter() {
            let c = &mut crossing[*l as usize];
            c.other_bits += rate;
            c.packets += rate / bits(traffic.packet.max(1));
        }
    }
    let result = |(l, c): (usize, &Crossing)| {
        let name = network.links[l].name.clone();
        if model.unknown[l] {
            return LinkResult { name, ..LinkResult::default() };
        }
        let rate = model.problem.capacity[l];
        let sum = c.data_bits + c.ack_bits + c.other_bits;
        // only unresponsive traffic can exceed a link's capacity; its queue then has no mean
        let overloaded = c.other_bits > rate;
        let price = if overloaded { None } else { at.prices[l] };
        // rounding may exceed 1 where the link is full
        let share = |bits: f64| Some((bits / rate).min(1.0));
        let mut link = LinkResult {
            name,
            utilisation: share(sum),
            data_utilisation: share(c.data_bits),
            goodput_utilisation: share(c.payload_bits),
            ack_utilisation: share(c.ack_bits),
            bottleneck: Some(overloaded || at.bottlenecks[l]),
            ..LinkResult::default()
        };
        // Little's law for the packets that wait
        let acks = if ack_priority[l] { (c.ack_packets, c.ack_bits) } else { (0.0, 0.0) };
        link.queue_packets.mean = price.map(|p| p * (c.packets - acks.0));
        link.queue_bytes.mean = price.map(|p| p * (sum - acks.1) / 8.0);
        let waiting = if c.packets > 0.0 { 1.0 - acks.0 / c.packets } else { 1.0 };
        link.queueing_delay_s.mean = price.map(|p| p * waiting);
        link
    };
    crossing.iter().enumerate().map(result).collect()
}

pub(crate) fn group_result(name: &str, count: usize, flows: &[FlowResult]) -> GroupResult {
    let all = |of: fn(&FlowResult) -> Option<f64>| flows.iter().map(of).collect::<Option<Vec<f64>>>();
    let total = |values: Option<Vec<f64>>| values.map(|v| v.iter().sum::<f64>());
    let goodputs = all(|f| f.goodput_bps);
    let rates = all(|f| f.packets_per_s).unwrap_or_default();
    let rtts = all(|f| f.rtt_s.mean).unwrap_or_default();
    let weighted: f64 = rates.iter().zip(&rtts).map(|(x, rtt)| x * rtt).sum();
    let samples: f64 = rates.iter().sum();
    GroupResult {
        name: name.to_owned(),
        count: count as u64,
        throughput_bps: total(all(|f| f.throughput_bps)),
        jain_index: goodputs.as_deref().and_then(jain_index),
        goodput_bps: goodputs.as_deref().map(Spread::of).unwrap_or_default(),
        packets_per_s: total(all(|f| f.packets_per_s)),
        // one sample per acknowledgement, so faster flows weigh more
        rtt_s: RttResult { mean: (samples > 0.0).then(|| weighted / samples), ..RttResult::default() },
        ..GroupResult::default()
    }
}
