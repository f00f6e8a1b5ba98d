//! Samplers of distributions of traffic and transfer sizes.
//!
//! Logarithms, exponentials and powers come from `libm`, not from the platform, so the results are the same everywhere.

use crate::random::Stream;

/// Exponential with this mean.
#[must_use]
pub fn exponential(stream: &mut Stream, mean: f64) -> f64 {
    -mean * libm::log(stream.uniform_above_zero())
}

/// Pareto with this mean and tail exponent `shape`, which must be above 1: below, no mean exists.
#[must_use]
pub fn pareto(stream: &mut Stream, mean: f64, shape: f64) -> f64 {
    let min = mean * (shape - 1.0) / shape;
    min * libm::pow(stream.uniform_above_zero(), -1.0 / shape)
}

/// Standard normal, by Marsaglia's polar method. The second variate is discarded, which keeps the sampler stateless.
#[must_use]
pub fn normal(stream: &mut Stream) -> f64 {
    loop {
        let (u, v) = (2.0 * stream.uniform() - 1.0, 2.0 * stream.uniform() - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * libm::sqrt(-2.0 * libm::log(s) / s);
        }
    }
}

/// A lognormal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogNormal {
    /// Mean of the logarithm.
    pub mu: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
}

impl LogNormal {
    /// With this mean and coefficient of variation (standard deviation over mean).
    #[must_use]
    pub fn with(mean: f64, cv: f64) -> Self {
        let variance = libm::log1p(cv * cv);
        Self { mu: libm::log(mean) - variance / 2.0, sigma: libm::sqrt(variance) }
    }

    /// One variate.
    #[must_use]
    pub fn sample(&self, stream: &mut Stream) -> f64 {
        libm::exp(self.mu + self.sigma * normal(stream))
    }

    /// The probability of `x` or more.
    #[must_use]
    pub fn tail(&self, x: f64) -> f64 {
        let above = libm::log(x) - self.mu;
        if self.sigma > 0.0 {
            0.5 * libm::erfc(above / (self.sigma * core::f64::consts::SQRT_2))
        } else {
            f64::from(u8::from(above <= 0.0))
        }
    }
}

/// The number of trials up to and including the first success: 1, 2, 3, ...
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geometric {
    /// Logarithm of the probability of failure; minus infinity where success is certain.
    log_failure: f64,
}

impl Geometric {
    /// With this mean; less than one counts as one.
    #[must_use]
    pub fn with_mean(mean: f64) -> Self {
        Self { log_failure: libm::log1p(-1.0 / mean.max(1.0)) }
    }

    /// One variate.
    #[must_use]
    pub fn sample(&self, stream: &mut Stream) -> u64 {
        // inversion; a finite over minus infinity is zero, and `as` saturates
        1 + ((libm::log(stream.uniform_above_zero()) / self.log_failure) as u64).min(u64::MAX - 1)
    }
}
