//! World `theory`: the equilibrium of a scenario in the result that all worlds share.

use eddyline_scenario::Network;
use eddyline_scenario::network::{Arrivals, Flow, Link, Probe, Traffic};
use eddyline_scenario::result::{
    ArrivalsResult, Cost, Counters, FlowResult, LinkResult, ProbeResult, RunResult, TheoryNote, TrafficResult,
};

use crate::approximations;
use crate::error::TheoryError;
use crate::model::{Model, solve_named};
use crate::results::{flow_results, group_result, link_results};

/// The equilibrium of `network` in the result type, with exactly known base round-trip times. Values that theory cannot
/// compute are `None`; `approximations` lists what of the file is not modelled.
///
/// # Errors
/// [`TheoryError`].
pub fn run(network: &Network) -> Result<RunResult, TheoryError> {
    solve(network, None)
}

/// The same with the base round-trip times `base_rtts_s` that senders assume, one a flow, in seconds: what world `sim`
/// reports as `base_rtt_s`.
///
/// A sender's samples include the transmission times of its own packet and acknowledgement, so its error is what it assumes
/// less propagation and transmission; it measures q less that error as queueing delay. Values of flows without a model are
/// ignored.
///
/// # Errors
/// [`TheoryError`], where the lengths differ or a value is not finite too.
pub fn run_with_base_rtt(network: &Network, base_rtts_s: &[f64]) -> Result<RunResult, TheoryError> {
    let (given, wanted) = (base_rtts_s.len(), network.flows.len());
    if given != wanted {
        return Err(TheoryError::Length { what: "base round-trip times", given, wanted });
    }
    solve(network, Some(base_rtts_s))
}

/// The same beside dynamics, which need no equilibrium: where there is none, values are `None`, and `approximations` says why.
///
/// # Errors
/// As [`run_with_base_rtt`] otherwise.
pub fn run_beside_dynamics(network: &Network, base_rtts_s: Option<&[f64]>) -> Result<RunResult, TheoryError> {
    let result = match base_rtts_s {
        Some(assumed) => run_with_base_rtt(network, assumed),
        None => run(network),
    };
    let why = match result {
        Err(why) if why.has_no_equilibrium() => why,
        other => return other,
    };
    let flow = |flow: &Flow| FlowResult {
        name: flow.name.clone(),
        controller: flow.controller.name().to_owned(),
        ..FlowResult::default()
    };
    let link = |link: &Link| LinkResult { name: link.name.clone(), ..LinkResult::default() };
    let (flows, links) = (network.flows.iter().map(flow).collect(), network.links.iter().map(link).collect());
    let note =
        TheoryNote { method: "no equilibrium".to_owned(), residual: None, prices_s: vec![None; network.links.len()] };
    let approximations = vec![format!("{why}; what the equilibrium would say reads null")];
    Ok(document(network, flows, links, note, approximations))
}

fn solve(network: &Network, base_rtts_s: Option<&[f64]>) -> Result<RunResult, TheoryError> {
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
    let modelled = !model.problem.flows.is_empty();
    let known = |(price, unknown): (&Option<f64>, &bool)| if *unknown { None } else { *price };
    let note = TheoryNote {
        method: if modelled { solved.method.name() } else { "no flow has a model" }.to_owned(),
        residual: modelled.then_some(first.residual),
        prices_s: first.prices.iter().zip(&model.unknown).map(known).collect(),
    };
    let approximations = approximations::of(network, &model, &solved, first, (&flows, &links), base_rtts_s.is_some());
    Ok(document(network, flows, links, note, approximations))
}

fn document(
    network: &Network,
    flows: Vec<FlowResult>,
    links: Vec<LinkResult>,
    note: TheoryNote,
    approximations: Vec<String>,
) -> RunResult {
    let groups = network.groups.iter().map(|g| {
        let members = flows.get(g.first..g.first + g.count).unwrap_or_default();
        group_result(&g.name, g.count, members)
    });
    RunResult {
        world: "theory".to_owned(),
        title: network.title.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario_sha256: network.scenario_sha256.clone(),
        seed: network.seed,
        groups: groups.collect(),
        arrivals: network.arrivals.iter().map(arrivals_result).collect(),
        traffic: network.traffic.iter().map(traffic_result).collect(),
        probes: network.probes.iter().map(probe_result).collect(),
        counters: Counters::default(),
        approximations,
        theory: Some(note),
        sampling: None,
        emulation: None,
        cost: Cost::default(),
        flows,
        links,
    }
}

/// Dynamic flows are not part of the equilibrium.
fn arrivals_result(arrivals: &Arrivals) -> ArrivalsResult {
    ArrivalsResult {
        name: arrivals.name.clone(),
        controller: arrivals.flow.controller.name().to_owned(),
        ..ArrivalsResult::default()
    }
}

/// Probes have no part in the equilibrium.
fn probe_result(probe: &Probe) -> ProbeResult {
    ProbeResult { name: probe.name.clone(), ..ProbeResult::default() }
}

fn traffic_result(traffic: &Traffic) -> TrafficResult {
    TrafficResult { name: traffic.name.clone(), ..TrafficResult::default() }
}
