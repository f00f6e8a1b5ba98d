//! One link with identical flows: a loop with two parameters, and the loop that the letter prints.
//!
//! "Letter" is Ge, Tan, Zukerman, "Throughput of FAST TCP in Asymmetric Networks", IEEE Communications Letters 2008.

use std::f64::consts::PI;

use super::complex::{Complex, ComplexFunctions as _};
use super::point::{Crossing, FlowPoint, OperatingPoint};

/// FAST on one link in units of the round trip: z = s R, u = kappa R, rho = q / R.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SingleLoop {
    /// Gain of the window law times the round trip: gamma where updates come once a round trip.
    pub u: f64,
    /// Share of the round trip spent queueing.
    pub rho: f64,
    /// Factor on the loop: 1 for FAST on one integrator, 2 on two at exact balance, `1 + k_f` in the letter.
    pub factor: f64,
}

impl SingleLoop {
    /// The corrected loop of one link.
    #[must_use]
    pub const fn new(u: f64, rho: f64) -> Self {
        Self { u, rho, factor: 1.0 }
    }

    /// `L(z) = factor e^-z (z + u) / (z (z + u rho))`: letter eq. 16 to 19 with gamma restored in eq. 17 and the
    /// link's rate. Stable if 1 + L has no zero on the right.
    #[must_use]
    pub fn open_loop(&self, z: Complex) -> Complex {
        let (u, pole) = (Complex::from(self.u), Complex::from(self.u * self.rho));
        ((z * -1.0).exponential() * (z + u) * self.factor).over(z * (z + pole))
    }

    /// The frequency, in radians a round trip, at which |L| = 1; |L| decreases, so there is one.
    #[must_use]
    pub fn crossover(&self) -> f64 {
        // w^4 + w^2 (u^2 rho^2 - k^2) - k^2 u^2 = 0
        let (k, pole) = (self.factor * self.factor, self.u * self.rho);
        let b = pole * pole - k;
        let c = k * self.u * self.u;
        let root = (b * b + 4.0 * c).sqrt();
        let square = if b > 0.0 { 2.0 * c / (b + root) } else { 0.5 * (root - b) };
        square.sqrt()
    }

    /// Phase margin at the crossover, in radians; stable if above zero.
    #[must_use]
    pub fn phase_margin(&self) -> f64 {
        let w = self.crossover();
        0.5 * PI - w + libm::atan2(w, self.u) - libm::atan2(w, self.u * self.rho)
    }

    /// Whether the integrator model is stable, with the exact delay.
    #[must_use]
    pub fn stable(&self) -> bool {
        self.phase_margin() > 0.0
    }

    /// Whether it would be with `e^-z` replaced by `1 / (1 + z)`, letter eq. 21: Routh's criterion for
    /// `z^3 + (1 + u rho) z^2 + (u rho + factor) z + factor u`.
    #[must_use]
    pub fn stable_with_lag(&self) -> bool {
        let pole = self.u * self.rho;
        (1.0 + pole) * (pole + self.factor) > self.factor * self.u
    }

    /// Whether the ack-clocked model is stable: `z + u rho + u (1 - rho) e^-z = 0`, which is stable for any u from rho
    /// = 1/2 on, and below up to `u sqrt(1 - 2 rho) = acos(-rho / (1 - rho))`.
    #[must_use]
    pub fn stable_ack_clocked(&self) -> bool {
        self.u < ack_clocked_boundary(self.rho)
    }

    /// The same as an operating point, for a round trip of `rtt_s` seconds; `factor` must be 1.
    #[must_use]
    pub fn point(&self, rtt_s: f64) -> OperatingPoint {
        let crossings = vec![Crossing { link: 0, share: 1.0, forward_s: 0.0 }];
        let flow = FlowPoint { rtt_s, gain: self.u / rtt_s, rho: self.rho, crossings, ..FlowPoint::default() };
        OperatingPoint { links: vec![0], flows: vec![flow], ..OperatingPoint::default() }
    }
}

/// rho*(u): the integrator model is stable for rho above. Zero where it is stable for all rho.
#[must_use]
pub fn boundary(u: f64) -> f64 {
    min_stable_rho(|rho| SingleLoop::new(u, rho).phase_margin())
}

/// The same with the letter's first-order lag: `(sqrt(u) - 1) / u`, at least 0.
#[must_use]
pub fn boundary_with_lag(u: f64) -> f64 {
    ((u.sqrt() - 1.0) / u).max(0.0)
}

