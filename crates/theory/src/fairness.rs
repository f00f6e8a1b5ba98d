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
//! `A x <= c - b`, `p >= 0`, and Newton's method on the full links converges to rounding, wherever it starts. Logarithms
//! and powers are libm's.
//!
//! [`equilibrium`]: crate::equilibrium

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus,
    SupportedConeT::{ExponentialConeT, NonnegativeConeT, PowerConeT},
};
use eddyline_scenario::result::jain_index;

use crate::equilibrium::{Equilibrium, Problem};
use crate::error::TheoryError;
use crate::linear::DenseLu;

/// Rates that are fair in the sense of an exponent.
#[derive(Debug, Clone, PartialEq)]
pub struct FairRates {
    /// The exponent e; 1 is proportional fairness.
    pub exponent: f64,
    /// Each flow's x in packet/s.
    pub rates: Vec<f64>,
    /// What each link's capacity is worth, its multiplier times capacity: scaled such that the sum over the links is
    /// that of the alphas, in packets. Where several are possible these are some of them.
    pub worth: Vec<f64>,
    /// Each link's load in bit/s, acknowledgements and unresponsive traffic included.
    pub loads: Vec<f64>,
    /// `sum alpha log x`, or `sum alpha^e x^(1 - e) / (1 - e)`, x in packet/s.
    pub utility: f64,
    /// Largest relative violation of the optimality conditions.
    pub residual: f64,
    /// Whether the last digits were polished by Newton's method, or are the convex solver's.
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

/// Limit on saturated links for the polish, which is dense.
const MAX_POLISHED: usize = 1_500;

/// A in sparse columns, in units in which capacity is one.
struct Scaled {
    /// Link and weight of each crossing of a flow, by link.
    columns: Vec<Vec<(usize, f64)>>,
    /// What each flow's rate is counted in, packet/s: at first its rate if it were alone.
    unit: Vec<f64>,
    /// `alpha^e` in these units, over the sum of them all.
    weight: Vec<f64>,
    links: usize,
    exponent: f64,
}

impl Scaled {
    /// Proportional fairness, each flow in units of its rate if it were alone.
    fn new(problem: &Problem) -> Self {
        let links = problem.capacity.len();
        let total: f64 = problem.flows.iter().map(|f| f.alpha).sum();
        let mut columns = Vec::with_capacity(problem.flows.len());
        let mut unit = Vec::with_capacity(problem.flows.len());
        for flow in &problem.flows {
            let mut column: Vec<(usize, f64)> = Vec::new();
            for (path, bits) in [(&flow.data, flow.packet_bits), (&flow.ack, flow.ack_bits)] {
                for l in path.iter().map(|l| *l as usize) {
                    let part = bits / (problem.capacity[l] - problem.unresponsive[l]);
                    match column.iter_mut().find(|c| c.0 == l) {
                        Some(entry) => entry.1 += part,
                        None => column.push((l, part)),
                    }
                }
            }
            column.retain(|c| c.1 > 0.0);
            column.sort_unstable_by_key(|c| c.0);
            let max = column.iter().fold(0.0f64, |m, c| m.max(c.1));
            column.iter_mut().for_each(|c| c.1 /= max);
            columns.push(column);
            unit.push(1.0 / max);
        }
        let weight = problem.flows.iter().map(|f| f.alpha / total).collect();
        Self { columns, unit, weight, links, exponent: 1.0 }
    }

    /// The same with another exponent, each flow in units of the rate that it had: `z` in the units so far.
    fn at(mut self, problem: &Problem, exponent: f64, z: &[f64]) -> Self {
        for ((column, unit), z) in self.columns.iter_mut().zip(&mut self.unit).zip(z) {
            column.iter_mut().for_each(|c| c.1 *= z);
            *unit *= z;
        }
        // relative to the greatest, so that no exponent overflows
        let share: Vec<f64> = problem.flows.iter().zip(&self.unit).map(|(f, x)| f.alpha / x).collect();
        let max = share.iter().fold(0.0f64, |m, w| m.max(*w));
        let pays = |(w, x): (&f64, &f64)| libm::pow(w / max, exponent) * x;
        let weight: Vec<f64> = share.iter().zip(&self.unit).map(pays).collect();
        let total: f64 = weight.iter().sum();
        Self { weight: weight.into_iter().map(|w| w / total).collect(), exponent, ..self }
    }

