//! World `theory`: the equilibrium of a scenario in the result that all worlds share.

use eddyline_cc::{ControllerParams, Delay};
use eddyline_path::loss::{LossParams, LossPattern};
use eddyline_path::queue::QueueParams;
use eddyline_path::traffic::mean_rate_bps;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Arrivals, Flow, Link, LinkId, Traffic};
use eddyline_scenario::result::{
    ArrivalsResult, Cost, Counters, FlowResult, GroupResult, LinkResult, RttResult, RunResult, Spread, TheoryNote,
    TrafficResult, WindowResult, jain_index,
};
use eddyline_units::Time;

use crate::ack_streams::{solve_streams, targets};
use crate::approximations;
use crate::equilibrium::{Equilibria, Equilibrium, Problem, ProblemFlow, solve};
use crate::error::TheoryError;
use crate::response::{Losses, path_loss, reno_window};

/// Long-run mean rate of traffic on the wire in bit/s; `None` where there is none.
#[must_use]
pub fn mean_rate(traffic: &Traffic) -> Option<f64> {
    mean_rate_bps(&traffic.model, traffic.packet, traffic.trace.as_deref())
}

/// A flow's alpha in packets; `None` for controllers that theory has no model of.
pub(crate) fn alpha(params: &ControllerParams) -> Option<f64> {
    params.fast_law().map(|fast| fast.alpha.get())
}

/// Which queueing delay a flow counts.
pub(crate) fn delay(params: &ControllerParams) -> Delay {
    params.delay_options().map_or(Delay::RoundTrip, |o| o.delay)
}

/// How much of the time that its acknowledgements wait a flow counts.
fn ack_wait(flow: &Flow) -> f64 {
    match delay(&flow.controller) {
        Delay::RoundTrip => 1.0,
        Delay::Forward => 0.0,
        Delay::Weighted => bits(flow.ack_packet) / ack_ratio(flow) / bits(flow.packet),
    }
}

/// Refuses a `question` that is of FAST as published where a flow counts another delay.
pub(crate) fn counts_round_trips<'a>(
    flows: impl IntoIterator<Item = (&'a str, &'a ControllerParams)>,
    question: &'static str,
) -> Result<(), TheoryError> {
    let other = flows.into_iter().find_map(|(name, params)| match delay(params) {
        Delay::RoundTrip => None,
        Delay::Forward => Some((name, "forward")),
        Delay::Weighted => Some((name, "weighted")),
    });
    match other {
        None => Ok(()),
        Some((who, counts)) => Err(TheoryError::OneWay { who: who.to_owned(), counts, question }),
    }
}

/// [`solve`] with the names of a network in its errors.
pub(crate) fn solve_named(network: &Network, model: &Model) -> Result<Equilibria, TheoryError> {
    let targets = targets(network, &model.place, model.problem.flows.len());
    let streams = targets.iter().any(Option::is_some);
    let solved = if streams { solve_streams(&model.problem, &targets) } else { solve(&model.problem) };
    let flow = |s: usize| model.place.iter().position(|p| *p == Some(s)).map(|i| network.flows[i].name.as_str());
    solved.map_err(|e| e.named(flow, |l| network.links.get(l).map(|link| link.name.as_str())))
}

/// A flow whose window is what its losses allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Response {
    /// Mean window in packets.
    pub window: f64,
    /// Share of data packets that its path loses.
    pub loss: f64,
    /// Round-trip time without queueing, in seconds.
    pub rtt_s: f64,
}

/// A scenario as a problem, with what it leaves out.
pub(crate) struct Model {
    pub problem: Problem,
    /// Place of each flow in the problem, `None` where it has no model.
    pub place: Vec<Option<usize>>,
    /// The response function of each flow that has one; those without a place would overload a link.
    pub responses: Vec<Option<Response>>,
    /// Links whose state is unknown: something without a model crosses them, or a flow whose rate is unknown for that reason.
    pub unknown: Vec<bool>,
}

