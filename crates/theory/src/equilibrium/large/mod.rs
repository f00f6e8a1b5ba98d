//! Networks too large for elimination: a smoothing Newton method whose linear systems are solved by GMRES.
//!
//! Unknowns are the prices alone. With r = G^T p - e, y = 1 / r and D = diag(alpha / r^2), the Jacobian of the slacks
//! s = 1 - load is M = A D G^T. Complementarity of price and slack is smoothed (Chen and Harker 1993, Kanzow 1996):
//!
//! `u + s - sqrt((u - s)^2 + 4 mu^2) = 0`, `u_l = M_ll p_l`,
//!
//! where u is the price's mean share in the delay of the link's users, comparable to a slack whatever the units. mu
//! goes to zero with the error, so convergence is quadratic in the end. M is never formed: a product costs one pass
//! over the routes. On random routes M is close to its diagonal plus a matrix of rank one, so a dozen products suffice.
//! Scaling by the diagonal removes capacities, alphas and the size of inactive prices.

mod interior;
pub(super) mod recover;
mod routes;

use super::{TOLERANCE, gmres};
use interior::Interior;
pub(super) use routes::Routes;

const MAX_STEPS: usize = 80;
const MAX_PRODUCTS: usize = 400;

/// State of the iteration at one point.
struct At {
    prices: Vec<f64>,
    margins: Vec<f64>,
    loads: Vec<f64>,
}

/// Gaps of the interior-point method at which Newton's method is tried.
const HAND_OVER: [f64; 5] = [1e-3, 1e-5, 1e-7, 1e-9, 1e-12];

/// Prices in seconds that solve the problem, or the best ones found.
pub(super) fn solve(routes: &Routes) -> Vec<f64> {
    let start = routes.start();
    let settled = price_iteration(routes, start.clone(), 12);
    let mut best = newton(routes, settled.clone(), 0.05);
    for from in [settled, start.clone(), price_iteration(routes, start.clone(), 200)] {
        if best.1 <= TOLERANCE {
            break;
        }
        let Some(mut interior) = Interior::new(routes, from, start.clone()) else { continue };
        for enough in HAND_OVER {
            let arrived = interior.run(enough);
            let tried = newton(routes, interior.prices.clone(), enough.sqrt());
            if tried.1 < best.1 {
                best = tried;
            }
            if !arrived || best.1 <= TOLERANCE {
                break;
            }
        }
    }
    best.0
}

/// Newton's method from `prices`, smoothed by `mu` or less. Returns the prices and their error.
fn newton(routes: &Routes, prices: Vec<f64>, mut mu: f64) -> (Vec<f64>, f64) {
    let (links, flows) = (prices.len(), routes.flows());
    let mut at = At { prices, margins: vec![0.0; flows], loads: vec![0.0; links] };
    routes.loads(&at.prices, &mut at.margins, &mut at.loads);
    let mut stalled = 0;
    let mut best = (f64::INFINITY, at.prices.clone());
    let mut work = Work { weights: vec![0.0; flows], diagonal: vec![0.0; links], trial: vec![0.0; flows] };
    for _ in 0..MAX_STEPS {
        for (d, (r, alpha)) in work.weights.iter_mut().zip(at.margins.iter().zip(routes.alpha())) {
            *d = alpha / (r * r);
        }
        routes.diagonal(&work.weights, &mut work.diagonal);
        let error = (0..links).filter(|l| routes.used[*l]).fold(0.0f64, |m, l| {
            let gap = (work.diagonal[l] * at.prices[l]).min(1.0 - at.loads[l]).abs();
            if gap.is_nan() { f64::INFINITY } else { m.max(gap) }
        });
        if error < 0.5 * best.0 {
            stalled = 0;
        } else {
            stalled += 1;
        }
        if error < best.0 {
            best = (error, at.prices.clone());
        }
        if error < 1e-12 || (error < 0.01 * TOLERANCE && stalled > 1) || stalled > 12 {
            break;
        }
        // reduce mu only where the equations at the present one hold: follow the path to zero
        let unsolved = |mu: f64| {
            (0..links).filter(|l| routes.used[*l]).fold(0.0f64, |m, l| {
                let (u, s) = (work.diagonal[l] * at.prices[l], 1.0 - at.loads[l]);
                m.max((u + s - ((u - s) * (u - s) + 4.0 * mu * mu).sqrt()).abs())
            })
        };
        while mu > 1e-15 && unsolved(mu) <= mu {
            mu *= mu.sqrt().min(0.1);
        }
        let left = unsolved(mu);
        if !step(routes, &mut at, &mut work, mu, left) {
            break;
        }
    }
    // prices at most rounding away from zero are zero
    let (_, mut prices) = best;
    routes.loads(&prices, &mut at.margins, &mut at.loads);
    for (d, (r, alpha)) in work.weights.iter_mut().zip(at.margins.iter().zip(routes.alpha())) {
        *d = alpha / (r * r);
    }
    routes.diagonal(&work.weights, &mut work.diagonal);
    for (l, p) in prices.iter_mut().enumerate() {
        if *p <= 0.0 || work.diagonal[l] * *p <= 1.0 - at.loads[l] {
            *p = 0.0;
        }
    }
    let error = routes.violation(&prices, &mut at.margins, &mut at.loads);
    (prices, error)
}

