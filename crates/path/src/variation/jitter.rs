//! Jitter: a random delay on top of the propagation delay, correlated over time.
//!
//! It comes from Ornstein-Uhlenbeck processes, seen when packets leave: after a time t a standard normal value z
//! becomes `rho z + sqrt(1 - rho^2) g` with `rho = exp(-t / correlation)`. So the correlation is one of time, whatever
//! the packet rate.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::Stream;
use crate::traffic::distributions::normal;

/// Parameters of jitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum JitterParams {
    /// Normal; what would be below zero is zero. Autocorrelation `exp(-t / correlation)`.
    Normal {
        /// Standard deviation.
        #[schemars(extend("x-most" = "1 h"))]
        sd: Time,
        /// Mean. Default: 4 standard deviations, below which zero one packet in 30,000 would be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-most" = "1 h"))]
        mean: Option<Time>,
        /// Time after which the correlation has fallen to 1/e; 0 s: every packet for itself.
        #[serde(default)]
        #[schemars(extend("x-most" = "1 h"))]
        correlation: Time,
    },
    /// Exponential. Autocorrelation `exp(-2 t / correlation)`.
    Exponential {
        /// Mean, and standard deviation.
        #[schemars(extend("x-most" = "1 h"))]
        mean: Time,
        /// Correlation time of the two normal processes whose squares it is the sum of; 0 s: every packet for itself.
        #[serde(default)]
        #[schemars(extend("x-most" = "1 h"))]
        correlation: Time,
    },
}

impl JitterParams {
    const fn correlation(&self) -> Time {
        match self {
            Self::Normal { correlation, .. } | Self::Exponential { correlation, .. } => *correlation,
        }
    }
}

/// Jitter at work.
#[derive(Debug, Clone)]
pub struct Jitter {
    params: JitterParams,
    stream: Stream,
    /// The normal processes; the second is for `exponential` alone.
    values: [f64; 2],
    seen: Option<Time>,
}

impl Jitter {
    /// The jitter of the link called `name`.
    #[must_use]
    pub fn new(params: JitterParams, seed: u64, name: &str) -> Self {
        Self { params, stream: Stream::new(seed, name, "jitter"), values: [0.0; 2], seen: None }
    }

    /// The delay of a packet that leaves at `now`, not before the one before it.
    pub fn draw(&mut self, now: Time) -> Time {
        let since = self.seen.map(|seen| now.saturating_sub(seen).as_secs_f64());
        self.seen = Some(now);
        let correlation = self.params.correlation().as_secs_f64();
        let rho = match since {
            Some(t) if correlation > 0.0 => libm::exp(-t / correlation),
            _ => 0.0,
        };
        let fresh = libm::sqrt(1.0 - rho * rho);
        let used = if matches!(self.params, JitterParams::Normal { .. }) { 1 } else { 2 };
        for value in &mut self.values[..used] {
            *value = rho * *value + fresh * normal(&mut self.stream);
        }
        let [a, b] = self.values;
        let seconds = match self.params {
            JitterParams::Normal { sd, mean, .. } => {
                let sd = sd.as_secs_f64();
                mean.map_or(4.0 * sd, Time::as_secs_f64) + sd * a
            }
            // half the sum of two squares of standard normal values is exponential with mean 1
            JitterParams::Exponential { mean, .. } => mean.as_secs_f64() * 0.5 * (a * a + b * b),
        };
        Time::from_secs_f64(seconds)
    }
}
