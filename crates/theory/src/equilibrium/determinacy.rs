//! Which prices of a large network are determined by the delays.
//!
//! Prices of the saturated links F may change along any v with G_F^T v = 0 without a change of delays. With N = G_F G_F^T and b drawn at random, conjugate
//! gradients (Hestenes and Stiefel 1952) on N x = N b converge to b less its projection on that null space, so x - b is
//! zero where the price is determined and, with probability one, is not where it is not.

use super::enumerate::Starts;
use super::table::FlowTable;

/// Flows sampled first, for each saturated link: if these determine the prices, all do.
const SAMPLE: usize = 24;
const MAX_STEPS: usize = 3_000;

/// A random vector of that null space: zero where a price is determined. `None` if the iteration did not converge.
pub(super) fn null_vector(flows: &FlowTable, full: &[bool]) -> Option<Vec<f64>> {
    let count = full.iter().filter(|full| **full).count();
    if count < 2 {
        return Some(vec![0.0; full.len()]);
    }
    let every = (flows.len() / (SAMPLE * count)).max(1);
    if every > 1 {
        let change = probe(flows, full, every);
        if change.as_ref().is_some_and(|v| v.iter().all(|v| *v == 0.0)) {
            return change;
        }
    }
    probe(flows, full, 1)
}

fn probe(flows: &FlowTable, full: &[bool], every: usize) -> Option<Vec<f64>> {
    let n = full.len();
    let mut uses = vec![0.0f64; n];
    for s in (0..flows.len()).step_by(every) {
        let (data, ack) = flows.paths(s);
        data.iter().chain(ack).for_each(|l| uses[*l as usize] += 1.0);
    }
    // columns scaled to length about one; links that no sampled flow crosses are unconstrained
    let scale: Vec<f64> =
        uses.iter().zip(full).map(|(u, full)| if *full { 1.0 / u.max(1.0).sqrt() } else { 0.0 }).collect();
    let product = |v: &[f64]| -> Vec<f64> {
        let scaled: Vec<f64> = v.iter().zip(&scale).map(|(v, c)| v * c).collect();
        let mut out = vec![0.0; n];
        for s in (0..flows.len()).step_by(every) {
            let (data, ack) = flows.paths(s);
            let sum = data.iter().chain(ack).fold(0.0, |sum, l| sum + scaled[*l as usize]);
            data.iter().chain(ack).for_each(|l| out[*l as usize] += sum);
        }
        out.iter().zip(&scale).map(|(v, c)| v * c).collect()
    };
    let mut random = Starts::new();
    let b: Vec<f64> = full.iter().map(|full| if *full { 0.5 + random.uniform() } else { 0.0 }).collect();
    // the error x - b, which ends in the null space
    let mut error: Vec<f64> = b.iter().map(|v| -v).collect();
    let mut rest = product(&b);
    let mut direction = rest.clone();
    let mut size = rest.iter().fold(0.0, |sum, v| sum + v * v);
    let target = 1e-24 * size;
    for _ in 0..MAX_STEPS {
        if size <= target {
            break;
        }
        let image = product(&direction);
        let bend = image.iter().zip(&direction).fold(0.0, |sum, (a, b)| sum + a * b);
        let step = size / bend;
        if !(step > 0.0 && step.is_finite()) {
            return None;
        }
        for (at, d) in error.iter_mut().zip(&direction) {
            *at += step * d;
        }
        for (r, i) in rest.iter_mut().zip(&image) {
            *r -= step * i;
        }
        let next = rest.iter().fold(0.0, |sum, v| sum + v * v);
        for (d, r) in direction.iter_mut().zip(&rest) {
            *d = r + next / size * *d;
        }
        size = next;
    }
    if size > target {
        return None;
    }
    Some(error.iter().zip(&scale).map(|(v, c)| if v.abs() > 1e-5 { v * c } else { 0.0 }).collect())
}
