//! Local stability of FAST about an equilibrium of any network, with exact delays.
//!
//! The window law is eq. 2 of Ge, Chan, Andrew, Li, Tan, Zukerman, "Performance Effects of Two-way FAST TCP", with
//! gamma a round trip (or a fixed period); links follow a [`LinkModel`]. Every delay (propagation, transmission,
//! queueing in equilibrium) is exact, without rational approximation. [`stability`] gives the verdict with the rightmost
//! characteristic roots and the margins; the rest are its parts. `docs/theory/stability.md` has the derivations.

mod boundary;
mod complex;
mod count;
mod locus;
mod lu;
mod mapping;
mod margins;
mod model;
mod point;
mod roots;
pub mod single;
mod spectral;

pub(crate) use boundary::between;
pub use boundary::{boundary, crossing};
pub use complex::{Complex, ComplexFunctions};
pub use count::{zeros_right_of, zeros_right_up_to};
pub use locus::{Locus, loci};
pub use mapping::{OneWay, one_way};
pub use margins::{Margins, margins};
pub use model::Characteristic;
pub(crate) use point::prices;
pub use point::{Crossing, FlowPoint, OperatingPoint, UpdatePeriod};
pub use roots::{Root, Roots, newton, rightmost};

use eddyline_scenario::Network;

use crate::approximations::of_stability;
use crate::equilibrium::Equilibrium;
use crate::error::TheoryError;
use crate::fast::WindowLaw;
use crate::link_model::LinkModel;
use crate::model::{arrivals_note, fifo_equilibria, modelled_flows, non_fast_note, require_modelled};

/// Limit on queues for [`locally_stable`]: beyond it the analysis takes minutes.
const MAX_LINKS: usize = 16;

/// Options of [`stability`] and [`stability_at`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// How often windows are updated.
    pub period: UpdatePeriod,
    /// Whether the window law uses the controller's average round-trip time instead of the present one (eq. 2).
    pub filter: bool,
    /// Which window the law multiplies.
    pub law: WindowLaw,
    /// How many roots to list.
    pub roots: usize,
    /// Whether to compute margins.
    pub margins: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { period: UpdatePeriod::Controller, filter: false, law: WindowLaw::Present, roots: 10, margins: true }
    }
}

impl Options {
    /// FAST's algorithm instead of eq. 2 of the two-way paper: the window at sending, and the controller's average
    /// round-trip time.
    #[must_use]
    pub fn algorithm() -> Self {
        Self { filter: true, law: WindowLaw::AtSending, ..Self::default() }
    }
}

/// Stability of one equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// The link model.
    pub link_model: LinkModel,
    /// Whether small perturbations decay.
    pub stable: bool,
    /// Whether small perturbations neither decay nor grow: the rightmost root is on the imaginary axis.
    pub neutral: bool,
    /// Characteristic roots (real part, imaginary part) in 1/s, rightmost first; one with an imaginary part above zero
    /// stands for itself and its conjugate.
    pub roots: Vec<(f64, f64)>,
    /// Largest relative Newton step left at any of the roots.
    pub residual: f64,
    /// [`Margins::gain`].
    pub gain_margin: Option<f64>,
    /// [`Margins::gain_at_rad_s`].
    pub gain_margin_at_rad_s: Option<f64>,
    /// [`Margins::delay_s`].
    pub delay_margin_s: Option<f64>,
    /// [`Margins::delay_at_rad_s`].
    pub delay_margin_at_rad_s: Option<f64>,
    /// Roots right of the axis, conjugates counted, by the argument principle.
    pub unstable_roots: Option<usize>,
    /// What the verdict does not cover.
    pub notes: Vec<String>,
}

/// Local stability of `network` in its first equilibrium, with the gains of its controllers.
///
/// # Errors
/// [`TheoryError`] where there is no FAST flow, or no equilibrium.
pub fn stability(network: &Network, model: LinkModel, options: &Options) -> Result<Stability, TheoryError> {
    require_modelled(network, !modelled_flows(network).is_empty())?;
    let (state, solved) = fifo_equilibria(network)?;
    let first = solved.found.first().filter(|_| solved.converged);
    let Some(at) = first else {
        return Err(TheoryError::NotConverged("too large, so there is nothing to linearise about".to_owned()));
    };
    let mut stability = stability_at(network, at, model, options)?;
    stability.notes.extend(of_stability(network, &state, at));
    stability.notes.extend(non_fast_note(network).into_iter().chain(arrivals_note(network)));
    if solved.found.len() > 1 {
        stability.notes.push(format!("this is the first of {} equilibria", solved.found.len()));
    }
    Ok(stability)
}

