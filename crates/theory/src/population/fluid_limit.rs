//! The fluid limit of an unstable population.

use super::sharing::Common;

/// Limit on bisection steps.
const STEPS: usize = 200;

/// One class of exponential transfers in the fluid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    /// Arrivals a second.
    pub lambda: f64,
    /// 1/mu in bits.
    pub mean_bits: f64,
}

/// Growth of each class in flows a second, and the indices in `common.links` of the saturated links; `None` if
/// it does not grow.
///
/// With n_c = a_c t the delay is q = kappa t and each flow completes at alpha P mu / q, so a_c = lambda_c / (1 + w_c /
/// kappa), w_c = alpha P mu; kappa is the largest delay at which a link is saturated at t = 1. With equal w this is a = lambda
/// (1 - 1 / rho).
pub(super) fn growth(common: &Common, sources: &[Source]) -> Option<(Vec<f64>, Vec<usize>)> {
    let completion: Vec<f64> = sources.iter().zip(&common.bits).map(|(s, bits)| bits / s.mean_bits).collect();
    // delay demanded by each link over kappa: decreases with kappa, and is the link's load at kappa = 0
    let demand = |link: usize, kappa: f64| {
        let each = sources.iter().zip(&completion).zip(&common.delay[link]);
        each.map(|((s, w), d)| d * s.lambda / (kappa + w)).sum::<f64>()
    };
    let max_demand = |kappa: f64| (0..common.delay.len()).map(|l| demand(l, kappa)).fold(0.0f64, f64::max);
    if max_demand(0.0) <= 1.0 {
        return None;
    }
    let (mut low, mut high) = (0.0, completion.iter().fold(1.0f64, |m, w| m.max(*w)));
    while max_demand(high) > 1.0 {
        high *= 2.0;
    }
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if max_demand(middle) > 1.0 { low = middle } else { high = middle }
    }
    let kappa = low + (high - low) / 2.0;
    let rates = sources.iter().zip(&completion).map(|(s, w)| s.lambda * kappa / (kappa + w)).collect();
    let full = (0..common.delay.len()).filter(|l| demand(*l, kappa) > 1.0 - 1e-9).collect();
    Some((rates, full))
}
