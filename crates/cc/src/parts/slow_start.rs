//! Standard slow start and congestion avoidance (RFC 5681, 3.1) for loss-based controllers, with optional byte counting and
//! HyStart++.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, PathFacts, Timeout};
use crate::parts::byte_counting::ByteCounting;
use crate::parts::hystart::HyStart;

/// How a loss-based controller probes for the capacity of an unknown path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum SlowStartKind {
    /// Growth by one packet per acknowledgement until a loss (RFC 5681): doubling each round trip if each packet is
    /// acknowledged, by half with `ack_every = 2` unless `byte_counting` is set.
    #[default]
    #[serde(rename = "standard")]
    Standard,
    /// Growth by the packets acknowledged, doubling each round trip; the first slow start ends when the round-trip time
    /// grows (HyStart++, RFC 9406).
    #[serde(rename = "hystart++")]
    HyStart,
}

impl SlowStartKind {
    pub(crate) fn is_standard(&self) -> bool {
        *self == Self::Standard
    }
}

/// Extensions.
#[derive(Debug, Clone)]
struct Parts {
    counting: Option<ByteCounting>,
    finder: Option<HyStart>,
}

impl Parts {
    fn of(kind: SlowStartKind, facts: &PathFacts) -> Option<Box<Self>> {
        let counting = facts.byte_counting.map(ByteCounting::new);
        let finder = (kind == SlowStartKind::HyStart).then(|| HyStart::new(facts));
        (counting.is_some() || finder.is_some()).then(|| Box::new(Self { counting, finder }))
    }
}

/// The window of a loss-based controller with its slow-start threshold.
#[derive(Debug, Clone)]
pub(crate) struct SlowStart {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    /// Thresholds are truncated to whole packets.
    whole_packets: bool,
    /// Extensions, if any is in use.
    parts: Option<Box<Parts>>,
    /// The threshold to restore if the last timeout was spurious (pipe_prev of RFC 4015).
    previous_window: Option<f64>,
}

impl SlowStart {
    pub(crate) fn new(kind: SlowStartKind, whole_packets: bool, facts: &PathFacts) -> Self {
        Self {
            cwnd: facts.initial_window.max(1.0),
            ssthresh: f64::INFINITY,
            whole_packets,
            parts: Parts::of(kind, facts),
            previous_window: None,
        }
    }

    /// Grows the window by an acknowledgement: by one packet in slow start, by one packet a round trip in congestion avoidance, unless
    /// an extension changes that.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, ack: &Ack) {
        if self.parts.is_some() {
            // a copy, so that the event can stay in registers otherwise
            return self.on_ack_with_parts(&{ *ack });
        }
        if ack.in_recovery || !ack.cwnd_limited {
            return;
        }
        // RFC 5681, equations 2 and 3
        self.cwnd += if self.cwnd < self.ssthresh { ack.acked.min(1.0) } else { 1.0 / self.cwnd };
    }

    #[cold]
    fn on_ack_with_parts(&mut self, ack: &Ack) {
        let Some(parts) = &mut self.parts else { return };
        if !ack.in_recovery && ack.cwnd_limited {
            self.cwnd += match (&parts.finder, &mut parts.counting) {
                (Some(finder), _) if self.cwnd < self.ssthresh => finder.growth(ack.acked),
                (_, Some(counting)) if self.cwnd < self.ssthresh => counting.in_slow_start(ack.acked),
                (_, Some(counting)) => counting.in_avoidance(ack.acked, self.cwnd),
                _ if self.cwnd < self.ssthresh => ack.acked.min(1.0),
                _ => 1.0 / self.cwnd,
            };
        }
        // the first slow start may end even if the window did not grow
        if parts.finder.as_mut().is_some_and(|f| f.observe(ack)) {
            self.ssthresh = self.cwnd;
            parts.finder = None;
        }
    }

    /// What an acknowledgement of `acked` packets counts for in slow start.
    pub(crate) fn counted(&self, acked: f64) -> f64 {
        let counting = self.parts.as_ref().and_then(|parts| parts.counting.as_ref());
        counting.map_or(acked.min(1.0), |counting| counting.in_slow_start(acked))
    }

    /// Sets threshold and window after a fast retransmit.
    pub(crate) fn reduce_to(&mut self, packets: f64) {
        self.ssthresh = self.threshold(packets);
        self.cwnd = self.ssthresh;
        self.previous_window = None;
        if let Some(parts) = &mut self.parts {
            parts.finder = None;
        }
    }

    /// Starts over from one packet, with half the packets in flight as the threshold (RFC 5681, equation 4).
    pub(crate) fn on_timeout(&mut self, timeout: &Timeout) {
        self.collapse(timeout, timeout.flight_size / 2.0);
    }

    /// Starts over from one packet; a repeated timeout leaves the threshold as it was.
    pub(crate) fn collapse(&mut self, timeout: &Timeout, threshold: f64) {
        if !timeout.repeated {
            // pipe_prev of RFC 4015, 3.2
            self.previous_window = Some(self.ssthresh.max(timeout.flight_size));
            self.ssthresh = self.threshold(threshold);
        }
        self.cwnd = 1.0;
        if let Some(parts) = &mut self.parts {
            parts.finder = None;
            if let Some(counting) = &mut parts.counting {
                counting.on_timeout();
            }
        }
    }

    /// The last timeout was spurious: sets the window by the packets in flight and restores the threshold (RFC 4015, 3.2).
    pub(crate) fn undo_timeout(&mut self, window: f64) {
        if let Some(threshold) = self.previous_window.take() {
            self.cwnd = self.cwnd.max(window);
            self.ssthresh = threshold;
        }
    }

    fn threshold(&self, packets: f64) -> f64 {
        let packets = if self.whole_packets { libm::floor(packets) } else { packets };
        packets.max(2.0)
    }

    pub(crate) fn restart(&mut self, restart_window: f64) {
        self.cwnd = self.cwnd.min(restart_window.max(1.0));
    }
}

/// Methods of a [`Controller`](crate::controller::Controller) whose window is a [`SlowStart`].
macro_rules! window_of_slow_start {
    ($part:ident) => {
        fn on_idle(&mut self, restart_window: f64) {
            self.$part.restart(restart_window);
        }

        fn on_spurious_timeout(&mut self, window: f64) {
            self.$part.undo_timeout(window);
        }

        #[inline]
        fn window(&self) -> f64 {
            self.$part.cwnd
        }

        fn slow_start_threshold(&self) -> Option<f64> {
            Some(self.$part.ssthresh)
        }

        fn uses_sent(&self) -> bool {
            false
        }
    };
}

pub(crate) use window_of_slow_start;
