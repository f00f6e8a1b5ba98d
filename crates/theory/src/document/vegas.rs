//! The range of equilibria of Vegas flows.

use eddyline_scenario::Network;
use serde::Serialize;

use crate::approximations::of_vegas;
use crate::equilibrium::vegas;
use crate::error::TheoryError;
use crate::model::{Model, vegas_problem};

/// Vegas flows on a scenario's paths.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VegasDocument {
    /// Whether the ranges are exact; otherwise they are those of the corners, and other equilibria may lie outside.
    pub exact: bool,
    /// Every flow, in file order.
    pub flows: Vec<VegasFlow>,
    /// Links, in file order.
    pub links: Vec<VegasLink>,
    /// What is left out.
    pub notes: Vec<String>,
}

/// A Vegas flow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VegasFlow {
    /// Name from the scenario.
    pub name: String,
    /// Lower threshold in packets queued.
    pub alpha_packets: f64,
    /// Upper threshold.
    pub beta_packets: f64,
    /// Lowest rate in packet/s in equilibrium.
    pub least_packets_per_s: f64,
    /// Highest rate.
    pub most_packets_per_s: f64,
    /// Rate with every flow at its lower threshold.
    pub at_alpha_packets_per_s: f64,
    /// Rate with every flow at its upper threshold.
    pub at_beta_packets_per_s: f64,
}

/// A link that they cross.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VegasLink {
    /// Name from the scenario.
    pub name: String,
    /// Queueing delay with every flow at its lower threshold; null where only a sum over several links is determined.
    pub at_alpha_queueing_delay_s: Option<f64>,
    /// With every flow at its upper threshold.
    pub at_beta_queueing_delay_s: Option<f64>,
}

/// Every flow of `network` as a Vegas flow, its own controller ignored, with these thresholds (alpha and beta in
/// packets queued).
///
/// # Errors
/// As [`vegas`]; [`TheoryError::NoFlow`] where there is none.
pub fn vegas_document(network: &Network, thresholds: &[(f64, f64)]) -> Result<VegasDocument, TheoryError> {
    let (given, wanted) = (thresholds.len(), network.flows.len());
    if wanted == 0 {
        return Err(TheoryError::NoFlow);
    }
    if given != wanted {
        return Err(TheoryError::Length { what: "pairs of thresholds", given, wanted });
    }
    for ((alpha, beta), flow) in thresholds.iter().zip(&network.flows) {
        if !(*beta >= *alpha && beta.is_finite()) {
            let what = format!("beta of {}", flow.name);
            return Err(TheoryError::OutOfRange { what, value: *beta, allowed: "at least alpha and finite" });
        }
    }
    let alphas: Vec<f64> = thresholds.iter().map(|t| t.0).collect();
    let betas: Vec<f64> = thresholds.iter().map(|t| t.1).collect();
    let (problem, mut notes) = vegas_problem(network, &alphas)?;
    let band = vegas(&problem, &betas)?;
    let several = band.at_alpha.found.len().max(band.at_beta.found.len());
    if several > 1 {
        notes.push(format!(
            "the network has several equilibria, {several} were found; the rates at both ends are of the first"
        ));
    }
    let corners = (band.at_alpha.found.first(), band.at_beta.found.first());
    let (Some(low), Some(high)) = corners else {
        return Err(TheoryError::NotConverged("unknown: no equilibrium was found".to_owned()));
    };
    let flows = network.flows.len();
    let model = Model {
        problem,
        place: (0..flows).map(Some).collect(),
        responses: vec![None; flows],
        unknown: vec![false; network.links.len()],
    };
    notes.extend(of_vegas(network, &model, high));
    let flow = |(s, flow): (usize, &eddyline_scenario::network::Flow)| VegasFlow {
        name: flow.name.clone(),
        alpha_packets: alphas[s],
        beta_packets: betas[s],
        least_packets_per_s: band.rates[s][0],
        most_packets_per_s: band.rates[s][1],
        at_alpha_packets_per_s: low.rates[s],
        at_beta_packets_per_s: high.rates[s],
    };
    let link = |(l, link): (usize, &eddyline_scenario::network::Link)| VegasLink {
        name: link.name.clone(),
        at_alpha_queueing_delay_s: low.prices[l],
        at_beta_queueing_delay_s: high.prices[l],
    };
    Ok(VegasDocument {
        exact: band.exact,
        flows: network.flows.iter().enumerate().map(flow).collect(),
        links: network.links.iter().enumerate().map(link).collect(),
        notes,
    })
}
