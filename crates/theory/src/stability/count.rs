//! The argument principle: the number of zeros to the right, without computing them.

use super::complex::{Complex, ComplexFunctions as _};
use super::model::Characteristic;

/// Change of log f allowed between two samples.
const REACH: f64 = 0.8;
/// Limit on evaluations along the contour.
const MAX_EVALUATIONS: usize = 400_000;

/// How many zeros of the characteristic function lie right of `edge` (within the band of [`Characteristic::band`]),
/// with the senders' response to delay multiplied by `gain`; `None` if a zero on the edge or too many evaluations
/// prevent the phase from being followed.
///
/// `edge` must be right of all poles, or close enough to zero that none is passed.
#[must_use]
pub fn zeros_right_of(f: &Characteristic<'_>, edge: f64, gain: f64) -> Option<usize> {
    zeros_right_up_to(f, edge, gain, f.band(gain))
}

/// The same up to the frequency `top` in rad/s.
#[must_use]
pub fn zeros_right_up_to(f: &Characteristic<'_>, edge: f64, gain: f64, top: f64) -> Option<usize> {
    let Some((shortest, _)) = f.point.round_trips() else { return Some(0) };
    let right = (20.0 / shortest).max(top);
    let corners = [
        Complex::new(right, 0.0),
        Complex::new(right, top),
        Complex::new(edge, top),
        // a zero of the scaled function at the origin is removed, the point itself is 0 / 0
        Complex::new(edge, 0.0),
    ];
    let sample = |at: Complex| {
        let (value, slope) = f.scaled(at, gain);
        Sample { at, value, slope }
    };
    let mut budget = MAX_EVALUATIONS;
    let mut phase = 0.0;
    for side in corners.windows(2) {
        let (from, to) = (side[0], side[1]);
        // e^(-z tau) is small there: the phase does not oscillate
        let far = from.re == right && to.re == right;
        let waves = f.longest_delay() * (to - from).modulus();
        let pieces = if far { 16.0 } else { libm::ceil(waves.clamp(16.0, 20_000.0)) };
        let mut last = sample(from);
        for i in 1..=pieces as usize {
            let next = sample(from + (to - from) * (i as f64 / pieces));
            phase += phase_change(&sample, last, next, 60, &mut budget)?;
            last = next;
        }
    }
    let zeros = phase / std::f64::consts::PI;
    let whole = libm::round(zeros);
    ((zeros - whole).abs() < 0.05 && whole >= 0.0).then_some(whole as usize)
}

/// The function and its logarithmic derivative at a point.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Complex,
    value: Complex,
    slope: Complex,
}

/// Change of phase along a segment, which is halved until the logarithmic derivative at both ends agrees with it: a zero
/// close to the segment would show in that derivative.
fn phase_change(
    sample: &impl Fn(Complex) -> Sample,
    a: Sample,
    b: Sample,
    depth: usize,
    budget: &mut usize,
) -> Option<f64> {
    let step = b.at - a.at;
    let direct = b.value.over(a.value).argument();
    if !direct.is_finite() || depth == 0 || *budget == 0 {
        return None;
    }
    let reach = step.modulus() * a.slope.modulus().max(b.slope.modulus());
    let predicted = (step * (a.slope + b.slope)).im * 0.5;
    if reach < REACH && (predicted - direct).abs() < 0.1 {
        return Some(direct);
    }
    *budget -= 1;
    let middle = sample((a.at + b.at) * 0.5);
    Some(phase_change(sample, a, middle, depth - 1, budget)? + phase_change(sample, middle, b, depth - 1, budget)?)
}
