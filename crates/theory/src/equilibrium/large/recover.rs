//! The equilibrium of a large network from its prices.

use crate::equilibrium::TIGHT;
use crate::equilibrium::determinacy::null_vector;
use crate::equilibrium::problem::Equilibrium;
use crate::equilibrium::table::LargeProblem;

/// The equilibrium at `prices` in seconds, computed from the original problem.
pub(in crate::equilibrium) fn build(problem: &LargeProblem, prices: Vec<f64>) -> Equilibrium {
    let flows = &problem.flows;
    let sum = |path: &[u32], values: &[f64]| path.iter().fold(0.0, |sum, l| sum + values[*l as usize]);
    let mut loads = problem.unresponsive.clone();
    let (mut rates, mut delays) = (Vec::with_capacity(flows.len()), Vec::with_capacity(flows.len()));
    let mut used = vec![false; prices.len()];
    let mut share = vec![0.0f64; prices.len()];
    let mut residual = 0.0f64;
    let mut grow = |v: f64| residual = if v.is_nan() { f64::INFINITY } else { residual.max(v) };
    for s in 0..flows.len() {
        let (data, ack) = flows.paths(s);
        let q = sum(data, &prices) + sum(ack, &prices);
        let margin = q - flows.error[s];
        let x = flows.alpha[s] / margin;
        grow(if margin > 0.0 && x > 0.0 { (x * margin / flows.alpha[s] - 1.0).abs() } else { f64::INFINITY });
        for (path, bits) in [(data, flows.packet_bits[s]), (ack, flows.ack_bits[s])] {
            for l in path.iter().map(|l| *l as usize) {
                loads[l] += x * bits;
                used[l] = true;
                share[l] = share[l].max(prices[l] / q.max(margin));
            }
        }
        rates.push(x);
        delays.push(q);
    }
    for l in (0..prices.len()).filter(|l| used[*l]) {
        let slack = 1.0 - loads[l] / problem.capacity[l];
        grow(-slack);
        grow(slack.abs() * share[l]);
    }

    let full: Vec<bool> = (0..prices.len())
        .map(|l| used[l] && (prices[l] > 0.0 || loads[l] >= problem.capacity[l] * (1.0 - TIGHT)))
        .collect();
    let change = null_vector(flows, &full);
    let unknown: Vec<bool> = match &change {
        Some(change) => change.iter().map(|v| *v != 0.0).collect(),
        None => full,
    };
    let largest = change.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
    let part = |path: &[u32]| {
        let blurred = path.iter().any(|l| unknown[*l as usize]);
        let known = !blurred || change.as_ref().is_some_and(|change| sum(path, change).abs() <= 1e-6 * largest);
        known.then(|| sum(path, &prices))
    };
    let forward_delays = (0..flows.len()).map(|s| part(flows.paths(s).0)).collect();
    let reverse_delays = (0..flows.len()).map(|s| part(flows.paths(s).1)).collect();
    Equilibrium {
        bottlenecks: prices.iter().zip(&unknown).map(|(p, unknown)| *unknown || *p > 0.0).collect(),
        prices: prices.into_iter().zip(unknown).map(|(p, unknown)| (!unknown).then_some(p)).collect(),
        rates,
        delays,
        forward_delays,
        reverse_delays,
        loads,
        index: None,
        residual,
    }
}