    fn loads(&self, z: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.links];
        for (column, z) in self.columns.iter().zip(z) {
            column.iter().for_each(|(l, a)| loads[*l] += a * z);
        }
        loads
    }

    fn prices(&self, p: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|c| c.iter().fold(0.0, |sum, (l, a)| sum + a * p[*l])).collect()
    }

    /// z where a flow of this weight pays q: its marginal utility is q.
    fn demand(&self, weight: f64, q: f64) -> f64 {
        if self.exponent == 1.0 { weight / q } else { libm::pow(weight / q, 1.0 / self.exponent) }
    }

    /// Largest violation of z = demand(A^T p), A z <= 1 and p (1 - A z) = 0, prices as shares of what a user pays.
    fn violation(&self, z: &[f64], p: &[f64]) -> f64 {
        let (loads, paid) = (self.loads(z), self.prices(p));
        let mut worst = 0.0f64;
        for (((column, z), q), w) in self.columns.iter().zip(z).zip(&paid).zip(&self.weight) {
            worst = worst.max((z / self.demand(*w, *q) - 1.0).abs());
            for (l, a) in column {
                worst = worst.max((1.0 - loads[*l]).abs() * (a * p[*l] / q));
            }
        }
        let over = loads.iter().fold(worst, |m, y| m.max(y - 1.0));
        let proper = |v: &[f64], min: f64| v.iter().all(|v| *v >= min && v.is_finite());
        if proper(z, f64::MIN_POSITIVE) && proper(p, 0.0) { over } else { f64::INFINITY }
    }
}

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
/// [`TheoryError::OutOfRange`]; [`TheoryError::NotConverged`] if the optimality conditions do not hold to 1e-7.
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
        return Err(TheoryError::NotConverged(format!("{residual:e}")));
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
    let (z, p) = by_cones(scaled)?;
    Ok(match polish(scaled, &z, &p) {
        Some((z, p)) => (z, p, true),
        None => (z, p, false),
    })
}

/// Variables z and t a flow under A z <= 1, t below log z or z^(1 - e); beyond e = 1 a third, above exp((1 - e) t):
/// what is not linear is a cone of dimension three.
fn by_cones(scaled: &Scaled) -> Result<(Vec<f64>, Vec<f64>), TheoryError> {
    let (n, m) = (scaled.columns.len(), scaled.links);
    let mut triplets: (Vec<usize>, Vec<usize>, Vec<f64>) = Default::default();
    let mut put = |row: usize, column: usize, value: f64| {
        triplets.0.push(row);
        triplets.1.push(column);
        triplets.2.push(value);
    };
    let mut b = vec![1.0; m];
    let e = scaled.exponent;
    // t <= log z, or t <= z^(1 - e)
    let (first, z, t) = if e < 1.0 { (PowerConeT(1.0 - e), 0, 2) } else { (ExponentialConeT(), 2, 0) };
    let mut cones = vec![NonnegativeConeT(m)];
    for (s, column) in scaled.columns.iter().enumerate() {
        column.iter().for_each(|(l, a)| put(*l, s, *a));
        put(m + 3 * s + z, s, -1.0);
        put(m + 3 * s + t, n + s, -1.0);
        b.extend([0.0, 1.0, 0.0]);
        cones.push(first.clone());
    }
    let mut cost = vec![0.0; n];
    if e > 1.0 {
        // exp((1 - e) t) <= u
        for s in 0..n {
            put(m + 3 * (n + s), n + s, e - 1.0);
            put(m + 3 * (n + s) + 2, 2 * n + s, -1.0);
            b.extend([0.0, 1.0, 0.0]);
            cones.push(ExponentialConeT());
        }
        cost.extend(std::iter::repeat_n(0.0, n));
        cost.extend(&scaled.weight);
    } else {
        cost.extend(scaled.weight.iter().map(|w| -w));
    }
    let matrix = CscMatrix::new_from_triplets(b.len(), cost.len(), triplets.0, triplets.1, triplets.2);
    let failed = |what: String| TheoryError::NotConverged(format!("unknown; the convex solver says {what}"));
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(300)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .map_err(|e| failed(e.to_string()))?;
    let quadratic = CscMatrix::zeros((cost.len(), cost.len()));
    let mut solver =
        DefaultSolver::new(&quadratic, &cost, &matrix, &b, &cones, settings).map_err(|e| failed(e.to_string()))?;
    solver.solve();
    let solution = &solver.solution;
    // if it does not reach these tolerances, the polish and the check decide
    if matches!(solution.status, SolverStatus::PrimalInfeasible | SolverStatus::DualInfeasible | SolverStatus::Unsolved)
    {
        return Err(failed(format!("{:?}", solution.status)));
    }
    // the cost is |1 - e| times the utility
    let scale = if e == 1.0 { 1.0 } else { (1.0 - e).abs() };
    Ok((solution.x[..n].to_vec(), solution.z[..m].iter().map(|p| p.max(0.0) / scale).collect()))
}

