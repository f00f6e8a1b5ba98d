//! The rightmost characteristic roots: starting points from the spectral discretisation, then Newton's method on the
//! exact function.

use super::complex::{Complex, ComplexFunctions as _};
use super::count::zeros_right_of;
use super::model::Characteristic;
use super::point::FlowPoint;
use super::spectral;
use crate::link_model::LinkModel;

/// A root of the characteristic function; with an imaginary part above zero it stands for itself and its conjugate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// The root in 1/s.
    pub at: Complex,
    /// Newton's next step there, relative to the root's size (or to one over the shortest round trip, if that is
    /// larger).
    pub residual: f64,
}

/// The rightmost roots.
#[derive(Debug, Clone, PartialEq)]
pub struct Roots {
    /// Rightmost first, imaginary part at least zero.
    pub found: Vec<Root>,
    /// Whether finer discretisations gave the same roots.
    pub converged: bool,
    /// Roots right of the imaginary axis by the argument principle, conjugates counted; `None` where it could not be
    /// followed.
    pub right: Option<usize>,
}

/// Smallest relative step that counts as converged.
const TOLERANCE: f64 = 1e-10;

/// The `wanted` rightmost roots of `f`.
#[must_use]
pub fn rightmost(f: &Characteristic<'_>, wanted: usize) -> Roots {
    let Some((shortest, longest)) = f.point.round_trips() else {
        return Roots { found: Vec::new(), converged: true, right: Some(0) };
    };
    let unit = 1.0 / shortest;
    let edge = 1e-7 / longest;
    let right = zeros_right_of(f, edge, 1.0);
    let band = f.band(1.0);
    let complete = |found: &[Root]| complete(found, right, edge, band);
    // the ack-clocked model has infinite chains of roots along the axis: a finer grid always finds more, so one is enough
    let chains = f.model != LinkModel::Integrator;
    let mut found: Vec<Root> = Vec::new();
    let mut converged = false;
    let mut n = 16;
    while spectral::states(f, n) <= spectral::MAX_STATES {
        let mut starts = spectral::eigenvalues(f, n);
        starts.sort_by(|a, b| b.re.total_cmp(&a.re));
        starts.truncate(3 * wanted + 20);
        let fresh = refine(f, &starts, unit, wanted);
        converged = same(&found, &fresh, wanted, unit);
        found = merged(found, fresh, unit);
        if chains || (converged && complete(&found)) {
            break;
        }
        n += n / 2;
    }
    if !(converged && complete(&found)) {
        // too large, too many time scales, or chains: starting points at the windows' own rates and along the axis, those of
        // chains first, then denser until none is missing on the right
        found = merged(found, refine(f, &Starts::Windows.along(f, band, 0.0), unit, usize::MAX), unit);
        let tries = [Starts::AckClock, Starts::Every(1.0), Starts::Every(0.3), Starts::Every(0.15)];
        for starts in &tries[usize::from(f.model != LinkModel::AckClocked)..] {
            let known = found.len();
            let denser = matches!(starts, Starts::Every(share) if *share < 1.0);
            let starts = starts.along(f, band, 0.1 / longest);
            found = merged(found, refine(f, &starts, unit, usize::MAX), unit);
            // if denser starting points find nothing new, still denser ones will not either
            if complete(&found) && (found.len() >= wanted || (denser && found.len() == known)) {
                break;
            }
        }
        converged = complete(&found) && (converged || chains);
    }
    found.truncate(wanted);
    Roots { found, converged, right }
}

/// Starting points for Newton's method.
enum Starts {
    /// On the real axis at the windows' own decay rates, and between: slow roots are near.
    Windows,
    /// Multiples of the ACK clock's frequency, 2 pi i k / R: roots of the ack-clocked model are near.
    AckClock,
    /// Evenly along the axis, in units of one over the longest delay.
    Every(f64),
}

