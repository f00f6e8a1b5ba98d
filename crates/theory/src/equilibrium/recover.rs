//! The equilibrium of the original problem from scaled prices, and which prices are determined.

use super::TIGHT;
use super::determinacy::null_vector;
use super::enumerate::Solution;
use super::problem::{Equilibrium, Problem};
use super::reduce::{Component, Reduced};
use super::table::LargeProblem;
use crate::linear::null_space;

/// Limit on saturated links for elimination; with more, undetermined prices are found by conjugate gradients.
const MAX_FULL: usize = 2_000;

/// Too many saturated links for elimination: these.
struct TooMany(Vec<usize>);

/// A change of prices that leaves all delays unchanged: (link, amount), by link, without zeros.
type Shift = Vec<(usize, f64)>;

pub(super) fn build(problem: &Problem, reduced: &Reduced, chosen: &[&Solution]) -> Equilibrium {
    let mut prices = vec![0.0; problem.capacity.len()];
    let mut shifts: Vec<Shift> = Vec::new();
    let mut unknown = vec![false; prices.len()];
    let mut many = vec![false; prices.len()];
    for (component, found) in reduced.components.iter().zip(chosen) {
        for ((l, pi), scale) in component.links.iter().zip(&found.pi).zip(&component.scale) {
            prices[*l] = pi * scale;
        }
        match undetermined(component, &found.pi) {
            Ok(more) => shifts.extend(more),
            Err(TooMany(full)) => full.into_iter().for_each(|l| many[l] = true),
        }
    }
    if many.contains(&true) {
        let special = problem.is_special();
        match Some(()).filter(|()| !special).and_then(|()| null_vector(&LargeProblem::from(problem).flows, &many)) {
            Some(change) => {
                let largest = change.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                let moved = change.iter().enumerate().filter(|(_, v)| **v != 0.0);
                let shift: Shift = moved.map(|(l, v)| (l, v / largest)).collect();
                shifts.extend((!shift.is_empty()).then_some(shift));
            }
            // not known to be determined
            None => unknown.clone_from(&many),
        }
    }
    for (l, _) in shifts.iter().flatten() {
        unknown[*l] = true;
    }

    let trip_delays: Vec<f64> =
        reduced.trips.iter().map(|t| t.row.iter().fold(0.0, |sum, (l, times, _)| sum + times * prices[*l])).collect();
    let delays: Vec<f64> = reduced.trip_of.iter().map(|t| trip_delays[*t]).collect();
    let rates: Vec<f64> =
        delays.iter().enumerate().map(|(s, q)| problem.flows[s].alpha / (q - problem.error_of(s))).collect();
    let mut loads = problem.unresponsive.clone();
    for (s, x) in rates.iter().enumerate() {
        problem.crossings(s).for_each(|(l, bits)| loads[l] += x * bits);
    }

    let ack_priority = problem.ack_priority();
    let split = |path: &[u32], ack: bool| {
        let path: Vec<u32> = path.iter().copied().filter(|l| !(ack && ack_priority[*l as usize])).collect();
        let known = if path.iter().any(|l| unknown[*l as usize]) {
            let moved = |shift: &Shift| {
                path.iter().fold(0.0, |sum, l| {
                    sum + shift.binary_search_by_key(&(*l as usize), |s| s.0).map_or(0.0, |at| shift[at].1)
                })
            };
            !shifts.is_empty() && shifts.iter().all(|shift| moved(shift).abs() < 1e-6)
        } else {
            true
        };
        known.then(|| path.iter().fold(0.0, |sum, l| sum + prices[*l as usize]))
    };
    let forward_delays: Vec<Option<f64>> = problem.flows.iter().map(|f| split(&f.data, false)).collect();
    let reverse_delays: Vec<Option<f64>> = problem.flows.iter().map(|f| split(&f.ack, true)).collect();

    let signs: Option<i8> = chosen.iter().map(|f| f.index).product();
    Equilibrium {
        residual: residual(problem, &prices, &delays, &rates, &loads),
        bottlenecks: prices.iter().zip(&unknown).map(|(p, unknown)| *unknown || *p > 0.0).collect(),
        prices: prices.into_iter().zip(unknown).map(|(p, unknown)| (!unknown).then_some(p)).collect(),
        // one unstable component is enough
        index: if chosen.iter().any(|f| f.index == Some(-1)) { Some(-1) } else { signs },
        rates,
        delays,
        forward_delays,
        reverse_delays,
        loads,
    }
}

/// Changes of prices that leave every delay as it is and every price at zero or above.
fn undetermined(component: &Component, pi: &[f64]) -> Result<Vec<Shift>, TooMany> {
    let rates: Vec<f64> = component.margins(pi).iter().map(|r| 1.0 / r).collect();
    let loads = component.loads(&rates);
    let full: Vec<usize> = (0..pi.len()).filter(|l| loads[*l] >= 1.0 - TIGHT || pi[*l] > 0.0).collect();
    if full.len() < 2 {
        return Ok(Vec::new());
    }
    if full.len() > MAX_FULL {
        return Err(TooMany(full.into_iter().map(|l| component.links[l]).collect()));
    }
    let mut place = vec![None; pi.len()];
    for (at, l) in full.iter().enumerate() {
        place[*l] = Some(at);
    }
    let rows = component.classes.iter().map(|class| {
        let mut row = vec![0.0; full.len()];
        for e in &class.entries {
            if let Some(at) = place[e.link] {
                row[at] = e.delay / component.scale[e.link];
            }
        }
        row
    });
    let basis = null_space(full.len(), rows);
    let shift = |v: &Vec<f64>| -> Shift {
        let moved = full.iter().zip(v).filter(|(_, v)| **v != 0.0);
        moved.map(|(l, v)| (component.links[*l], *v)).collect()
    };
    // a single direction along which some price becomes negative either way is none; combinations of several are not
    // searched
    if let [only] = basis.as_slice() {
        let free = |sign: f64| full.iter().zip(only).all(|(l, v)| pi[*l] > 1e-12 || sign * v >= 0.0);
        if !free(1.0) && !free(-1.0) {
            return Ok(Vec::new());
        }
    }
    Ok(basis.iter().map(shift).collect())
}

/// Largest relative violation, computed from the result alone: x (q - e) = alpha, load at most capacity, and slack times the
/// price's share of the smallest queueing delay that a user of the link has or measures.
fn residual(problem: &Problem, prices: &[f64], delays: &[f64], rates: &[f64], loads: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    let mut grow = |v: f64| worst = if v.is_nan() { f64::INFINITY } else { worst.max(v) };
    let mut share = vec![0.0f64; prices.len()];
    let mut used = vec![false; prices.len()];
    for (s, flow) in problem.flows.iter().enumerate() {
        let margin = delays[s] - problem.error_of(s);
        grow((rates[s] * margin / flow.alpha - 1.0).abs());
        if !(margin > 0.0 && rates[s] > 0.0) {
            grow(f64::INFINITY);
        }
        for l in flow.data.iter().chain(flow.ack.iter()).map(|l| *l as usize) {
            used[l] = true;
            if prices[l] > 0.0 {
                share[l] = share[l].max(prices[l] / delays[s].max(margin));
            }
        }
    }
    for (l, c) in problem.capacity.iter().enumerate().filter(|(l, _)| used[*l]) {
        grow(loads[l] / c - 1.0);
        grow((1.0 - loads[l] / c).abs() * share[l]);
    }
    worst
}
