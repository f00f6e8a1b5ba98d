//! Gain and delay margin from the loci of the loop's eigenvalues.

use faer::{Mat, c64};

use super::complex::{Complex, ComplexFunctions as _};
use super::count::zeros_right_of;
use super::lu::Lu;
use super::model::{Characteristic, Parts};
use crate::link_model::LinkModel;

/// Gain and delay margins.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Margins {
    /// If stable, the smallest factor above 1 on the senders' response to delay that makes the loop unstable; if unstable,
    /// the largest below 1 that makes it stable. `None` if there is none.
    ///
    /// In the integrator model the response is that of the rate w / (d + q) and of the window; in the ack-clocked model that
    /// of the window, since packets in flight are conserved.
    pub gain: Option<f64>,
    /// The frequency of the oscillation that starts there, in rad/s: the phase crossover.
    pub gain_at_rad_s: Option<f64>,
    /// Additional feedback delay in seconds, the same for every sender, that makes the loop unstable; `None` if it is
    /// unstable already or no delay does.
    pub delay_s: Option<f64>,
    /// The frequency of the oscillation that starts there, in rad/s: the gain crossover.
    pub delay_at_rad_s: Option<f64>,
}

/// Margins of `f`, which is `stable` or not, by a frequency sweep.
#[must_use]
pub fn margins(f: &Characteristic<'_>, stable: bool) -> Margins {
    let Some((shortest, longest)) = f.point.round_trips() else { return Margins::default() };
    let top = f.band(1.0).max(8.0 * std::f64::consts::PI / shortest);
    let count = libm::ceil((12.0 * top * f.longest_delay()).clamp(400.0, 20_000.0)) as usize;
    // slightly off the axis if fixed windows have poles on it
    let off = if f.model == LinkModel::Integrator { 0.0 } else { 1e-9 / longest };
    let at = |omega: f64| eigenvalues(f, Complex::new(off, omega));
    let mut gains = Vec::new();
    let mut delay: Option<(f64, f64)> = None;
    let frequency = |i: usize| top * (i as f64 + 1e-3) / count as f64;
    let mut last = (frequency(0), at(frequency(0)));
    for i in 1..=count {
        let omega = frequency(i);
        let mut values = at(omega);
        pair(&last.1, &mut values);
        for (a, b) in last.1.iter().zip(&values) {
            let bracket = ((last.0, *a), (omega, *b));
            if a.im * b.im <= 0.0 && a.re < 0.0 && b.re < 0.0 {
                let (w, v) = bisect(&at, bracket, |v| v.im);
                if v.re < 0.0 && v.im.abs() < 1e-6 * v.re.abs() {
                    gains.push((-1.0 / v.re, w));
                }
            }
            if stable && (a.modulus() - 1.0) * (b.modulus() - 1.0) <= 0.0 {
                let (w, v) = bisect(&at, bracket, |v| v.modulus() - 1.0);
                if (v.modulus() - 1.0).abs() < 1e-6 {
                    let margin = (v.argument() + std::f64::consts::PI) / w;
                    delay = Some(delay.filter(|d| d.0 <= margin).unwrap_or((margin, w)));
                }
            }
        }
        last = (omega, values);
    }
    gains.sort_by(|a, b| a.0.total_cmp(&b.0));
    let right = |k: f64| zeros_right_of(f, 1e-7 / longest, k);
    let gain = if stable {
        gains.iter().copied().filter(|k| k.0 > 1.0).find(|k| right(k.0 * 1.001).is_none_or(|n| n > 0))
    } else {
        gains.iter().rev().copied().filter(|k| k.0 < 1.0).find(|k| right(k.0 * 0.999) == Some(0))
    };
    Margins {
        gain: gain.map(|k| k.0),
        gain_at_rad_s: gain.map(|k| k.1),
        delay_s: delay.map(|d| d.0),
        delay_at_rad_s: delay.map(|d| d.1),
    }
}

/// Eigenvalues of the loop, fixed^-1 feedback: there is a root at z with gain k where one of them is -1 / k.
pub(super) fn eigenvalues(f: &Characteristic<'_>, z: Complex) -> Vec<Complex> {
    let n = f.point.links.len();
    let Parts { fixed, feedback } = f.parts(z);
    let l = Lu::factor(n, fixed).solve(&feedback);
    match n {
        0 => Vec::new(),
        1 => l,
        2 => {
            let half = (l[0] + l[3]) * 0.5;
            let root = sqrt(half * half - (l[0] * l[3] - l[1] * l[2]));
            vec![half + root, half - root]
        }
        _ => {
            let matrix = Mat::<c64>::from_fn(n, n, |i, j| c64::new(l[i * n + j].re, l[i * n + j].im));
            let values = matrix.eigenvalues().unwrap_or_default();
            values.into_iter().map(|v| Complex::new(v.re, v.im)).collect()
        }
    }
}

fn sqrt(z: Complex) -> Complex {
    let size = z.modulus();
    let re = (0.5 * (size + z.re)).max(0.0).sqrt();
    let im = (0.5 * (size - z.re)).max(0.0).sqrt();
    Complex::new(re, if z.im < 0.0 { -im } else { im })
}

/// Orders `values` by proximity to the `previous` ones.
pub(super) fn pair(previous: &[Complex], values: &mut [Complex]) {
    for (i, was) in previous.iter().enumerate().take(values.len()) {
        let far = |v: &Complex| (*v - *was).modulus();
        let at = (i..values.len()).min_by(|a, b| far(&values[*a]).total_cmp(&far(&values[*b]))).unwrap_or(i);
        values.swap(i, at);
    }
}

/// Bisects the frequency at which `of` an eigenvalue changes sign.
fn bisect(
    at: &impl Fn(f64) -> Vec<Complex>,
    bracket: ((f64, Complex), (f64, Complex)),
    of: impl Fn(Complex) -> f64,
) -> (f64, Complex) {
    let (mut a, mut b) = bracket;
    for _ in 0..60 {
        let omega = 0.5 * (a.0 + b.0);
        let guess = (a.1 + b.1) * 0.5;
        let nearest = at(omega).into_iter().min_by(|x, y| (*x - guess).modulus().total_cmp(&(*y - guess).modulus()));
        let Some(value) = nearest else { break };
        if of(value) * of(a.1) > 0.0 {
            a = (omega, value);
        } else {
            b = (omega, value);
        }
    }
    b
}