struct Work {
    weights: Vec<f64>,
    diagonal: Vec<f64>,
    trial: Vec<f64>,
}

/// A starting point by fixed-point iteration: each price times the square root of its link's load.
fn price_iteration(routes: &Routes, mut prices: Vec<f64>, rounds: usize) -> Vec<f64> {
    let (mut margins, mut loads) = (vec![0.0; routes.flows()], vec![0.0; prices.len()]);
    let mut known = prices.clone();
    for _ in 0..rounds {
        if !routes.loads(&prices, &mut margins, &mut loads) {
            break;
        }
        known.clone_from(&prices);
        for (p, load) in prices.iter_mut().zip(&loads) {
            *p *= load.clamp(0.04, 4.0).sqrt();
        }
    }
    known
}

/// One Newton step on the smoothed equations; false where there is none.
fn step(routes: &Routes, at: &mut At, work: &mut Work, mu: f64, error: f64) -> bool {
    let links = at.prices.len();
    // (M + diag(w (1 - t) / (1 + t))) dp = -phi / (1 + t), in units in which the diagonal is one and columns are loads
    let (mut column, mut row, mut extra, mut right) =
        (vec![0.0; links], vec![0.0; links], vec![0.0; links], vec![0.0; links]);
    for l in (0..links).filter(|l| routes.used[*l]) {
        let w = work.diagonal[l];
        let (u, s) = (w * at.prices[l], 1.0 - at.loads[l]);
        let root = ((u - s) * (u - s) + 4.0 * mu * mu).sqrt();
        let plus = if u < s { 4.0 * mu * mu / (root * (root + (s - u))) } else { (root + (u - s)) / root };
        let minus = if u > s { 4.0 * mu * mu / (root * (root + (u - s))) } else { (root + (s - u)) / root };
        let whole = minus + plus;
        column[l] = 1.0 / w;
        row[l] = plus / whole;
        extra[l] = minus / whole;
        right[l] = -(u + s - root) / whole;
    }
    let mut scaled = vec![0.0; links];
    let product = |v: &[f64], out: &mut [f64]| {
        for (scaled, (v, c)) in scaled.iter_mut().zip(v.iter().zip(&column)) {
            *scaled = v * c;
        }
        routes.pass(&scaled, out, |s, sum| work.weights[s] * sum);
        for l in 0..links {
            out[l] = row[l] * out[l] + extra[l] * v[l];
        }
    };
    // no more digits than the step can use: its error is the square of the present one, at best 1e-12
    let tolerance = (0.1 * error).max(1e-13 / error).min(0.1);
    let (change, left) = gmres::solve(&right, tolerance, MAX_PRODUCTS, product);
    if left.is_nan() || left > 0.9 {
        return false;
    }
    let direction: Vec<f64> = change.iter().zip(&column).map(|(v, c)| v * c).collect();
    let mut part = 1.0f64;
    let mut unused = vec![0.0; links];
    routes.pass(&direction, &mut unused, |s, dr| {
        work.trial[s] = dr;
        if dr < 0.0 {
            part = part.min(-0.9 * at.margins[s] / dr);
        }
        0.0
    });
    if part.is_nan() || part < 1e-10 {
        return false;
    }
    // a descent direction of the equations' norm at this mu and these w
    let size = |prices: &[f64], loads: &[f64]| {
        (0..links).filter(|l| routes.used[*l]).fold(0.0, |sum, l| {
            let (u, s) = (work.diagonal[l] * prices[l], 1.0 - loads[l]);
            let phi = u + s - ((u - s) * (u - s) + 4.0 * mu * mu).sqrt();
            sum + phi * phi
        })
    };
    let previous = size(&at.prices, &at.loads);
    let mut trial = at.prices.clone();
    for _ in 0..12 {
        for ((t, p), d) in trial.iter_mut().zip(&at.prices).zip(&direction) {
            *t = p + part * d;
        }
        let positive = routes.loads(&trial, &mut at.margins, &mut at.loads);
        if positive && (size(&trial, &at.loads) <= (1.0 - 0.2 * part) * previous || error < 1e-6) {
            at.prices = trial;
            return true;
        }
        part *= 0.4;
    }
    false
}
