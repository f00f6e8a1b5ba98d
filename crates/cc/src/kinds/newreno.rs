//! NewReno (RFC 6582): Reno that stays in recovery until all packets outstanding at the loss are acknowledged.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PartialAck, PathFacts, Timeout};
use crate::kinds::reno::{Reno, RenoParams};
use crate::parts::slow_start::SlowStartKind;
use crate::properties::{Describe, Properties};

/// Parameters of `newreno`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRenoParams {
    /// Truncates half a window to whole packets, as Linux does; RFC 5681 counts bytes.
    #[serde(default)]
    pub whole_packets: bool,
    /// How the first slow start ends.
    #[serde(default, skip_serializing_if = "SlowStartKind::is_standard")]
    pub slow_start: SlowStartKind,
}

impl Describe for NewRenoParams {
    const PROPERTIES: Properties = RenoParams::PROPERTIES;
}

/// NewReno. Its window law is Reno's; only recovery without SACK differs.
#[derive(Debug, Clone)]
pub struct NewReno {
    law: Reno,
}

impl NewReno {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(params: &NewRenoParams, facts: &PathFacts) -> Self {
        let NewRenoParams { whole_packets, slow_start } = *params;
        Self { law: Reno::new(&RenoParams { whole_packets, slow_start }, facts) }
    }
}

impl Controller for NewReno {
    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack) {
        self.law.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.law.on_loss(loss);
    }

    fn on_recovered(&mut self, now: Time) {
        self.law.on_recovered(now);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.law.on_timeout(timeout);
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.law.on_idle(restart_window);
    }

    fn on_spurious_timeout(&mut self, window: f64) {
        self.law.on_spurious_timeout(window);
    }

    #[inline]
    fn window(&self) -> f64 {
        self.law.window()
    }

    fn slow_start_threshold(&self) -> Option<f64> {
        self.law.slow_start_threshold()
    }

    fn uses_sent(&self) -> bool {
        false
    }

    fn partial_ack(&self) -> PartialAck {
        PartialAck::Stay
    }
}
