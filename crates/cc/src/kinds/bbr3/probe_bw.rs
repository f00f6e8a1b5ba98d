//! ProbeBW: the cycle of Down, Cruise, Refill and Up, and the adaptation of the long-term bound (5.3.3).

use eddyline_units::Time;

use super::{AckPhase, MAX_RENO_ROUNDS, Model, Sample, State};
use crate::controller::Ack;

impl Model {
    // 5.3.3.6: entering the states
    pub(super) fn start_down(&mut self, now: Time) {
        self.loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
        self.up_acked_per_increment = f64::INFINITY;
        // PickProbeWait: the draft draws at random; here it is a golden-ratio sequence, different from flow to flow
        self.probe_wait_fraction = (self.probe_wait_fraction + 0.618_033_988_749_895) % 1.0;
        self.rounds_since_up = u64::from(self.probe_wait_fraction >= 0.5);
        self.probe_wait = Time::from_ps(2_000_000_000_000 + (self.probe_wait_fraction * 1e12) as u64);
        self.cycle_since = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    pub(super) fn start_refill(&mut self) {
        self.reset_shortterm();
        (self.up_rounds, self.up_acked) = (0, 0.0);
        self.probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    pub(super) fn start_up(&mut self, sample: &Sample) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full();
        self.full_bw = sample.rate;
        self.state = State::Up;
        self.raise_slope();
    }

    pub(super) fn raise_slope(&mut self) {
        let growth = libm::exp2(f64::from(self.up_rounds));
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.up_acked_per_increment = (self.cwnd / growth).max(1.0);
    }

    pub(super) fn is_too_high(&self, sample: &Sample) -> bool {
        sample.lost > sample.tx_in_flight * self.p.loss_thresh
    }

    /// AdaptLongTermModel (5.3.3.6); returns whether it changed the state.
    pub(super) fn adapt_longterm(&mut self, ack: &Ack, sample: &Sample) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.in_probe_bw() {
                if !sample.app_limited {
                    self.cycle += 1;
                }
                if self.probe_precautionary && !self.probe_too_high {
                    self.start_refill();
                    return true;
                }
            }
        }
        if !self.is_too_high(sample) && self.inflight_longterm.is_finite() {
            self.inflight_longterm = self.inflight_longterm.max(sample.tx_in_flight);
            if self.state == State::Up && ack.cwnd_limited && self.cwnd >= self.inflight_longterm {
                self.up_acked += ack.acked;
                if self.up_acked >= self.up_acked_per_increment {
                    let delta = libm::floor(self.up_acked / self.up_acked_per_increment);
                    self.up_acked -= delta * self.up_acked_per_increment;
                    self.inflight_longterm += delta;
                }
                if self.round_start {
                    self.raise_slope();
                }
            }
        }
        false
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn advance_cycle(&mut self, ack: &Ack, sample: &Sample) {
        if !self.full_reached || self.adapt_longterm(ack, sample) {
            return;
        }
        let bdp = |bw| self.multiple(bw, 1.0);
        match self.state {
            State::Down | State::Cruise => {
                let waited = ack.now > self.cycle_since.saturating_add(self.probe_wait);
                let rounds = self.target_inflight().min(MAX_RENO_ROUNDS);
                if waited || self.rounds_since_up as f64 >= rounds {
                    self.start_refill();
                } else if self.state == State::Down
                    && ack.in_flight <= self.with_headroom()
                    && ack.in_flight <= self.quantized(bdp(self.max_bw.get()))
                {
                    self.state = State::Cruise;
                }
            }
            State::Refill if self.round_start => {
                self.is_probe_sample = true;
                self.start_up(sample);
            }
            State::Up => {
                if self.probe_too_high && ack.in_flight >= self.inflight_longterm {
                    self.probe_precautionary = true;
                } else if ack.cwnd_limited && self.cwnd >= self.inflight_longterm {
                    self.reset_full();
                    self.full_bw = sample.rate;
                    return;
                } else if !self.full_now {
                    return;
                }
                self.probe_too_high = false;
                self.start_down(ack.now);
            }
            _ => {}
        }
    }
}
