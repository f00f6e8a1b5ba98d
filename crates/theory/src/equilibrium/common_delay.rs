//! Components in which all flows have the same queueing delay up to a constant factor.
//!
//! One duplex link is the case of the papers: every flow crosses both directions, once with data and once with
//! acknowledgements, so q is the sum of both prices for all. For each link there is one q at which it would be just
//! saturated. The largest of these is the equilibrium's, and its link is the bottleneck (Theorem 1 of the two-way paper).
//! There is no other equilibrium: a smaller q overloads that link, a larger one saturates none.

use super::problem::Method;
use super::reduce::Component;

/// The solution in scaled prices, or `None` if the classes' delays are not proportional.
pub(super) fn solve(component: &Component) -> Option<(Vec<f64>, Method)> {
    let links = component.links.len();
    let first = component.classes.first()?;
    if first.entries.len() != links {
        return None;
    }
    if component.classes.iter().any(|c| c.entries.iter().any(|e| e.delay <= 0.0)) {
        return None;
    }
    // delays of a class are `ratio` times those of the first
    let mut ratios = Vec::with_capacity(component.classes.len());
    for class in &component.classes {
        if class.entries.len() != links {
            return None;
        }
        let ratio = class.entries[0].delay / first.entries[0].delay;
        let same = |(a, b): (&super::reduce::Entry, &super::reduce::Entry)| {
            (a.delay - ratio * b.delay).abs() <= 1e-12 * a.delay
        };
        if !class.entries.iter().zip(&first.entries).all(same) {
            return None;
        }
        ratios.push(ratio);
    }
    let exact = component.classes.iter().all(|c| c.error == 0.0);
    let method = if exact { Method::ClosedForm } else { Method::CommonDelay };
    let mut delays = Vec::with_capacity(links);
    for l in 0..links {
        let terms: Vec<(f64, f64, f64)> = component
            .classes
            .iter()
            .zip(&ratios)
            .map(|(c, g)| (c.entries[l].load, *g, c.error))
            .filter(|t| t.0 > 0.0)
            .collect();
        delays.push(if exact { terms.iter().map(|(w, g, _)| w / g).sum() } else { saturating_delay(&terms) });
    }
    let largest = delays.iter().fold(0.0f64, |m, z| m.max(*z));
    // where several links tie, each gets an equal part of the delay; how it is divided is not determined
    let ties = |z: f64| z >= largest * (1.0 - super::TIGHT);
    let sharers = delays.iter().filter(|z| ties(**z)).count() as f64;
    let pi = delays.iter().zip(&first.entries).map(|(z, e)| if ties(*z) { largest / sharers / e.delay } else { 0.0 });
    let mut scaled = vec![0.0; links];
    for (value, e) in pi.zip(&first.entries) {
        scaled[e.link] = value;
    }
    Some((scaled, method))
}

/// The z at which sum of w / (g z - e) is 1, or 0 where it is below 1 at z = 0 already.
///
/// Newton's method from below: the sum is convex and falls, so the steps never pass the root.
#[must_use]
pub(crate) fn saturating_delay(terms: &[(f64, f64, f64)]) -> f64 {
    let below = |m: f64, (w, g, e): &(f64, f64, f64)| if *w > 0.0 { m.max((w + e) / g) } else { m };
    let mut z = terms.iter().fold(f64::NEG_INFINITY, below);
    if !z.is_finite() {
        return 0.0;
    }
    for _ in 0..200 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (w, g, e) in terms {
            let y = 1.0 / (g * z - e);
            sum += w * y;
            slope += w * y * y * g;
        }
        let step = (sum - 1.0) / slope;
        // also where the sum overflowed and the step is no number
        if step.is_nan() || step <= 1e-17 * z.abs() {
            break;
        }
        z += step;
    }
    z.max(0.0)
}