/// Local stability of `network` in the equilibrium `at`.
///
/// # Errors
/// As [`OperatingPoint::new`].
pub fn stability_at(
    network: &Network,
    at: &Equilibrium,
    model: LinkModel,
    options: &Options,
) -> Result<Stability, TheoryError> {
    let point = OperatingPoint::new(network, at, options.period, options.filter)?.with_law(options.law);
    Ok(judge(&point, model, options))
}

/// Whether small disturbances of `at` die out, for listings; `None` where no flow has a model, no queue is there to be
/// perturbed, or the network is too large to be judged in passing.
#[must_use]
pub fn locally_stable(network: &Network, at: &Equilibrium, model: LinkModel) -> Option<bool> {
    if modelled_flows(network).is_empty() {
        return None;
    }
    if at.index == Some(-1) {
        // the determinant at zero is negative and positive far to the right: a real root lies between
        return Some(false);
    }
    let options = Options { margins: false, roots: 4, ..Options::default() };
    let point = OperatingPoint::new(network, at, options.period, options.filter).ok()?;
    let fits = !point.links.is_empty() && point.links.len() <= MAX_LINKS;
    fits.then(|| judge(&point, model, &options).stable)
}

/// Stability of an operating point.
#[must_use]
pub fn judge(point: &OperatingPoint, model: LinkModel, options: &Options) -> Stability {
    let f = Characteristic::new(point, model);
    let roots = with_differences(rightmost(&f, options.roots.max(1)), point, options.roots.max(1));
    let mut notes = point.notes.clone();
    let slowest = point.round_trips().map_or(1.0, |r| r.1);
    let still = |re: f64| re.abs() <= 1e-9 / slowest;
    let settles = roots.found.first().is_none_or(|r| r.at.re < 0.0 && !still(r.at.re));
    let stable = settles && roots.right.is_none_or(|n| n == 0);
    let neutral = !stable && roots.found.first().is_some_and(|r| still(r.at.re));
    if neutral {
        notes
            .push("a disturbance neither grows nor dies out: the rightmost root lies on the imaginary axis".to_owned());
    }
    if roots.right.is_none() {
        notes.push("the verdict rests on the roots that were found; counting them failed".to_owned());
    } else if !roots.converged {
        notes.push("roots may be missing from the list; those right of the axis were counted".to_owned());
    }
    let mut adjustable = options.margins && !point.flows.is_empty();
    if model != LinkModel::Integrator && !point.flows.is_empty() {
        let fixed = if stable { Some(0) } else { zeros_right_of(&f, 1e-7 / slowest, 0.0) };
        if fixed.is_some_and(|n| n > 0) {
            let text =
                "it grows with fixed windows too: patterns shorter than a round trip, passed on by several queues";
            notes.push(text.to_owned());
            adjustable = false;
        }
        let lacking = match model {
            LinkModel::Joint => "the list is of a search, and others than the rightmost may be missing",
            _ => "not all that lie beyond are in the list",
        };
        notes.push(format!("roots were counted up to {:.3} rad/s; {lacking}", f.band(1.0)));
    }
    if point.flows.is_empty() {
        notes.push("no flow crosses a queue".to_owned());
    }
    let margins = if adjustable { margins(&f, stable) } else { Margins::default() };
    Stability {
        link_model: model,
        stable,
        neutral,
        residual: roots.found.iter().map(|r| r.residual).fold(0.0, f64::max),
        roots: roots.found.iter().map(|r| (r.at.re, r.at.im)).collect(),
        unstable_roots: roots.right,
        gain_margin: margins.gain,
        gain_margin_at_rad_s: margins.gain_at_rad_s,
        delay_margin_s: margins.delay_s,
        delay_margin_at_rad_s: margins.delay_at_rad_s,
        notes,
    }
}

/// Adds the roots that det M lacks: if several flows have the same window law and are merged, or outnumber the queues,
/// some differences between them affect no queue and decay by the window law alone.
fn with_differences(mut roots: Roots, point: &OperatingPoint, wanted: usize) -> Roots {
    let mut lost: Vec<f64> = Vec::new();
    for flow in &point.flows {
        let near = |d: f64| (d - flow.decay()).abs() <= 1e-12 * d;
        let alike = point.flows.iter().filter(|f| near(f.decay())).count();
        if (flow.several || alike > point.links.len()) && !lost.iter().any(|d| near(*d)) {
            lost.push(flow.decay());
        }
    }
    roots.found.extend(lost.into_iter().map(|d| Root { at: Complex::new(-d, 0.0), residual: 0.0 }));
    roots.found.sort_by(|a, b| b.at.re.total_cmp(&a.at.re).then(a.at.im.total_cmp(&b.at.im)));
    roots.found.truncate(wanted);
    roots
}
