//! The Markov chain of Section 6 of the two-way paper: its stationary distribution, with a bound on the error of
//! truncation.

use super::distribution::Stationary;
use super::duplex::DuplexLoad;
use super::elimination::{self, Chain};
use super::reduction;
use super::space::Space;
use crate::closed_form::Bottleneck;
use crate::error::TheoryError;

/// Limit on states of a truncated chain: some 5 s and 1 GiB.
pub const MAX_STATES: usize = 2_500_000;

/// Levels kept even at light loads, so that states on the dividing line are among them.
const MIN_TOP: f64 = 150.0;

/// Probabilities are kept above ten to minus this.
const MIN_DIGITS: f64 = 200.0;

/// Limit on truncations tried.
const ROUNDS: usize = 30;

/// Share of the tolerance that the first truncation aims at, so that one solution usually suffices.
const AIM: f64 = 0.1;

/// Safety factor on the error bound, which is exact in one dimension only.
const CAUTION: f64 = 3.0;

/// The truncated chain: arrivals that would leave the space are lost, completions that would leave it do not take
/// place.
struct Truncated<'a> {
    load: &'a DuplexLoad,
    space: &'a Space,
    states: Vec<(u32, u32)>,
}

impl Chain for Truncated<'_> {
    fn len(&self) -> usize {
        self.states.len()
    }

    fn place(&self, state: usize) -> (i32, i32) {
        let (n, m) = self.states[state];
        ((n + m) as i32, n as i32 - m as i32)
    }

    fn neighbours(&self, state: usize, visit: &mut dyn FnMut(usize, f64, f64)) {
        let (n, m) = self.states[state];
        let load = self.load;
        let rate = |n: u32, m: u32| load.completion(f64::from(n), f64::from(m));
        let here = rate(n, m);
        if let Some(i) = self.space.find(n + 1, m) {
            visit(i, load.lambda_f, f64::from(n + 1) * rate(n + 1, m));
        }
        if let Some(i) = self.space.find(n, m + 1) {
            visit(i, load.lambda_b, f64::from(m + 1) * rate(n, m + 1));
        }
        if let Some(i) = n.checked_sub(1).and_then(|n| self.space.find(n, m)) {
            visit(i, f64::from(n) * here, load.lambda_f);
        }
        if let Some(i) = m.checked_sub(1).and_then(|m| self.space.find(n, m)) {
            visit(i, f64::from(m) * here, load.lambda_b);
        }
    }
}

/// Probabilities of the numbers of forward and of backward flows, 0, 1, 2, ...: up to the last one above 1e-12.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marginals {
    /// P(n = 0), P(n = 1), ...
    pub forward: Vec<f64>,
    /// P(m = 0), P(m = 1), ...
    pub backward: Vec<f64>,
}

impl Marginals {
    fn of(states: &[(u32, u32)], probability: &[f64]) -> Self {
        let sums = |number: fn(&(u32, u32)) -> u32| {
            let largest = states.iter().map(number).max().unwrap_or(0);
            let mut sums = vec![0.0; largest as usize + 1];
            states.iter().zip(probability).for_each(|(state, p)| sums[number(state) as usize] += p);
            sums.truncate(sums.iter().rposition(|p| *p > 1e-12).map_or(1, |last| last + 1));
            sums
        };
        Self { forward: sums(|s| s.0), backward: sums(|s| s.1) }
    }
}

/// The stationary distribution with relative error `tolerance` (between 1e-12 and 0.1), by a truncated chain where one
/// of at most `max_states` states does, otherwise `None`.
///
/// # Errors
/// [`TheoryError::OutOfRange`], also where the population is not stable.
pub fn stationary(load: &DuplexLoad, tolerance: f64, max_states: usize) -> Result<Option<Stationary>, TheoryError> {
    Ok(with_marginals(load, tolerance, max_states)?.map(|found| found.0))
}

/// The same with the distributions of both directions' flows.
///
/// # Errors
/// As [`stationary`].
pub fn with_marginals(
    load: &DuplexLoad,
    tolerance: f64,
    max_states: usize,
) -> Result<Option<(Stationary, Marginals)>, TheoryError> {
    load.check()?;
    let rho = load.loads()[0].max(load.loads()[1]);
    if !load.is_stable() {
        return Err(TheoryError::OutOfRange { what: "the larger load".to_owned(), value: rho, allowed: "below 1" });
    }
    if load.lambda_f + load.lambda_b == 0.0 {
        let nothing = Stationary {
            idle: 1.0,
            forward: 0.0,
            backward: 0.0,
            both: 0.0,
            mean_forward: 0.0,
            mean_backward: 0.0,
            error: 0.0,
            states: 1,
        };
        return Ok(Some((nothing, Marginals { forward: vec![1.0], backward: vec![1.0] })));
    }
    let tolerance = tolerance.clamp(1e-12, 0.1);
    let Some(top) = reduction::top(load, AIM * tolerance, max_states as u32) else { return Ok(None) };
    let digits = -libm::log10((load.lambda_f + load.lambda_b) / load.service_extremes().maximum);
    let mut top = top.max((MIN_DIGITS / digits).clamp(2.0, MIN_TOP) as u32);
    let mut reach = (-2.0 * libm::log(tolerance)).sqrt() + 0.5;
    for _ in 0..ROUNDS {
        let space = space(load, top, reach);
        if space.len() > max_states {
            return Ok(None);
        }
        let (stationary, cut, marginals) = solve(load, &space);
        if stationary.error <= tolerance {
            return Ok(Some((stationary, marginals)));
        }
        if cut.top >= cut.sides {
            top += top / 4;
        } else {
            reach += 0.75;
        }
    }
    Ok(None)
}

