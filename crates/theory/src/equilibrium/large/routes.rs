//! The flows' routes, and the passes over them that large networks are solved by.

use crate::equilibrium::table::LargeProblem;

/// Routes and weights: everything that a pass needs, four bytes for each link of a route.
pub(in crate::equilibrium) struct Routes<'a> {
    problem: &'a LargeProblem,
    /// One over what unresponsive traffic leaves of each link.
    pub per_bit: Vec<f64>,
    /// Links that some flow loads.
    pub used: Vec<bool>,
    /// Flows that cross some link more than once.
    doubled: Vec<u32>,
}

impl<'a> Routes<'a> {
    pub fn new(problem: &'a LargeProblem) -> Self {
        let per_bit = problem.capacity.iter().zip(&problem.unresponsive).map(|(c, b)| 1.0 / (c - b)).collect();
        let mut used = vec![false; problem.capacity.len()];
        let mut last = vec![u32::MAX; problem.capacity.len()];
        let mut doubled = Vec::new();
        for s in 0..problem.flows.len() {
            let (data, ack) = problem.flows.paths(s);
            let me = s as u32;
            let mut repeated = false;
            for l in data.iter().chain(ack) {
                repeated |= std::mem::replace(&mut last[*l as usize], me) == me;
            }
            if repeated {
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

    /// Largest overload of a link or slack times the price's share of the smallest delay among its users, as
    /// [`Equilibrium::residual`](crate::equilibrium::Equilibrium::residual).
    pub fn violation(&self, prices: &[f64], margins: &mut [f64], loads: &mut [f64]) -> f64 {
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

    /// Prices at which every q - e is above zero: for each link the price that would saturate it alone, plus the largest
    /// error of its users.
    pub fn start(&self) -> Vec<f64> {
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
