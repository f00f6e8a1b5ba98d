//! Nyquist loci: the eigenvalues of the loop along the imaginary axis.

use super::complex::{Complex, ComplexFunctions as _};
use super::margins::{eigenvalues, pair};
use super::model::Characteristic;
use crate::link_model::LinkModel;

/// Limit on frequencies.
const MAX_FREQUENCIES: usize = 20_000;

/// Largest step of a locus, in the plane mapped into the unit disc by v / (1 + |v|).
const STEP: f64 = 0.01;

/// One eigenvalue of the loop as a function of frequency.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Locus {
    /// Frequencies in rad/s, ascending.
    pub omega: Vec<f64>,
    /// The eigenvalue at each.
    pub value: Vec<Complex>,
}

/// The eigenvalues of the loop, one for each link with a queue, from a hundredth of the slowest round trip's frequency
/// to beyond the fastest's. With gain k there is a root on the axis where one of them is -1 / k; if fixed windows
/// have no root on the right (always for integrators), the loop is stable if together they do not encircle -1.
///
/// Steps are small enough to be drawn as straight lines.
#[must_use]
pub fn loci(f: &Characteristic<'_>) -> Vec<Locus> {
    let Some((shortest, longest)) = f.point.round_trips() else { return Vec::new() };
    let top = f.band(1.0).max(8.0 * std::f64::consts::PI / shortest);
    let off = if f.model == LinkModel::Integrator { 0.0 } else { 1e-9 / longest };
    let at = |omega: f64| eigenvalues(f, Complex::new(off, omega));
    let mut points: Vec<(f64, Vec<Complex>)> = Vec::new();
    // even in the logarithm first, even in the phase of the longest delay beyond one radian of it
    let mut next = 0.01 / longest;
    let mut grid = Vec::new();
    while next < top && grid.len() < MAX_FREQUENCIES / 4 {
        grid.push(next);
        next = (next * 1.1).min(next + 0.1 / f.longest_delay());
    }
    grid.push(top);
    for omega in grid {
        let mut values = at(omega);
        if let Some((from, previous)) = points.last().cloned() {
            pair(&previous, &mut values);
            fill(&at, (from, previous), (omega, &values), 12, &mut points);
        }
        points.push((omega, values));
    }
    let links = points.first().map_or(0, |p| p.1.len());
    let locus = |i: usize| Locus {
        omega: points.iter().map(|p| p.0).collect(),
        value: points.iter().map(|p| p.1[i]).collect(),
    };
    (0..links).map(locus).collect()
}

/// Adds frequencies between two whose eigenvalues differ by more than [`STEP`].
fn fill(
    at: &impl Fn(f64) -> Vec<Complex>,
    from: (f64, Vec<Complex>),
    to: (f64, &[Complex]),
    depth: usize,
    points: &mut Vec<(f64, Vec<Complex>)>,
) {
    let small = |v: &Complex| *v * (1.0 / (1.0 + v.modulus()));
    let near = from.1.iter().zip(to.1).all(|(a, b)| (small(a) - small(b)).modulus() <= STEP);
    if near || depth == 0 || points.len() >= MAX_FREQUENCIES {
        return;
    }
    let omega = 0.5 * (from.0 + to.0);
    let mut values = at(omega);
    pair(&from.1, &mut values);
    fill(at, from, (omega, &values), depth - 1, points);
    points.push((omega, values.clone()));
    fill(at, (omega, values), to, depth - 1, points);
}
