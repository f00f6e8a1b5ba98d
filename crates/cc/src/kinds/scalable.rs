//! Scalable TCP (Kelly 2003): increases by a fixed share of a packet per packet acknowledged, decreases by a fixed share of the window per loss.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `scalable`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScalableParams {
    /// Packets per packet acknowledged (a = 0.01; Linux takes 0.02).
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub a: f64,
    /// Share of the window given up per loss (b = 1/8).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub b: f64,
    /// Up to this window in packets it is Reno (16; Linux has none).
    #[schemars(extend("minimum" = 0))]
    pub legacy_window: f64,
    /// Grows at least as fast as Reno: a packet per `min(cwnd, 1 / a)` acknowledged, as in Linux.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub at_least_reno: bool,
}

impl Default for ScalableParams {
    fn default() -> Self {
        Self { a: 0.01, b: 0.125, legacy_window: 16.0, at_least_reno: false }
    }
}

impl Describe for ScalableParams {
    const PROPERTIES: Properties =
        Properties { response_function: Some("Kelly 2003, section 3"), ..Properties::DEFAULT };
}

/// Scalable TCP's window law.
#[derive(Debug, Clone)]
pub struct ScalableLaw(ScalableParams);

/// Scalable TCP.
pub type Scalable = LossBased<ScalableLaw>;

impl Scalable {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(params: &ScalableParams, facts: &PathFacts) -> Self {
        Self::with(ScalableLaw(*params), SlowStartKind::Standard, facts)
    }
}

impl WindowLaw for ScalableLaw {
    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        let acked = ack.acked.min(cwnd);
        let reno = 1.0 / cwnd;
        acked
            * if cwnd <= self.0.legacy_window {
                reno
            } else if self.0.at_least_reno {
                self.0.a.max(reno)
            } else {
                self.0.a
            }
    }

    fn after_loss(&mut self, loss: &Loss, cwnd: f64) -> f64 {
        loss.flight_size * if cwnd <= self.0.legacy_window { 0.5 } else { 1.0 - self.0.b }
    }
}
