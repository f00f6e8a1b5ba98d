//! Loss-based controllers put together: slow start of one kind, a window law for congestion avoidance.

use eddyline_units::Time;

use crate::controller::{Ack, Controller, EcnResponse, Loss, Marks, PathFacts, Timeout};
use crate::parts::slow_start::{SlowStart, SlowStartKind, window_of_slow_start};

/// What a window does once slow start is over, and what is left of it after a loss.
pub trait WindowLaw {
    /// Packets by which an acknowledgement lets the window grow in congestion avoidance.
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64;

    /// The window, and the threshold of slow start, after a loss or a mark; at least two packets are taken anyway.
    fn after_loss(&mut self, loss: &Loss, cwnd: f64) -> f64;

    /// The threshold after a timeout that follows no other.
    fn after_timeout(&mut self, timeout: &Timeout, cwnd: f64) -> f64 {
        self.after_loss(&Loss { now: timeout.now, flight_size: timeout.flight_size }, cwnd)
    }

    /// Hears every acknowledgement before the window moves. Gives a window to go to at once; slow start, if it was
    /// under way, is over then.
    fn observe(&mut self, _ack: &Ack, _cwnd: f64, _slow_start: bool) -> Option<f64> {
        None
    }

    /// The handshake's round-trip sample.
    fn on_handshake(&mut self, _rtt: Time) {}

    /// Growth in slow start by one acknowledgement, where it is not the standard one.
    fn slow_start_growth(&self, _ack: &Ack) -> Option<f64> {
        None
    }

    /// The loss episode is over. Gives a window to go on with, where it is not the one after the loss.
    fn on_recovered(&mut self, _now: Time) -> Option<f64> {
        None
    }

    /// The belief about the round-trip time without queueing.
    fn base_rtt(&self) -> Option<Time> {
        None
    }

    /// Accurate ECN feedback.
    fn on_marks(&mut self, _marks: &Marks) {}

    /// Marks are all that this law goes by, and no reason to reduce the window at once.
    fn goes_by_marks(&self) -> bool {
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
        let own = if slow_start { self.law.slow_start_growth(ack) } else { None };
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
            // not beyond the threshold in one step, however steep
            self.start.cwnd = (self.start.cwnd + growth).min(self.start.ssthresh).min(STEEPEST.max(self.start.cwnd));
        } else {
            self.start.cwnd += self.law.growth(ack, self.start.cwnd);
            // a law that shrinks does not fall back into slow start
            self.start.ssthresh = self.start.ssthresh.min(self.start.cwnd);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        let window = self.law.after_loss(loss, self.start.cwnd).min(self.start.cwnd);
        self.start.reduce_to(window);
    }

    fn on_ecn(&mut self, mark: &Loss) {
        if !self.law.goes_by_marks() {
            self.on_loss(mark);
        }
    }

    fn on_marks(&mut self, marks: &Marks) {
        self.law.on_marks(marks);
    }

    fn ecn_response(&self) -> EcnResponse {
        if self.law.goes_by_marks() { EcnResponse::ByShare } else { EcnResponse::AsLoss }
    }

    fn on_recovered(&mut self, now: Time) {
        if let Some(window) = self.law.on_recovered(now) {
            self.start.reduce_to(window);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if timeout.repeated {
            self.start.collapse(timeout.flight_size, true);
        } else {
            let threshold = self.law.after_timeout(timeout, self.start.cwnd);
            self.start.collapse(threshold, false);
        }
    }

    window_of_slow_start!(start);

    fn base_rtt(&self) -> Option<Time> {
        self.law.base_rtt()
    }
}

/// A slow start steeper than doubling ends here at the latest: the largest window of TCP without scaling, in packets.
const STEEPEST: f64 = 65_535.0;
