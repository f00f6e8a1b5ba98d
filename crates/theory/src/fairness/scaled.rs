//! The problem in units in which capacities and rates are near one.

use crate::equilibrium::Problem;

/// A in sparse columns, in units in which capacity is one.
pub(super) struct Scaled {
    /// Link and weight of each crossing of a flow, by link.
    pub(super) columns: Vec<Vec<(usize, f64)>>,
    /// What each flow's rate is counted in, packet/s: at first its rate if it were alone.
    pub(super) unit: Vec<f64>,
    /// `alpha^e` in these units, over the sum of them all.
    pub(super) weight: Vec<f64>,
    pub(super) links: usize,
    pub(super) exponent: f64,
}

impl Scaled {
    /// Proportional fairness, each flow in units of its rate if it were alone.
    pub(super) fn new(problem: &Problem) -> Self {
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
    pub(super) fn at(mut self, problem: &Problem, exponent: f64, z: &[f64]) -> Self {
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

    pub(super) fn loads(&self, z: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.links];
        for (column, z) in self.columns.iter().zip(z) {
            column.iter().for_each(|(l, a)| loads[*l] += a * z);
        }
        loads
    }

    pub(super) fn prices(&self, p: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|c| c.iter().fold(0.0, |sum, (l, a)| sum + a * p[*l])).collect()
    }

    /// z where a flow of this weight pays q: its marginal utility is q.
    pub(super) fn demand(&self, weight: f64, q: f64) -> f64 {
        if self.exponent == 1.0 { weight / q } else { libm::pow(weight / q, 1.0 / self.exponent) }
    }

    /// Every flow's demand at these prices of links.
    pub(super) fn demands(&self, prices: &[f64]) -> Vec<f64> {
        self.weight.iter().zip(self.prices(prices)).map(|(w, q)| self.demand(*w, q)).collect()
    }

    /// Largest violation of z = demand(A^T p), A z <= 1 and p (1 - A z) = 0, prices as shares of what a user pays.
    pub(super) fn violation(&self, z: &[f64], p: &[f64]) -> f64 {
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
