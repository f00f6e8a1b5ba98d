//! Startup until the pipe is full, and Drain until the queue that Startup built is empty (draft-ietf-ccwg-bbr, 5.3.1 and 5.3.2).

use super::{DRAIN_ROUNDS, EXTRA_ACKED_ROUNDS, Model, STARTUP_FULL_LOSS_COUNT, Sample, State};
use crate::controller::Ack;

impl Model {
    /// CheckFullBWReached (5.3.1.2).
    pub(super) fn check_full(&mut self, sample: &Sample) {
        if self.full_now || !self.round_start || sample.app_limited {
            return;
        }
        if sample.rate >= self.full_bw * 1.25 {
            self.reset_full();
            self.full_bw = sample.rate;
            return;
        }
        self.full_count += 1;
        self.full_now = self.full_count >= 3;
        if self.full_now {
            self.set_full();
        }
    }

    pub(super) fn set_full(&mut self) {
        self.full_reached = true;
        self.extra_acked.set_length(EXTRA_ACKED_ROUNDS);
    }

    /// CheckStartupDone with CheckStartupHighLoss (5.3.1.3).
    pub(super) fn check_startup(&mut self, sample: &Sample) {
        if self.state != State::Startup {
            return;
        }
        if self.round_start {
            let lossy = self.recovering && self.loss_events >= STARTUP_FULL_LOSS_COUNT && self.is_too_high(sample);
            self.startup_lossy_rounds = if self.recovering { self.startup_lossy_rounds + 1 } else { 0 };
            self.loss_events = 0;
            if lossy && self.startup_lossy_rounds > 1 {
                self.set_full();
                self.inflight_longterm = self.multiple(self.bw, 1.0).max(self.inflight_latest);
            }
        }
        if self.full_reached {
            self.state = State::Drain;
            self.drain_round = self.round;
        }
    }

    pub(super) fn check_drain(&mut self, ack: &Ack) {
        if self.state == State::Drain
            && (ack.in_flight <= self.quantized(self.multiple(self.bw, 1.0))
                || self.round > self.drain_round + DRAIN_ROUNDS)
        {
            self.start_down(ack.now);
        }
    }
}
