//! Starting from an equilibrium instead of an empty network.

use eddyline_scenario::Network;

use super::plan::{FlowPlan, Plan};
use crate::equilibrium::Equilibrium;
use crate::error::TheoryError;
use crate::model::{mean_rate, modelled_flows, overlaps};
use crate::stability::prices;

/// A smooth perturbation of a window, from the start on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Perturbation {
    /// Relative change of the window, above -1 and below 1.
    pub share: f64,
    /// Its duration in seconds; 0 for the flow's round trip. Faster modes are hardly excited.
    pub over_s: f64,
}

/// An equilibrium as the initial state.
#[derive(Debug, Clone)]
pub(super) struct SteadyState {
    pub flows: Vec<SteadyFlow>,
    /// p of each link in seconds.
    pub delays: Vec<f64>,
    /// Load of each link that does not respond, in bit/s and packet/s.
    pub unresponsive: Vec<(f64, f64)>,
}

/// A flow in equilibrium.
#[derive(Debug, Clone, Copy)]
pub(super) struct SteadyFlow {
    /// x in packet/s.
    pub rate: f64,
    /// R in seconds.
    pub rtt: f64,
    perturbation: Perturbation,
}

impl SteadyFlow {
    /// Rate of change of the window by the perturbation at time `t`, in packet/s.
    pub(super) fn perturbation_rate(&self, t: f64) -> f64 {
        let Perturbation { share, over_s } = self.perturbation;
        if t >= over_s {
            return 0.0;
        }
        share * self.rate * self.rtt / over_s * (1.0 - libm::cos(2.0 * std::f64::consts::PI * t / over_s))
    }
}

impl SteadyState {
    /// `network`, planned as `plan`, in the equilibrium `at`, with a perturbation for each of the plan's flows.
    pub(super) fn new(
        network: &Network,
        plan: &Plan,
        at: &Equilibrium,
        perturbation: &[Perturbation],
    ) -> Result<Self, TheoryError> {
        let wanted = plan.flows.len();
        for (what, given) in [("perturbations", perturbation.len()), ("rates of the equilibrium", at.rates.len())] {
            if given != wanted {
                return Err(TheoryError::Length { what, given, wanted });
            }
        }
        let within = |holds: bool, what: &str, value: f64, allowed: &'static str| {
            if holds { Ok(()) } else { Err(TheoryError::OutOfRange { what: what.to_owned(), value, allowed }) }
        };
        for Perturbation { share, over_s } in perturbation {
            within(share.abs() < 1.0, "the relative change of a window", *share, "above -1 and below 1")?;
            within(
                *over_s >= 0.0 && over_s.is_finite(),
                "the duration of a perturbation",
                *over_s,
                "at least 0 and finite",
            )?;
        }
        let delays = prices(network, &modelled_flows(network), at)?;
        let mut unresponsive = vec![(0.0, 0.0); delays.len()];
        for traffic in network.traffic.iter().filter(|t| overlaps(t, network)) {
            let bps = mean_rate(traffic).unwrap_or(0.0);
            for l in traffic.path.iter() {
                unresponsive[*l as usize].0 += bps;
                unresponsive[*l as usize].1 += bps / (8.0 * f64::from(traffic.packet.max(1)));
            }
        }
        let flow = |(s, f): (usize, &FlowPlan)| {
            let rtt = f.base_rtt + f.hops.iter().map(|h| delays[h.link]).sum::<f64>();
            let over_s = if perturbation[s].over_s > 0.0 { perturbation[s].over_s } else { rtt };
            SteadyFlow { rate: at.rates[s], rtt, perturbation: Perturbation { over_s, ..perturbation[s] } }
        };
        Ok(Self { flows: plan.flows.iter().enumerate().map(flow).collect(), delays, unresponsive })
    }

    /// Arrival rate at each link, in bit/s and packet/s.
    pub(super) fn arriving(&self, plan: &Plan) -> Vec<(f64, f64)> {
        let mut arriving = self.unresponsive.clone();
        for (f, planned) in self.flows.iter().zip(&plan.flows) {
            for hop in &planned.hops {
                arriving[hop.link].0 += f.rate * hop.bits;
                arriving[hop.link].1 += f.rate * hop.packets;
            }
        }
        arriving
    }

    /// Seconds from the sender of `flow` to its receiver.
    pub(super) fn forward_delay(&self, flow: &FlowPlan) -> f64 {
        flow.to_receiver
            + flow.hops[..flow.data_hops].iter().map(|h| h.delay_to_queue + self.delays[h.link]).sum::<f64>()
    }
}
