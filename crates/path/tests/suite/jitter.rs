//! Jitter: mean, variance and autocorrelation in time, whatever the spacing of packets.

use eddyline_path::random::Stream;
use eddyline_path::variation::{Jitter, JitterParams, Propagation, Variation};
use eddyline_units::Time;

/// Packets at random distances of 1 ms on average, with their delays in milliseconds.
fn draws(json: &str, n: usize) -> Vec<(f64, f64)> {
    let params: JitterParams = serde_json::from_str(json).unwrap();
    let mut jitter = Jitter::new(params, 5, "link");
    let mut stream = Stream::new(9, "packets", "spacing");
    let mut now = Time::ZERO;
    let mut draw = |_| {
        now += Time::from_secs_f64(0.002 * stream.uniform());
        (now.as_secs_f64() * 1e3, jitter.draw(now).as_secs_f64() * 1e3)
    };
    (0..n).map(&mut draw).collect()
}

fn moments(values: &[(f64, f64)]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().map(|v| v.1).sum::<f64>() / n;
    (mean, values.iter().map(|v| (v.1 - mean).powi(2)).sum::<f64>() / n)
}

/// Correlation of packets `low` to `high` milliseconds apart, with the mean of `form` over the same pairs.
fn correlation(values: &[(f64, f64)], low: f64, high: f64, form: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mean, variance) = moments(values);
    let (mut sum, mut formula, mut pairs) = (0.0, 0.0, 0.0);
    for (i, a) in values.iter().enumerate() {
        for b in values[i + 1..].iter().take_while(|b| b.0 - a.0 < high).filter(|b| b.0 - a.0 >= low) {
            sum += (a.1 - mean) * (b.1 - mean);
            formula += form(b.0 - a.0);
            pairs += 1.0;
        }
    }
    (sum / pairs / variance, formula / pairs)
}

#[track_caller]
fn near(value: f64, wanted: f64, tolerance: f64) {
    assert!((value - wanted).abs() <= tolerance, "{value} is not {wanted} +- {tolerance}");
}

/// Over 200 s there are some 200 s / (2 x 10 ms) independent values: means are within 4 % of a standard deviation at
/// four standard errors, variances within 6 %, correlations within 0.05.
#[test]
fn variance_and_autocorrelation_are_those_of_the_formulas() {
    let normal = draws(r#"{ "kind": "normal", "sd": "2 ms", "mean": "9 ms", "correlation": "10 ms" }"#, 200_000);
    let (mean, variance) = moments(&normal);
    near(mean, 9.0, 0.08);
    near(variance / 4.0, 1.0, 0.06);
    let exponential = draws(r#"{ "kind": "exponential", "mean": "3 ms", "correlation": "20 ms" }"#, 200_000);
    let (mean, variance) = moments(&exponential);
    near(mean, 3.0, 0.12);
    // a heavy tail: the fourth moment makes this twice as uncertain
    near(variance / 9.0, 1.0, 0.12);
    let above = exponential.iter().filter(|v| v.1 > 6.0).count() as f64 / exponential.len() as f64;
    near(above, (-2.0f64).exp(), 0.012);
    for (low, high) in [(0.0, 1.0), (4.0, 6.0), (10.0, 12.0), (30.0, 32.0)] {
        let (got, formula) = correlation(&normal, low, high, |t| (-t / 10.0).exp());
        near(got, formula, 0.05);
        let (got, formula) = correlation(&exponential, low, high, |t| (-2.0 * t / 20.0).exp());
        near(got, formula, 0.05);
    }
}

#[test]
fn without_correlation_packets_are_independent() {
    let values = draws(r#"{ "kind": "normal", "sd": "1 ms" }"#, 100_000);
    let (mean, variance) = moments(&values);
    near(mean, 4.0, 0.013);
    near(variance, 1.0, 0.02);
    // 80,000 pairs or more: four standard errors
    near(correlation(&values, 0.0, 1.0, |_| 0.0).0, 0.0, 0.015);
}

/// In order: each packet arrives no earlier than its predecessors. With reordering: each arrives by its own delay.
#[test]
fn packets_overtake_only_if_allowed() {
    let params: JitterParams = serde_json::from_str(r#"{ "kind": "exponential", "mean": "4 ms" }"#).unwrap();
    let way = |reorder| {
        let variation = Variation { jitter: Some(params), reorder, ..Variation::default() };
        Propagation::new(&variation, Time::from_ms(10), 5, "link").unwrap()
    };
    let (mut kept, mut free) = (way(false), way(true));
    let (mut latest, mut overtaken) = (Time::ZERO, 0);
    for i in 0..10_000 {
        let now = Time::from_ms(i);
        let (a, b) = (kept.arrival(now), free.arrival(now));
        assert!(b >= now + Time::from_ms(10));
        overtaken += u64::from(b < latest);
        latest = latest.max(b);
        assert_eq!(a, latest);
    }
    // a packet comes before the one before it with probability e^(-1/4) / 2, and before others too
    assert!(overtaken > 3_500, "{overtaken}");
}
