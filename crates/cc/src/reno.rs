//! Reno (RFC 5681): slow start, congestion avoidance, one halving per loss episode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PartialAck, PathFacts, Timeout};
use crate::slow_start::SlowStart;

/// Parameters of `reno`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenoParams {
    /// Half a window is cut to whole packets, as Linux and ns-2 do; RFC 5681 counts bytes.
    #[serde(default)]
    pub whole_packets: bool,
}

/// Reno: additive increase of one packet a round trip, counted per acknowledgement; halving on loss.
#[derive(Debug, Clone)]
pub struct Reno {
    start: SlowStart,
}

impl Reno {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(params: &RenoParams, facts: &PathFacts) -> Self {
        Self { start: SlowStart { whole_packets: params.whole_packets, ..SlowStart::new(facts.initial_window) } }
    }
}

impl Controller for Reno {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.in_recovery || !ack.cwnd_limited {
            return;
        }
        if !self.start.grow(ack.acked) {
            // RFC 5681, equation 3: SMSS * SMSS / cwnd per acknowledgement
            self.start.cwnd += 1.0 / self.start.cwnd;
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.start.reduce_to(loss.flight_size / 2.0);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.start.collapse(timeout.flight_size / 2.0, timeout.repeated);
    }

    fn on_idle(&mut self, restart_window: f64) {
        self.start.restart(restart_window);
    }

    #[inline]
    fn window(&self) -> f64 {
        self.start.cwnd
    }

    fn partial_ack(&self) -> PartialAck {
        PartialAck::Leave
    }
}
