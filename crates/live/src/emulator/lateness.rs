//! How late packets are delivered, against the emulated times.

use eddyline_path::histogram::Histogram;
use eddyline_units::Time;

/// Lateness of deliveries.
#[derive(Debug, Clone, Default)]
pub struct Lateness {
    histogram: Histogram,
    max: Time,
    count: u64,
}

impl Lateness {
    /// A packet was delivered this late.
    pub fn add(&mut self, late: Time) {
        self.histogram.add(late);
        self.max = self.max.max(late);
        self.count += 1;
    }

    /// Adds those of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.histogram.merge(&other.histogram);
        self.max = self.max.max(other.max);
        self.count += other.count;
    }

    /// A quantile in seconds.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        self.histogram.quantile(share)
    }

    /// The maximum in seconds.
    #[must_use]
    pub fn max_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.max.as_secs_f64())
    }
}
