//! Loss-based controllers composed of a slow start and a window law for congestion avoidance.

use eddyline_units::Time;

use crate::controller::{Ack, Controller, EcnResponse, Loss, Marks, PathFacts, Timeout};
use crate::parts::slow_start::{SlowStart, SlowStartKind, window_of_slow_start};

/// Growth of the window in congestion avoidance, and its reduction after a loss.
pub trait WindowLaw {
    /// Growth of the window by an acknowledgement in congestion avoidance, in packets.
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64;

    /// The window and the slow-start threshold after a loss or a mark; the caller raises it to two packets.
    fn after_loss(&mut self, loss: &Loss, cwnd: f64) -> f64;

    /// The threshold after a first timeout.
    fn after_timeout(&mut self, timeout: &Timeout, cwnd: f64) -> f64 {
        self.after_loss(&Loss { now: timeout.now, flight_size: timeout.flight_size }, cwnd)
    }

    /// Receives every acknowledgement before the window changes. May return a window to set at once, which also ends slow start.
    fn observe(&mut self, _ack: &Ack, _cwnd: f64, _slow_start: bool) -> Option<f64> {
        None
    }

    /// The handshake's round-trip sample.
    fn on_handshake(&mut self, _rtt: Time) {}

    /// Growth in slow start by an acknowledgement that counts for so many packets, if it differs from the standard.
    fn slow_start_growth(&self, _counted: f64) -> Option<f64> {
        None
    }

    /// The loss episode is over. May return a new window.
    fn on_recovered(&mut self, _now: Time) -> Option<f64> {
        None
    }

    /// The estimate of the round-trip time without queueing.
    fn base_rtt(&self) -> Option<Time> {
        None
    }

    /// Accurate ECN feedback.
    fn on_marks(&mut self, _marks: &Marks) {}

    /// The law reacts to the share of marked packets (once a round trip), not to single marks.
    fn uses_mark_share(&self) -> bool {
        false
    }
}

/// Slow start and a window law.
#[derive(Debug, Clone)]
pub struct LossBased<L> {
    start: SlowStart,
    law: L,
}

impl<L: WindowLaw> LossBased<L> {
    pub(crate) fn with(law: L, slow_start: SlowStartKind, facts: &PathFacts) -> Self {
        Self { start: SlowStart::new(slow_start, false, facts), law }
    }
}

impl<L: WindowLaw> Controller for LossBased<L> {
    fn on_handshake(&mut self, _now: Time, rtt: Time) {
        self.law.on_handshake(rtt);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let slow_start = self.start.cwnd < self.start.ssthresh;
        let jump = self.law.observe(ack, self.start.cwnd, slow_start);
        let own = if slow_start { self.law.slow_start_growth(self.start.counted(ack.acked)) } else { None };
        if slow_start && jump.is_none() && own.is_none() {
            self.start.on_ack(ack);
            return;
        }
        if ack.in_recovery || !ack.cwnd_limited {
            return;
        }
        if let Some(window) = jump {
            self.start.reduce_to(window);
        } else if let Some(growth) = own {
            // never beyond the threshold in one step
            self.start.cwnd =
                (self.start.cwnd + growth).min(self.start.ssthresh).min(MAX_FAST_START.max(self.start.cwnd));
        } else {
            self.start.cwnd += self.law.growth(ack, self.start.cwnd);
            // a law that reduces the window does not return to slow start
            self.start.ssthresh = self.start.ssthresh.min(self.start.cwnd);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.law.after_loss(loss, self.start.cwnd).min(self.start.cwnd);
        self.start.reduce_to(window);
    }

    fn on_ecn(&mut self, mark: &Loss) {
        if !self.law.uses_mark_share() {
            self.on_loss(mark);
        }
    }

    fn on_marks(&mut self, marks: &Marks) {
        self.law.on_marks(marks);
    }

    fn ecn_response(&self) -> EcnResponse {
        if self.law.uses_mark_share() { EcnResponse::ByShare } else { EcnResponse::AsLoss }
    }

    fn on_recovered(&mut self, now: Time) {
        if let Some(window) = self.law.on_recovered(now) {
            self.start.reduce_to(window);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let threshold =
            if timeout.repeated { self.start.ssthresh } else { self.law.after_timeout(timeout, self.start.cwnd) };
        self.start.collapse(timeout, threshold);
    }

    window_of_slow_start!(start);

    fn base_rtt(&self) -> Option<Time> {
        self.law.base_rtt()
    }
}

/// Upper bound of a slow start faster than doubling: the maximum window of TCP without window scaling, in packets.
const MAX_FAST_START: f64 = 65_535.0;