/// Newton's method on A z = 1 over the links that are full, z = demand(A^T p); `None` where that is no solution.
fn polish(scaled: &Scaled, z: &[f64], p: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let (loads, paid) = (scaled.loads(z), scaled.prices(p));
    // a link is taken for full where its price weighs more with some user than its slack
    let mut share = vec![0.0f64; scaled.links];
    for (column, q) in scaled.columns.iter().zip(&paid) {
        column.iter().for_each(|(l, a)| share[*l] = share[*l].max(a * p[*l] / q));
    }
    let full: Vec<usize> = (0..scaled.links).filter(|l| share[*l] > (1.0 - loads[*l]).abs()).collect();
    let n = full.len();
    if n == 0 || n > MAX_POLISHED {
        return None;
    }
    let mut place = vec![usize::MAX; scaled.links];
    full.iter().enumerate().for_each(|(at, l)| place[*l] = at);
    let mut prices = vec![0.0; scaled.links];
    full.iter().for_each(|l| prices[*l] = p[*l]);
    let mut best: Option<(f64, Vec<f64>, Vec<f64>)> = None;
    for _ in 0..30 {
        let paid = scaled.prices(&prices);
        if !paid.iter().all(|q| *q > 0.0) {
            break;
        }
        let z: Vec<f64> = scaled.weight.iter().zip(&paid).map(|(w, q)| scaled.demand(*w, *q)).collect();
        let loads = scaled.loads(&z);
        let error = scaled.violation(&z, &prices);
        if error.is_finite() && best.as_ref().is_none_or(|b| error < b.0) {
            let enough = best.as_ref().is_some_and(|b| error > 0.5 * b.0) || error == 0.0;
            best = Some((error, z.clone(), prices.clone()));
            if enough && error < 1e-13 {
                break;
            }
        } else if best.as_ref().is_some_and(|b| b.0 < 1e-12) {
            break;
        }
        let mut matrix = vec![0.0; n * n];
        for (column, (z, q)) in scaled.columns.iter().zip(z.iter().zip(&paid)) {
            let on = || column.iter().filter(|c| place[c.0] != usize::MAX);
            for (l, a) in on() {
                for (k, b) in on() {
                    matrix[place[*l] * n + place[*k]] += a * (z / (scaled.exponent * q)) * b;
                }
            }
        }
        // prices that are determined in sum only must not stop the iteration
        (0..n).for_each(|i| matrix[i * n + i] *= 1.0 + 1e-9);
        let excess: Vec<f64> = full.iter().map(|l| loads[*l] - 1.0).collect();
        let step = DenseLu::factor(n, matrix)?.solve(&excess);
        full.iter().zip(&step).for_each(|(l, d)| prices[*l] += d);
    }
    let unpolished = scaled.violation(z, p);
    best.filter(|b| b.0 < unpolished.min(1e-9)).map(|b| (b.1, b.2))
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
