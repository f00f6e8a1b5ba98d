//! VFAST's filter on noisy samples: against random samples, symmetry, limits.

use eddyline_theory::filter_bias::{Scatter, expectile, filter_bias};

fn bias(up: f64, down: f64, scatter: Scatter) -> f64 {
    filter_bias(up, down, scatter).unwrap()
}

/// A multiplicative congruential generator (Park and Miller), in (0, 1).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0 as f64 / 2_147_483_647.0
    }

    fn draw(&mut self, scatter: Scatter) -> f64 {
        match scatter {
            Scatter::Normal => {
                let (u, v) = (self.next(), self.next());
                (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
            }
            Scatter::Exponential => -self.next().ln() - 1.0,
            Scatter::Uniform => 3f64.sqrt() * (2.0 * self.next() - 1.0),
        }
    }
}

/// The mean of a million steps varies by about 0.001.
#[test]
fn agrees_with_a_million_samples() {
    for scatter in [Scatter::Normal, Scatter::Exponential, Scatter::Uniform] {
        for (up, down) in [(0.75, 0.5), (0.5, 0.75), (0.9, 0.1)] {
            let mut chance = Chance(20_081_211);
            let (mut s, mut sum) = (0.0, 0.0);
            for _ in 0..1_000_000 {
                let x = chance.draw(scatter);
                s += if x > s { up } else { down } * (x - s);
                sum += s;
            }
            let (got, want) = (bias(up, down, scatter), sum / 1e6);
            assert!((got - want).abs() < 0.004, "{scatter:?} {up} {down}: {got} {want}");
        }
    }
}

/// The paper's weights: 0.19 standard deviations above the mean.
#[test]
fn the_papers_weights() {
    let got = bias(0.75, 0.5, Scatter::Normal);
    assert!((got - 0.19).abs() < 0.005, "{got}");
}

#[test]
fn equal_weights_have_no_bias() {
    for psi in [0.1, 0.5, 1.0] {
        assert!(bias(psi, psi, Scatter::Normal).abs() < 1e-6);
    }
}

#[test]
fn exchanged_weights_change_the_sign() {
    let (a, b) = (bias(0.75, 0.5, Scatter::Normal), bias(0.5, 0.75, Scatter::Normal));
    assert!((a + b).abs() < 1e-6, "{a} {b}");
}

/// `up (a - s)^2 = down (a + s)^2` for samples uniform in [-a, a].
#[test]
fn the_expectile_of_uniform_samples() {
    for (up, down) in [(0.75, 0.5), (0.1, 0.4)] {
        let (u, d) = (f64::sqrt(up), f64::sqrt(down));
        let want = 3f64.sqrt() * (u - d) / (u + d);
        let got = expectile(up, down, Scatter::Uniform);
        assert!((got - want).abs() < 1e-4, "{got} {want}");
    }
}

/// With smaller weights at the same ratio the bias goes to the expectile from above.
#[test]
fn small_weights_tend_to_the_expectile() {
    let limit = expectile(0.6, 0.4, Scatter::Normal);
    let off: Vec<f64> = [1.2, 0.6, 0.3, 0.15].iter().map(|f| bias(0.6 * f, 0.4 * f, Scatter::Normal) - limit).collect();
    assert!(off.windows(2).all(|w| w[1] < w[0] && w[1] > 0.0), "{off:?}");
    assert!(off[3] < 0.006, "{off:?}");
}

#[test]
fn weights_out_of_range_are_errors() {
    for (up, down) in [(0.0, 0.5), (0.5, 1.1), (f64::NAN, 0.5), (0.5, 0.01)] {
        assert!(filter_bias(up, down, Scatter::Normal).is_err(), "{up} {down}");
    }
}
