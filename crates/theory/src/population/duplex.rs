//! Arrivals of both directions of one duplex link: Section 6 of the two-way paper.
//!
//! Flows of equal alpha and packet size arrive as two Poisson processes and carry exponential amounts of data of the
//! same mean; acknowledgements are b data packets long. Rates of links in bit/s, times in seconds. With n flows forward
//! and m backward, every flow's data move at `1 / max(f_F, f_B)` bit/s, where `f_F = (n + b m) / c_F` and
//! `f_B = (m + b n) / c_B` (eq. 5 and 6 of that paper: the larger one determines the queueing delay).

use crate::closed_form::{Bottleneck, Division, bottleneck_of_counts, division};
use crate::error::TheoryError;

/// Offered load of one duplex link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuplexLoad {
    /// lambda_F: arrivals a second of flows whose data cross l_F.
    pub lambda_f: f64,
    /// lambda_B: arrivals a second of flows whose data cross l_B.
    pub lambda_b: f64,
    /// 1/mu: mean bits of data, headers included, that a flow sends.
    pub mean_bits: f64,
    /// c_F in bit/s.
    pub c_f: f64,
    /// c_B in bit/s.
    pub c_b: f64,
    /// b: acknowledgement bits for each bit of data.
    pub b: f64,
}

/// Growth of an unstable population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Growth of forward flows per second.
    pub forward: f64,
    /// Growth of backward flows per second.
    pub backward: f64,
    /// Which link the growing population keeps full.
    pub saturated: Bottleneck,
}

/// Extremes of the rate at which flows complete.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceExtremes {
    /// The largest rate of completion, in flows a second.
    pub maximum: f64,
    /// The share n / (n + m) of forward flows there.
    pub at_share: f64,
    /// The rate with forward flows only.
    pub forward_only: f64,
    /// The rate with backward flows only.
    pub backward_only: f64,
}