impl Starts {
    fn along(&self, f: &Characteristic<'_>, band: f64, re: f64) -> Vec<Complex> {
        let every = |step: f64| {
            let count = libm::ceil((band / step).min(1_200.0)) as usize;
            (0..=count).map(move |i| Complex::new(re, step * i as f64))
        };
        match self {
            Self::Windows => {
                let flows = &f.point.flows;
                let mut decays: Vec<f64> =
                    flows.iter().map(FlowPoint::decay).chain(flows.iter().map(|s| s.gain)).collect();
                decays.sort_by(f64::total_cmp);
                let between = decays.windows(2).map(|d| 0.5 * (d[0] + d[1]));
                let near = decays.iter().flat_map(|d| [0.99 * d, 1.01 * d]);
                near.chain(between).map(|d| Complex::new(-d, 0.0)).collect()
            }
            Self::AckClock => f.point.flows.iter().flat_map(|s| every(2.0 * std::f64::consts::PI / s.rtt_s)).collect(),
            Self::Every(share) => every(share / f.longest_delay()).collect(),
        }
    }
}

/// Whether the roots on the right match the count of the argument principle.
fn complete(found: &[Root], right: Option<usize>, edge: f64, band: f64) -> bool {
    let on_right = |r: &&Root| r.at.re > edge && r.at.im <= band;
    let count: usize = found.iter().filter(on_right).map(|r| if r.at.im == 0.0 { 1 } else { 2 }).sum();
    right == Some(count)
}

fn same(a: &[Root], b: &[Root], wanted: usize, unit: f64) -> bool {
    let n = wanted.min(b.len());
    n > 0
        && a.len() >= n
        && a.iter().zip(b).take(n).all(|(a, b)| (a.at - b.at).modulus() <= 1e-7 * b.at.modulus().max(unit))
}

fn merged(a: Vec<Root>, b: Vec<Root>, unit: f64) -> Vec<Root> {
    let mut all: Vec<Root> = Vec::new();
    for root in b.into_iter().chain(a) {
        let known = |r: &Root| (r.at - root.at).modulus() <= 1e-7 * root.at.modulus().max(unit);
        if !all.iter().any(known) {
            all.push(root);
        }
    }
    all.sort_by(|a, b| b.at.re.total_cmp(&a.at.re).then(a.at.im.total_cmp(&b.at.im)));
    all
}

fn refine(f: &Characteristic<'_>, starts: &[Complex], unit: f64, limit: usize) -> Vec<Root> {
    let mut found = merged(starts.iter().filter_map(|s| newton(f, *s, unit)).collect(), Vec::new(), unit);
    found.truncate(limit);
    found
}

/// Newton's method from `start`; `None` if it does not converge.
#[must_use]
pub fn newton(f: &Characteristic<'_>, start: Complex, unit: f64) -> Option<Root> {
    let mut z = start;
    let mut best = f64::INFINITY;
    let mut stalled = 0;
    for _ in 0..40 {
        if f.is_trivial(z) {
            return None;
        }
        let step = Complex::ONE.over(f.log_derivative(z));
        if !step.is_finite() {
            // exactly on a root: the derivative of log f has a pole there
            return (best < TOLERANCE).then_some(Root { at: z, residual: best });
        }
        let residual = step.modulus() / z.modulus().max(unit);
        if residual < TOLERANCE && residual >= 0.5 * best {
            stalled += 1;
        }
        if (residual < 1e-14) || (residual < TOLERANCE && stalled > 0) {
            let mut at = z;
            if at.im.abs() <= 1e-9 * at.modulus().max(unit) {
                at.im = 0.0;
            }
            at.im = at.im.abs();
            return Some(Root { at, residual });
        }
        best = best.min(residual);
        // limit the step: far from any root it is unreliable
        let longest = unit.max(0.5 * z.modulus());
        let step = if step.modulus() > longest { step * (longest / step.modulus()) } else { step };
        z -= step;
    }
    None
}
