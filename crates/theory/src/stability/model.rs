//! The characteristic function of the linearised network, exact in every delay.
//!
//! Flow s crosses queues h = 1, 2, ... `tau_h` seconds after sending, and the sender measures each of them `R - tau_h` later, so
//! `q_s = sum over h of e^(-z (R - tau_h)) p_h`. Its window responds with `w = -(G - 1) x0 q`,
//! `G(z) = 1 + kappa (1 - rho) F / (z + kappa rho)`, F = 1 / (1 + z T) the average's filter, and without a filter
//! `G = (z + kappa) / (z + kappa rho)`; where the law multiplies the window of a round trip ago,
//! `kappa (1 - (1 - rho) e^(-zR))` stands for kappa rho. The links close the loop: `M(z) p = 0`. Derivations:
//! `docs/theory/stability.md`.

use super::complex::{Complex, ComplexFunctions as _};
use super::lu::Lu;
use super::point::{FlowPoint, OperatingPoint};
use crate::link_model::LinkModel;

/// The linearised network: M(z), and the poles of its determinant.
#[derive(Debug)]
pub struct Characteristic<'a> {
    pub(super) point: &'a OperatingPoint,
    pub(super) model: LinkModel,
    /// Distinct poles of G with their order in det M.
    poles: Vec<(f64, usize)>,
    /// Distinct round trips R with the order of the poles 2 pi i k / R of det M; none for integrators.
    ack_clock_poles: Vec<(f64, usize)>,
    /// Order of the trivial zero of det M at z = 0; below zero for a pole.
    trivial: i32,
}

/// M, split into the part at fixed windows and the senders' feedback.
pub(super) struct Parts {
    pub fixed: Vec<Complex>,
    pub feedback: Vec<Complex>,
}

impl<'a> Characteristic<'a> {
    /// The characteristic function of `point` with links of `model`.
    #[must_use]
    pub fn new(point: &'a OperatingPoint, model: LinkModel) -> Self {
        let links = point.links.len();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        let mut poles: Vec<(f64, usize)> = Vec::new();
        for flow in &point.flows {
            let filter = (flow.filter_s > 0.0).then(|| 1.0 / flow.filter_s);
            // with memory there is no closed form for the poles; they are left of the axis and do not affect counts
            let law = (flow.memory_s == 0.0).then_some(flow.gain * flow.rho);
            for at in [law, filter].into_iter().flatten() {
                match poles.iter_mut().find(|p| near(p.0, at)) {
                    Some(known) => known.1 = (known.1 + 1).min(links),
                    None => poles.push((at, 1)),
                }
            }
        }
        let ack_clock_poles = if model == LinkModel::AckClocked { ack_clock_poles(point) } else { Vec::new() };
        let undetermined = point.undetermined() as i32;
        let trivial = match model {
            LinkModel::Integrator => undetermined,
            // 1 / z in as many directions as prices are determined
            LinkModel::Joint => undetermined - links as i32,
            // shifting packet counts against each other has no effect
            LinkModel::AckClocked => {
                ack_clock_poles.iter().map(|r| r.1 as i32).sum::<i32>() - links as i32 + undetermined
            }
        };
        let trivial = if model == LinkModel::Joint { trivial } else { trivial.max(0) };
        Self { point, model, poles, ack_clock_poles, trivial }
    }

    /// M(z), row-major, a row and a column for each link with a queue.
    #[must_use]
    pub fn matrix(&self, z: Complex) -> Vec<Complex> {
        self.matrix_at_gain(z, 1.0)
    }

    fn matrix_at_gain(&self, z: Complex, gain: f64) -> Vec<Complex> {
        let Parts { fixed, feedback } = self.parts(z);
        fixed.into_iter().zip(feedback).map(|(a, b)| a + b * gain).collect()
    }

