//! Spectral discretisation of the infinitesimal generator (Breda, Maset, Vermiglio 2005; for the delayed algebraic
//! equations of the ack-clocked model the form of Breda, Diekmann, Gyllenberg, Scarabel, Vermiglio 2016).
//!
//! Delayed variables are polynomials on [-tau, 0], tau the longest delay, through N + 1 Chebyshev points. The values at
//! these points change by the polynomial's derivative, the one at 0 by the network's equations. The eigenvalues of that
//! matrix are starting points for Newton's method on the exact function, so their rounding affects no result.

use faer::Mat;

use super::complex::Complex;
use super::model::Characteristic;
use crate::linear::DenseLu;
use crate::link_model::LinkModel;

/// Limit on states of the discretised network.
pub(super) const MAX_STATES: usize = 420;

/// States of the discretisation with `n` intervals.
pub(super) fn states(f: &Characteristic<'_>, n: usize) -> usize {
    let (links, flows) = (f.point.links.len(), &f.point.flows);
    if flows.iter().any(|s| s.memory_s > 0.0) {
        // not discretised: windows would need a history too
        return usize::MAX;
    }
    match f.model {
        LinkModel::Integrator => links * (n + 1) + flows.iter().map(|s| 2 * s.crossings.len()).sum::<usize>(),
        LinkModel::AckClocked => (links + flows.len()) * n + 2 * flows.len(),
        // not discretised
        LinkModel::Joint => usize::MAX,
    }
}

/// Eigenvalues of the discretisation with `n` intervals, unordered, without those of negative imaginary part.
pub(super) fn eigenvalues(f: &Characteristic<'_>, n: usize) -> Vec<Complex> {
    let matrix = match f.model {
        LinkModel::Integrator => Some(integrator(f, n)),
        LinkModel::AckClocked => ack_clocked(f, n),
        LinkModel::Joint => None,
    };
    let Some(matrix) = matrix else { return Vec::new() };
    let size = matrix.len();
    let matrix = Mat::<f64>::from_fn(size, size, |i, j| matrix[i][j]);
    let Ok(values) = matrix.eigenvalues() else { return Vec::new() };
    values.iter().filter(|v| v.im >= 0.0).map(|v| Complex::new(v.re, v.im)).filter(|v| v.is_finite()).collect()
}

/// Chebyshev points on [-tau, 0], the first at 0.
struct Grid {
    tau: f64,
    points: Vec<f64>,
    weights: Vec<f64>,
}

impl Grid {
    fn new(n: usize, tau: f64) -> Self {
        let angle = |j: usize| std::f64::consts::PI * j as f64 / n as f64;
        let points = (0..=n).map(|j| 0.5 * tau * (libm::cos(angle(j)) - 1.0)).collect();
        let sign = |j: usize| if j.is_multiple_of(2) { 1.0 } else { -1.0 };
        let weights = (0..=n).map(|j| if j == 0 || j == n { 0.5 * sign(j) } else { sign(j) }).collect();
        Self { tau, points, weights }
    }

