//! DCTCP (RFC 8257): reduces the window in proportion to the share of marked packets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, EcnResponse, Loss, Marks, PathFacts, Timeout};
use crate::parts::round_trips::Round;
use crate::parts::slow_start::{SlowStart, SlowStartKind, window_of_slow_start};
use crate::properties::{Describe, EcnFeedback, Properties, SawtoothCut};

/// Parameters of `dctcp`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DctcpParams {
    /// Weight of a round trip in the average share of marked packets (g, 1/16).
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: f64,
    /// Initial value of that average (1).
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub initial_alpha: f64,
}

impl Default for DctcpParams {
    fn default() -> Self {
        // RFC 8257, 4.2 and 3.3
        Self { gain: 1.0 / 16.0, initial_alpha: 1.0 }
    }
}

impl Describe for DctcpParams {
    const PROPERTIES: Properties =
        Properties { ecn: EcnFeedback::Accurate, sawtooth: Some(SawtoothCut::ByShare), ..Properties::DEFAULT };
}

/// DCTCP.
#[derive(Debug, Clone)]
pub struct Dctcp {
    start: SlowStart,
    gain: f64,
    alpha: f64,
    round: Round,
    /// Packets acknowledged in this round trip, and how many of them were marked.
    acked: f64,
    marked: f64,
}

impl Dctcp {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &DctcpParams, facts: &PathFacts) -> Self {
        Self {
            start: SlowStart::new(SlowStartKind::Standard, false, facts),
            gain: p.gain,
            alpha: p.initial_alpha,
            round: Round::default(),
            acked: 0.0,
            marked: 0.0,
        }
    }
}

impl Controller for Dctcp {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.start.on_ack(ack);
    }

    /// RFC 8257, 3.3: once a round trip `alpha <- (1 - g) alpha + g M`.
    fn on_marks(&mut self, marks: &Marks) {
        self.acked += marks.acked;
        self.marked += marks.marked;
        if self.acked > 0.0 && self.round.is_over(marks.now, marks.sent_at) {
            let share = (self.marked / self.acked).min(1.0);
            self.alpha += self.gain * (share - self.alpha);
            (self.acked, self.marked) = (0.0, 0.0);
        }
    }

    /// RFC 8257, 3.3: `cwnd <- cwnd (1 - alpha / 2)`.
    fn on_ecn(&mut self, _mark: &Loss) {
        self.start.reduce_to(self.start.cwnd * (1.0 - self.alpha / 2.0));
    }

    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::ByShare
    }

    /// RFC 8257, 3.5: as conventional TCP.
    fn on_loss(&mut self, loss: &Loss) {
        self.start.reduce_to(loss.flight_size / 2.0);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.start.on_timeout(timeout);
    }

    window_of_slow_start!(start);
}
