//! Sizes of transfers, and when they arrive.

use std::sync::Arc;

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::distributions::{LogNormal, exponential, pareto};
use crate::random::Stream;

/// Distribution of a transfer's payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum SizeParams {
    /// Exponential.
    Exponential {
        /// Mean.
        #[schemars(extend("x-minimum" = "1 B"))]
        mean: Bytes,
    },
    /// Heavy-tailed.
    Pareto {
        /// Mean.
        #[schemars(extend("x-minimum" = "1 B"))]
        mean: Bytes,
        /// Tail index, above 1.
        #[schemars(extend("exclusiveMinimum" = 1))]
        shape: f64,
    },
    /// The logarithm is normal.
    Lognormal {
        /// Mean.
        #[schemars(extend("x-minimum" = "1 B"))]
        mean: Bytes,
        /// Standard deviation of the logarithm.
        #[schemars(extend("exclusiveMinimum" = 0))]
        sigma: f64,
    },
    /// Constant.
    Fixed {
        /// The size.
        #[schemars(extend("x-minimum" = "1 B"))]
        size: Bytes,
    },
    /// Sizes from a file: whole bytes, one a line, repeated.
    Trace {
        /// The file, relative to the scenario's folder.
        file: String,
    },
}

impl SizeParams {
    /// What a file of sizes contains.
    pub const FORM: &str = "one size a line: a whole number of bytes";

    /// Reads a file of sizes: one whole number of bytes, at least one, a line; `#` begins a comment.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn read(text: &str) -> Result<Vec<u64>, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.split('#').next().unwrap_or("").trim()));
        let sizes = lines.filter(|(_, l)| !l.is_empty()).map(|(i, l)| match l.parse::<u64>() {
            Ok(n) if n > 0 => Ok(n),
            _ => Err(format!("line {i}: {l:?} is not a size: a whole number of bytes, at least 1")),
        });
        let sizes: Vec<u64> = sizes.collect::<Result<_, _>>()?;
        if sizes.is_empty() { Err("no size in it".to_owned()) } else { Ok(sizes) }
    }

    /// Mean payload in bytes; `listed` are the sizes of the file, where it names one.
    #[must_use]
    pub fn mean_bytes(&self, listed: Option<&[u64]>) -> f64 {
        match self {
            Self::Exponential { mean } | Self::Pareto { mean, .. } | Self::Lognormal { mean, .. } => mean.get() as f64,
            Self::Fixed { size } => size.get() as f64,
            Self::Trace { .. } => {
                listed.map_or(0.0, |l| l.iter().map(|s| *s as f64).sum::<f64>() / l.len().max(1) as f64)
            }
        }
    }
}

/// Transfers that arrive as a Poisson process.
#[derive(Debug, Clone)]
pub struct Transfers {
    gaps: Stream,
    sizes: Stream,
    mean_gap_ps: f64,
    params: SizeParams,
    listed: Arc<[u64]>,
    next: usize,
    at: Time,
}

impl Transfers {
    /// The arrivals called `name`: `rate` a second, sizes as `params` says; `listed` are the sizes of its file.
    #[must_use]
    pub fn new(rate: f64, params: &SizeParams, listed: Option<&Arc<[u64]>>, seed: u64, name: &str) -> Self {
        Self {
            gaps: Stream::new(seed, name, "arrival"),
            sizes: Stream::new(seed, name, "size"),
            mean_gap_ps: 1e12 / rate,
            params: params.clone(),
            listed: listed.cloned().unwrap_or_else(|| Arc::from([1])),
            next: 0,
            at: Time::ZERO,
        }
    }

    /// The next arrival: when, and how many bytes of payload, at least one.
    #[expect(clippy::should_implement_trait, reason = "it never ends: an iterator's adapters would not either")]
    pub fn next(&mut self) -> (Time, u64) {
        let gap = exponential(&mut self.gaps, self.mean_gap_ps);
        self.at = self.at.saturating_add(Time::from_ps(gap as u64));
        (self.at, self.size())
    }

    fn size(&mut self) -> u64 {
        let bytes = match &self.params {
            SizeParams::Exponential { mean } => exponential(&mut self.sizes, mean.get() as f64),
            SizeParams::Pareto { mean, shape } => pareto(&mut self.sizes, mean.get() as f64, *shape),
            SizeParams::Lognormal { mean, sigma } => {
                let mu = libm::log(mean.get() as f64) - sigma * sigma / 2.0;
                LogNormal { mu, sigma: *sigma }.sample(&mut self.sizes)
            }
            SizeParams::Fixed { size } => return size.get(),
            SizeParams::Trace { .. } => {
                let size = self.listed[self.next];
                self.next = (self.next + 1) % self.listed.len();
                return size;
            }
        };
        // rounding up keeps the minimum at one byte; a bias of half a byte is negligible
        (bytes.ceil() as u64).clamp(1, 1 << 50)
    }
}