    pub(super) fn parts(&self, z: Complex) -> Parts {
        let n = self.point.links.len();
        let mut parts = Parts { fixed: vec![Complex::ZERO; n * n], feedback: vec![Complex::ZERO; n * n] };
        let start = if self.model == LinkModel::Integrator { z } else { Complex::ONE };
        (0..n).for_each(|l| parts.fixed[l * n + l] = start);
        for flow in &self.point.flows {
            let g = window_response(flow, z);
            let delays = Delays { flow, z };
            let held = (z * flow.rtt_s).one_minus_exp_neg();
            for (h, a) in flow.crossings.iter().enumerate() {
                for (k, b) in flow.crossings.iter().enumerate() {
                    let at = a.link * n + b.link;
                    let round = delays.round(h, k) * a.share;
                    match self.model {
                        LinkModel::Integrator => parts.feedback[at] += round * g * (1.0 / flow.rtt_s),
                        LinkModel::Joint => {
                            let kept = Complex::ONE + Complex::ONE.over(z * flow.rtt_s);
                            parts.feedback[at] += round * kept * (g - Complex::ONE);
                            parts.fixed[at] +=
                                delays.onwards(k, h) * (if k == h { kept - Complex::ONE } else { kept }) * a.share;
                        }
                        LinkModel::AckClocked => {
                            let kept = round.over(held);
                            parts.feedback[at] += kept * (g - Complex::ONE);
                            parts.fixed[at] += kept;
                            if k < h {
                                parts.fixed[at] += delays.between(k, h) * a.share;
                            }
                        }
                    }
                }
            }
        }
        parts
    }

    /// M(z) and its derivative, the senders' response to delay multiplied by `gain`.
    fn with_derivative(&self, z: Complex, gain: f64) -> (Vec<Complex>, Vec<Complex>) {
        let n = self.point.links.len();
        let mut derivative = vec![Complex::ZERO; n * n];
        if self.model == LinkModel::Integrator {
            (0..n).for_each(|l| derivative[l * n + l] = Complex::ONE);
        }
        for flow in &self.point.flows {
            let (full, slope) = (window_response(flow, z), window_response_slope(flow, z) * gain);
            let g = match self.model {
                LinkModel::Integrator => full * gain,
                LinkModel::AckClocked | LinkModel::Joint => Complex::ONE + (full - Complex::ONE) * gain,
            };
            let delays = Delays { flow, z };
            let held = (z * flow.rtt_s).one_minus_exp_neg();
            for (h, a) in flow.crossings.iter().enumerate() {
                for (k, b) in flow.crossings.iter().enumerate() {
                    let at = a.link * n + b.link;
                    let delay = a.forward_s + (flow.rtt_s - b.forward_s);
                    let round = delays.round(h, k) * a.share;
                    let plain = round * (slope - g * delay);
                    derivative[at] += match self.model {
                        LinkModel::Integrator => plain * (1.0 / flow.rtt_s),
                        LinkModel::AckClocked => {
                            let mut sum =
                                (plain - (round * g * (Complex::ONE - held) * flow.rtt_s).over(held)).over(held);
                            if k < h {
                                sum -= delays.between(k, h) * (a.share * (a.forward_s - b.forward_s));
                            }
                            sum
                        }
                        LinkModel::Joint => {
                            let kept = Complex::ONE + Complex::ONE.over(z * flow.rtt_s);
                            let kept_slope = -Complex::ONE.over(z * z * flow.rtt_s);
                            let late = round * ((g - Complex::ONE) * (kept_slope - kept * delay) + slope * kept);
                            let onwards = delays.onwards(k, h);
                            let after = if h >= k { delay - flow.rtt_s } else { delay };
                            let held = if k == h { kept - Complex::ONE } else { kept };
                            late + onwards * (kept_slope - held * after) * a.share
                        }
                    };
                }
            }
        }
        (self.matrix_at_gain(z, gain), derivative)
    }

