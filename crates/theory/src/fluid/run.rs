//! Integration of a network: series and the final state.

use std::ops::ControlFlow;

use eddyline_scenario::Network;

use super::dde::{Past, Piece, Settings, Statistics, System, solve};
use super::model::{ARRIVED, AVERAGE, DELAY, LEFT, Model, PACKETS, Phase, SENT, WINDOW};
use super::options::{BaseRtts, DynamicsOptions, Filter};
use super::plan::Plan;
use super::steady_state::{Perturbation, SteadyState};
use crate::equilibrium::Equilibrium;
use crate::error::TheoryError;
use crate::link_model::LinkModel;
use crate::model::{counts_round_trips, modelled_flows, require_modelled};
use crate::world::run_with_base_rtt;
use eddyline_scenario::series::{FLOW, LINK, Quantity, Series};

/// A solution from time 0 to the network's duration.
#[derive(Debug, Clone, PartialEq)]
pub struct Dynamics {
    /// At multiples of the network's interval. Rates are means over the interval, all else is as it is at that moment.
    pub series: Series,
    /// The flows with a model, at the end.
    pub flows: Vec<FlowEnd>,
    /// Every link at the end.
    pub links: Vec<LinkEnd>,
    /// Largest relative difference between a flow's rate at the end and in equilibrium at the base round-trip times assumed
    /// then. `None` if a flow has stopped or not started, or no equilibrium was found.
    pub from_equilibrium: Option<f64>,
    /// Steps taken.
    pub statistics: Statistics,
    /// What of the network the equations do not model.
    pub notes: Vec<String>,
}

/// A flow at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowEnd {
    /// Index in the network's flows.
    pub flow: usize,
    /// Whether it is sending.
    pub open: bool,
    /// x in packet/s: w / R, which is the mean of the round trip that ends.
    pub packets_per_s: f64,
    /// w in packets.
    pub window_packets: f64,
    /// R in seconds, as the sender measures it.
    pub rtt_s: f64,
    /// q in seconds: R without propagation and the flow's own transmission times.
    pub queueing_delay_s: f64,
    /// Base round-trip time in seconds that the sender assumes.
    pub base_rtt_s: f64,
    /// Data packets sent.
    pub sent_packets: f64,
}

/// A link at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkEnd {
    /// p in seconds.
    pub queueing_delay_s: f64,
    /// Bits that arrived since the beginning.
    pub arrived_bits: f64,
    /// Bits that left since the beginning: capacity while there was a queue, arrivals while there was none.
    pub departed_bits: f64,
}

/// Integrates the equations of `network` from an empty network at time 0 to its duration.
///
/// # Errors
/// [`TheoryError::NoFlow`], [`TheoryError::NoModel`]; [`TheoryError::OutOfRange`], [`TheoryError::Length`] for invalid options; [`TheoryError::Dynamics`] where the limit on steps is reached.
pub fn dynamics(network: &Network, options: &DynamicsOptions) -> Result<Dynamics, TheoryError> {
    dynamics_observed(network, options, &mut |_| ControlFlow::Continue(()))
}

