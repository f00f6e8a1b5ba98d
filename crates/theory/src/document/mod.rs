//! The documents that `eddyline theory` prints.

mod fairness;
mod nyquist;
mod vegas;

pub use fairness::{FairnessDocument, fairness_document};
pub use nyquist::{NyquistCurve, NyquistDocument, nyquist_document};
pub use vegas::{VegasDocument, vegas_document};

use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use serde::Serialize;

use crate::approximations::{of_equations, without_model};
use crate::equilibrium::Equilibrium;
use crate::error::TheoryError;
use crate::link_model::LinkModel;
use crate::model::{Model, alpha, joint_equilibria, modelled_flows, propagation, without_state};
use crate::results::{queueing_delay, window};
use crate::stability::{Options, locally_stable, stability};

/// Every equilibrium that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EquilibriaDocument {
    /// At least one; those that may be stable come first.
    pub equilibria: Vec<EquilibriumDocument>,
    /// True if proved, false if several were found, null if one was found and uniqueness is not proved, or if flows or
    /// traffic without a model affect it.
    pub unique: Option<bool>,
    /// How they were computed.
    pub method: &'static str,
    /// Whether every residual is below the solver's tolerance: true, otherwise there is no document.
    pub converged: bool,
    /// What is left out.
    pub notes: Vec<String>,
}

/// One equilibrium.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EquilibriumDocument {
    /// Flows with a model that cross no link of unknown state, in file order.
    pub flows: Vec<FlowAt>,
    /// Links, in file order.
    pub links: Vec<LinkAt>,
    /// Largest relative violation of x (q - e) = alpha, feasibility and complementarity.
    pub residual: f64,
    /// Whether small perturbations decay with the integrator link model (eq. 3 of the two-way paper); null if no link has a
    /// queue or the network has too many.
    pub locally_stable: Option<bool>,
}

/// A flow in equilibrium.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowAt {
    /// Name from the scenario.
    pub name: String,
    /// x: data packets a second.
    pub packets_per_s: f64,
    /// x (d + q) in packets; null where q is.
    pub window_packets: Option<f64>,
    /// q in seconds of the round trip, whether or not the sender measures all of it; null if it weights both directions
    /// differently and the equilibrium does not determine their delays.
    pub queueing_delay_s: Option<f64>,
    /// Only for a flow whose window comes from a response function: the share of its data packets that is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_loss: Option<f64>,
}

/// A link in equilibrium.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkAt {
    /// Name from the scenario.
    pub name: String,
    /// p in seconds; null where only a sum over several links is determined.
    pub queueing_delay_s: Option<f64>,
    /// Load over capacity, acknowledgements included; null if its state is unknown.
    pub utilisation: Option<f64>,
    /// The price is above zero; null likewise.
    pub bottleneck: Option<bool>,
}

/// Every equilibrium of `network` with its names.
///
/// # Errors
/// [`TheoryError`].
pub fn equilibria_document(network: &Network) -> Result<EquilibriaDocument, TheoryError> {
    let (model, solved) = joint_equilibria(network)?;
    if !network.flows.iter().any(|f| model.is_known(f)) {
        return Err(without_state(network, &model));
    }
    if !solved.converged {
        let residual = solved.found.iter().map(|at| at.residual).fold(0.0, f64::max);
        return Err(TheoryError::NotConverged(format!("{residual:e}")));
    }
    let mut notes = Vec::new();
    without_model(network, &model, &mut notes);
    notes.extend(network.without_sockets());
    notes.extend(solved.found.first().map(|at| of_equations(network, &model, at)).unwrap_or_default());
    let equilibria = solved.found.iter().map(|at| describe(network, &model, at)).collect();
    Ok(EquilibriaDocument {
        equilibria,
        unique: solved.unique.filter(|_| !model.unknown.contains(&true)),
        method: solved.method.name(),
        converged: solved.converged,
        notes,
    })
}

/// Local stability about the first equilibrium.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StabilityDocument {
    /// `integrator`, `ack_clocked` or `joint`.
    pub link_model: &'static str,
    /// Whether small perturbations decay.
    pub stable: bool,
    /// Whether small perturbations neither decay nor grow.
    pub neutral: bool,
    /// Characteristic roots, real and imaginary part in 1/s, rightmost first; one of each conjugate pair.
    pub roots: Vec<[f64; 2]>,
    /// Largest relative Newton step left at any of the roots.
    pub residual: f64,
    /// Factor by which all gains may grow; null where none makes it unstable, or where it is unstable.
    pub gain_margin: Option<f64>,
    /// Frequency of the oscillation that starts there, in rad/s.
    pub gain_margin_at_rad_s: Option<f64>,
    /// Delay that may be added to every loop, in seconds; null likewise.
    pub delay_margin_s: Option<f64>,
    /// Frequency of the oscillation that starts there, in rad/s.
    pub delay_margin_at_rad_s: Option<f64>,
    /// What the verdict does not cover.
    pub notes: Vec<String>,
}

/// Local stability of `network` about its first equilibrium.
///
/// # Errors
/// [`TheoryError`] where there is no equilibrium.
pub fn stability_document(
    network: &Network,
    model: LinkModel,
    options: &Options,
) -> Result<StabilityDocument, TheoryError> {
    let judged = stability(network, model, options)?;
    Ok(StabilityDocument {
        link_model: judged.link_model.name(),
        stable: judged.stable,
        neutral: judged.neutral,
        roots: judged.roots.into_iter().map(|(re, im)| [re, im]).collect(),
        residual: judged.residual,
        gain_margin: judged.gain_margin,
        gain_margin_at_rad_s: judged.gain_margin_at_rad_s,
        delay_margin_s: judged.delay_margin_s,
        delay_margin_at_rad_s: judged.delay_margin_at_rad_s,
        notes: judged.notes,
    })
}

fn describe(network: &Network, model: &Model, at: &Equilibrium) -> EquilibriumDocument {
    let flow = |(i, flow): (usize, &Flow)| {
        let s = model.place[i].filter(|_| model.is_known(flow))?;
        let response = model.responses[i].as_ref().filter(|_| alpha(&flow.controller).is_none());
        Some(FlowAt {
            name: flow.name.clone(),
            packets_per_s: at.rates[s],
            window_packets: match response {
                Some(r) => Some(r.window),
                None => window(network, flow, at, s, propagation(network, flow)),
            },
            queueing_delay_s: queueing_delay(flow, at, s),
            path_loss: response.map(|r| r.loss),
        })
    };
    let link = |(l, link): (usize, &eddyline_scenario::network::Link)| LinkAt {
        name: link.name.clone(),
        queueing_delay_s: at.prices[l].filter(|_| !model.unknown[l]),
        utilisation: (!model.unknown[l]).then(|| (at.loads[l] / link.rate.as_bps() as f64).min(1.0)),
        bottleneck: (!model.unknown[l]).then_some(at.bottlenecks[l]),
    };
    EquilibriumDocument {
        flows: network.flows.iter().enumerate().filter_map(flow).collect(),
        links: network.links.iter().enumerate().map(link).collect(),
        residual: at.residual,
        // there are no dynamics of flows with response functions, nor of queues other than FIFO
        locally_stable: (modelled_flows(network).len() == network.flows.len()
            && !model.problem.ack_priority().contains(&true))
        .then(|| locally_stable(network, at, LinkModel::Integrator))
        .flatten(),
    }
}
