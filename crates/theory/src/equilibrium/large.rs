//! Networks too large for elimination: a smoothing Newton method whose linear systems are solved by GMRES.
//!
//! Unknowns are the prices alone. With r = G^T p - e, y = 1 / r and D = diag(alpha / r^2), the Jacobian of the slacks
//! s = 1 - load is M = A D G^T. Complementarity of price and slack is smoothed (Chen and Harker 1993, Kanzow 1996):
//!
//! `u + s - sqrt((u - s)^2 + 4 mu^2) = 0`, `u_l = M_ll p_l`,
//!
//! where u is the price's mean share in the delay of the link's users, of the size of a slack whatever the units. mu
//! goes to zero with the error, so convergence is quadratic in the end. M is never formed: a product costs one pass
//! over the routes, and on random routes M is near its diagonal plus a matrix of rank one, so that a dozen products do.
//! Scaling by the diagonal takes out capacities, alphas and the distance to zero of inactive prices.

use super::TOLERANCE;
use super::gmres;
use super::large_interior::Interior;
use super::table::LargeProblem;

const MOST_STEPS: usize = 80;
const MOST_PRODUCTS: usize = 400;

/// Routes and weights: everything that a pass needs, four bytes a crossing.
pub(super) struct Flat<'a> {
    problem: &'a LargeProblem,
    /// One over what unresponsive traffic leaves of each link.
    pub per_bit: Vec<f64>,
    /// Links that some flow loads.
    pub used: Vec<bool>,
    /// Flows that cross some link more than once.
    doubled: Vec<u32>,
}

impl<'a> Flat<'a> {
    pub fn new(problem: &'a LargeProblem) -> Self {
        let per_bit = problem.capacity.iter().zip(&problem.unresponsive).map(|(c, b)| 1.0 / (c - b)).collect();
        let mut used = vec![false; problem.capacity.len()];
        let mut last = vec![u32::MAX; problem.capacity.len()];
        let mut doubled = Vec::new();
        for s in 0..problem.flows.len() {
            let (data, ack) = problem.flows.paths(s);
            let me = s as u32;
            let mut again = false;
            for l in data.iter().chain(ack) {
                again |= std::mem::replace(&mut last[*l as usize], me) == me;
            }
            if again {
                doubled.push(me);
            }
            data.iter().for_each(|l| used[*l as usize] = true);
            if problem.flows.ack_bits[s] > 0.0 {
                ack.iter().for_each(|l| used[*l as usize] = true);
            }
        }
        Self { problem, per_bit, used, doubled }
    }

    /// Number of flows.
    pub fn flows(&self) -> usize {
        self.problem.flows.len()
    }

    /// Each flow's alpha.
    pub fn alpha(&self) -> &[f64] {
        &self.problem.flows.alpha
    }

    /// Calls `each(s, sum of the flow's values over its round trip)` and adds what it returns, times the flow's bits,
    /// to the links: A f(G^T v) in one pass.
    pub fn pass(&self, v: &[f64], out: &mut [f64], mut each: impl FnMut(usize, f64) -> f64) {
        let flows = &self.problem.flows;
        // value and sum of a link in one place: random routes make these accesses the cost of a pass
        let mut both: Vec<[f64; 2]> = v.iter().map(|v| [*v, 0.0]).collect();
        let mut start = 0usize;
        for (s, cut) in flows.cuts.iter().enumerate() {
            let [middle, end] = cut.map(|at| at as usize);
            let (data, ack) = (&flows.links[start..middle], &flows.links[middle..end]);
            start = end;
            let mut sum = 0.0;
            for l in data {
                sum += both[*l as usize][0];
            }
            for l in ack {
                sum += both[*l as usize][0];
            }
            let amount = each(s, sum);
            let (data_bits, ack_bits) = (amount * flows.packet_bits[s], amount * flows.ack_bits[s]);
            for l in data {
                both[*l as usize][1] += data_bits;
            }
            for l in ack {
                both[*l as usize][1] += ack_bits;
            }
        }
        for ((out, both), per_bit) in out.iter_mut().zip(&both).zip(&self.per_bit) {
            *out = both[1] * per_bit;
        }
    }

    /// q - e of each flow, and loads; true where every q - e is above zero.
    pub fn loads(&self, prices: &[f64], margins: &mut [f64], loads: &mut [f64]) -> bool {
        let flows = &self.problem.flows;
        let mut positive = true;
        self.pass(prices, loads, |s, q| {
            let r = q - flows.error[s];
            margins[s] = r;
            if r > 0.0 {
                flows.alpha[s] / r
            } else {
                positive = false;
                0.0
            }
        });
        positive
    }

