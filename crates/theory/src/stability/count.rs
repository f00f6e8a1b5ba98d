//! The argument principle: how many zeros lie to the right, without finding them.

use super::complex::Complex;
use super::model::Characteristic;

/// Change of phase allowed between two samples.
const PHASE: f64 = 0.6;
/// Evaluations after which a curve counts as too wild to follow.
const MOST: usize = 400_000;

/// How many zeros of the characteristic function lie right of `edge` (within the band of [`Characteristic::band`]), with
/// `gain` times the senders' answer to delay; `None` where a zero on the edge or too much detail keeps the phase from being followed.
///
/// `edge` must be right of all poles, or so little left of zero that none of them is passed.
#[must_use]
pub fn zeros_right_of(f: &Characteristic<'_>, edge: f64, gain: f64) -> Option<usize> {
    let Some((least, _)) = f.point.round_trips() else { return Some(0) };
    let top = f.band(gain);
    let right = (20.0 / least).max(top);
    let corners = [
        Complex::new(right, 0.0),
        Complex::new(right, top),
        Complex::new(edge, top),
        // a zero of the scaled function at the origin is removed, the point itself is 0 / 0
        Complex::new(edge, 0.0),
    ];
    let value = |z: Complex| f.scaled(z, gain);
    let mut budget = MOST;
    let mut phase = 0.0;
    for side in corners.windows(2) {
        let (from, to) = (side[0], side[1]);
        // delays make no waves where e^(-z tau) is small
        let pieces = if from.re > from.im.max(edge) && to.re == from.re {
            64.0
        } else {
            (2.0 * f.longest_delay() * (to - from).abs()).clamp(64.0, 20_000.0)
        };
        let at = |i: f64| from + (to - from) * (i / pieces.ceil());
        let mut last = (from, value(from));
        for i in 1..=pieces.ceil() as usize {
            let next = at(i as f64);
            let next = (next, value(next));
            phase += turn(&value, last, next, 48, &mut budget)?;
            last = next;
        }
    }
    let zeros = phase / std::f64::consts::PI;
    let whole = libm::round(zeros);
    ((zeros - whole).abs() < 0.05 && whole >= 0.0).then_some(whole as usize)
}

/// Change of phase along a straight line, halved until neighbours are close.
fn turn(
    value: &impl Fn(Complex) -> Complex,
    a: (Complex, Complex),
    b: (Complex, Complex),
    depth: usize,
    budget: &mut usize,
) -> Option<f64> {
    let direct = (b.1 / a.1).arg();
    if !direct.is_finite() || depth == 0 || *budget == 0 {
        return None;
    }
    *budget -= 1;
    let middle = (a.0 + b.0) * 0.5;
    let middle = (middle, value(middle));
    let (first, second) = ((middle.1 / a.1).arg(), (b.1 / middle.1).arg());
    if first.abs() < PHASE && second.abs() < PHASE && direct.abs() < PHASE {
        return Some(first + second);
    }
    Some(turn(value, a, middle, depth - 1, budget)? + turn(value, middle, b, depth - 1, budget)?)
}