    /// f'/f of the pole-free characteristic function: one over Newton's step.
    #[must_use]
    pub fn log_derivative(&self, z: Complex) -> Complex {
        let (matrix, derivative) = self.with_derivative(z, 1.0);
        let mut sum = Lu::factor(self.point.links.len(), matrix).trace_of_inverse_times(&derivative);
        for (at, order) in &self.poles {
            sum += Complex::from(*order as f64).over(z + Complex::from(*at));
        }
        sum += self.ack_clock_log_derivative(z);
        if self.trivial != 0 {
            sum -= Complex::from(f64::from(self.trivial)).over(z);
        }
        sum
    }

    fn ack_clock_log_derivative(&self, z: Complex) -> Complex {
        let of = |(rtt, order): &(f64, usize)| {
            let held = (z * *rtt).one_minus_exp_neg();
            ((Complex::ONE - held) * (*order as f64 * rtt)).over(held)
        };
        self.ack_clock_poles.iter().map(of).fold(Complex::ZERO, |sum, v| sum + v)
    }

    /// The characteristic function, scaled to go to 1 on the far right and without the trivial zeros, and its
    /// logarithmic derivative: its zeros on the right are those of det M. `gain` multiplies the senders' response to
    /// delay.
    #[must_use]
    pub fn scaled(&self, z: Complex, gain: f64) -> (Complex, Complex) {
        let n = self.point.links.len();
        let (matrix, derivative) = self.with_derivative(z, gain);
        let lu = Lu::factor(n, matrix);
        let (mut value, mut slope) = (lu.det(), lu.trace_of_inverse_times(&derivative));
        let right = z + Complex::from(self.point.round_trips().map_or(1.0, |r| 1.0 / r.1));
        if self.model == LinkModel::Integrator {
            value = value.over(right.power(n));
            slope -= Complex::from(n as f64).over(right);
        }
        for (rtt, order) in &self.ack_clock_poles {
            value *= (z * *rtt).one_minus_exp_neg().power(*order);
        }
        let trivial = f64::from(self.trivial);
        slope += self.ack_clock_log_derivative(z) + (Complex::ONE.over(right) - Complex::ONE.over(z)) * trivial;
        let power =
            (if self.trivial > 0 { right.over(z) } else { z.over(right) }).power(self.trivial.unsigned_abs() as usize);
        (value * power, slope)
    }

    /// No zero on the right has a larger modulus. The ack-clocked model has no such bound; there it is the frequency up to
    /// which zeros are searched for.
    #[must_use]
    pub fn band(&self, gain: f64) -> f64 {
        let Some((shortest, _)) = self.point.round_trips() else { return 0.0 };
        match self.model {
            LinkModel::Integrator => {
                // |z| beyond the largest sum of a row of the loop: diagonally dominant
                let mut rows = vec![0.0; self.point.links.len()];
                let mut kappa = 0.0f64;
                for f in &self.point.flows {
                    kappa = kappa.max(f.gain);
                    for c in &f.crossings {
                        rows[c.link] += gain * c.share * f.crossings.len() as f64 / f.rtt_s;
                    }
                }
                let row = rows.into_iter().fold(0.0, f64::max);
                let bound = if self.point.flows.iter().any(|f| f.memory_s > 0.0) {
                    // the window law is at least z - 2 kappa: z = row (1 + kappa / (z - 2 kappa))
                    let b = 2.0 * kappa + row;
                    0.5 * (b + (b * b - 4.0 * row * kappa).sqrt())
                } else {
                    // z = row (1 + kappa / z)
                    0.5 * (row + (row * row + 4.0 * row * kappa).sqrt())
                };
                bound * 1.01
            }
            LinkModel::AckClocked | LinkModel::Joint => {
                let kappa = self.point.flows.iter().map(|f| f.gain).fold(0.0, f64::max);
                (8.0 * std::f64::consts::PI / shortest).max(4.0 * gain * kappa)
            }
        }
    }

    /// Whether a root at `z` is a trivial one at zero.
    pub(super) fn is_trivial(&self, z: Complex) -> bool {
        self.trivial > 0 && z.modulus() < 1e-7 * self.point.round_trips().map_or(1.0, |r| 1.0 / r.1)
    }

