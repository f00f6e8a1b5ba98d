//! Alpha-fair rates, and how FAST compares with them.
//!
//! Proportional fairness is the rates that maximise `sum alpha_s log x_s` under `A x <= c - b` (Kelly, Maulloo and Tan
//! 1998, with weights). The equilibrium of FAST with one-way traffic is proportionally fair; with acknowledgements
//! it is not, because they take little capacity but have the same queueing delay as data: `docs/theory/equilibrium.md`. It is the exponent e = 1 of a family (Mo and
//! Walrand 2000), `sum alpha_s^e x_s^(1 - e) / (1 - e)`: near 0 the sum of rates counts, far above 1 the smallest x /
//! alpha. The alphas enter such that flows which share their links get rates in proportion to them whatever e is.
//!
//! The maximum is found by clarabel (Goulart and Chen, interior point; exponential or power cones), in its own
//! order of floating-point operations, and then polished here: the optimality conditions are the complementarity problem of
//! [`equilibrium`] with prices that add up with the weights of the loads, `x_s = alpha_s / (A^T p)_s^(1/e)`,
//! `A x <= c - b`, `p >= 0`, and Newton's method on the full links converges to rounding, wherever it starts. Where rates differ
//! much, at large exponents prices differ by more than the convex solver resolves: then they are found link by link. Logarithms
//! and powers are libm's.
//!
//! [`equilibrium`]: crate::equilibrium

use eddyline_scenario::result::jain_index;

use crate::equilibrium::{Equilibrium, Problem};
use crate::error::TheoryError;

mod cones;
mod coordinates;
mod polish;
mod scaled;

use self::cones::by_cones;
use self::coordinates::by_coordinates;
use self::polish::polish;
use self::scaled::Scaled;

/// Rates that are fair in the sense of an exponent.
#[derive(Debug, Clone, PartialEq)]
pub struct FairRates {
    /// The exponent e; 1 is proportional fairness.
    pub exponent: f64,
    /// Each flow's x in packet/s.
    pub rates: Vec<f64>,
    /// What each link is worth, its multiplier times the capacity that unresponsive traffic leaves: scaled such that the sum over the links is
    /// that of the alphas, in packets. Where several are possible these are some of them.
    pub worth: Vec<f64>,
    /// Each link's load in bit/s, acknowledgements and unresponsive traffic included.
    pub loads: Vec<f64>,
    /// `sum alpha log x`, or `sum alpha^e x^(1 - e) / (1 - e)`, x in packet/s.
    pub utility: f64,
    /// Largest relative violation of the optimality conditions.
    pub residual: f64,
    /// Whether the last digits are exact, by Newton's method or link by link, or are the convex solver's.
    pub polished: bool,
}

/// FAST's equilibrium compared with the fair rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FairnessMetrics {
    /// Data on the wire in bit/s: FAST's sum over flows, divided by the ideal's.
    pub throughput: f64,
    /// The same with each flow's packets weighted by its alpha: `sum alpha x P` over the ideal's.
    pub weighted_throughput: f64,
    /// Factor on the ideal's rates that would reduce their utility to FAST's; at most 1. Under
    /// proportional fairness `exp((U - U*) / sum alpha)`: the geometric mean, weighted by alpha, of FAST's rates over
    /// the ideal's.
    pub efficiency: f64,
    /// `U* - U`, in packets under proportional fairness: at least 0.
    pub utility_gap: f64,
    /// Jain's index of x / alpha under FAST.
    pub jain: f64,
    /// Jain's index of x / alpha in the ideal.
    pub jain_ideal: f64,
}

/// Allowed exponents: beyond them utilities exceed the range of floating point.
pub const EXPONENTS: std::ops::RangeInclusive<f64> = 0.1..=20.0;

/// Largest residual that counts as solved.
const SOLVED: f64 = 1e-7;

/// Largest ratio of exponents from one solution to the next.
const STEP: f64 = 2.0;

/// The weighted proportionally fair rates of `problem`; errors of base round-trip times have no part in it.
///
/// # Errors
/// As [`alpha_fair`].
pub fn proportional_fair(problem: &Problem) -> Result<FairRates, TheoryError> {
    alpha_fair(problem, 1.0)
}