impl Model {
    /// Whether nothing without a model bears on the flow.
    pub fn knows(&self, flow: &Flow) -> bool {
        !flow.data.iter().chain(flow.ack.iter()).any(|l| self.unknown[*l as usize])
    }

    /// `joint` takes flows with a response function in.
    pub fn new(network: &Network, base_rtts_s: Option<&[f64]>, joint: bool) -> Result<Self, TheoryError> {
        let mut unknown = vec![false; network.links.len()];
        let mut problem = Problem {
            capacity: network.links.iter().map(|l| l.rate.as_bps() as f64).collect(),
            unresponsive: vec![0.0; network.links.len()],
            ..Problem::default()
        };
        // what is built on the FAST flows alone, stability and dynamics, takes every queue for a FIFO
        if joint && network.links.iter().any(acks_first) {
            problem.acks_first = network.links.iter().map(acks_first).collect();
        }
        for traffic in &network.traffic {
            if !crate::approximations::overlaps(traffic, network) {
                continue;
            }
            match mean_rate(traffic) {
                Some(rate) => traffic.path.iter().for_each(|l| problem.unresponsive[*l as usize] += rate),
                None => traffic.path.iter().for_each(|l| unknown[*l as usize] = true),
            }
        }
        let responses: Vec<Option<Response>> =
            network.flows.iter().map(|f| response(network, f).filter(|_| joint)).collect();
        let overloaded = overloaded(network, &problem, &responses);
        let mut place = Vec::with_capacity(network.flows.len());
        for (s, flow) in network.flows.iter().enumerate() {
            let crossed = || flow.data.iter().chain(flow.ack.iter()).map(|l| *l as usize);
            let law = match (alpha(&flow.controller), responses[s]) {
                // each way has a base of its own, of which the round trip's says nothing
                (Some(alpha), _) if delay(&flow.controller).is_one_way() => Some((alpha, 0.0, ack_wait(flow))),
                (Some(alpha), _) => {
                    let believed = |base: &[f64]| base[s] - propagation(network, flow) - transmission(network, flow);
                    Some((alpha, base_rtts_s.map_or(0.0, believed), 1.0))
                }
                // x = W / (RTT + q) is FAST's x = alpha / (q - e) with W for alpha and -RTT for e
                (None, Some(r)) if !crossed().any(|l| overloaded[l]) => Some((r.window, -r.rtt_s, 1.0)),
                _ => None,
            };
            let Some((alpha, error, wait)) = law else {
                crossed().for_each(|l| unknown[l] = true);
                place.push(None);
                continue;
            };
            place.push(Some(problem.flows.len()));
            problem.flows.push(problem_flow(flow, alpha));
            problem.base_rtt_error.push(error);
            problem.ack_wait.push(wait);
            for l in crossed() {
                let (load_bps, capacity_bps) = (problem.unresponsive[l], problem.capacity[l]);
                if load_bps >= capacity_bps {
                    return Err(TheoryError::Overload {
                        link: network.links[l].name.as_str().into(),
                        load_bps,
                        capacity_bps,
                    });
                }
            }
        }
        for l in network.arrivals.iter().flat_map(|a| a.flow.data.iter().chain(a.flow.ack.iter())) {
            unknown[*l as usize] = true;
        }
        spread(network, &mut unknown);
        if problem.base_rtt_error.iter().all(|e| *e == 0.0) {
            problem.base_rtt_error.clear();
        }
        if problem.ack_wait.iter().all(|w| *w == 1.0) {
            problem.ack_wait.clear();
        }
        Ok(Self { problem, place, responses, unknown })
    }
}

/// Whether a link sends acknowledgements before data.
pub(crate) fn acks_first(link: &Link) -> bool {
    matches!(link.queue, QueueParams::AckPriority(_))
}

fn problem_flow(flow: &Flow, alpha: f64) -> ProblemFlow {
    ProblemFlow {
        alpha,
        packet_bits: bits(flow.packet),
        ack_bits: bits(flow.ack_packet) / ack_ratio(flow),
        data: flow.data.clone(),
        ack: flow.ack.clone(),
    }
}

