//! A policer: a token bucket that drops what is above its rate, and delays nothing.

use eddyline_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bucket::Bucket;

/// Parameters of a policer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicerParams {
    /// Rate at which tokens come.
    #[schemars(extend("x-least" = "1 bit/s", "x-most" = "10 Tbit/s"))]
    pub rate: Rate,
    /// Tokens that the bucket holds; a packet above that never passes.
    #[schemars(extend("x-least" = "1 B", "x-most" = "1 GB"))]
    pub burst: Bytes,
}

/// A policer at work (RFC 2475, section 2.3.3.4), its bucket full at first.
#[derive(Debug, Clone)]
pub struct Policer(Bucket);

impl Policer {
    /// A policer.
    #[must_use]
    pub fn new(params: PolicerParams) -> Self {
        Self(Bucket::new(params.rate, params.burst))
    }

    /// Whether a packet of `bytes` that comes now passes; one that does pays for it.
    pub fn admits(&mut self, now: Time, bytes: u32) -> bool {
        self.0.pay(now, u64::from(bytes))
    }
}
