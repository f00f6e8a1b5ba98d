//! Equilibria of Vegas: a range instead of a point.

use super::problem::{Equilibria, Method, Problem};
use super::solve;
use crate::error::TheoryError;

/// The equilibria of Vegas flows.
#[derive(Debug, Clone, PartialEq)]
pub struct VegasBand {
    /// Every flow at its lower threshold: a FAST network with these alphas.
    pub at_alpha: Equilibria,
    /// Every flow at its upper threshold.
    pub at_beta: Equilibria,
    /// Lowest and highest rate of each flow in packet/s over the corners, where every flow is at one of its thresholds:
    /// over all of them with up to [`EVERY_CORNER`] flows; with more, over those where all flows are at one threshold, or all but one.
    pub rates: Vec<[f64; 2]>,
    /// Whether `rates` are exact. They are if all flows have the same queueing delay up to a factor. Otherwise
    /// equilibria between the corners, or at corners not taken, may lie outside.
    pub exact: bool,
}

/// Flows up to which every corner is solved.
pub const EVERY_CORNER: usize = 8;

/// Every equilibrium of Vegas flows that keep between `alpha` (in `problem`) and `beta` packets queued.
///
/// Vegas adds a packet a round trip while its estimate of queued packets, `x (q - e)`, is below alpha, takes one away
/// while it is above beta, and keeps it in between: any backlogs k with `alpha <= k <= beta` are an equilibrium, with the
/// rates of a FAST network of alphas k. Source: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a
/// Global Internet", 1995, section 3.2; Low, Peterson and Wang, "Understanding Vegas: A Duality Model", 2002, for alpha
/// = beta.
///
/// # Errors
/// As [`solve`]; [`TheoryError::Length`] and [`TheoryError::OutOfRange`] where `beta` does not fit,
/// [`TheoryError::NotConverged`] where the solver does not converge at some corner.
pub fn vegas(problem: &Problem, beta: &[f64]) -> Result<VegasBand, TheoryError> {
    let (given, wanted) = (beta.len(), problem.flows.len());
    if given != wanted {
        return Err(TheoryError::Length { what: "upper thresholds", given, wanted });
    }
    for (s, (flow, beta)) in problem.flows.iter().zip(beta).enumerate() {
        if !(*beta >= flow.alpha && beta.is_finite()) {
            let what = format!("beta of flow {s}");
            return Err(TheoryError::OutOfRange { what, value: *beta, allowed: "at least alpha and finite" });
        }
    }
    let with = |low: &dyn Fn(usize) -> bool| {
        let mut stated = problem.clone();
        for (s, flow) in stated.flows.iter_mut().enumerate() {
            flow.alpha = if low(s) { flow.alpha } else { beta[s] };
        }
        let solved = solve(&stated)?;
        if solved.converged {
            return Ok(solved);
        }
        let residual = solved.found.iter().fold(0.0f64, |m, at| m.max(at.residual));
        Err(TheoryError::NotConverged(format!("{residual:e}")))
    };
    let (at_alpha, at_beta) = (with(&|_| true)?, with(&|_| false)?);
    let mut exact = true;
    let mut rates = vec![[f64::INFINITY, 0.0f64]; wanted];
    let mut count = |corner: &Equilibria| {
        exact &= matches!(corner.method, Method::ClosedForm | Method::CommonDelay);
        for at in &corner.found {
            for ([low, high], x) in rates.iter_mut().zip(&at.rates) {
                (*low, *high) = (low.min(*x), high.max(*x));
            }
        }
    };
    count(&at_alpha);
    count(&at_beta);
    if wanted <= EVERY_CORNER {
        for lower in 1..(1usize << wanted).saturating_sub(1) {
            count(&with(&|s| lower >> s & 1 == 1)?);
        }
    } else {
        for s in 0..wanted {
            count(&with(&|other| other == s)?);
            count(&with(&|other| other != s)?);
        }
    }
    Ok(VegasBand { at_alpha, at_beta, rates, exact })
}