/// Every flow of `network`, whatever its controller, as one that keeps `alphas` packets queued, with what that leaves out.
pub(crate) fn vegas_problem(network: &Network, alphas: &[f64]) -> Result<(Problem, Vec<String>), TheoryError> {
    let mut problem = Problem {
        capacity: network.links.iter().map(|l| l.rate.as_bps() as f64).collect(),
        unresponsive: vec![0.0; network.links.len()],
        flows: network.flows.iter().zip(alphas).map(|(flow, alpha)| problem_flow(flow, *alpha)).collect(),
        ..Problem::default()
    };
    let mut notes = Vec::new();
    for traffic in network.traffic.iter().filter(|t| approximations::overlaps(t, network)) {
        match mean_rate(traffic) {
            Some(rate) => {
                traffic.path.iter().for_each(|l| problem.unresponsive[*l as usize] += rate);
                notes.push(format!("{}: counts with its mean rate", traffic.name));
            }
            None => notes.push(format!("{}: theory does not know its mean rate; left out", traffic.name)),
        }
    }
    for l in network.flows.iter().flat_map(|f| f.data.iter().chain(f.ack.iter())).map(|l| *l as usize) {
        let (load_bps, capacity_bps) = (problem.unresponsive[l], problem.capacity[l]);
        if load_bps >= capacity_bps {
            return Err(TheoryError::Overload { link: network.links[l].name.as_str().into(), load_bps, capacity_bps });
        }
    }
    if !network.arrivals.is_empty() {
        notes.push("flows that come and go are left out".to_owned());
    }
    Ok((problem, notes))
}

/// The response function of a Reno flow whose data cross a link with given loss.
fn response(network: &Network, flow: &Flow) -> Option<Response> {
    if !matches!(&*flow.controller, ControllerParams::Reno(_) | ControllerParams::NewReno(_)) {
        return None;
    }
    let lossy = flow.data.iter().filter_map(|l| match network.links[*l as usize].loss {
        LossParams::Independent(p) => (p > 0.0).then_some((*l, p, Losses::Random)),
        LossParams::Pattern(pattern @ LossPattern::Periodic { .. }) => Some((*l, pattern.mean(), Losses::Periodic)),
        // what comes in bursts is one event to a window: no response function holds
        LossParams::Pattern(LossPattern::GilbertElliott { .. }) => None,
    });
    let lossy: Vec<(LinkId, f64, Losses)> = lossy.collect();
    let alone = |l: LinkId| network.flows.iter().filter(|f| f.data.contains(&l)).count() == 1;
    let losses = match lossy.as_slice() {
        [] => return None,
        // what is periodic on a link is not for one of several flows
        [(l, _, Losses::Periodic)] if alone(*l) => Losses::Periodic,
        _ => Losses::Random,
    };
    let loss = path_loss(lossy.iter().map(|l| l.1));
    let window = reno_window(loss, ack_ratio(flow), losses).ok()?;
    let rtt_s = propagation(network, flow) + transmission(network, flow);
    Some(Response { window, loss, rtt_s })
}

/// Links that unresponsive traffic and the windows of response functions would fill without anyone else.
fn overloaded(network: &Network, problem: &Problem, responses: &[Option<Response>]) -> Vec<bool> {
    let mut offered = problem.unresponsive.clone();
    for (flow, response) in network.flows.iter().zip(responses) {
        let Some(r) = response else { continue };
        let x = r.window / r.rtt_s;
        flow.data.iter().for_each(|l| offered[*l as usize] += x * bits(flow.packet));
        flow.ack.iter().for_each(|l| offered[*l as usize] += x * bits(flow.ack_packet) / ack_ratio(flow));
    }
    offered.iter().zip(&problem.capacity).map(|(y, c)| *y >= *c).collect()
}

fn bits(bytes: u32) -> f64 {
    8.0 * f64::from(bytes)
}

