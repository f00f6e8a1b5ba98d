//! Stability boundaries over two parameters.

/// For each of `xs`, every y in `range` at which `margin(x, y)` changes sign: a stability boundary where the margin is,
/// say, minus the real part of the rightmost root.
///
/// The range is cut into `pieces`, and each sign change is bracketed to 1e-12 of its piece; two changes within one
/// piece are missed. `log` spaces the pieces evenly in the logarithm. Points where the margin is `None` change no sign.
#[must_use]
pub fn boundary(
    xs: &[f64],
    range: (f64, f64),
    pieces: usize,
    log: bool,
    margin: impl Fn(f64, f64) -> Option<f64>,
) -> Vec<Vec<f64>> {
    let log = log && range.0 > 0.0 && range.1 > 0.0;
    let pieces = pieces.max(1);
    let y = |i: usize| between(range.0, range.1, i as f64 / pieces as f64, log);
    let crossings = |x: f64| {
        let mut found = Vec::new();
        let mut last: Option<(f64, f64)> = None;
        for i in 0..=pieces {
            let here = margin(x, y(i)).filter(|m| m.is_finite()).map(|m| (y(i), m));
            if let (Some(a), Some(b)) = (last, here)
                && (a.1 > 0.0) != (b.1 > 0.0)
            {
                found.push(crossing(a, b, log, 1e-12, |y| margin(x, y)));
            }
            last = here;
        }
        found
    };
    xs.iter().map(|x| crossings(*x)).collect()
}

/// Where `margin` changes sign between `from` and `to`, each a point and the margin there, of different signs. The
/// bracket is narrowed to `tolerance` of its initial length (in the logarithm if `log`), or as far as `margin` is
/// defined.
///
/// The method is ITP (Oliveira and Takahashi, "An Enhancement of the Bisection Method Average Performance Preserving
/// Minmax Optimality", 2020): at most one evaluation more than bisection, usually far fewer, and it does not require
/// continuity.
pub fn crossing(
    from: (f64, f64),
    to: (f64, f64),
    log: bool,
    tolerance: f64,
    margin: impl Fn(f64) -> Option<f64>,
) -> f64 {
    /// How far the secant's point is moved towards the middle, as a share of the squared bracket.
    const TRUNCATION: f64 = 0.2;
    let at = |share: f64| between(from.0, to.0, share, log);
    let (mut a, mut b) = ((0.0, from.1), (1.0, to.1));
    let max_evaluations = libm::ceil(libm::log2(1.0 / tolerance)) + 1.0;
    let mut spent = 0.0;
    while b.0 - a.0 > tolerance && spent < max_evaluations {
        let half = 0.5 * (a.0 + b.0);
        let room = 0.5 * (tolerance * libm::exp2(max_evaluations - spent) - (b.0 - a.0)).max(0.0);
        let secant = (b.1 * a.0 - a.1 * b.0) / (b.1 - a.1);
        let off = half - secant;
        let step = TRUNCATION * (b.0 - a.0) * (b.0 - a.0);
        let truncated = if step <= off.abs() { secant + step * off.signum() } else { half };
        let share = if (truncated - half).abs() <= room { truncated } else { half - room * off.signum() };
        let Some(m) = margin(at(share)).filter(|m| m.is_finite()) else { break };
        if (m > 0.0) == (a.1 > 0.0) {
            a = (share, m);
        } else {
            b = (share, m);
        }
        spent += 1.0;
    }
    at(0.5 * (a.0 + b.0))
}

/// `share` of the way from `low` to `high`.
pub(crate) fn between(low: f64, high: f64, share: f64, log: bool) -> f64 {
    if log { low * libm::pow(high / low, share) } else { low + (high - low) * share }
}
