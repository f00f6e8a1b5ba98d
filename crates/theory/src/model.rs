//! A network as a complementarity problem: which flows have a model, which links are affected by others, and the
//! solution by name.

use std::sync::Arc;

use eddyline_cc::{ControllerParams, Delay};
use eddyline_path::loss::{LossParams, LossPattern};
use eddyline_path::queue::{Limit, QueueParams};
use eddyline_path::traffic::mean_rate_bps;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Link, LinkId, Traffic};
use eddyline_units::Time;

use crate::ack_streams::{solve_streams, targets};
use crate::equilibrium::{Equilibria, Problem, solve};
use crate::error::TheoryError;
use crate::packets::{ack_bits, bits, growth_ratio, problem_flow};
use crate::response::{Losses, path_loss, reno_window};

/// Long-run mean rate of traffic on the wire in bit/s; `None` where there is none.
#[must_use]
pub fn mean_rate(traffic: &Traffic) -> Option<f64> {
    mean_rate_bps(&traffic.model, traffic.packet, traffic.trace.as_deref())
}

/// Whether a traffic source sends during the summary window.
pub(crate) fn overlaps(traffic: &Traffic, network: &Network) -> bool {
    traffic.start < network.duration && traffic.stop.is_none_or(|stop| stop > network.warmup)
}

/// A flow's alpha in packets; `None` for controllers that theory has no model of.
pub(crate) fn alpha(params: &ControllerParams) -> Option<f64> {
    params.fast_law().map(|fast| fast.alpha.get())
}

/// Which queueing delay a flow measures.
pub(crate) fn delay(params: &ControllerParams) -> Delay {
    params.delay_options().map_or(Delay::RoundTrip, |o| o.delay)
}

/// The weight of the acknowledgements' queueing delay in what a flow measures.
fn ack_wait(flow: &Flow) -> f64 {
    match delay(&flow.controller) {
        Delay::RoundTrip => 1.0,
        Delay::Forward => 0.0,
        Delay::Weighted => ack_bits(flow) / bits(flow.packet),
    }
}

/// Refuses an analysis (`question`) of FAST as published if a flow measures another delay than that of the round trip.
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

/// A flow whose window is given by a response function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Response {
    /// Mean window in packets.
    pub window: f64,
    /// Loss probability of its data path.
    pub loss: f64,
    /// Round-trip time without queueing, in seconds.
    pub rtt_s: f64,
    /// What of its packets and acknowledgements reaches each link: as in [`Problem::reaching`].
    pub reaching: Arc<[f64]>,
}

/// A scenario as a problem, and what is left out of it.
pub(crate) struct Model {
    pub problem: Problem,
    /// Index of each flow in the problem, `None` if it has no model.
    pub place: Vec<Option<usize>>,
    /// The response function of each flow that has one; such flows without an index would fill a link.
    pub responses: Vec<Option<Response>>,
    /// Links whose state is unknown: traffic without a model crosses them, or a flow whose rate is unknown for that reason.
    pub unknown: Vec<bool>,
}

impl Model {
    /// Whether the state of every link on the flow's paths is known.
    pub fn is_known(&self, flow: &Flow) -> bool {
        !flow.data.iter().chain(flow.ack.iter()).any(|l| self.unknown[*l as usize])
    }

