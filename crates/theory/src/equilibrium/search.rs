//! Equilibria of components too large for enumeration: an interior-point method from many starting points.
//!
//! Every solution is verified, but some may be missed: the sum of the indices (see [`enumerate`](super::enumerate)) shows
//! that an equilibrium is missing, but not that none is, since pairs of opposite sign cancel.

use super::TOLERANCE;
use super::enumerate::{self, Solution, Starts};
use super::interior;
use super::reduce::Component;
use super::system::System;

/// The search ends after this many converged runs if they found one equilibrium whose index is one; otherwise after
/// [`MAX_CONVERGED`].
const MIN_CONVERGED: usize = 12;
const MAX_CONVERGED: usize = 48;

/// Limit on starting points once an equilibrium is known.
const MAX_STARTS: usize = 90;

/// Limit on starting points times links while no equilibrium is known. In one network of ten thousand only one starting
/// point in several hundred converges.
const MAX_FRUITLESS_STARTS: usize = 20_000;

/// Errors of base round-trip times, in units of the price scale, beyond which q - e has lost too many digits for more
/// starting points to help.
const MAX_SCALED_ERROR: f64 = 1e5;

/// Solutions from several starting points: with `search` all distinct ones, otherwise the first. `None` if no point with
/// positive rates was found; the best one if none has a violation below [`TOLERANCE`].
pub(super) fn from_starts(system: &System, component: &Component, search: bool) -> Option<Vec<Solution>> {
    let n = component.links.len();
    let mut random = Starts::new();
    let mut found: Vec<Solution> = Vec::new();
    let mut best: Option<(Vec<f64>, f64)> = None;
    let mut converged = 0;
    let inexact = component.classes.iter().any(|c| c.error.abs() > MAX_SCALED_ERROR);
    let max_starts = (40 + 200 / n).max(if inexact { 0 } else { MAX_FRUITLESS_STARTS / n });
    for attempt in 0.. {
        let limit = match (search, found.is_empty()) {
            (false, _) => 20,
            (true, false) => MAX_STARTS,
            (true, true) => max_starts,
        };
        if attempt >= limit {
            break;
        }
        let start = match found.as_slice() {
            // once two are known, combinations of both: one for the first links, the other for the rest
            [_, _, ..] if attempt.is_multiple_of(2) => {
                let mut draw = |n: usize| ((random.uniform() * n as f64) as usize).min(n - 1);
                let (a, b, cut) = (draw(found.len()), draw(found.len()), draw(n));
                (0..n).map(|l| found[if l < cut { a } else { b }].pi[l].max(1e-9)).collect()
            }
            _ => start(component, attempt, search, &mut random),
        };
        let Some((pi, error)) = interior::solve(system, component, &start) else { continue };
        if error <= TOLERANCE {
            enumerate::add(system, component, pi, &mut found);
            converged += 1;
            let sum: Option<i32> = found.iter().map(|f| f.index.map(i32::from)).sum();
            let complete = sum.is_none_or(|sum| sum == 1);
            let enough = if found.len() > 1 { MAX_CONVERGED } else { MIN_CONVERGED };
            if !search || converged >= MAX_CONVERGED || (converged >= enough && complete) {
                break;
            }
        } else if best.as_ref().is_none_or(|b| error < b.1) {
            best = Some((pi, error));
        }
    }
    if found.is_empty() {
        let (pi, _) = best?;
        found.push(Solution { pi, index: None });
    }
    Some(found)
}

fn start(component: &Component, attempt: usize, search: bool, random: &mut Starts) -> Vec<f64> {
    let n = component.links.len();
    match attempt {
        0 => vec![1.0; n],
        1 => interior::price_iteration(component, vec![1.0; n], 100),
        // a high price at one link, each in turn
        _ if search && attempt % 3 == 2 => {
            let high = attempt / 3 % n;
            let pi = (0..n).map(|l| if l == high { 1.0 } else { 1e-3 * random.uniform() }).collect();
            interior::price_iteration(component, pi, 30)
        }
        _ => {
            // first of similar size, then over more and more orders of magnitude
            let spread = |u: f64| (0..(attempt / 2).min(12)).fold(1.0, |v, _| v * u);
            let pi = (0..n).map(|_| spread(random.uniform())).collect();
            interior::price_iteration(component, pi, if attempt.is_multiple_of(2) { 10 } else { 1000 })
        }
    }
}
