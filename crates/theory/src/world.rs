//! World `theory`: the equilibrium of a scenario in the result that all worlds share.

use eddyline_scenario::Network;
use eddyline_scenario::network::{Arrivals, Probe, Traffic};
use eddyline_scenario::result::{ArrivalsResult, Cost, Counters, ProbeResult, RunResult, TheoryNote, TrafficResult};

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

/// The same with the base round-trip times `base_rtts_s` that senders believe, one a flow, in seconds: what world `sim`
/// reports as `base_rtt_s`.
///
/// A sender's samples include the transmission times of its own packet and acknowledgement, so its error is the belief
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
        arrivals: network.arrivals.iter().map(arrivals_result).collect(),
        traffic: network.traffic.iter().map(traffic_result).collect(),
        probes: network.probes.iter().map(probe_result).collect(),
        counters: Counters::default(),
        approximations: approximations::of(network, &model, &solved, first, &flows, &links, base_rtts_s.is_some()),
        theory: Some(TheoryNote {
            method: if modelled { solved.method.name() } else { "no flow has a model" }.to_owned(),
            residual: modelled.then_some(first.residual),
            prices_s: first.prices.iter().zip(&model.unknown).map(known).collect(),
        }),
        sampling: None,
        emulation: None,
        cost: Cost::default(),
        flows,
        links,
    })
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