/// Data packets that one acknowledgement covers.
fn ack_ratio(flow: &Flow) -> f64 {
    f64::from(flow.tcp.ack_every.max(1))
}

/// d in seconds: propagation and access of the round trip.
pub(crate) fn propagation(network: &Network, flow: &Flow) -> f64 {
    let access = flow.access_data.saturating_add(flow.access_ack);
    let delay = |l: &LinkId| network.links[*l as usize].delay;
    flow.data.iter().chain(flow.ack.iter()).fold(access, |sum, l| sum.saturating_add(delay(l))).as_secs_f64()
}

/// Seconds that a data packet and its acknowledgement take to be transmitted, summed over links.
pub(crate) fn transmission(network: &Network, flow: &Flow) -> f64 {
    let over = |path: &[LinkId], bytes: u32| {
        let time = |l: &LinkId| network.links[*l as usize].rate.transmission_time(u64::from(bytes));
        path.iter().fold(Time::ZERO, |sum, l| sum.saturating_add(time(l)))
    };
    over(&flow.data, flow.packet).saturating_add(over(&flow.ack, flow.ack_packet)).as_secs_f64()
}

/// Every equilibrium of the FAST flows alone, in the order of [`modelled_flows`]; links in file order.
///
/// # Errors
/// [`TheoryError`].
pub fn equilibria(network: &Network) -> Result<Equilibria, TheoryError> {
    solve_named(network, &Model::new(network, None, false)?)
}

/// Every equilibrium of all flows that theory has a model of.
pub(crate) fn joint_equilibria(network: &Network) -> Result<(Model, Equilibria), TheoryError> {
    let model = Model::new(network, None, true)?;
    let solved = solve_named(network, &model)?;
    Ok((model, solved))
}

/// Places in [`Network::flows`] of the FAST flows.
#[must_use]
pub fn modelled_flows(network: &Network) -> Vec<usize> {
    (0..network.flows.len()).filter(|s| alpha(&network.flows[*s].controller).is_some()).collect()
}

/// A flow over a link whose state is unknown has a rate that is, and so have the other links that it crosses.
pub(crate) fn spread(network: &Network, unknown: &mut [bool]) {
    loop {
        let mut more = false;
        for flow in &network.flows {
            let crossed = || flow.data.iter().chain(flow.ack.iter()).map(|l| *l as usize);
            if crossed().any(|l| unknown[l]) && !crossed().all(|l| unknown[l]) {
                crossed().for_each(|l| unknown[l] = true);
                more = true;
            }
        }
        if !more {
            return;
        }
    }
}

/// An answer about nobody says nothing: refuses a network without a flow that has a model.
pub(crate) fn someone(network: &Network, any: bool) -> Result<(), TheoryError> {
    match network.flows.first() {
        None => Err(TheoryError::NoFlow),
        Some(flow) if !any => {
            Err(TheoryError::NoModel { who: flow.name.clone(), controller: flow.controller.name().to_owned() })
        }
        Some(_) => Ok(()),
    }
}

/// Flows that are not FAST's, in words: what stability, dynamics and the fair ideal leave out.
pub(crate) fn others(network: &Network) -> Option<String> {
    match network.flows.len() - modelled_flows(network).len() {
        0 => None,
        1 => Some("1 flow is not FAST and left out".to_owned()),
        n => Some(format!("{n} flows are not FAST and left out")),
    }
}

/// The equilibrium of `network` in the result type, every base round-trip time known exactly; what theory cannot know is
/// `None`, and what it does not honour of the file is in `approximations`.
///
/// # Errors
/// [`TheoryError`].
pub fn run(network: &Network) -> Result<RunResult, TheoryError> {
    answer(network, None)
}