/// The rates of `problem` that are fair in the sense of `exponent`, in [`EXPONENTS`].
///
/// # Errors
/// As [`solve`](crate::equilibrium::solve) for what is no problem; [`TheoryError::NoFlow`];
/// [`TheoryError::OutOfRange`]; [`TheoryError::NoFairRates`] if the optimality conditions do not hold to 1e-7.
pub fn alpha_fair(problem: &Problem, exponent: f64) -> Result<FairRates, TheoryError> {
    problem.check()?;
    if !EXPONENTS.contains(&exponent) {
        let what = "the exponent of fairness".to_owned();
        return Err(TheoryError::OutOfRange { what, value: exponent, allowed: "from 0.1 to 20" });
    }
    if problem.flows.is_empty() {
        return Err(TheoryError::NoFlow);
    }
    let mut scaled = Scaled::new(problem);
    let (mut z, mut p, mut polished) = optimum(&scaled)?;
    // from proportional fairness to the exponent in steps, so that rates are near one in their units
    while scaled.exponent != exponent {
        let next = exponent.clamp(scaled.exponent / STEP, scaled.exponent * STEP);
        scaled = scaled.at(problem, next, &z);
        (z, p, polished) = optimum(&scaled)?;
    }
    let residual = scaled.violation(&z, &p);
    if residual.is_nan() || residual > SOLVED {
        return Err(TheoryError::NoFairRates { exponent, residual: format!("{residual:e}") });
    }
    let rates: Vec<f64> = z.iter().zip(&scaled.unit).map(|(z, unit)| z * unit).collect();
    let total: f64 = problem.flows.iter().map(|f| f.alpha).sum();
    let mut loads = problem.unresponsive.clone();
    for (flow, x) in problem.flows.iter().zip(&rates) {
        flow.data.iter().for_each(|l| loads[*l as usize] += x * flow.packet_bits);
        flow.ack.iter().for_each(|l| loads[*l as usize] += x * flow.ack_bits);
    }
    let paid: f64 = p.iter().sum();
    Ok(FairRates {
        exponent,
        worth: p.iter().map(|p| p / paid * total).collect(),
        loads,
        utility: utility(problem, &rates, exponent),
        residual,
        polished,
        rates,
    })
}

fn utility(problem: &Problem, rates: &[f64], exponent: f64) -> f64 {
    let rest = 1.0 - exponent;
    let of = |alpha: f64, x: f64| {
        if rest == 0.0 { alpha * libm::log(x) } else { libm::pow(alpha, exponent) * libm::pow(x, rest) / rest }
    };
    problem.flows.iter().zip(rates).map(|(f, x)| of(f.alpha, *x)).sum()
}

/// Rates in their units, prices, and whether they were polished.
fn optimum(scaled: &Scaled) -> Result<(Vec<f64>, Vec<f64>, bool), TheoryError> {
    let solved = by_cones(scaled);
    if let Ok((z, p)) = &solved {
        if let Some((z, p)) = polish(scaled, z, p) {
            return Ok((z, p, true));
        }
        if scaled.violation(z, p) <= SOLVED {
            return solved.map(|(z, p)| (z, p, false));
        }
    }
    // the weights differ by more than the convex solver resolves
    by_coordinates(scaled).map(|(z, p)| (z, p, true)).map_or_else(|| solved.map(|(z, p)| (z, p, false)), Ok)
}

/// Efficiency and fairness of FAST's equilibrium `at` compared with the ideal of the same problem.
///
/// # Errors
/// [`TheoryError::Length`] where the two are of different problems.
pub fn fairness_metrics(
    problem: &Problem,
    at: &Equilibrium,
    ideal: &FairRates,
) -> Result<FairnessMetrics, TheoryError> {
    let wanted = problem.flows.len();
    for given in [at.rates.len(), ideal.rates.len()] {
        if given != wanted {
            return Err(TheoryError::Length { what: "rates", given, wanted });
        }
    }
    let sum = |rates: &[f64], weighted: bool| -> f64 {
        let part =
            |(f, x): (&crate::equilibrium::ProblemFlow, &f64)| x * f.packet_bits * if weighted { f.alpha } else { 1.0 };
        problem.flows.iter().zip(rates).map(part).sum()
    };
    let jain = |rates: &[f64]| {
        let shares: Vec<f64> = problem.flows.iter().zip(rates).map(|(f, x)| x / f.alpha).collect();
        jain_index(&shares).unwrap_or(f64::NAN)
    };
    let total: f64 = problem.flows.iter().map(|f| f.alpha).sum();
    // term by term, so that equal rates give exactly zero
    let pairs = problem.flows.iter().zip(at.rates.iter().zip(&ideal.rates));
    let rest = 1.0 - ideal.exponent;
    let gap = |alpha: f64, x: f64, best: f64| match rest {
        0.0 => alpha * libm::log(best / x),
        _ => libm::pow(alpha, ideal.exponent) * (libm::pow(best, rest) - libm::pow(x, rest)) / rest,
    };
    let utility_gap: f64 = pairs.map(|(f, (x, best))| gap(f.alpha, *x, *best)).sum();
    let efficiency = match rest {
        0.0 => libm::exp(-utility_gap / total),
        _ => libm::pow(1.0 - utility_gap / ideal.utility, 1.0 / rest),
    };
    Ok(FairnessMetrics {
        throughput: sum(&at.rates, false) / sum(&ideal.rates, false),
        weighted_throughput: sum(&at.rates, true) / sum(&ideal.rates, true),
        efficiency,
        utility_gap,
        jain: jain(&at.rates),
        jain_ideal: jain(&ideal.rates),
    })
}
