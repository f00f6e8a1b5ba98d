//! The probability that a sample exceeds the retransmission timeout, and the mean timeout: eq. 4 to 6 of the VFAST paper, and RFC
//! 6298, on independent normal samples.
//!
//! Both are `V <- V + zeta (|X - S| - V)`, `S <- S + psi (X - S)` in this order and a timeout of `S + max(4 V, min_spread)`: RFC 6298
//! with psi 1/8 on either side, eq. 4 to 6 with one psi up and another down. One packet in flight is late where its own sample
//! lies above the timeout by the samples before it, so the probability is the mean of `P(X > S + max(4 V, min_spread))` over the stationary
//! density of (S, V), which is computed by iteration. With slow filters S is the mean and V the mean
//! deviation sqrt(2 / pi), and the probability `Q(4 sqrt(2 / pi))`, one in 1,413.

use std::f64::consts::SQRT_2;

use crate::error::TheoryError;

/// Weights of a retransmission timer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimerWeights {
    /// psi where the sample lies above S.
    pub up: f64,
    /// psi otherwise.
    pub down: f64,
    /// zeta, of the deviation.
    pub zeta: f64,
}

impl TimerWeights {
    /// RFC 6298, 2.3: alpha 1/8, beta 1/4.
    pub const RFC_6298: Self = Self { up: 0.125, down: 0.125, zeta: 0.25 };
}

/// Result for one minimum spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateSamples {
    /// The share of samples that come after the timeout.
    pub probability: f64,
    /// The mean timeout less the mean sample, in standard deviations of the samples: how long a loss waits beyond a round trip.
    pub timeout: f64,
}

const MIN_WEIGHT: f64 = 0.05;
/// Samples: nodes of the trapezoid rule.
const SAMPLE_RANGE: f64 = 6.0;
const SAMPLES: usize = 97;
/// S, to both sides, and V.
const MEAN_RANGE: f64 = 5.0;
const DEVIATION_RANGE: f64 = 6.0;
/// Cells a standard deviation, of the finer of two grids.
const CELLS: usize = 20;
const MAX_STEPS: usize = 1_000;
const SETTLED: f64 = 1e-7;

/// The timer at each minimum spread (`min_spreads`), in standard deviations of the samples.
///
/// # Errors
///
/// A weight is not within [0.05, 1], or a minimum spread is negative or no number.
pub fn late_samples(weights: TimerWeights, min_spreads: &[f64]) -> Result<Vec<LateSamples>, TheoryError> {
    for (name, weight) in [("psi up", weights.up), ("psi down", weights.down), ("zeta", weights.zeta)] {
        if !(MIN_WEIGHT..=1.0).contains(&weight) {
            return Err(TheoryError::OutOfRange {
                what: name.to_owned(),
                value: weight,
                allowed: "from 0.05 to 1: smaller weights need a finer grid",
            });
        }
    }
    if let Some(min_spread) = min_spreads.iter().find(|l| !(0.0..).contains(*l)) {
        return Err(TheoryError::OutOfRange {
            what: "the minimum spread".to_owned(),
            value: *min_spread,
            allowed: "0 or more standard deviations",
        });
    }
    // Cells smear S and V by a variance that goes with their square: two grids tell how much.
    let (coarse, fine) = (Grid { cells: CELLS / 2 }, Grid { cells: CELLS });
    let (coarse_density, fine_density) = (coarse.stationary(weights), fine.stationary(weights));
    Ok(min_spreads
        .iter()
        .map(|min_spread| {
            let (a, b) = (coarse.timer(&coarse_density, *min_spread), fine.timer(&fine_density, *min_spread));
            let limit = |coarse: f64, fine: f64| fine + (fine - coarse) / 3.0;
            LateSamples {
                probability: limit(a.probability, b.probability).max(0.0),
                timeout: limit(a.timeout, b.timeout),
            }
        })
        .collect())
}

/// Values of S and V, so many a standard deviation; S is the slower index.
#[derive(Clone, Copy)]
struct Grid {
    cells: usize,
}

impl Grid {
    fn means(self) -> usize {
        2 * MEAN_RANGE as usize * self.cells + 1
    }

    fn deviations(self) -> usize {
        DEVIATION_RANGE as usize * self.cells + 1
    }

    /// S and V of a cell.
    fn at(self, cell: usize) -> (f64, f64) {
        let (i, k) = (cell / self.deviations(), cell % self.deviations());
        (i as f64 / self.cells as f64 - MEAN_RANGE, k as f64 / self.cells as f64)
    }

    /// The stationary distribution.
    fn stationary(self, weights: TimerWeights) -> Vec<f64> {
        let step = 2.0 * SAMPLE_RANGE / (SAMPLES - 1) as f64;
        let samples: Vec<(f64, f64)> = (0..SAMPLES)
            .map(|i| step * i as f64 - SAMPLE_RANGE)
            .map(|x| (x, step * libm::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt()))
            .collect();
        let mut density = vec![0.0; self.means() * self.deviations()];
        self.add(&mut density, 0.0, (2.0 / std::f64::consts::PI).sqrt(), 1.0);
        for _ in 0..MAX_STEPS {
            let mut next = vec![0.0; density.len()];
            for (cell, p) in density.iter().enumerate().filter(|(_, p)| **p > 1e-14) {
                let (s, v) = self.at(cell);
                for (x, share) in &samples {
                    let off = x - s;
                    let psi = if off > 0.0 { weights.up } else { weights.down };
                    self.add(&mut next, s + psi * off, v + weights.zeta * (off.abs() - v), p * share);
                }
            }
            let moved: f64 = next.iter().zip(&density).map(|(a, b)| (a - b).abs()).sum();
            density = next;
            if moved < SETTLED {
                break;
            }
        }
        density
    }

    /// Shares what lies between four cells among them, so that both means are kept.
    fn add(self, density: &mut [f64], s: f64, v: f64, share: f64) {
        let (means, deviations) = (self.means(), self.deviations());
        let s = ((s + MEAN_RANGE) * self.cells as f64).clamp(0.0, (means - 1) as f64);
        let v = (v * self.cells as f64).clamp(0.0, (deviations - 1) as f64);
        let (i, k) = ((s as usize).min(means - 2), (v as usize).min(deviations - 2));
        let (a, b) = (s - i as f64, v - k as f64);
        let cell = i * deviations + k;
        density[cell] += share * (1.0 - a) * (1.0 - b);
        density[cell + 1] += share * (1.0 - a) * b;
        density[cell + deviations] += share * a * (1.0 - b);
        density[cell + deviations + 1] += share * a * b;
    }

    fn timer(self, density: &[f64], min_spread: f64) -> LateSamples {
        let (mut whole, mut late, mut timeout) = (0.0, 0.0, 0.0);
        for (cell, p) in density.iter().enumerate() {
            let (s, v) = self.at(cell);
            let at = s + (4.0 * v).max(min_spread);
            whole += p;
            late += p * 0.5 * libm::erfc(at / SQRT_2);
            timeout += p * at;
        }
        LateSamples { probability: late / whole, timeout: timeout / whole }
    }
}