/// The same for senders that believe in the base round-trip times `base_rtts_s`, one a flow, in seconds: what world `sim`
/// reports as `base_rtt_s`.
///
/// A sender's samples include the transmission times of its own packet and acknowledgement, so its error is the belief less
/// propagation and transmission; it sees q less that error as queueing. Values of flows without a model are not looked at.
///
/// # Errors
/// [`TheoryError`], where the lengths differ or a value is not finite too.
pub fn run_with_base_rtt(network: &Network, base_rtts_s: &[f64]) -> Result<RunResult, TheoryError> {
    let (given, wanted) = (base_rtts_s.len(), network.flows.len());
    if given != wanted {
        return Err(TheoryError::Length { what: "base round-trip times", given, wanted });
    }
    answer(network, Some(base_rtts_s))
}

fn answer(network: &Network, base_rtts_s: Option<&[f64]>) -> Result<RunResult, TheoryError> {
    let model = Model::new(network, base_rtts_s, true)?;
    let solved = solve_named(network, &model)?;
    let Some(first) = solved.found.first() else {
        return Err(TheoryError::NotConverged("unknown: no equilibrium was found".to_owned()));
    };
    if !solved.converged {
        return Err(TheoryError::NotConverged(format!("{:e}", first.residual)));
    }
    let flows = flow_results(network, &model, first, base_rtts_s);
    let links = link_results(network, &model, first);
    let groups = network.groups.iter().map(|g| {
        let members = flows.get(g.first..g.first + g.count).unwrap_or_default();
        group_result(&g.name, g.count, members)
    });
    let modelled = !model.problem.flows.is_empty();
    let known = |(price, unknown): (&Option<f64>, &bool)| if *unknown { None } else { *price };
    Ok(RunResult {
        world: "theory".to_owned(),
        title: network.title.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario_sha256: network.scenario_sha256.clone(),
        seed: network.seed,
        groups: groups.collect(),
        arrivals: network.arrivals.iter().map(left_out).collect(),
        traffic: network.traffic.iter().map(unanswered).collect(),
        counters: Counters::default(),
        approximations: approximations::of(network, &model, &solved, first, &flows, &links, base_rtts_s.is_some()),
        theory: Some(TheoryNote {
            method: if modelled { solved.method.name() } else { "no flow has a model" }.to_owned(),
            residual: modelled.then_some(first.residual),
            prices_s: first.prices.iter().zip(&model.unknown).map(known).collect(),
        }),
        sampling: None,
        cost: Cost::default(),
        flows,
        links,
    })
}

/// Every flow in the equilibrium `at`.
pub(crate) fn flow_results(
    network: &Network,
    model: &Model,
    at: &Equilibrium,
    base_rtts_s: Option<&[f64]>,
) -> Vec<FlowResult> {
    let flow = |(s, flow): (usize, &Flow)| match model.place[s].filter(|_| model.knows(flow)) {
        Some(place) if alpha(&flow.controller).is_some() => {
            flow_result(network, flow, at, place, base_rtts_s.map(|b| b[s]))
        }
        Some(place) => response_result(flow_result(network, flow, at, place, None), model.responses[s]),
        None => FlowResult {
            name: flow.name.clone(),
            controller: flow.controller.name().to_owned(),
            ..FlowResult::default()
        },
    };
    network.flows.iter().enumerate().map(flow).collect()
}

fn flow_result(network: &Network, flow: &Flow, at: &Equilibrium, s: usize, base: Option<f64>) -> FlowResult {
    let x = at.rates[s];
    let propagation = propagation(network, flow);
    let base = base.unwrap_or(propagation);
    let alpha = alpha(&flow.controller).unwrap_or_default();
    let one_way = delay(&flow.controller).is_one_way();
    // what packets wait, whatever of it counts
    let both = || Some(at.forward_delays[s]? + at.reverse_delays[s]?);
    let waits = if one_way { both() } else { Some(at.delays[s]) };
    FlowResult {
        name: flow.name.clone(),
        controller: flow.controller.name().to_owned(),
        throughput_bps: Some(x * bits(flow.packet)),
        goodput_bps: Some(x * bits(flow.mss())),
        packets_per_s: Some(x),
        rtt_s: RttResult { mean: waits.map(|q| propagation + q + transmission(network, flow)), ..RttResult::default() },
        base_rtt_s: Some(base),
        queueing_delay_s: waits,
        forward_queueing_delay_s: at.forward_delays[s],
        reverse_queueing_delay_s: at.reverse_delays[s],
        // the fixed point of eq. 2 of the two-way paper: w = w baseRTT / RTT + alpha, and w / RTT = x
        window_packets: WindowResult {
            mean: if one_way { waits.map(|q| x * (propagation + q)) } else { Some(alpha + x * base) },
            ..WindowResult::default()
        },
        ..FlowResult::default()
    }
}