impl DuplexLoad {
    /// # Errors
    /// [`TheoryError::OutOfRange`].
    pub fn check(&self) -> Result<(), TheoryError> {
        let within = |holds: bool, what: &str, value: f64, allowed: &'static str| {
            let what = what.to_owned();
            if holds && value.is_finite() { Ok(()) } else { Err(TheoryError::OutOfRange { what, value, allowed }) }
        };
        within(self.lambda_f >= 0.0, "the rate of arrivals forward", self.lambda_f, "at least 0 and finite")?;
        within(self.lambda_b >= 0.0, "the rate of arrivals backward", self.lambda_b, "at least 0 and finite")?;
        within(self.mean_bits > 0.0, "the mean size", self.mean_bits, "above 0 and finite")?;
        within(self.c_f > 0.0, "the rate of the forward link", self.c_f, "above 0 and finite")?;
        within(self.c_b > 0.0, "the rate of the backward link", self.c_b, "above 0 and finite")?;
        within(self.b >= 0.0, "acknowledgement bits a bit of data", self.b, "at least 0 and finite")
    }

    /// `[f_F, f_B]`: seconds for one bit of every flow, were each direction alone.
    #[must_use]
    pub fn seconds_per_bit(&self, n: f64, m: f64) -> [f64; 2] {
        [(n + self.b * m) / self.c_f, (m + self.b * n) / self.c_b]
    }

    /// mu C(n, m): the rate at which each flow completes, in 1/s; 0 without flows.
    #[must_use]
    pub fn completion(&self, n: f64, m: f64) -> f64 {
        let [f, b] = self.seconds_per_bit(n, m);
        let slower = f.max(b);
        if slower > 0.0 { 1.0 / (self.mean_bits * slower) } else { 0.0 }
    }

    /// Which link is full with n and m flows (eq. 7); both exactly on the dividing line of eq. 17.
    #[must_use]
    pub fn bottleneck(&self, n: f64, m: f64) -> Bottleneck {
        bottleneck_of_counts(n, m, self.b, self.c_f, self.c_b)
    }

    /// `[rho_F, rho_B]`: offered load of each link, data and acknowledgements. The paper's conditions lack 1/mu and
    /// name one link twice: they are (lambda_F + b lambda_B) / mu < c_F and (lambda_B + b lambda_F) / mu < c_B.
    #[must_use]
    pub fn loads(&self) -> [f64; 2] {
        let [f, b] = self.seconds_per_bit(self.lambda_f, self.lambda_b);
        [f * self.mean_bits, b * self.mean_bits]
    }

    /// Whether the number of flows stays finite: both loads below 1, which the paper leaves open. Necessary, because a
    /// link completes no more than it carries; sufficient by [`drift`](Self::drift).
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.loads().iter().all(|rho| *rho < 1.0)
    }

    /// Rate of completion of all flows where a share `forward` of them is forward; it does not depend on their number.
    #[must_use]
    pub fn service(&self, forward: f64) -> f64 {
        self.completion(forward, 1.0 - forward)
    }

    /// The largest rate of completion and the two on the axes.
    ///
    /// In the usual case, b < min(c_F, c_B) / max(c_F, c_B), the maximum is mu (c_F + c_B) / (1 + b) on the line n =
    /// theta m, and the minima are mu c_F and mu c_B. Where one link is always full, the maximum lies on an axis.
    #[must_use]
    pub fn service_extremes(&self) -> ServiceExtremes {
        let (forward_only, backward_only) = (self.service(1.0), self.service(0.0));
        let (maximum, at_share) = match division(self.b, self.c_f, self.c_b) {
            Division::Above(theta) | Division::Below(theta) => {
                let on_line = (self.c_f + self.c_b) / ((1.0 + self.b) * self.mean_bits);
                let candidates = [(on_line, theta / (1.0 + theta)), (forward_only, 1.0), (backward_only, 0.0)];
                candidates.into_iter().fold((0.0, 0.0), |best, c| if c.0 > best.0 { c } else { best })
            }
            _ if forward_only >= backward_only => (forward_only, 1.0),
            _ => (backward_only, 0.0),
        };
        ServiceExtremes { maximum, at_share, forward_only, backward_only }
    }

    /// The fluid limit of an unstable population: n and m grow like lambda_F (1 - 1/rho) t and lambda_B (1 - 1/rho) t,
    /// rho the larger load, so n / m tends to lambda_F / lambda_B. `None` at loads of 1 and below.
    ///
    /// With n = a t and m = a' t each flow completes at s / t, s = 1 / ((1/mu) max(f_F, f_B)) taken at (a, a'). From
    /// a = lambda_F - a s and its mirror image (a, a') = (lambda_F, lambda_B) / (1 + s), hence s = (1 + s) / rho = 1 /
    /// (rho - 1). Where lambda_F / lambda_B = theta (the paper has "<" there) both links are saturated.
    #[must_use]
    pub fn growth(&self) -> Option<Growth> {
        let [f, b] = self.loads();
        let rho = f.max(b);
        let saturated = self.bottleneck(self.lambda_f, self.lambda_b);
        let kept = 1.0 - 1.0 / rho;
        (rho > 1.0).then_some(Growth { forward: self.lambda_f * kept, backward: self.lambda_b * kept, saturated })
    }

    /// Expected change a second of V = (f_F^p + f_B^p)^(1/p) in the state (n, m): the generator applied to V.
    ///
    /// Negative and away from zero outside a finite set where both loads are below 1 and p is large enough
    /// (`docs/theory/population.md`), so that the chain is positive recurrent (Foster).
    #[must_use]
    pub fn drift(&self, n: f64, m: f64, p: f64) -> f64 {
        let here = self.norm(n, m, p);
        let each = self.completion(n, m);
        let leave =
            |n: f64, m: f64, count: f64| if count > 0.0 { count * each * (self.norm(n, m, p) - here) } else { 0.0 };
        self.lambda_f * (self.norm(n + 1.0, m, p) - here)
            + self.lambda_b * (self.norm(n, m + 1.0, p) - here)
            + leave(n - 1.0, m, n)
            + leave(n, m - 1.0, m)
    }

    /// D(p): the largest of (rho_F - 1) + t^(p-1) (rho_B - t) over t in \[0, 1\] and of its mirror image, times mu.
    ///
    /// Far from the origin the drift of V is that bracket at t = min(f_F, f_B) / max(f_F, f_B), times mu and a factor
    /// between 1/2 and 1. Tends to mu (max(rho_F, rho_B) - 1) as p grows.
    #[must_use]
    pub fn drift_bound(&self, p: f64) -> f64 {
        let [f, b] = self.loads();
        let side = |own: f64, other: f64| {
            let t = (other * (p - 1.0) / p).min(1.0);
            own - 1.0 + libm::pow(t, p - 1.0) * (other - t)
        };
        side(f, b).max(side(b, f)) / self.mean_bits
    }

    /// The value of max(f_F, f_B) from which on the drift of V is at most D(p) / 4, where D(p) < 0.
    ///
    /// The second derivative of V along a jump e is at most (p - 1) |e|^2 / V (p at least 2), jumps are no longer than
    /// the norm of (1, b) and (b, 1) over the capacities, and no more of them take place a second than arrivals and the
    /// largest rate of completion.
    #[must_use]
    pub fn drift_radius(&self, p: f64) -> f64 {
        let length = |own: f64, other: f64| (own * own + other * other).sqrt();
        let jump = length(1.0 / self.c_f, self.b / self.c_b).max(length(self.b / self.c_f, 1.0 / self.c_b));
        let jumps = self.lambda_f + self.lambda_b + self.service_extremes().maximum;
        // V is at least max(f_F, f_B), and along a jump at least that less the jump
        jump + 2.0 * (p - 1.0) * jump * jump * jumps / -self.drift_bound(p)
    }

    fn norm(&self, n: f64, m: f64, p: f64) -> f64 {
        let [f, b] = self.seconds_per_bit(n, m);
        let (large, small) = (f.max(b), f.min(b));
        if large > 0.0 { large * libm::pow(1.0 + libm::pow(small / large, p), 1.0 / p) } else { 0.0 }
    }
}
