//! Tahoe: slow start and congestion avoidance, fast retransmit, no fast recovery: every loss starts over from one packet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PartialAck, PathFacts, Timeout};
use crate::parts::slow_start::{SlowStart, SlowStartKind, window_of_slow_start};
use crate::properties::{Describe, Properties};

/// Parameters of `tahoe`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TahoeParams {
    /// Truncates half a window to whole packets.
    #[serde(default)]
    pub whole_packets: bool,
}

impl Describe for TahoeParams {
    const PROPERTIES: Properties = Properties::DEFAULT;
}

/// Tahoe.
#[derive(Debug, Clone)]
pub struct Tahoe {
    start: SlowStart,
}

impl Tahoe {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(params: &TahoeParams, facts: &PathFacts) -> Self {
        Self { start: SlowStart::new(SlowStartKind::Standard, params.whole_packets, facts) }
    }
}

impl Controller for Tahoe {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        // Jacobson 1988, appendix B; growth does not pause, because there is no recovery
        self.start.on_ack(&Ack { in_recovery: false, ..*ack });
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.start.on_timeout(&Timeout { now: loss.now, flight_size: loss.flight_size, repeated: false });
    }

    fn on_ecn(&mut self, mark: &Loss) {
        // RFC 3168, 6.1.2: as a loss, but without retransmissions that would need slow start
        self.start.reduce_to(mark.flight_size / 2.0);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.start.on_timeout(timeout);
    }

    window_of_slow_start!(start);

    fn partial_ack(&self) -> PartialAck {
        PartialAck::Leave
    }
}
