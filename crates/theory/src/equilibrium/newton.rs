//! Newton's method on a given set of active links, and the residual of prices.

use super::reduce::Component;
use super::system::System;

/// Share of the matrix's diagonal that is added to it, so that sets of links whose prices are determined only in sum do
/// not stop the iteration. It slows convergence by no more than this factor and does not move the solution.
const RIDGE: f64 = 1e-9;

/// Excess load that may be rounding.
const ROUNDING: f64 = 1e-9;

/// Solves load = capacity on the `active` links with all other prices zero, from `start`.
///
/// Prices may be negative; `None` if it does not converge to full precision. `ridge` regularises singular sets.
pub(super) fn solve(
    system: &System,
    component: &Component,
    active: &[bool],
    start: &[f64],
    ridge: bool,
) -> Option<Vec<f64>> {
    let mut pi: Vec<f64> = start.iter().zip(active).map(|(v, on)| if *on { *v } else { 0.0 }).collect();
    let mut margins = component.margins(&pi);
    let mut best = (f64::INFINITY, pi.clone());
    let mut stalled = 0;
    for _ in 0..80 {
        if !margins.iter().all(|r| *r > 0.0) {
            return None;
        }
        let rates: Vec<f64> = margins.iter().map(|r| 1.0 / r).collect();
        let mut excess = component.loads(&rates);
        for (excess, on) in excess.iter_mut().zip(active) {
            *excess = if *on { *excess - 1.0 } else { 0.0 };
        }
        let size = max_abs(&excess);
        if size < 0.5 * best.0 {
            stalled = 0;
        } else {
            stalled += 1;
        }
        if size < best.0 {
            best = (size, pi.clone());
        }
        // with large errors of base round-trip times q - e loses digits, and rounding stops convergence earlier
        if size == 0.0 || (stalled > 0 && best.0 < 1e-13) || (stalled > 3 && best.0 < ROUNDING) {
            return Some(best.1);
        }
        if stalled > 20 || !size.is_finite() {
            return None;
        }
        let weights: Vec<f64> = rates.iter().map(|y| y * y).collect();
        let mut diagonal = vec![0.0; pi.len()];
        if ridge {
            for (class, d) in component.classes.iter().zip(&weights) {
                for e in &class.entries {
                    diagonal[e.link] += RIDGE * (e.load * d * e.delay);
                }
            }
        }
        let step = system.solve(&weights, &diagonal, Some(active), &[&excess])?.pop()?;
        let change = delay_change(component, &step);
        let mut part = 1.0f64;
        for (r, dr) in margins.iter().zip(&change) {
            if *dr < 0.0 {
                part = part.min(-0.9 * r / dr);
            }
        }
        for (p, d) in pi.iter_mut().zip(&step) {
            *p += part * d;
        }
        margins = component.margins(&pi);
    }
    (best.0 < ROUNDING).then_some(best.1)
}

/// The change of q for a change of prices.
pub(super) fn delay_change(component: &Component, step: &[f64]) -> Vec<f64> {
    component.classes.iter().map(|c| c.entries.iter().fold(0.0, |sum, e| sum + e.delay * step[e.link])).collect()
}

/// Largest absolute value; infinite where one is not a number.
pub(super) fn max_abs(values: &[f64]) -> f64 {
    values.iter().fold(0.0f64, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) })
}

/// Largest relative violation of feasibility and complementarity at scaled prices: overload of a link, and its slack
/// times its price as a share of the smallest queueing delay among its users.
pub(super) fn violation(component: &Component, pi: &[f64]) -> f64 {
    let margins = component.margins(pi);
    if !margins.iter().all(|r| *r > 0.0) {
        return f64::INFINITY;
    }
    let rates: Vec<f64> = margins.iter().map(|r| 1.0 / r).collect();
    let loads = component.loads(&rates);
    let share = shares(component, pi, &margins);
    let mut worst = 0.0f64;
    for ((load, share), pi) in loads.iter().zip(&share).zip(pi) {
        if load.is_nan() || *pi < 0.0 {
            return f64::INFINITY;
        }
        worst = worst.max(load - 1.0).max((1.0 - load) * share);
    }
    worst
}

/// Each link's price as a share of the smallest queueing delay among its users: 1 where some user has no other queue.
fn shares(component: &Component, pi: &[f64], margins: &[f64]) -> Vec<f64> {
    let mut share = vec![0.0f64; pi.len()];
    for (class, r) in component.classes.iter().zip(margins) {
        let delay = (r + class.error).max(*r);
        for e in &class.entries {
            share[e.link] = share[e.link].max(e.delay * pi[e.link] / delay);
        }
    }
    share
}

/// Sets prices to zero whose share of a user's delay is below their link's slack.
pub(super) fn without_negligible_prices(component: &Component, pi: &[f64]) -> Vec<f64> {
    let margins = component.margins(pi);
    let rates: Vec<f64> = margins.iter().map(|r| 1.0 / r).collect();
    let loads = component.loads(&rates);
    let share = shares(component, pi, &margins);
    (0..pi.len()).map(|l| if share[l] > 1.0 - loads[l] { pi[l] } else { 0.0 }).collect()
}

/// Sets prices outside the active set to zero and polishes the rest; `None` if the result is no equilibrium.
///
/// A link counts as active where its price's share of some user's delay exceeds its slack: prices may differ by many
/// orders of magnitude, so their absolute size does not decide.
pub(super) fn polish(system: &System, component: &Component, pi: &[f64], slack: &[f64]) -> Option<Vec<f64>> {
    let share = shares(component, pi, &component.margins(pi));
    let active: Vec<bool> = share.iter().zip(slack).map(|(p, s)| p > s).collect();
    let mut solved = solve(system, component, &active, pi, true)?;
    if solved.iter().any(|p| *p < -1e-12) {
        return None;
    }
    for p in &mut solved {
        *p = p.max(0.0);
    }
    (violation(component, &solved) < ROUNDING).then_some(solved)
}
