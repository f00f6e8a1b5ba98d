//! Appropriate byte counting (RFC 3465): the window grows by what is acknowledged, not by the number of acknowledgements.

use crate::controller::PathFacts;

/// What an acknowledgement counts for, at most, in congestion avoidance of a law that counts acknowledgements: one packet, or all that
/// it acknowledges with byte counting (2.1).
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaxCounted(f64);

impl MaxCounted {
    pub(crate) fn new(facts: &PathFacts) -> Self {
        Self(if facts.byte_counting.is_some() { f64::INFINITY } else { 1.0 })
    }

    pub(crate) fn of(self, acked: f64) -> f64 {
        acked.min(self.0)
    }
}

/// Bytes acknowledged, in packets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteCounting {
    /// Maximum growth per acknowledgement in slow start, in packets (L).
    limit: f64,
    /// Acknowledged since the last step in congestion avoidance (bytes_acked).
    counted: f64,
    /// In the slow start after a timeout, where an acknowledgement may cover packets that left the network long ago.
    after_timeout: bool,
}

impl ByteCounting {
    pub(crate) fn new(limit: f64) -> Self {
        Self { limit, counted: 0.0, after_timeout: false }
    }

    /// Growth in slow start (2.2): at most L packets, one after a timeout (2.3).
    pub(crate) fn in_slow_start(&self, acked: f64) -> f64 {
        acked.min(if self.after_timeout { 1.0 } else { self.limit })
    }

    /// Growth in congestion avoidance (2.1): one packet when a whole window has been acknowledged.
    pub(crate) fn in_avoidance(&mut self, acked: f64, cwnd: f64) -> f64 {
        self.after_timeout = false;
        self.counted += acked;
        if self.counted < cwnd {
            return 0.0;
        }
        self.counted -= cwnd;
        1.0
    }

    pub(crate) fn on_timeout(&mut self) {
        self.after_timeout = true;
        self.counted = 0.0;
    }
}
