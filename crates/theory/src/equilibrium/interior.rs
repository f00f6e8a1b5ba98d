//! A primal-dual interior-point method for the complementarity problem.
//!
//! Unknowns are prices pi, slacks s and rates y with the bilinear equations y (q - e) = 1 and pi s = mu and the linear
//! ones A y + s = c; mu goes to zero (Kojima, Megiddo, Noma and Yoshise 1991 for complementarity problems). Where the
//! problem is one of utility maximisation the path to mu = 0 is unique and the method always converges; otherwise the path
//! may fold, so several starting points are tried and results are verified.

use super::TOLERANCE;
use super::newton::{delay_change, max_abs, polish, violation, without_negligible_prices};
use super::reduce::Component;
use super::system::System;

/// Violation below which no polishing is needed.
const ACCURATE: f64 = 1e-12;
const MAX_STEPS: usize = 150;

struct Point {
    pi: Vec<f64>,
    slack: Vec<f64>,
    rates: Vec<f64>,
}

/// An equilibrium in scaled prices, reached from `start` (all above zero), and its violation. `None` if the method
/// failed.
pub(super) fn solve(system: &System, component: &Component, start: &[f64]) -> Option<(Vec<f64>, f64)> {
    let n = start.len();
    if let Some(pi) = polish(system, component, start, &slack_of(component, start)) {
        let error = violation(component, &pi);
        return Some((pi, error));
    }
    let mut at = begin(component, start)?;
    let mut best = (f64::INFINITY, at.pi.clone());
    let mut last_polish = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let margins = component.margins(&at.pi);
        let error = violation(component, &at.pi);
        if error < best.0 {
            best = (error, at.pi.clone());
        }
        if error < ACCURATE {
            break;
        }
        let gap = at.pi.iter().zip(&at.slack).map(|(p, s)| p * s).sum::<f64>() / n as f64;
        // polish costs as much as a few steps: try it on each new order of magnitude
        if gap < 1e-5 && gap < 1e-2 * last_polish {
            last_polish = gap;
            if let Some(pi) = polish(system, component, &at.pi, &at.slack) {
                let error = violation(component, &pi);
                return Some((pi, error));
            }
        }
        if gap < 1e-17 {
            break;
        }
        let Some(()) = advance(system, component, &mut at, &margins, gap) else { break };
    }
    if let Some(pi) = polish(system, component, &best.1, &slack_of(component, &best.1)) {
        let error = violation(component, &pi);
        if error < TOLERANCE {
            return Some((pi, error));
        }
    }
    let pi = without_negligible_prices(component, &best.1);
    let error = violation(component, &pi);
    error.is_finite().then_some((pi, error))
}

fn slack_of(component: &Component, pi: &[f64]) -> Vec<f64> {
    let rates: Vec<f64> = component.margins(pi).iter().map(|r| 1.0 / r).collect();
    component.loads(&rates).iter().map(|load| 1.0 - load).collect()
}

fn begin(component: &Component, start: &[f64]) -> Option<Point> {
    let margins = component.margins(start);
    if !margins.iter().all(|r| *r > 0.0) {
        return None;
    }
    let rates: Vec<f64> = margins.iter().map(|r| 1.0 / r).collect();
    let slack = component.loads(&rates).iter().map(|load| (1.0 - load).max(0.1)).collect();
    Some(Point { pi: start.to_vec(), slack, rates })
}

/// One predictor-corrector step: how far the predictor towards mu = 0 can go determines the share of the gap to aim at.
fn advance(system: &System, component: &Component, at: &mut Point, margins: &[f64], gap: f64) -> Option<()> {
    let n = at.pi.len();
    let loads = component.loads(&at.rates);
    let mismatch: Vec<f64> = at.rates.iter().zip(margins).map(|(y, r)| 1.0 - y * r).collect();
    let correction: Vec<f64> = mismatch.iter().zip(margins).map(|(a, r)| a / r).collect();
    let correction = component.loads(&correction);
    let weights: Vec<f64> = at.rates.iter().zip(margins).map(|(y, r)| y / r).collect();
    let diagonal: Vec<f64> = at.slack.iter().zip(&at.pi).map(|(s, p)| s / p).collect();
    let plain: Vec<f64> = (0..n).map(|l| loads[l] + at.slack[l] - 1.0 + correction[l] - at.slack[l]).collect();
    let towards: Vec<f64> = at.pi.iter().map(|p| gap / p).collect();
    // the system is linear in mu: one factorisation gives the predictor and the direction of the centre
    let solved = system.solve(&weights, &diagonal, None, &[&plain, &towards])?;
    let [predictor, centre] = solved.as_slice() else { return None };
    let moves = |mu: f64| {
        let dp: Vec<f64> = predictor.iter().zip(centre).map(|(a, b)| a + mu * b).collect();
        let dr = delay_change(component, &dp);
        let dy: Vec<f64> = (0..at.rates.len()).map(|k| (mismatch[k] - at.rates[k] * dr[k]) / margins[k]).collect();
        let ds: Vec<f64> =
            (0..n).map(|l| (mu * gap - at.pi[l] * at.slack[l] - at.slack[l] * dp[l]) / at.pi[l]).collect();
        (dp, dr, dy, ds)
    };
    let max_step = |m: &(Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>)| {
        let pairs = [(&at.pi[..], &m.0), (margins, &m.1), (&at.rates, &m.2), (&at.slack, &m.3)];
        let each = pairs.into_iter().flat_map(|(v, d)| v.iter().zip(d));
        each.fold(f64::INFINITY, |t, (v, d)| if *d < 0.0 { t.min(-v / d) } else { t })
    };
    let straight = max_step(&moves(0.0)).min(1.0);
    let aim = ((1.0 - straight) * (1.0 - straight) * (1.0 - straight)).max(1e-4);
    let step = moves(aim);
    let part = (max_step(&step) * (0.9f64).max(1.0 - gap)).min(1.0);
    if part.is_nan() || part <= 1e-12 || !max_abs(&step.0).is_finite() {
        return None;
    }
    for (values, d) in [(&mut at.pi, &step.0), (&mut at.rates, &step.2), (&mut at.slack, &step.3)] {
        for (v, d) in values.iter_mut().zip(d) {
            *v += part * d;
        }
    }
    Some(())
}

/// A starting point by fixed-point iteration: each price times the square root of its link's load, as a queue grows when
/// load exceeds capacity, kept above zero.
pub(super) fn price_iteration(component: &Component, mut pi: Vec<f64>, rounds: usize) -> Vec<f64> {
    for _ in 0..rounds {
        let margins = component.margins(&pi);
        let rates: Vec<f64> = margins.iter().map(|r| if *r > 0.0 { 1.0 / r } else { 1e300 }).collect();
        for (p, load) in pi.iter_mut().zip(component.loads(&rates)) {
            *p = (*p * load.clamp(0.04, 4.0).sqrt()).clamp(1e-18, 1.0);
        }
    }
    pi
}