    /// Weights of the points in the value `delay` ago.
    fn at(&self, delay: f64) -> Vec<f64> {
        let t = -delay;
        if let Some(j) = self.points.iter().position(|p| (p - t).abs() <= 1e-14 * self.tau) {
            return (0..self.points.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
        }
        let parts: Vec<f64> = self.points.iter().zip(&self.weights).map(|(p, w)| w / (t - p)).collect();
        let sum: f64 = parts.iter().sum();
        parts.into_iter().map(|v| v / sum).collect()
    }

    /// Row i of the differentiation matrix.
    fn slope(&self, i: usize) -> Vec<f64> {
        let (p, w) = (&self.points, &self.weights);
        let mut row: Vec<f64> = (0..p.len()).map(|j| if i == j { 0.0 } else { w[j] / w[i] / (p[i] - p[j]) }).collect();
        row[i] = -row.iter().sum::<f64>();
        row
    }
}

/// Prices with their history, and for each crossing the window delayed by `tau_h`, so that windows need no history.
fn integrator(f: &Characteristic<'_>, n: usize) -> Vec<Vec<f64>> {
    let links = f.point.links.len();
    let grid = Grid::new(n, f.longest_delay());
    let size = states(f, n);
    let mut a = vec![vec![0.0; size]; size];
    let price = |l: usize, j: usize| l * (n + 1) + j;
    for l in 0..links {
        for i in 1..=n {
            grid.slope(i).into_iter().enumerate().for_each(|(j, d)| a[price(l, i)][price(l, j)] = d);
        }
    }
    let mut window = links * (n + 1);
    for flow in &f.point.flows {
        for c in &flow.crossings {
            let (at, average) = (price(c.link, 0), window + 1);
            let rate = c.share / flow.rtt_s;
            a[at][window] += rate;
            a[window][window] = -flow.gain * flow.rho;
            let filtered = flow.filter_s > 0.0;
            for b in &flow.crossings {
                let weights = grid.at(flow.rtt_s + (c.forward_s - b.forward_s));
                for (j, w) in weights.into_iter().enumerate() {
                    let from = price(b.link, j);
                    a[at][from] -= rate * w;
                    if filtered {
                        a[average][from] += w / flow.filter_s;
                    } else {
                        a[window][from] -= flow.gain * (1.0 - flow.rho) * w;
                    }
                }
            }
            if filtered {
                a[window][average] = -flow.gain * (1.0 - flow.rho);
                a[average][average] = -1.0 / flow.filter_s;
            } else {
                // unused state: an eigenvalue far to the left
                a[average][average] = -1e3 / flow.rtt_s;
            }
            window += 2;
        }
    }
    a
}

/// Prices and counts of packets sent, both with their history; their values at 0 follow algebraically:
/// `p_l = sum over crossings of share (n(t - tau_h) - earlier queues)`, `n(t) = n(t - R) + w(t) - q(t)`.
fn ack_clocked(f: &Characteristic<'_>, n: usize) -> Option<Vec<Vec<f64>>> {
    let (links, flows) = (f.point.links.len(), &f.point.flows);
    let late = links + flows.len();
    let grid = Grid::new(n, f.longest_delay());
    let size = states(f, n);
    let column = |v: usize, j: usize| v * n + j - 1;
    let windows = late * n;
    // rows: now = present now + past
    let mut present = vec![0.0; late * late];
    let mut past = vec![vec![0.0; size]; late];
    let mut law = vec![vec![0.0; size]; 2 * flows.len()];
    let mut law_now = vec![vec![0.0; late]; 2 * flows.len()];
    let put = |row: &mut [f64], now: &mut [f64], v: usize, delay: f64, factor: f64| {
        for (j, w) in grid.at(delay).into_iter().enumerate() {
            if j == 0 {
                now[v] += factor * w;
            } else {
                row[column(v, j)] += factor * w;
            }
        }
    };
    for (s, flow) in flows.iter().enumerate() {
        let count = links + s;
        for (h, c) in flow.crossings.iter().enumerate() {
            let (row, now) = (&mut past[c.link], &mut present[c.link * late..(c.link + 1) * late]);
            put(row, now, count, c.forward_s, c.share);
            for b in &flow.crossings[..h] {
                put(row, now, b.link, c.forward_s - b.forward_s, -c.share);
            }
        }
        let now = &mut present[count * late..(count + 1) * late];
        put(&mut past[count], now, count, flow.rtt_s, 1.0);
        past[count][windows + 2 * s] += 1.0;
        let filtered = flow.filter_s > 0.0;
        for b in &flow.crossings {
            let back = flow.rtt_s - b.forward_s;
            put(&mut past[count], now, b.link, back, -1.0);
            let (at, factor) =
                if filtered { (2 * s + 1, 1.0 / flow.filter_s) } else { (2 * s, -flow.gain * (1.0 - flow.rho)) };
            put(&mut law[at], &mut law_now[at], b.link, back, factor);
        }
        law[2 * s][windows + 2 * s] -= flow.gain * flow.rho;
        if filtered {
            law[2 * s][windows + 2 * s + 1] -= flow.gain * (1.0 - flow.rho);
            law[2 * s + 1][windows + 2 * s + 1] -= 1.0 / flow.filter_s;
        } else {
            law[2 * s + 1][windows + 2 * s + 1] = -1e3 / flow.rtt_s;
        }
    }
    let mut algebra: Vec<f64> = present.iter().map(|v| -v).collect();
    (0..late).for_each(|v| algebra[v * late + v] += 1.0);
    let lu = DenseLu::factor(late, algebra)?;
    let mut now = vec![vec![0.0; size]; late];
    for j in 0..size {
        let right: Vec<f64> = past.iter().map(|row| row[j]).collect();
        lu.solve(&right).into_iter().enumerate().for_each(|(v, x)| now[v][j] = x);
    }
    let mut a = vec![vec![0.0; size]; size];
    for v in 0..late {
        for i in 1..=n {
            let slope = grid.slope(i);
            let row = &mut a[column(v, i)];
            row.iter_mut().zip(&now[v]).for_each(|(a, x)| *a += slope[0] * x);
            (1..=n).for_each(|j| row[column(v, j)] += slope[j]);
        }
    }
    for (i, (row, head)) in law.into_iter().zip(law_now).enumerate() {
        let target = &mut a[windows + i];
        target.iter_mut().zip(row).for_each(|(a, x)| *a += x);
        for (v, factor) in head.into_iter().enumerate().filter(|h| h.1 != 0.0) {
            target.iter_mut().zip(&now[v]).for_each(|(a, x)| *a += factor * x);
        }
    }
    Some(a)
}
