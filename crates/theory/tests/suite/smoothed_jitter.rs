//! VFAST's filter and its timer on jitter: against random samples, closed forms, limits.

use eddyline_theory::filter_bias::{Scatter, filter_bias};
use eddyline_theory::late_samples::{LateSamples, TimerWeights, late_samples};
use eddyline_theory::smoothed_jitter::{FilterInput, Smoothed, smoothed_jitter};

const EQ_4_TO_6: TimerWeights = TimerWeights { up: 0.75, down: 0.5, zeta: 0.25 };

/// A multiplicative congruential generator (Park and Miller), and Box and Muller's normal numbers from it.
struct Rng(u64);

impl Rng {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0 as f64 / 2_147_483_647.0
    }

    fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    }
}

fn smoothed(up: f64, down: f64, correlation: f64, input: FilterInput) -> Smoothed {
    smoothed_jitter(up, down, correlation, input).unwrap()
}

fn late(weights: TimerWeights, threshold: f64) -> LateSamples {
    late_samples(weights, &[threshold]).unwrap()[0]
}

/// A million steps scatter by about 0.001 where they are independent, by 0.004 at a correlation of 0.9.
#[test]
fn agrees_with_a_million_samples() {
    for (correlation, input, within) in [
        (0.0_f64, FilterInput::Jitter, 0.004),
        (0.5, FilterInput::Jitter, 0.005),
        (0.9, FilterInput::Jitter, 0.01),
        (0.0, FilterInput::Change, 0.004),
        (0.5, FilterInput::Change, 0.004),
    ] {
        let mut rng = Rng(20_081_211);
        let (mut jitter, mut s, mut sum, mut squares, mut samples) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for _ in 0..1_000_000 {
            let previous = jitter;
            jitter = correlation * jitter + (1.0 - correlation * correlation).sqrt() * rng.normal();
            let x = if input == FilterInput::Jitter { jitter } else { jitter - previous };
            s += if x > s { 0.75 } else { 0.5 } * (x - s);
            (sum, squares, samples) = (sum + s, squares + s * s, samples + x);
        }
        let got = smoothed(0.75, 0.5, correlation, input);
        let (mean, square) = (sum / 1e6, squares / 1e6);
        // what the samples themselves are off their mean of zero is not the filter's doing
        let want = mean - samples / 1e6;
        assert!((got.bias - want).abs() < 0.3 * within, "{correlation} {input:?}: {got:?} {want}");
        assert!((got.variance - (square - mean * mean)).abs() < within, "{correlation} {input:?}: {got:?} {square}");
    }
}

/// Without correlation it is the density that `filter_bias` finds in another way.
#[test]
fn independent_samples() {
    for (up, down) in [(0.75, 0.5), (0.5, 0.75), (0.9, 0.1), (0.2, 0.1)] {
        let (got, want) =
            (smoothed(up, down, 0.0, FilterInput::Jitter).bias, filter_bias(up, down, Scatter::Normal).unwrap());
        assert!((got - want).abs() < 0.001, "{up} {down}: {got} {want}");
    }
}

/// With one weight eq. 4 is linear: no bias, variance `psi / (2 - psi) (1 + c) / (1 - c)` with `c = (1 - psi) rho`. Sharing among
/// cells adds `h^2 / 6` a sample to the variance.
#[test]
fn one_weight_is_linear() {
    for psi in [0.25, 0.5, 1.0] {
        for rho in [0.0, 0.5, 0.95] {
            let got = smoothed(psi, psi, rho, FilterInput::Jitter);
            let c = (1.0 - psi) * rho;
            let want = psi / (2.0 - psi) * (1.0 + c) / (1.0 - c);
            assert!(got.bias.abs() < 1e-7, "{psi} {rho}: {got:?}");
            assert!((got.variance / want - 1.0).abs() < 0.006, "{psi} {rho}: {got:?} {want}");
        }
    }
    // psi = 1: the samples themselves, whose variance is 2 (1 - rho)
    for rho in [0.0, 0.5, 0.95] {
        let got = smoothed(1.0, 1.0, rho, FilterInput::Change).variance;
        assert!((got / (2.0 * (1.0 - rho)) - 1.0).abs() < 0.002, "{rho}: {got}");
    }
}