    /// The diagonal of A D G^T.
    pub fn diagonal(&self, weights: &[f64], out: &mut [f64]) {
        let flows = &self.problem.flows;
        out.fill(0.0);
        for (s, d) in weights.iter().enumerate() {
            let (data, ack) = flows.paths(s);
            let (data_bits, ack_bits) = (d * flows.packet_bits[s], d * flows.ack_bits[s]);
            data.iter().for_each(|l| out[*l as usize] += data_bits);
            ack.iter().for_each(|l| out[*l as usize] += ack_bits);
        }
        // a link that is crossed twice has both crossings' bits times both crossings' delay
        for s in self.doubled.iter().map(|s| *s as usize) {
            let (data, ack) = flows.paths(s);
            for (path, bits) in [(data, flows.packet_bits[s]), (ack, flows.ack_bits[s])] {
                for l in path {
                    let more = data.iter().chain(ack).filter(|other| *other == l).count() - 1;
                    out[*l as usize] += more as f64 * (weights[s] * bits);
                }
            }
        }
        for (out, per_bit) in out.iter_mut().zip(&self.per_bit) {
            *out *= per_bit;
        }
    }

    /// Largest overload of a link or slack times the price's share of the least delay among its users, as
    /// [`Equilibrium::residual`](super::Equilibrium::residual).
    fn violation(&self, prices: &[f64], margins: &mut [f64], loads: &mut [f64]) -> f64 {
        if !self.loads(prices, margins, loads) {
            return f64::INFINITY;
        }
        let flows = &self.problem.flows;
        let mut share = vec![0.0f64; prices.len()];
        for (s, r) in margins.iter().enumerate() {
            let delay = (r + flows.error[s]).max(*r);
            let (data, ack) = flows.paths(s);
            for l in data.iter().chain(ack).map(|l| *l as usize) {
                share[l] = share[l].max(prices[l] / delay);
            }
        }
        loads.iter().zip(&share).fold(0.0f64, |worst, (load, share)| {
            let worse = (load - 1.0).max((1.0 - load) * share);
            if worse.is_nan() { f64::INFINITY } else { worst.max(worse) }
        })
    }

    /// Prices from which no q - e is at or below zero: what each link would need alone, and the largest error of its
    /// users.
    fn start(&self) -> Vec<f64> {
        let flows = &self.problem.flows;
        let mut prices = vec![0.0; self.per_bit.len()];
        let mut error = vec![0.0f64; prices.len()];
        for s in 0..flows.len() {
            let (data, ack) = flows.paths(s);
            for (path, bits) in [(data, flows.packet_bits[s]), (ack, flows.ack_bits[s])] {
                for l in path.iter().map(|l| *l as usize) {
                    prices[l] += flows.alpha[s] * bits * self.per_bit[l];
                    error[l] = error[l].max(flows.error[s]);
                }
            }
        }
        for ((p, e), used) in prices.iter_mut().zip(error).zip(&self.used) {
            *p = if *used { *p + e } else { 0.0 };
        }
        prices
    }
}

/// State of the iteration at one point.
struct At {
    prices: Vec<f64>,
    margins: Vec<f64>,
    loads: Vec<f64>,
}

/// Gaps at which the interior-point method hands over to Newton's, one after the other.
const HAND_OVER: [f64; 5] = [1e-3, 1e-5, 1e-7, 1e-9, 1e-12];

