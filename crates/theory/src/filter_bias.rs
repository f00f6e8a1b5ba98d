//! The bias of VFAST's filter: eq. 4 of its paper on random samples.
//!
//! `S <- S + psi (X - S)`, psi one constant where X lies above S, another elsewhere, X independent with a density f.
//! The stationary density p of S solves `p(y) = integral of k(y, s) p(s) ds`, `k = f(s + (y - s) / psi) / psi` with the
//! psi of the side of y. At one constant S has the mean of X. As both go to 0 at a fixed ratio S goes to the expectile
//! of X of level `up / (up + down)`: `up E max(X - S, 0) = down E max(S - X, 0)`.

use crate::error::TheoryError;

/// Distribution of the samples, with mean 0 and standard deviation 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scatter {
    /// Normal.
    Normal,
    /// Exponential: a queue's waiting time when it is never empty for long.
    Exponential,
    /// Uniform.
    Uniform,
}

/// Cells of the grid.
const CELLS: usize = 1_000;
/// Smallest weight that the grid resolves.
const MIN_WEIGHT: f64 = 0.05;
const MAX_STEPS: usize = 4_000;

impl Scatter {
    /// By name.
    pub const NAMED: &[(&str, Self)] =
        &[("normal", Self::Normal), ("exponential", Self::Exponential), ("uniform", Self::Uniform)];

    fn density(self, x: f64) -> f64 {
        match self {
            Self::Normal => libm::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt(),
            Self::Exponential if x >= -1.0 => libm::exp(-(x + 1.0)),
            Self::Uniform if x.abs() <= 3f64.sqrt() => 0.5 / 3f64.sqrt(),
            Self::Exponential | Self::Uniform => 0.0,
        }
    }

    fn distribution(self, x: f64) -> f64 {
        match self {
            Self::Normal => 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2),
            Self::Exponential => -libm::expm1(-(x + 1.0).max(0.0)),
            Self::Uniform => (0.5 + 0.5 * x / 3f64.sqrt()).clamp(0.0, 1.0),
        }
    }

    /// Less than 1e-9 lies outside.
    fn range(self) -> (f64, f64) {
        match self {
            Self::Normal => (-6.2, 6.2),
            Self::Exponential => (-1.0, 17.0),
            Self::Uniform => (-3f64.sqrt(), 3f64.sqrt()),
        }
    }
}

/// Mean of SRTT less the mean of the samples, in standard deviations of the samples.
///
/// # Errors
///
/// A weight is not within [0.05, 1].
pub fn filter_bias(up: f64, down: f64, scatter: Scatter) -> Result<f64, TheoryError> {
    for (name, psi) in [("up", up), ("down", down)] {
        if !(MIN_WEIGHT..=1.0).contains(&psi) {
            return Err(TheoryError::OutOfRange {
                what: format!("psi {name}"),
                value: psi,
                allowed: "from 0.05 to 1; below, the bias is near that of small weights",
            });
        }
    }
    let (low, high) = scatter.range();
    let step = (high - low) / CELLS as f64;
    let at = |i: usize| low + step * (i as f64 + 0.5);
    // row y, column s: the share of what is in the middle of cell s that goes to cell y
    let reached = |s: f64, y: f64| scatter.distribution(s + (y - s) / if y > s { up } else { down });
    let kernel: Vec<Vec<f64>> = (0..CELLS)
        .map(|y| (0..CELLS).map(|s| reached(at(s), at(y) + step / 2.0) - reached(at(s), at(y) - step / 2.0)).collect())
        .collect();
    let mut p: Vec<f64> = (0..CELLS).map(|i| scatter.density(at(i)) * step).collect();
    for _ in 0..MAX_STEPS {
        let mut next: Vec<f64> = kernel.iter().map(|row| row.iter().zip(&p).map(|(k, p)| k * p).sum::<f64>()).collect();
        let total: f64 = next.iter().sum();
        next.iter_mut().for_each(|v| *v /= total);
        let change = next.iter().zip(&p).map(|(a, b)| (a - b).abs()).sum::<f64>();
        p = next;
        if change < 1e-12 {
            break;
        }
    }
    Ok(p.iter().enumerate().map(|(i, p)| p * at(i)).sum())
}

/// The limit of the bias for small weights at the ratio `up / down`: the expectile of level `up / (up + down)`.
#[must_use]
pub fn expectile(up: f64, down: f64, scatter: Scatter) -> f64 {
    let (low, high) = scatter.range();
    let steps = 20_000;
    let width = (high - low) / f64::from(steps);
    // up E max(X - s, 0) - down E max(s - X, 0) falls in s
    let imbalance = |s: f64| {
        (0..steps)
            .map(|i| {
                let x = low + width * (f64::from(i) + 0.5);
                (if x > s { up } else { down }) * (x - s) * scatter.density(x) * width
            })
            .sum::<f64>()
    };
    let (mut a, mut b) = (low, high);
    for _ in 0..60 {
        let middle = f64::midpoint(a, b);
        if imbalance(middle) > 0.0 { a = middle } else { b = middle }
    }
    f64::midpoint(a, b)
}
