//! Fair rates link by link, for exponents at which prices differ by more than floating point resolves in a sum.

use super::scaled::Scaled;

/// Most rounds over all links.
const ROUNDS: usize = 2_000;

/// Relative violation of the optimality conditions at which the iteration ends.
const ENOUGH: f64 = 1e-12;

/// Prices at which each link in turn is full, or free and not full, given those of the others: coordinate descent on the dual, a
/// convex function (Luo and Tseng 1992), which needs no sum of prices of different links but that along a path.
pub(super) fn by_coordinates(scaled: &Scaled) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut users: Vec<Vec<(usize, f64)>> = vec![Vec::new(); scaled.links];
    for (s, column) in scaled.columns.iter().enumerate() {
        column.iter().for_each(|(l, a)| users[*l].push((s, *a)));
    }
    // a flow alone on its path would pay the weight of a rate of one
    let mut prices: Vec<f64> =
        users.iter().map(|on| on.iter().fold(0.0, |most: f64, (s, a)| most.max(scaled.weight[*s] / a))).collect();
    for round in 0..ROUNDS {
        for (l, on) in users.iter().enumerate() {
            prices[l] = price(scaled, on, l, &prices);
        }
        if round % 16 == 15 || round < 4 {
            let z = scaled.demands(&prices);
            if scaled.violation(&z, &prices) <= ENOUGH {
                return Some((z, prices));
            }
        }
    }
    None
}

/// The price at which this link is full, 0 where it is not full without one.
fn price(scaled: &Scaled, users: &[(usize, f64)], link: usize, prices: &[f64]) -> f64 {
    let rest: Vec<f64> = users
        .iter()
        .map(|(s, _)| scaled.columns[*s].iter().filter(|(l, _)| *l != link).map(|(l, a)| a * prices[*l]).sum())
        .collect();
    let load = |p: f64| -> f64 {
        users.iter().zip(&rest).map(|((s, a), rest)| a * scaled.demand(scaled.weight[*s], rest + a * p)).sum()
    };
    if users.is_empty() || load(0.0) <= 1.0 {
        return 0.0;
    }
    // a bracket around the last price, then halves of it in the logarithm
    let start = if prices[link] > 0.0 { prices[link] } else { 1.0 };
    let (mut low, mut high) = (start, start);
    while load(low) < 1.0 && low > 0.0 {
        low /= 16.0;
    }
    while load(high) > 1.0 && high.is_finite() {
        high *= 16.0;
    }
    while low > 0.0 && high / low > 1.0 + 4.0 * f64::EPSILON {
        let middle = low * (high / low).sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if load(middle) > 1.0 { low = middle } else { high = middle }
    }
    high
}
