//! What the traffic tests share.

use std::sync::Arc;

use eddyline_path::traffic::{Emission, Source, Trace, TrafficParams};
use eddyline_units::Time;

/// A model as a scenario writes it.
pub fn model(json: &str) -> TrafficParams {
    serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"))
}

/// Seconds as a time.
pub const fn secs(s: u64) -> Time {
    Time::from_ms(s * 1000)
}

/// All packets of `length` from time zero on.
pub fn packets(json: &str, packet: u32, length: Time, seed: u64) -> Vec<Emission> {
    collect(Source::new(&model(json), None, packet, Time::ZERO, Some(length), seed, "cross"))
}

/// All packets of a source that ends.
pub fn collect(mut source: Source) -> Vec<Emission> {
    std::iter::from_fn(|| source.next()).collect()
}

/// All packets of a trace model that has an end.
pub fn played(json: &str, trace: &Trace, packet: u32, start: Time, stop: Option<Time>) -> Vec<Emission> {
    collect(Source::new(&model(json), Some(&Arc::new(trace.clone())), packet, start, stop, 1, "cross"))
}

/// Bytes in all.
pub fn bytes(packets: &[Emission]) -> u64 {
    packets.iter().map(|p| u64::from(p.bytes)).sum()
}

/// Mean and variance.
pub fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// Fails unless `value` is within `tolerance` of `wanted`, both absolute.
#[track_caller]
pub fn near(value: f64, wanted: f64, tolerance: f64) {
    assert!((value - wanted).abs() <= tolerance, "{value} is not {wanted} +- {tolerance}");
}