    /// The longest delay between two events of the network.
    #[must_use]
    pub fn longest_delay(&self) -> f64 {
        let of = |f: &FlowPoint| {
            let (first, last) = (f.crossings.first(), f.crossings.last());
            first.zip(last).map_or(f.rtt_s, |(a, b)| f.rtt_s + b.forward_s - a.forward_s)
        };
        self.point.flows.iter().map(of).fold(0.0, f64::max)
    }
}

/// Distinct round trips, each with the number of flows that share it and differ in their paths, at most that of their links.
fn ack_clock_poles(point: &OperatingPoint) -> Vec<(f64, usize)> {
    let near = |a: f64, b: f64, unit: f64| (a - b).abs() <= 1e-12 * unit;
    let mut groups: Vec<(f64, Vec<&FlowPoint>)> = Vec::new();
    for flow in &point.flows {
        match groups.iter_mut().find(|g| near(g.0, flow.rtt_s, flow.rtt_s)) {
            Some(group) => group.1.push(flow),
            None => groups.push((flow.rtt_s, vec![flow])),
        }
    }
    let order = |flows: &[&FlowPoint]| {
        let mut different: Vec<&FlowPoint> = Vec::new();
        let mut links = vec![false; point.links.len()];
        for flow in flows {
            flow.crossings.iter().for_each(|c| links[c.link] = true);
            let same = |other: &&FlowPoint| {
                let (a, b) = (&flow.crossings, &other.crossings);
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a1, b1)| {
                        a1.link == b1.link
                            && near(a1.forward_s, b1.forward_s, flow.rtt_s)
                            && near(a1.share * b[0].share, b1.share * a[0].share, a1.share * b[0].share)
                    })
            };
            if !different.iter().any(same) {
                different.push(flow);
            }
        }
        different.len().min(links.iter().filter(|l| **l).count())
    };
    groups.iter().map(|(rtt, flows)| (*rtt, order(flows))).collect()
}

/// e^(-z tau) between two of a flow's crossings; products of separate exponentials would overflow on the far right.
struct Delays<'b> {
    flow: &'b FlowPoint,
    z: Complex,
}

impl Delays<'_> {
    /// From crossing k back to the sender and on to h.
    fn round(&self, h: usize, k: usize) -> Complex {
        let c = &self.flow.crossings;
        (self.z * -(self.flow.rtt_s + (c[h].forward_s - c[k].forward_s))).exponential()
    }

    /// From k to h, on the same trip or, if h comes first, on the next.
    fn onwards(&self, k: usize, h: usize) -> Complex {
        if h >= k { self.between(k, h) } else { self.round(h, k) }
    }

    /// From k to h on the same trip.
    fn between(&self, k: usize, h: usize) -> Complex {
        let c = &self.flow.crossings;
        (self.z * -(c[h].forward_s - c[k].forward_s)).exponential()
    }
}

/// G(z).
fn window_response(flow: &FlowPoint, z: Complex) -> Complex {
    let filter = Complex::ONE.over(Complex::ONE + z * flow.filter_s);
    Complex::ONE + (filter * (flow.gain * (1.0 - flow.rho))).over(law(flow, z))
}

/// Denominator of the window law: z + kappa rho, or with memory T `z + kappa (1 - (1 - rho) e^(-z T))`.
fn law(flow: &FlowPoint, z: Complex) -> Complex {
    let kept = flow.gain * (1.0 - flow.rho);
    z + Complex::from(flow.gain * flow.rho) + (z * flow.memory_s).one_minus_exp_neg() * kept
}

/// G'(z).
fn window_response_slope(flow: &FlowPoint, z: Complex) -> Complex {
    let filter = Complex::ONE.over(Complex::ONE + z * flow.filter_s);
    let kept = flow.gain * (1.0 - flow.rho);
    let one = Complex::ONE.over(law(flow, z));
    let slope = Complex::ONE + (z * -flow.memory_s).exponential() * (kept * flow.memory_s);
    -(filter * one * (one * slope + filter * flow.filter_s) * kept)
}