/// What differs for a flow whose window is what its losses allow.
fn response_result(result: FlowResult, response: Option<Response>) -> FlowResult {
    let loss = response.map_or(0.0, |r| r.loss);
    FlowResult {
        goodput_bps: result.goodput_bps.map(|g| g * (1.0 - loss)),
        window_packets: WindowResult { mean: response.map(|r| r.window), ..WindowResult::default() },
        ..result
    }
}

/// Flows that come and go have no place in an equilibrium.
fn left_out(arrivals: &Arrivals) -> ArrivalsResult {
    ArrivalsResult {
        name: arrivals.name.clone(),
        controller: arrivals.flow.controller.name().to_owned(),
        ..ArrivalsResult::default()
    }
}

fn unanswered(traffic: &Traffic) -> TrafficResult {
    TrafficResult { name: traffic.name.clone(), ..TrafficResult::default() }
}

/// Acknowledgements a second; where the sender keeps a number of them queued, as many as that makes.
fn acks_per_s(flow: &Flow, at: &Equilibrium, s: usize) -> f64 {
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

fn link_results(network: &Network, model: &Model, at: &Equilibrium) -> Vec<LinkResult> {
    let waived = model.problem.waived();
    let mut crossing = vec![Crossing::default(); network.links.len()];
    for (flow, place) in network.flows.iter().zip(&model.place) {
        let Some(s) = place else { continue };
        let x = at.rates[*s];
        let acks = acks_per_s(flow, at, *s);
        for l in flow.data.iter() {
            let c = &mut crossing[*l as usize];
            c.data_bits += x * bits(flow.packet);
            c.payload_bits += x * bits(flow.mss());
            c.packets += x;
        }
        for l in flow.ack.iter() {
            let c = &mut crossing[*l as usize];
            c.ack_bits += acks * bits(flow.ack_packet);
            c.packets += acks;
            c.ack_packets += acks;
        }
    }
    for traffic in network.traffic.iter().filter(|t| approximations::overlaps(t, network)) {
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
        // only traffic that does not respond can offer more than a link carries; its queue then has no mean
        let overloaded = c.other_bits > rate;
        let price = if overloaded { None } else { at.prices[l] };
        let mut link = LinkResult {
            name,
            utilisation: Some(if overloaded { 1.0 } else { sum / rate }),
            data_utilisation: Some(c.data_bits / rate),
            goodput_utilisation: Some(c.payload_bits / rate),
            ack_utilisation: Some(c.ack_bits / rate),
            bottleneck: Some(overloaded || at.bottlenecks[l]),
            ..LinkResult::default()
        };
        // Little's law, of those that wait
        let acks = if waived[l] { (c.ack_packets, c.ack_bits) } else { (0.0, 0.0) };
        link.queue_packets.mean = price.map(|p| p * (c.packets - acks.0));
        link.queue_bytes.mean = price.map(|p| p * (sum - acks.1) / 8.0);
        let waiting = if c.packets > 0.0 { 1.0 - acks.0 / c.packets } else { 1.0 };
        link.queueing_delay_s.mean = price.map(|p| p * waiting);
        link
    };
    crossing.iter().enumerate().map(result).collect()
}

fn group_result(name: &str, count: usize, flows: &[FlowResult]) -> GroupResult {
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
        // a sample an acknowledgement, so faster flows count for more
        rtt_s: RttResult { mean: (samples > 0.0).then(|| weighted / samples), ..RttResult::default() },
        ..GroupResult::default()
    }
}
