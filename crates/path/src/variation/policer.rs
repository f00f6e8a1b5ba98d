//! A policer: a token bucket that drops excess packets and delays none.

use eddyline_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bucket::Bucket;

/// Parameters of a policer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicerParams {
    /// Token rate.
    #[schemars(extend("x-minimum" = "1 bit/s", "x-maximum" = "10 Tbit/s"))]
    pub rate: Rate,
    /// Size of the bucket; a larger packet never conforms.
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub burst: Bytes,
}

/// A policer (RFC 2475, section 2.3.3.4), its bucket initially full.
#[derive(Debug, Clone)]
pub struct Policer(Bucket);

impl Policer {
    /// A policer.
    #[must_use]
    pub fn new(params: PolicerParams) -> Self {
        Self(Bucket::new(params.rate, params.burst))
    }

    /// Whether a packet of `bytes` that arrives now conforms; if so it consumes tokens.
    pub fn admits(&mut self, now: Time, bytes: u32) -> bool {
        self.0.consume(now, u64::from(bytes))
    }
}