#[test]
fn exchanged_weights_change_the_sign() {
    for input in [FilterInput::Jitter, FilterInput::Change] {
        let (a, b) = (smoothed(0.75, 0.5, 0.5, input), smoothed(0.5, 0.75, 0.5, input));
        assert!((a.bias + b.bias).abs() < 1e-7 && (a.variance - b.variance).abs() < 1e-7, "{a:?} {b:?}");
    }
}

/// Autocorrelation of the samples reduces the bias; the change of independent jitter has more bias than independent samples of
/// its variance, since a high one follows a low one.
#[test]
fn correlation_reduces_the_bias() {
    let found: Vec<f64> =
        [0.0, 0.5, 0.9, 0.99, 0.999].iter().map(|rho| smoothed(0.75, 0.5, *rho, FilterInput::Jitter).bias).collect();
    assert!(found.windows(2).all(|w| w[1] < w[0] && w[1] > 0.0), "{found:?}");
    let change = smoothed(0.75, 0.5, 0.0, FilterInput::Change).bias / 2f64.sqrt();
    assert!(change > 1.1 * found[0], "{change} {found:?}");
}

/// A million samples: some 5,000 late ones scatter by 2 % and, since V stays small for a while, by a little more.
#[test]
fn timeouts_agree_with_random_samples() {
    for weights in [EQ_4_TO_6, TimerWeights::RFC_6298] {
        let mut rng = Rng(6_298);
        let (mut s, mut v, mut late_ones, mut sum) = (0.0, 0.8, 0, 0.0);
        let samples = 1_000_000;
        for _ in 0..samples {
            let x = rng.normal();
            let timeout: f64 = s + 4.0 * v;
            late_ones += i32::from(x > timeout);
            sum += timeout;
            let off: f64 = x - s;
            v += weights.zeta * (off.abs() - v);
            s += if off > 0.0 { weights.up } else { weights.down } * off;
        }
        let got = late(weights, 0.0);
        let (share, timeout) = (f64::from(late_ones) / f64::from(samples), sum / f64::from(samples));
        assert!((got.probability / share - 1.0).abs() < 0.05, "{weights:?}: {got:?} {share}");
        assert!((got.timeout / timeout - 1.0).abs() < 0.005, "{weights:?}: {got:?} {timeout}");
    }
}

/// Slow filters: S is the mean, V the mean deviation.
#[test]
fn slow_filters_are_late_once_in_1413() {
    let slow = 0.5 * libm::erfc(4.0 * (2.0 / std::f64::consts::PI).sqrt() / 2f64.sqrt());
    assert!((1.0 / slow - 1_413.0).abs() < 1.0, "{slow}");
    let found: Vec<f64> = [0.25, 0.125, 0.0625]
        .iter()
        .map(|w| late(TimerWeights { up: *w, down: *w, zeta: *w }, 0.0).probability / slow)
        .collect();
    assert!(found.windows(2).all(|w| w[1] < w[0]), "{found:?}");
    assert!(found[2] > 1.0 && found[2] < 3.0, "{found:?}");
}

/// With a minimum that 4 V never reaches the timer is a fixed distance above S, and S normal if its weights are equal:
/// `Q(minimum / sqrt(1 + psi / (2 - psi)))`.
#[test]
fn a_large_floor_is_a_closed_form() {
    let psi = 0.25;
    let weights = TimerWeights { up: psi, down: psi, zeta: 0.05 };
    let threshold = 6.0;
    let got = late(weights, threshold);
    let want = 0.5 * libm::erfc(threshold / (1.0 + psi / (2.0 - psi)).sqrt() / 2f64.sqrt());
    assert!((got.probability / want - 1.0).abs() < 0.05, "{got:?} {want}");
    assert!((got.timeout - threshold).abs() < 0.01, "{got:?}");
}

#[test]
fn arguments_out_of_range_are_errors() {
    for (up, down, rho) in [(0.0, 0.5, 0.0), (0.5, 1.1, 0.0), (0.5, f64::NAN, 0.0), (0.5, 0.5, -0.1), (0.5, 0.5, 1.0)] {
        assert!(smoothed_jitter(up, down, rho, FilterInput::Jitter).is_err(), "{up} {down} {rho}");
    }
    assert!(late_samples(TimerWeights { up: 0.01, ..EQ_4_TO_6 }, &[0.0]).is_err());
    assert!(late_samples(EQ_4_TO_6, &[-1.0]).is_err());
    assert!(late_samples(EQ_4_TO_6, &[f64::NAN]).is_err());
}
