//! The bias and variance of VFAST's filter (eq. 4 of its paper) on correlated jitter.
//!
//! Jitter J is normal with mean 0 and standard deviation 1, and an autoregression of first order from one sample to the next:
//! `J' = rho J + sqrt(1 - rho^2) g` (an Ornstein-Uhlenbeck process seen every t has `rho = exp(-t / correlation time)`). SRTT is
//! `S' = S + psi (X - S)`, psi one constant where X lies above S, another otherwise. The density of (J, S) is iterated
//! to its stationary one: by the trapezoid rule in J, which for normal kernels is exact but for the bend of psi, on cells of S
//! that interpolate linearly, which preserves the mean. There are no random numbers.

use crate::error::TheoryError;

/// The filter's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterInput {
    /// The jitter itself, J': delay in queues that the flow does not affect.
    Jitter,
    /// `J' - J`, its change since the sample prior: once a round trip, a flow whose own window keeps the link busy. More
    /// delay means fewer packets in the queue, so the next packet has less queueing delay.
    Change,
}

/// SRTT, in standard deviations of the jitter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoothed {
    /// Its mean less that of the samples.
    pub bias: f64,
    /// Its variance.
    pub variance: f64,
}

/// Smallest weight that the grid resolves.
const MIN_WEIGHT: f64 = 0.05;
/// Limit on the correlation: beyond it the bias vanishes and too many nodes are needed.
const MAX_CORRELATION: f64 = 0.999;
/// Range in standard deviations: 2e-10 lies outside.
const RANGE: f64 = 6.5;
/// Largest distance of nodes of the jitter.
const MAX_NODE_SPACING: f64 = 0.125;
/// Cells of SRTT.
const CELLS: usize = 400;
const MAX_STEPS: usize = 2_000;
/// Change of the density in a step that counts as converged.
const SETTLED: f64 = 1e-9;

/// Mean and variance of SRTT.
///
/// # Errors
///
/// A weight is not within [0.05, 1], the correlation not within [0, 0.999].
pub fn smoothed_jitter(up: f64, down: f64, correlation: f64, input: FilterInput) -> Result<Smoothed, TheoryError> {
    for (name, psi) in [("up", up), ("down", down)] {
        if !(MIN_WEIGHT..=1.0).contains(&psi) {
            return Err(TheoryError::OutOfRange {
                what: format!("psi {name}"),
                value: psi,
                allowed: "from 0.05 to 1; below, the bias is near that of small weights",
            });
        }
    }
    if !(0.0..=MAX_CORRELATION).contains(&correlation) {
        return Err(TheoryError::OutOfRange {
            what: "the correlation".to_owned(),
            value: correlation,
            allowed: "from 0 to 0.999; above, next to no bias is left",
        });
    }
    let jitter = Autoregression::new(correlation);
    let spread = match input {
        FilterInput::Jitter => 1.0,
        FilterInput::Change => (2.0 * (1.0 - correlation)).sqrt(),
    };
    let cells = Cells { low: -RANGE * spread, step: 2.0 * RANGE * spread / (CELLS - 1) as f64 };
    let mut density: Vec<Vec<f64>> = jitter
        .stationary()
        .iter()
        .map(|share| {
            let mut row = vec![0.0; CELLS];
            cells.add(&mut row, 0.0, *share);
            row
        })
        .collect();
    for _ in 0..MAX_STEPS {
        let mut next = vec![vec![0.0; CELLS]; jitter.nodes.len()];
        for (to, row) in next.iter_mut().enumerate() {
            match input {
                FilterInput::Jitter => {
                    let mut prior = vec![0.0; CELLS];
                    for (from, chance) in jitter.from(to) {
                        prior.iter_mut().zip(&density[from]).for_each(|(b, p)| *b += chance * p);
                    }
                    cells.update(row, &prior, 1.0, jitter.nodes[to], up, down);
                }
                FilterInput::Change => {
                    for (from, chance) in jitter.from(to) {
                        cells.update(row, &density[from], chance, jitter.nodes[to] - jitter.nodes[from], up, down);
                    }
                }
            }
        }
        let moved: f64 = next.iter().flatten().zip(density.iter().flatten()).map(|(a, b)| (a - b).abs()).sum();
        density = next;
        if moved < SETTLED {
            break;
        }
    }
    let moment = |power: i32| -> f64 {
        density.iter().flat_map(|row| row.iter().enumerate()).map(|(i, p)| p * cells.at(i).powi(power)).sum()
    };
    let (whole, first, second) = (moment(0), moment(1), moment(2));
    let bias = first / whole;
    Ok(Smoothed { bias, variance: second / whole - bias * bias })
}

/// The jitter on nodes of equal distance.
struct Autoregression {
    nodes: Vec<f64>,
    /// Row: to; the first node that leads there with a chance worth counting, and the chances from there on.
    chances: Vec<(usize, Vec<f64>)>,
}

impl Autoregression {
    fn new(correlation: f64) -> Self {
        let fresh = (1.0 - correlation * correlation).sqrt();
        let spacing = MAX_NODE_SPACING.min(fresh);
        let half = libm::ceil(RANGE / spacing) as i32;
        let nodes: Vec<f64> = (-half..=half).map(|i| f64::from(i) * spacing).collect();
        let kernel = |to: f64, from: f64| {
            let z = (to - correlation * from) / fresh;
            if z.abs() > RANGE { 0.0 } else { libm::exp(-0.5 * z * z) }
        };
        // normalise transitions from each node
        let whole: Vec<f64> = nodes.iter().map(|from| nodes.iter().map(|to| kernel(*to, *from)).sum()).collect();
        let chances = nodes
            .iter()
            .map(|to| {
                let all = |i: usize| kernel(*to, nodes[i]) / whole[i];
                let first = (0..nodes.len()).find(|i| all(*i) > 0.0).unwrap_or(0);
                let last = (0..nodes.len()).rfind(|i| all(*i) > 0.0).unwrap_or(0);
                (first, (first..=last).map(all).collect())
            })
            .collect();
        Self { nodes, chances }
    }

    /// The stationary distribution.
    fn stationary(&self) -> Vec<f64> {
        let shares: Vec<f64> = self.nodes.iter().map(|j| libm::exp(-0.5 * j * j)).collect();
        let whole: f64 = shares.iter().sum();
        shares.iter().map(|s| s / whole).collect()
    }

    fn from(&self, to: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (first, chances) = &self.chances[to];
        chances.iter().enumerate().map(move |(i, chance)| (first + i, *chance))
    }
}

/// Cells of SRTT, by their middles.
#[derive(Clone, Copy)]
struct Cells {
    low: f64,
    step: f64,
}

impl Cells {
    fn at(self, cell: usize) -> f64 {
        self.low + self.step * cell as f64
    }

    /// Puts a share at a value, between the two cells that it lies between.
    fn add(self, row: &mut [f64], value: f64, share: f64) {
        let place = ((value - self.low) / self.step).clamp(0.0, (row.len() - 1) as f64);
        let cell = (place as usize).min(row.len() - 2);
        let part = place - cell as f64;
        row[cell] += share * (1.0 - part);
        row[cell + 1] += share * part;
    }

    /// Eq. 4 on all cells: a share of the density `prior` follows `sample`.
    fn update(self, row: &mut [f64], prior: &[f64], share: f64, sample: f64, up: f64, down: f64) {
        for (cell, p) in prior.iter().enumerate() {
            // the tails, which have most of the cells
            if *p > 1e-18 {
                let s = self.at(cell);
                self.add(row, s + if sample > s { up } else { down } * (sample - s), share * p);
            }
        }
    }
}
