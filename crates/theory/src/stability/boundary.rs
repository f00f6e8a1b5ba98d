//! Where a verdict changes over two parameters.

/// For each of `xs`, every y in `range` at which `margin(x, y)` changes sign: a stability boundary where the margin is, say, minus
/// the real part of the rightmost root.
///
/// The range is cut into `pieces`, and each sign change is found by bisection to 1e-12 of the range; two changes within one piece are missed. `log`
/// spaces the pieces evenly in the logarithm. Points where the margin is `None` change no sign.
#[must_use]
pub fn boundary(
    xs: &[f64],
    range: (f64, f64),
    pieces: usize,
    log: bool,
    margin: impl Fn(f64, f64) -> Option<f64>,
) -> Vec<Vec<f64>> {
    let (low, high) = range;
    let log = log && low > 0.0 && high > 0.0;
    let y = |i: usize| {
        let share = i as f64 / pieces.max(1) as f64;
        if log { low * libm::pow(high / low, share) } else { low + (high - low) * share }
    };
    let middle = |a: f64, b: f64| if log { (a * b).sqrt() } else { 0.5 * (a + b) };
    let crossings = |x: f64| {
        let mut found = Vec::new();
        let mut last: Option<(f64, f64)> = None;
        for i in 0..=pieces.max(1) {
            let here = margin(x, y(i)).filter(|m| m.is_finite()).map(|m| (y(i), m));
            if let (Some(a), Some(b)) = (last, here)
                && (a.1 > 0.0) != (b.1 > 0.0)
            {
                let (mut from, mut to) = (a.0, b.0);
                for _ in 0..40 {
                    let at = middle(from, to);
                    match margin(x, at) {
                        Some(m) if (m > 0.0) == (a.1 > 0.0) => from = at,
                        Some(_) => to = at,
                        None => break,
                    }
                }
                found.push(middle(from, to));
            }
            last = here;
        }
        found
    };
    xs.iter().map(|x| crossings(*x)).collect()
}
