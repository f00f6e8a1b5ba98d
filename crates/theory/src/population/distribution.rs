//! The stationary population of one duplex link, by the chain or by its reduction.

use super::duplex::DuplexLoad;

/// The stationary population of one duplex link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stationary {
    /// Share of time without flows.
    pub idle: f64,
    /// Share of time in which l_F alone is full.
    pub forward: f64,
    /// Share of time in which l_B alone is full.
    pub backward: f64,
    /// Share of time in which both are full: the states on the line n = theta m.
    pub both: f64,
    /// E\[n\].
    pub mean_forward: f64,
    /// E\[m\].
    pub mean_backward: f64,
    /// Bound of the relative error of the means and of the absolute error of the shares, as far as truncation goes; for
    /// the asymptotic solution an estimate.
    pub error: f64,
    /// States of the truncated chain; 0 for the asymptotic solution.
    pub states: usize,
}

impl Stationary {
    /// Mean times of transfer forward and backward in seconds, by Little's law; `None` in a direction without arrivals.
    #[must_use]
    pub fn transfer_times(&self, load: &DuplexLoad) -> [Option<f64>; 2] {
        let time = |mean: f64, rate: f64| (rate > 0.0).then(|| mean / rate);
        [time(self.mean_forward, load.lambda_f), time(self.mean_backward, load.lambda_b)]
    }
}