/// The u below which the ack-clocked model is stable; infinite from rho = 1/2 (d / q = 1) on.
#[must_use]
pub fn ack_clocked_boundary(rho: f64) -> f64 {
    if rho >= 0.5 {
        return f64::INFINITY;
    }
    libm::acos(-rho / (1.0 - rho)) / (1.0 - 2.0 * rho).sqrt()
}

/// (u, rho) where rho*(u) is largest: above that rho the integrator model is stable for any gain and delay.
#[must_use]
pub fn worst_case() -> (f64, f64) {
    // golden section on log u; rho* has one maximum
    let (mut a, mut b) = (0.0f64, 5.0f64);
    let ratio = 0.5 * (5.0f64.sqrt() - 1.0);
    for _ in 0..100 {
        let (c, d) = (b - ratio * (b - a), a + ratio * (b - a));
        if boundary(libm::exp(c)) > boundary(libm::exp(d)) {
            b = d;
        } else {
            a = c;
        }
    }
    let u = libm::exp(0.5 * (a + b));
    (u, boundary(u))
}

/// Smallest rho in [0, 1] with `margin` above zero; the margin increases with rho.
fn min_stable_rho(margin: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    if margin(1e-12) > 0.0 {
        return 0.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if margin(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The network of the letter: n flows with packets of `packet_bytes` on one link, k_f its asymmetry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Letter {
    /// Gain times round trip; gamma where updates come once a round trip.
    pub u: f64,
    /// q0 / R0.
    pub rho: f64,
    /// Asymmetry factor, eq. 1.
    pub k_f: f64,
    /// Flows.
    pub flows: f64,
    /// P_f in bytes.
    pub packet_bytes: f64,
}

impl Letter {
    /// The loop as it should be: (1 + k_f) n P_f is 1, since only one link has a queue and the linearised rate is that
    /// of Theorem 1. Asymmetry is in rho alone.
    #[must_use]
    pub const fn corrected(&self) -> SingleLoop {
        SingleLoop::new(self.u, self.rho)
    }

    /// The loop that eq. 20 prints: its characteristic equation is that of [`SingleLoop`] with (1 + k_f) n P_f for a
    /// factor.
    #[must_use]
    pub const fn printed(&self) -> SingleLoop {
        SingleLoop { u: self.u, rho: self.rho, factor: (1.0 + self.k_f) * self.flows * self.packet_bytes }
    }

    /// Eq. 20 with packets in both the rate and the capacity, so that n P_f cancels: the factor is 1 + k_f, right at
    /// k_f = 1 with both queues busy.
    #[must_use]
    pub const fn printed_without_units(&self) -> SingleLoop {
        SingleLoop { u: self.u, rho: self.rho, factor: 1.0 + self.k_f }
    }

    /// Eq. 20 as printed, the loop from W to W, at z = s R0: `-u (1 - rho) a e^-z / ((z + a e^-z)(z + u rho))` with
    /// a = (1 + k_f) n P_f.
    #[must_use]
    pub fn printed_open_loop(&self, z: Complex) -> Complex {
        let late = (z * -1.0).exponential() * self.printed().factor;
        window_loop(self, z, late)
    }

    /// Eq. 22 as printed: the same with `1 / (1 + z)` for `e^-z`.
    #[must_use]
    pub fn printed_open_loop_with_lag(&self, z: Complex) -> Complex {
        let late = Complex::from(self.printed().factor).over(Complex::ONE + z);
        window_loop(self, z, late)
    }

    /// The same loop, corrected: a = 1.
    #[must_use]
    pub fn corrected_open_loop(&self, z: Complex) -> Complex {
        window_loop(self, z, (z * -1.0).exponential())
    }

    /// d / q0: the gain of the loop at zero frequency, `|L(0)|`, printed and corrected alike.
    #[must_use]
    pub fn gain_at_zero(&self) -> f64 {
        (1.0 - self.rho) / self.rho
    }
}

fn window_loop(letter: &Letter, z: Complex, late: Complex) -> Complex {
    (-(late * (letter.u * (1.0 - letter.rho)))).over((z + late) * (z + Complex::from(letter.u * letter.rho)))
}

/// How many zeros `z + a e^-z` has on the right: the poles of the letter's eq. 20. With the lag of eq. 21,
/// `z^2 + z + a`, none.
#[must_use]
pub fn right_poles_of_eq_20(a: f64) -> u64 {
    // pairs cross the axis at a = pi/2 + 2 pi k
    if a <= 0.5 * PI { 0 } else { 2 * (libm::floor((a - 0.5 * PI) / (2.0 * PI)) as u64 + 1) }
}
