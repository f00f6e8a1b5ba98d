//! The last digits of fair rates.

use super::scaled::Scaled;
use crate::linear::DenseLu;

/// Limit on saturated links for the polish, which is dense.
const MAX_POLISHED: usize = 1_500;

/// Newton's method on A z = 1 over the links that are full, z = demand(A^T p); `None` where that is no solution.
pub(super) fn polish(scaled: &Scaled, z: &[f64], p: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
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
