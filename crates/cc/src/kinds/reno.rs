//! Reno (RFC 5681): slow start, congestion avoidance, one halving per loss episode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Controller, Loss, PartialAck, PathFacts, Timeout};
use crate::parts::slow_start::{SlowStart, SlowStartKind, window_of_slow_start};
use crate::properties::{Describe, Properties, SawtoothCut};

/// Parameters of `reno`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenoParams {
    /// Truncates half a window to whole packets, as Linux does; RFC 5681 counts bytes.
    #[serde(default)]
    pub whole_packets: bool,
    /// How the first slow start ends.
    #[serde(default, skip_serializing_if = "SlowStartKind::is_standard")]
    pub slow_start: SlowStartKind,
}

impl Describe for RenoParams {
    const PROPERTIES: Properties = Properties {
        response_function: Some("Mathis, Semke, Mahdavi and Ott 1997, eq. 3 and table 1"),
        sawtooth: Some(SawtoothCut::Half),
        ..Properties::DEFAULT
    };
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
        Self { start: SlowStart::new(params.slow_start, params.whole_packets, facts) }
    }
}

impl Controller for Reno {
    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack) {
        self.start.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.start.reduce_to(loss.flight_size / 2.0);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.start.on_timeout(timeout);
    }

    window_of_slow_start!(start);

    fn partial_ack(&self) -> PartialAck {
        PartialAck::Leave
    }
}