    /// `joint` includes flows with a response function.
    pub fn new(network: &Network, base_rtts_s: Option<&[f64]>, joint: bool) -> Result<Self, TheoryError> {
        let mut unknown = vec![false; network.links.len()];
        let mut problem = Problem {
            capacity: network.links.iter().map(|l| l.rate.as_bps() as f64).collect(),
            unresponsive: vec![0.0; network.links.len()],
            ..Problem::default()
        };
        if network.links.iter().any(acks_first) {
            problem.acks_first = network.links.iter().map(acks_first).collect();
        }
        for traffic in &network.traffic {
            if !overlaps(traffic, network) {
                continue;
            }
            match mean_rate(traffic) {
                Some(rate) => traffic.path.iter().for_each(|l| problem.unresponsive[*l as usize] += rate),
                None => traffic.path.iter().for_each(|l| unknown[*l as usize] = true),
            }
        }
        let responses: Vec<Option<Response>> =
            network.flows.iter().map(|f| response(network, f).filter(|_| joint)).collect();
        let filled = filled(network, &problem, &responses);
        let mut place = Vec::with_capacity(network.flows.len());
        for (s, flow) in network.flows.iter().enumerate() {
            let crossed = || flow.data.iter().chain(flow.ack.iter()).map(|l| *l as usize);
            let law = match (alpha(&flow.controller), &responses[s]) {
                // each direction has a base delay of its own; that of the round trip does not determine it
                (Some(alpha), _) if delay(&flow.controller).is_one_way() => Some((alpha, 0.0, ack_wait(flow))),
                (Some(alpha), _) => {
                    let assumed = |base: &[f64]| base[s] - propagation(network, flow) - transmission(network, flow);
                    Some((alpha, base_rtts_s.map_or(0.0, assumed), 1.0))
                }
                // x = W / (RTT + q) is FAST's x = alpha / (q - e) with W for alpha and -RTT for e
                (None, Some(r)) if !crossed().any(|l| filled[l]) => Some((r.window, -r.rtt_s, 1.0)),
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
            let reaching = responses[s].as_ref().map(|r| Arc::clone(&r.reaching));
            problem.reaching.push(reaching.unwrap_or_default());
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
        if problem.reaching.iter().all(|shares| shares.is_empty()) {
            problem.reaching.clear();
        }
        if problem.ack_wait.iter().all(|w| *w == 1.0) {
            problem.ack_wait.clear();
        }
        Ok(Self { problem, place, responses, unknown })
    }
}

/// The limit of a drop-tail queue or of its variant with ACK priority; `None` for other disciplines.
pub(crate) fn droptail_limit(queue: &QueueParams) -> Option<Limit> {
    match queue {
        QueueParams::DropTail(p) => Some(p.limit),
        // two FIFOs, acknowledgements first
        QueueParams::AckPriority(p) => Some(p.limit),
        _ => None,
    }
}

/// Whether a link sends acknowledgements before data.
pub(crate) fn acks_first(link: &Link) -> bool {
    matches!(link.queue, QueueParams::AckPriority(_))
}

/// Links with the mean rates of unresponsive traffic; adds notes about it.
pub(crate) fn links_alone(network: &Network, notes: &mut Vec<String>) -> Problem {
    let mut problem = Problem {
        capacity: network.links.iter().map(|l| l.rate.as_bps() as f64).collect(),
        unresponsive: vec![0.0; network.links.len()],
        ..Problem::default()
    };
    for traffic in network.traffic.iter().filter(|t| overlaps(t, network)) {
        if let Some(rate) = mean_rate(traffic) {
            traffic.path.iter().for_each(|l| problem.unresponsive[*l as usize] += rate);
            notes.push(format!("{}: counts with its mean rate", traffic.name));
        }
    }
    notes.extend(unknown_rate_note(network));
    problem
}

/// Every flow of `network`, whatever its controller, as one that keeps `alphas` packets queued; and notes on what is left out.
pub(crate) fn vegas_problem(network: &Network, alphas: &[f64]) -> Result<(Problem, Vec<String>), TheoryError> {
    let mut notes = Vec::new();
    let mut problem = links_alone(network, &mut notes);
    problem.flows = network.flows.iter().zip(alphas).map(|(flow, alpha)| problem_flow(flow, *alpha)).collect();
    for l in network.flows.iter().flat_map(|f| f.data.iter().chain(f.ack.iter())).map(|l| *l as usize) {
        let (load_bps, capacity_bps) = (problem.unresponsive[l], problem.capacity[l]);
        if load_bps >= capacity_bps {
            return Err(TheoryError::Overload { link: network.links[l].name.as_str().into(), load_bps, capacity_bps });
        }
    }
    notes.extend(arrivals_note(network));
    Ok((problem, notes))
}

/// The mean loss on the path of a Reno flow that has no response function because it comes in bursts; `None` of other flows.
pub(crate) fn loss_in_bursts(network: &Network, flow: &Flow) -> Option<f64> {
    if !matches!(&*flow.controller, ControllerParams::Reno(_) | ControllerParams::NewReno(_)) {
        return None;
    }
    let bursts = flow.data.iter().filter_map(|l| match network.links[*l as usize].loss {
        LossParams::Pattern(pattern @ LossPattern::GilbertElliott { .. }) => Some(pattern.mean()),
        _ => None,
    });
    let mean = path_loss(bursts);
    (mean > 0.0).then_some(mean)
}

/// The response function of a Reno flow whose data cross a link that loses or damages packets.
fn response(network: &Network, flow: &Flow) -> Option<Response> {
    if !matches!(&*flow.controller, ControllerParams::Reno(_) | ControllerParams::NewReno(_)) {
        return None;
    }
    let lossy = flow.data.iter().filter_map(|l| match network.links[*l as usize].loss {
        LossParams::Independent(p) => (p > 0.0).then_some((*l, p, Losses::Random)),
        LossParams::Pattern(pattern @ LossPattern::Periodic { .. }) => Some((*l, pattern.mean(), Losses::Periodic)),
        // a burst of losses is one congestion event: no response function holds
        LossParams::Pattern(LossPattern::GilbertElliott { .. }) => None,
    });
    // a damaged packet is as a lost one to its sender
    let corrupt = flow.data.iter().map(|l| (*l, network.links[*l as usize].corrupt, Losses::Random));
    let lossy: Vec<(LinkId, f64, Losses)> = lossy.chain(corrupt.filter(|(_, p, _)| *p > 0.0)).collect();
    let alone = |l: LinkId| network.flows.iter().filter(|f| f.data.contains(&l)).count() == 1;
    let losses = match lossy.as_slice() {
        [] => return None,
        // periodic loss on a link is not periodic for one of several flows
        [(l, _, Losses::Periodic)] if alone(*l) => Losses::Periodic,
        _ => Losses::Random,
    };
    let loss = path_loss(lossy.iter().map(|l| l.1));
    let window = reno_window(loss, growth_ratio(flow), losses).ok()?;
    let rtt_s = propagation(network, flow) + transmission(network, flow);
    Some(Response { window, loss, rtt_s, reaching: reaching(network, flow, loss) })
}

/// What of a flow's packets, `loss` of which do not arrive, and of their acknowledgements reaches each link. A link loses
/// what it has transmitted, so a packet loads all links up to the one that loses it; damaged ones are dropped at the end
/// of their path and load all of it.
fn reaching(network: &Network, flow: &Flow, loss: f64) -> Arc<[f64]> {
    let along = |path: &[LinkId], sent: f64, lost: fn(&LossParams) -> f64| {
        let mut left = sent;
        let mut shares = Vec::with_capacity(path.len());
        for l in path {
            shares.push(left);
            left *= 1.0 - lost(&network.links[*l as usize].loss);
        }
        shares
    };
    let mut shares = along(&flow.data, 1.0, loss_of_data);
    shares.extend(along(&flow.ack, 1.0 - loss, loss_of_acks));
    shares.into()
}

/// The share of data packets that a response function takes to be lost on a link.
fn loss_of_data(loss: &LossParams) -> f64 {
    match loss {
        LossParams::Independent(p) => *p,
        LossParams::Pattern(pattern @ LossPattern::Periodic { .. }) => pattern.mean(),
        // a burst of losses is one congestion event: no response function holds
        LossParams::Pattern(LossPattern::GilbertElliott { .. }) => 0.0,
    }
}

/// The same of acknowledgements: the periodic pattern spares them.
fn loss_of_acks(loss: &LossParams) -> f64 {
    match loss {
        LossParams::Independent(p) => *p,
        LossParams::Pattern(_) => 0.0,
    }
}

/// Links that unresponsive traffic and flows with response functions would fill at round-trip times without queueing, unless
/// FAST sends data there into a drop-tail queue: it gives way, and the queue grows until the others' windows fit.
fn filled(network: &Network, problem: &Problem, responses: &[Option<Response>]) -> Vec<bool> {
    let mut offered = problem.unresponsive.clone();
    for (flow, response) in network.flows.iter().zip(responses) {
        let Some(r) = response else { continue };
        let x = r.window / r.rtt_s;
        let data = flow.data.iter().map(|l| (l, bits(flow.packet)));
        let crossed = data.chain(flow.ack.iter().map(|l| (l, ack_bits(flow))));
        crossed.zip(r.reaching.iter()).for_each(|((l, bits), share)| offered[*l as usize] += x * share * bits);
    }
    let mut filled: Vec<bool> = offered.iter().zip(&problem.capacity).map(|(y, c)| *y >= *c).collect();
    for l in network.flows.iter().filter(|f| alpha(&f.controller).is_some()).flat_map(|f| f.data.iter()) {
        filled[*l as usize] &= droptail_limit(&network.links[*l as usize].queue).is_none();
    }
    filled
}

/// d in seconds: propagation and access of the round trip.
pub(crate) fn propagation(network: &Network, flow: &Flow) -> f64 {
    let access = flow.access_data.saturating_add(flow.access_ack);
    let delay = |l: &LinkId| network.links[*l as usize].delay;
    flow.data.iter().chain(flow.ack.iter()).fold(access, |sum, l| sum.saturating_add(delay(l))).as_secs_f64()
}

/// Seconds that a data packet and its acknowledgement take to be transmitted, summed over links.
pub(crate) fn transmission(network: &Network, flow: &Flow) -> f64 {
    transmission_of(network, flow, flow.packet)
}

/// The same of SYN and SYN-ACK, which have the size of an acknowledgement: what the first sample of the round-trip time has.
pub(crate) fn handshake(network: &Network, flow: &Flow) -> f64 {
    transmission_of(network, flow, flow.ack_packet)
}

/// Seconds that a packet of `bytes` and the answer to it take to be transmitted.
fn transmission_of(network: &Network, flow: &Flow, bytes: u32) -> f64 {
    let over = |path: &[LinkId], bytes: u32| {
        let time = |l: &LinkId| network.links[*l as usize].rate.transmission_time(u64::from(bytes));
        path.iter().fold(Time::ZERO, |sum, l| sum.saturating_add(time(l)))
    };
    over(&flow.data, bytes).saturating_add(over(&flow.ack, flow.ack_packet)).as_secs_f64()
}

/// Every equilibrium of the FAST flows alone, in the order of [`modelled_flows`]; links in file order. Every queue is a
/// FIFO, as stability and dynamics take it.
///
/// # Errors
/// [`TheoryError`].
pub fn equilibria(network: &Network) -> Result<Equilibria, TheoryError> {
    Ok(fifo_equilibria(network)?.1)
}

/// [`equilibria`] with their model.
pub(crate) fn fifo_equilibria(network: &Network) -> Result<(Model, Equilibria), TheoryError> {
    let mut model = Model::new(network, None, false)?;
    model.problem.acks_first.clear();
    let solved = solve_named(network, &model)?;
    Ok((model, solved))
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

/// Marks as unknown every link on the paths of a flow that crosses an unknown link, until nothing changes.
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

/// Refuses a network in which no flow has a model; `any` says whether one has.
pub(crate) fn require_modelled(network: &Network, any: bool) -> Result<(), TheoryError> {
    match network.flows.first() {
        None => Err(TheoryError::NoFlow),
        Some(flow) if !any => {
            Err(TheoryError::NoModel { who: flow.name.clone(), controller: flow.controller.name().to_owned() })
        }
        Some(_) => Ok(()),
    }
}

/// Why the state of the flows is unknown: the flow or traffic without a model that shares links with them.
pub(crate) fn without_state(network: &Network, model: &Model) -> TheoryError {
    let flows =
        || network.flows.iter().zip(model.place.iter().zip(&model.responses)).filter(|(_, (place, _))| place.is_none());
    if let Some((flow, _)) = flows().find(|(_, (_, response))| response.is_none()) {
        if let Some(mean) = loss_in_bursts(network, flow) {
            return TheoryError::Bursts { who: flow.name.clone(), mean };
        }
        return TheoryError::NoModel { who: flow.name.clone(), controller: flow.controller.name().to_owned() };
    }
    if let Some((flow, _)) = flows().next() {
        return TheoryError::Filled { who: flow.name.clone() };
    }
    match network.traffic.iter().find(|t| mean_rate(t).is_none()) {
        Some(traffic) => TheoryError::UnknownRate { who: traffic.name.clone() },
        None => match network.arrivals.first() {
            Some(arrivals) => TheoryError::Arrivals { who: arrivals.name.clone() },
            None => TheoryError::NoFlow,
        },
    }
}

/// A note on flows that come and go.
pub(crate) fn arrivals_note(network: &Network) -> Option<String> {
    (!network.arrivals.is_empty()).then(|| "flows that come and go are left out".to_owned())
}

/// Notes on traffic whose mean rate is not known.
pub(crate) fn unknown_rate_note(network: &Network) -> Vec<String> {
    let unknown = network.traffic.iter().filter(|t| overlaps(t, network) && mean_rate(t).is_none());
    unknown.map(|t| format!("{}: theory does not know its mean rate; left out", t.name)).collect()
}

/// A note on flows other than FAST, which stability, dynamics and the fair ideal leave out.
pub(crate) fn non_fast_note(network: &Network) -> Option<String> {
    match network.flows.len() - modelled_flows(network).len() {
        0 => None,
        1 => Some("1 flow is not FAST and left out".to_owned()),
        n => Some(format!("{n} flows are not FAST and left out")),
    }
}