/// The stationary distribution on the levels n + m up to `top`, within `reach` standard deviations (and a margin) of
/// the line n / m = lambda_F / lambda_B, to which every population is drawn: both directions' flows complete at the
/// same rate.
///
/// # Errors
/// [`TheoryError::OutOfRange`].
pub fn truncated(load: &DuplexLoad, top: u32, reach: f64) -> Result<Stationary, TheoryError> {
    load.check()?;
    Ok(solve(load, &space(load, top.max(2), reach)).0)
}

fn space(load: &DuplexLoad, top: u32, reach: f64) -> Space {
    if load.lambda_f == 0.0 || load.lambda_b == 0.0 {
        return Space::line(top, load.lambda_b == 0.0);
    }
    let share = load.lambda_f / (load.lambda_f + load.lambda_b);
    // the margin is for the first levels, where the normal approximation is poor
    Space::band(top, share, |k| 30.0 + reach * (k * share * (1.0 - share)).sqrt())
}

/// Errors of both kinds of truncation, relative to E[n + m].
#[derive(Debug, Clone, Copy)]
struct Cut {
    top: f64,
    sides: f64,
}

fn solve(load: &DuplexLoad, space: &Space) -> (Stationary, Cut, Marginals) {
    let chain = Truncated { load, space, states: space.states().collect() };
    let probability = elimination::stationary(&chain);
    let mut stationary = Stationary {
        idle: 0.0,
        forward: 0.0,
        backward: 0.0,
        both: 0.0,
        mean_forward: 0.0,
        mean_backward: 0.0,
        error: 0.0,
        states: space.len(),
    };
    let mut levels = vec![0.0; space.top() as usize + 1];
    for ((n, m), p) in chain.states.iter().zip(&probability) {
        levels[(n + m) as usize] += p;
        let (n, m) = (f64::from(*n), f64::from(*m));
        stationary.mean_forward += n * p;
        stationary.mean_backward += m * p;
        let share = if n + m == 0.0 {
            &mut stationary.idle
        } else {
            match load.bottleneck(n, m) {
                Bottleneck::Forward => &mut stationary.forward,
                Bottleneck::Backward => &mut stationary.backward,
                Bottleneck::Both => &mut stationary.both,
            }
        };
        *share += p;
    }
    let cut = cost(&chain, &probability, &levels, stationary.mean_forward + stationary.mean_backward);
    stationary.error = CAUTION * (cut.top + cut.sides);
    (stationary, cut, Marginals::of(&chain.states, &probability))
}

/// The relative error of E[N], N = n + m, that blocked transitions make.
///
/// For any f, the truncated mean differs from the true one by the sum over blocked transitions of their flow times the
/// difference of h at their two ends, where h solves Poisson's equation for f. Along the levels, as for any birth-death
/// chain, that difference for f = N is the sum over j > k of (j - E[N]) pi_j / (lambda pi_k). Beyond the last level pi
/// is assumed to decay at the same ratio; the true ratio of neighbours decreases with the level, so this is conservative.
fn cost(chain: &Truncated, probability: &[f64], levels: &[f64], mean: f64) -> Cut {
    let lambda = chain.load.lambda_f + chain.load.lambda_b;
    let top = levels.len() - 1;
    let ratio = decay(levels);
    // sum over j > top of (j - mean) pi_j for a geometric tail
    let mut above = levels[top] * ratio / (1.0 - ratio) * ((top as f64 + 1.0 - mean) + ratio / (1.0 - ratio));
    let mut increment = vec![0.0; levels.len()];
    for k in (0..levels.len()).rev() {
        increment[k] = if levels[k] > 0.0 { above.abs() / (lambda * levels[k]) } else { 0.0 };
        above += (k as f64 - mean) * levels[k];
    }
    let mut cut = Cut { top: 0.0, sides: 0.0 };
    for ((n, m), p) in chain.states.iter().zip(probability) {
        let (level, load) = ((n + m) as usize, chain.load);
        if level == top {
            cut.top += p * lambda * increment[level];
            continue;
        }
        let each = load.completion(f64::from(*n), f64::from(*m));
        let lost = |there: Option<usize>, rate: f64| if there.is_none() { rate } else { 0.0 };
        let blocked = lost(chain.space.find(n + 1, *m), load.lambda_f)
            + lost(chain.space.find(*n, m + 1), load.lambda_b)
            + if *n > 0 { lost(chain.space.find(n - 1, *m), f64::from(*n) * each) } else { 0.0 }
            + if *m > 0 { lost(chain.space.find(*n, m - 1), f64::from(*m) * each) } else { 0.0 };
        cut.sides += p * blocked * increment[level];
    }
    Cut { top: cut.top / mean, sides: cut.sides / mean }
}

/// The ratio of the probabilities of neighbouring levels near the end, but away from the last levels, which the cut
/// disturbs.
fn decay(levels: &[f64]) -> f64 {
    let (from, to) = (levels.len() * 8 / 10, levels.len() * 9 / 10);
    let steps = (to - from).max(1) as f64;
    if levels[to] > 0.0 && levels[from] > 0.0 {
        libm::exp(libm::log(levels[to] / levels[from]) / steps).min(1.0 - 1e-9)
    } else {
        0.0
    }
}
