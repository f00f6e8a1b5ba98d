//! FAST's equilibria compared with alpha-fair rates.

use eddyline_scenario::Network;
use serde::Serialize;

use crate::approximations::of_equations;
use crate::equilibrium::{Equilibria, Problem};
use crate::error::TheoryError;
use crate::fairness::{alpha_fair, fairness_metrics};
use crate::model::{
    Model, arrivals_note, modelled_flows, non_fast_note, require_modelled, solve_named, unknown_rate_note,
};
use crate::packets::{ack_bits, ack_ratio};
use crate::results::acks_per_s;

/// FAST compared with the fair ideal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FairnessDocument {
    /// 1 is proportional fairness.
    pub exponent: f64,
    /// FAST flows, in file order.
    pub flows: Vec<IdealFlow>,
    /// Links, in file order.
    pub links: Vec<IdealLink>,
    /// Jain's index of x / alpha in the ideal.
    pub jain_ideal: f64,
    /// `sum alpha log x` of the ideal, or `sum alpha^e x^(1 - e) / (1 - e)`, x in packet/s.
    pub utility: f64,
    /// Largest relative violation of the ideal's optimality conditions.
    pub residual: f64,
    /// Whether Newton's method determined the last digits, not the convex solver.
    pub polished: bool,
    /// Every equilibrium of the FAST flows, compared with it.
    pub equilibria: Vec<Comparison>,
    /// What is left out.
    pub notes: Vec<String>,
}

/// A flow in the ideal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdealFlow {
    /// Name from the scenario.
    pub name: String,
    /// Its weight: alpha in packets.
    pub alpha_packets: f64,
    /// Its fair rate in packet/s.
    pub packets_per_s: f64,
}

/// A link in the ideal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdealLink {
    /// Name from the scenario.
    pub name: String,
    /// Multiplier times the capacity that unresponsive traffic leaves, in packets; over all links the sum is that of the alphas.
    pub worth_packets: f64,
    /// Load over capacity, acknowledgements and unresponsive traffic included.
    pub utilisation: f64,
}

/// An equilibrium compared with the ideal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Flows in file order.
    pub flows: Vec<ComparedFlow>,
    /// Data on the wire in bit/s, over the ideal's.
    pub throughput: f64,
    /// The same with each flow's packets weighted by its alpha.
    pub weighted_throughput: f64,
    /// Factor on the ideal's rates that would reduce their utility to that of the equilibrium; at most 1.
    pub efficiency: f64,
    /// `U* - U` in packets; of proportional fairness only.
    pub utility_gap_packets: Option<f64>,
    /// Jain's index of x / alpha.
    pub jain: f64,
}

/// A flow's rate compared with its fair rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedFlow {
    /// Name from the scenario.
    pub name: String,
    /// x in packet/s.
    pub packets_per_s: f64,
    /// x over its fair rate.
    pub of_ideal: f64,
}

/// The rates of `network`'s FAST flows that are fair in the sense of `exponent`, with weights alpha, and their equilibria
/// compared with it.
///
/// # Errors
/// As [`alpha_fair`]; [`TheoryError::NoFlow`] where there is no FAST flow.
pub fn fairness_document(network: &Network, exponent: f64) -> Result<FairnessDocument, TheoryError> {
    let places = modelled_flows(network);
    require_modelled(network, !places.is_empty())?;
    let mut model = Model::new(network, None, false)?;
    let solved = solve_named(network, &model)?;
    if !solved.converged {
        let worst = solved.found.iter().fold(0.0f64, |m, at| m.max(at.residual));
        return Err(TheoryError::NotConverged(format!("{worst:e}")));
    }
    // what has no model is left out here, so nothing is unknown for it
    model.unknown.fill(false);
    let mut notes: Vec<String> = non_fast_note(network).into_iter().chain(arrivals_note(network)).collect();
    notes.extend(unknown_rate_note(network));
    notes.extend(solved.found.first().map(|at| of_equations(network, &model, at)).unwrap_or_default());
    let problem = acknowledged(network, &places, model.problem, &solved);
    let ideal = alpha_fair(&problem, exponent)?;
    let name = |i: usize| network.flows[places[i]].name.clone();
    let mut jain_ideal = 1.0;
    let mut equilibria = Vec::with_capacity(solved.found.len());
    for at in &solved.found {
        let metrics = fairness_metrics(&problem, at, &ideal)?;
        jain_ideal = metrics.jain_ideal;
        let rates = at.rates.iter().zip(&ideal.rates).enumerate();
        equilibria.push(Comparison {
            flows: rates
                .map(|(i, (x, best))| ComparedFlow { name: name(i), packets_per_s: *x, of_ideal: x / best })
                .collect(),
            throughput: metrics.throughput,
            weighted_throughput: metrics.weighted_throughput,
            efficiency: metrics.efficiency,
            utility_gap_packets: (exponent == 1.0).then_some(metrics.utility_gap),
            jain: metrics.jain,
        });
    }
    let links = network.links.iter().zip(ideal.worth.iter().zip(&ideal.loads));
    Ok(FairnessDocument {
        exponent,
        flows: (0..places.len())
            .map(|i| IdealFlow { name: name(i), alpha_packets: problem.flows[i].alpha, packets_per_s: ideal.rates[i] })
            .collect(),
        links: links
            .map(|(link, (worth, load))| IdealLink {
                name: link.name.clone(),
                worth_packets: *worth,
                utilisation: (load / link.rate.as_bps() as f64).min(1.0),
            })
            .collect(),
        jain_ideal,
        utility: ideal.utility,
        residual: ideal.residual,
        polished: ideal.polished,
        equilibria,
        notes,
    })
}

/// `problem` with as many packets for each acknowledgement as in equilibrium: senders with `ack_alpha` ask for fewer
/// acknowledgements, so that the ideal is of what these leave.
fn acknowledged(network: &Network, places: &[usize], mut problem: Problem, solved: &Equilibria) -> Problem {
    let Some(at) = solved.found.first() else { return problem };
    for (s, place) in places.iter().enumerate() {
        let flow = &network.flows[*place];
        let all = at.rates[s] / ack_ratio(flow);
        problem.flows[s].ack_bits = ack_bits(flow) * (acks_per_s(flow, at, s) / all);
    }
    problem
}