/// [`dynamics`] that calls `observe` with the time in seconds after every step and stops on `Break`.
///
/// # Errors
/// As [`dynamics`]; [`TheoryError::Dynamics`] with [`DdeError::Interrupted`](super::dde::DdeError::Interrupted).
pub fn dynamics_observed(
    network: &Network,
    options: &DynamicsOptions,
    observe: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Dynamics, TheoryError> {
    check(network, options)?;
    require_modelled(network, !modelled_flows(network).is_empty())?;
    let mut plan = Plan::new(network, options);
    let notes = std::mem::take(&mut plan.notes);
    follow(network, options, Model::new(plan, options.clone()), notes, observe)
}

/// The dynamics of `network`, which was always in the equilibrium `at`, and whose windows then change smoothly by `perturbation`
/// (one a flow that theory has a model of, in order).
///
/// Flows are permanent: starts, stops and sizes are ignored, and so are times of
/// unresponsive traffic. `at` has to be the equilibrium at the base round-trip times that senders assume: with [`BaseRtts::Exact`] one of
/// [`equilibria`](crate::equilibria). `start_up` should be off where an equilibrium's delay is below `mi_threshold`, or
/// start-up begins anew.
///
/// # Errors
/// As [`dynamics`]; [`TheoryError::Length`], [`TheoryError::OutOfRange`] for invalid perturbations too;
/// [`TheoryError::NotConverged`] where the prices that `at` leaves open cannot be chosen.
pub fn perturbed(
    network: &Network,
    at: &Equilibrium,
    perturbation: &[Perturbation],
    options: &DynamicsOptions,
) -> Result<Dynamics, TheoryError> {
    check(network, options)?;
    let mut plan = Plan::new(network, options);
    let notes = std::mem::take(&mut plan.notes);
    let steady = SteadyState::new(network, &plan, at, perturbation)?;
    follow(network, options, Model::from_steady_state(plan, options.clone(), steady), notes, &mut |_| {
        ControlFlow::Continue(())
    })
}

fn follow(
    network: &Network,
    options: &DynamicsOptions,
    mut model: Model,
    notes: Vec<String>,
    observe: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Dynamics, TheoryError> {
    let end = network.duration.as_secs_f64();
    let min_base_rtt = model.min_base_rtt;
    let settings = Settings {
        tolerance: options.tolerance,
        first_step: 1e-3 * min_base_rtt,
        longest_step: 0.5 * min_base_rtt,
        shortest_step: 1e-9 * min_base_rtt,
        max_steps: options.max_steps,
        fixed: false,
    };
    let mut recorder = Recorder::new(network, &model);
    let y = model.initial();
    let (y, statistics) = solve(&mut model, (0.0, end), &y, &settings, &mut |model, piece, past| {
        recorder.observe(model, piece, past);
        observe(piece.end())
    })?;
    let flows: Vec<FlowEnd> = (0..model.plan.flows.len()).map(|s| flow_end(&model, s, &y)).collect();
    let link = |l| LinkEnd {
        queueing_delay_s: y[model.of_link(l, DELAY)].max(0.0),
        arrived_bits: y[model.of_link(l, ARRIVED)],
        departed_bits: y[model.of_link(l, LEFT)],
    };
    Ok(Dynamics {
        series: recorder.series,
        links: (0..model.plan.capacity.len()).map(link).collect(),
        from_equilibrium: from_equilibrium(network, &flows),
        flows,
        statistics,
        notes,
    })
}

fn check(network: &Network, options: &DynamicsOptions) -> Result<(), TheoryError> {
    if options.link_model == LinkModel::Joint {
        return Err(TheoryError::NoDynamics);
    }
    counts_round_trips(network.flows.iter().map(|f| (f.name.as_str(), &*f.controller)), "dynamics")?;
    let within = |holds: bool, what: &str, value: f64, allowed: &'static str| {
        if holds { Ok(()) } else { Err(TheoryError::OutOfRange { what: what.to_owned(), value, allowed }) }
    };
    let tolerance = options.tolerance;
    within((1e-12..=0.1).contains(&tolerance), "the tolerance", tolerance, "from 1e-12 to 0.1")?;
    if let Filter::Asymmetric { up, down } = options.filter {
        for psi in [up, down] {
            within(psi > 0.0 && psi < 1.0, "psi", psi, "above 0 and below 1")?;
        }
    }
    if let BaseRtts::Given(all) = &options.base_rtt {
        let (given, wanted) = (all.len(), network.flows.len());
        if given != wanted {
            return Err(TheoryError::Length { what: "base round-trip times", given, wanted });
        }
        for base in all {
            within(base.is_finite() && *base > 0.0, "a base round-trip time", *base, "above 0 and finite")?;
        }
    }
    Ok(())
}

fn flow_end(model: &Model, s: usize, y: &[f64]) -> FlowEnd {
    let (plan, state) = (&model.plan.flows[s], &model.flows[s]);
    let open = state.phase == Phase::Open;
    let window = y[model.of_flow(s, WINDOW)];
    FlowEnd {
        flow: plan.index,
        open,
        packets_per_s: if open { window / state.rtt } else { 0.0 },
        window_packets: window,
        rtt_s: state.rtt,
        queueing_delay_s: state.rtt - plan.base_rtt,
        base_rtt_s: model.assumed_base_rtt(s, state.rtt),
        sent_packets: y[model.of_flow(s, SENT)],
    }
}

fn from_equilibrium(network: &Network, flows: &[FlowEnd]) -> Option<f64> {
    if flows.is_empty() || flows.iter().any(|f| !f.open) {
        return None;
    }
    let mut assumed_base_rtts = vec![1.0; network.flows.len()];
    for f in flows {
        assumed_base_rtts[f.flow] = f.base_rtt_s;
    }
    let settled = run_with_base_rtt(network, &assumed_base_rtts).ok()?;
    flows.iter().try_fold(0.0f64, |worst, f| {
        let x = settled.flows[f.flow].packets_per_s?;
        Some(worst.max((f.packets_per_s / x - 1.0).abs()))
    })
}

/// Writes rows at multiples of an interval.
struct Recorder {
    series: Series,
    interval: f64,
    ticks: u64,
    received: Vec<f64>,
    links: Vec<(f64, f64)>,
    y: Vec<f64>,
    dy: Vec<f64>,
    events: Vec<f64>,
}

impl Recorder {
    fn new(network: &Network, model: &Model) -> Self {
        Self {
            series: Series::default(),
            interval: network.record_interval.as_secs_f64().max(1e-12),
            ticks: 1,
            received: (0..model.plan.flows.len()).map(|s| model.received_at_first(s)).collect(),
            links: vec![(0.0, 0.0); model.plan.capacity.len()],
            y: vec![0.0; model.unknowns()],
            dy: vec![0.0; model.unknowns()],
            events: vec![0.0; model.events()],
        }
    }

    fn observe(&mut self, model: &mut Model, piece: &Piece, past: &Past) {
        loop {
            let t = self.ticks as f64 * self.interval;
            // the last tick may be the end, rounded
            if t > piece.end() * (1.0 + 4.0 * f64::EPSILON) {
                return;
            }
            self.tick(model, piece, past, t.min(piece.end()));
            self.ticks += 1;
        }
    }

    fn tick(&mut self, model: &mut Model, piece: &Piece, past: &Past, t: f64) {
        for (i, y) in self.y.iter_mut().enumerate() {
            *y = piece.value(i, t);
        }
        model.rates(t, &self.y, past, &mut self.dy, &mut self.events);
        let y = &self.y;
        for (s, previous) in self.received.iter_mut().enumerate() {
            let (plan, state) = (&model.plan.flows[s], &model.flows[s]);
            if plan.hops.iter().any(|hop| model.plan.unknown[hop.link]) {
                continue;
            }
            let of = |unknown| y[model.of_flow(s, unknown)];
            let mut row = |q, v| self.series.push(t, FLOW, plan.index as u32, q, v);
            row(Quantity::CwndPackets, of(WINDOW));
            row(
                Quantity::InFlightPackets,
                if state.phase == Phase::Idle { 0.0 } else { of(SENT) - state.acknowledged },
            );
            if state.established {
                row(Quantity::RttS, state.rtt);
                if plan.averaging.is_any() {
                    row(Quantity::SrttS, of(AVERAGE));
                }
            }
            let received = model.received(past, s, y, t);
            let throughput = (received - *previous) / self.interval;
            row(Quantity::ThroughputBps, throughput);
            row(Quantity::GoodputBps, throughput * plan.payload_bits / plan.packet_bits);
            *previous = received;
        }
        for (l, previous) in self.links.iter_mut().enumerate() {
            if model.plan.unknown[l] {
                continue;
            }
            let of = |unknown| y[model.of_link(l, unknown)];
            let delay = of(DELAY).max(0.0);
            let packets = model.of_link(l, PACKETS);
            let mut row = |q, v| self.series.push(t, LINK, l as u32, q, v);
            // packets in the queue arrived after the one that leaves now
            let (entered, _) = past.entered(model.of_link(l, DELAY), t);
            let waiting = if delay > 0.0 { (y[packets] - past.value(packets, entered)).max(0.0) } else { 0.0 };
            row(Quantity::QueuePackets, waiting);
            row(Quantity::QueueBytes, delay * model.plan.capacity[l] / 8.0);
            row(Quantity::ArrivalBps, (of(ARRIVED) - previous.0) / self.interval);
            row(Quantity::DepartureBps, (of(LEFT) - previous.1) / self.interval);
            *previous = (of(ARRIVED), of(LEFT));
        }
    }
}