/// Prices in seconds that solve the problem, or the best that were found.
pub(super) fn solve(flat: &Flat) -> Vec<f64> {
    let start = flat.start();
    let settled = settle(flat, start.clone(), 12);
    let mut best = newton(flat, settled.clone(), 0.05);
    for from in [settled, start.clone(), settle(flat, start.clone(), 200)] {
        if best.1 <= TOLERANCE {
            break;
        }
        let Some(mut interior) = Interior::new(flat, from, start.clone()) else { continue };
        for enough in HAND_OVER {
            let arrived = interior.run(enough);
            let tried = newton(flat, interior.prices.clone(), enough.sqrt());
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

/// Newton's method from `prices`, smoothed by `mu` or less; where it came to and the error there.
fn newton(flat: &Flat, prices: Vec<f64>, mut mu: f64) -> (Vec<f64>, f64) {
    let (links, flows) = (prices.len(), flat.flows());
    let mut at = At { prices, margins: vec![0.0; flows], loads: vec![0.0; links] };
    flat.loads(&at.prices, &mut at.margins, &mut at.loads);
    let mut stalled = 0;
    let mut best = (f64::INFINITY, at.prices.clone());
    let mut work = Work { weights: vec![0.0; flows], diagonal: vec![0.0; links], trial: vec![0.0; flows] };
    for _ in 0..MOST_STEPS {
        for (d, (r, alpha)) in work.weights.iter_mut().zip(at.margins.iter().zip(&flat.problem.flows.alpha)) {
            *d = alpha / (r * r);
        }
        flat.diagonal(&work.weights, &mut work.diagonal);
        let error = (0..links).filter(|l| flat.used[*l]).fold(0.0f64, |m, l| {
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
        // on to the next mu only where this one's equations hold: the path to zero is followed, not jumped
        let unsolved = |mu: f64| {
            (0..links).filter(|l| flat.used[*l]).fold(0.0f64, |m, l| {
                let (u, s) = (work.diagonal[l] * at.prices[l], 1.0 - at.loads[l]);
                m.max((u + s - ((u - s) * (u - s) + 4.0 * mu * mu).sqrt()).abs())
            })
        };
        while mu > 1e-15 && unsolved(mu) <= mu {
            mu *= mu.sqrt().min(0.1);
        }
        let left = unsolved(mu);
        if !step(flat, &mut at, &mut work, mu, left) {
            break;
        }
    }
    // prices at most rounding away from zero are zero
    let (_, mut prices) = best;
    flat.loads(&prices, &mut at.margins, &mut at.loads);
    for (d, (r, alpha)) in work.weights.iter_mut().zip(at.margins.iter().zip(&flat.problem.flows.alpha)) {
        *d = alpha / (r * r);
    }
    flat.diagonal(&work.weights, &mut work.diagonal);
    for (l, p) in prices.iter_mut().enumerate() {
        if *p <= 0.0 || work.diagonal[l] * *p <= 1.0 - at.loads[l] {
            *p = 0.0;
        }
    }
    let error = flat.violation(&prices, &mut at.margins, &mut at.loads);
    (prices, error)
}

struct Work {
    weights: Vec<f64>,
    diagonal: Vec<f64>,
    trial: Vec<f64>,
}

/// Queues that grow with excess load for a while: each price times the square root of its link's load.
fn settle(flat: &Flat, mut prices: Vec<f64>, rounds: usize) -> Vec<f64> {
    let (mut margins, mut loads) = (vec![0.0; flat.flows()], vec![0.0; prices.len()]);
    let mut known = prices.clone();
    for _ in 0..rounds {
        if !flat.loads(&prices, &mut margins, &mut loads) {
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
fn step(flat: &Flat, at: &mut At, work: &mut Work, mu: f64, error: f64) -> bool {
    let links = at.prices.len();
    // (M + diag(w (1 - t) / (1 + t))) dp = -phi / (1 + t), in units in which the diagonal is one and columns are loads
    let (mut column, mut row, mut extra, mut right) =
        (vec![0.0; links], vec![0.0; links], vec![0.0; links], vec![0.0; links]);
    for l in (0..links).filter(|l| flat.used[*l]) {
        let w = work.diagonal[l];
        let (u, s) = (w * at.prices[l], 1.0 - at.loads[l]);
        let apart = ((u - s) * (u - s) + 4.0 * mu * mu).sqrt();
        let plus = if u < s { 4.0 * mu * mu / (apart * (apart + (s - u))) } else { (apart + (u - s)) / apart };
        let minus = if u > s { 4.0 * mu * mu / (apart * (apart + (u - s))) } else { (apart + (s - u)) / apart };
        let whole = minus + plus;
        column[l] = 1.0 / w;
        row[l] = plus / whole;
        extra[l] = minus / whole;
        right[l] = -(u + s - apart) / whole;
    }
    let mut scaled = vec![0.0; links];
    let product = |v: &[f64], out: &mut [f64]| {
        for (scaled, (v, c)) in scaled.iter_mut().zip(v.iter().zip(&column)) {
            *scaled = v * c;
        }
        flat.pass(&scaled, out, |s, sum| work.weights[s] * sum);
        for l in 0..links {
            out[l] = row[l] * out[l] + extra[l] * v[l];
        }
    };
    // no more digits than the step can use: it errs by the square of the error, and 1e-12 is the end
    let tolerance = (0.1 * error).max(1e-13 / error).min(0.1);
    let (change, left) = gmres::solve(&right, tolerance, MOST_PRODUCTS, product);
    if left.is_nan() || left > 0.9 {
        return false;
    }
    let direction: Vec<f64> = change.iter().zip(&column).map(|(v, c)| v * c).collect();
    let mut part = 1.0f64;
    let mut unused = vec![0.0; links];
    flat.pass(&direction, &mut unused, |s, dr| {
        work.trial[s] = dr;
        if dr < 0.0 {
            part = part.min(-0.9 * at.margins[s] / dr);
        }
        0.0
    });
    if part.is_nan() || part < 1e-10 {
        return false;
    }
    // the direction is one of descent of the equations' norm at this mu and with these w
    let size = |prices: &[f64], loads: &[f64]| {
        (0..links).filter(|l| flat.used[*l]).fold(0.0, |sum, l| {
            let (u, s) = (work.diagonal[l] * prices[l], 1.0 - loads[l]);
            let phi = u + s - ((u - s) * (u - s) + 4.0 * mu * mu).sqrt();
            sum + phi * phi
        })
    };
    let before = size(&at.prices, &at.loads);
    let mut trial = at.prices.clone();
    for _ in 0..12 {
        for ((t, p), d) in trial.iter_mut().zip(&at.prices).zip(&direction) {
            *t = p + part * d;
        }
        let positive = flat.loads(&trial, &mut at.margins, &mut at.loads);
        if positive && (size(&trial, &at.loads) <= (1.0 - 0.2 * part) * before || error < 1e-6) {
            at.prices = trial;
            return true;
        }
        part *= 0.4;
    }
    false
}
