//! ProbeRTT: a temporarily reduced window, to measure the minimum round-trip time anew (5.3.4).

use eddyline_units::Time;

use super::{AckPhase, MIN_PIPE, Model, PROBE_RTT_CWND_GAIN, State};
use crate::controller::Ack;

impl Model {
    /// UpdateMinRTT and CheckProbeRTT (5.3.4.3).
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let expired = ack.now > self.min_rtt_at.saturating_add(self.p.min_rtt_window);
        let probes = self.state == State::ProbeRtt;
        if expired && !probes {
            self.probe_rtt_cwnd = self.multiple(self.bw, PROBE_RTT_CWND_GAIN).max(MIN_PIPE);
        }
        if let Some(rtt) = ack.rtt
            && (expired || self.min_rtt.is_none_or(|min| rtt < min))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = ack.now;
        }
        if expired && !probes && !self.idle {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_until = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        self.idle = false;
        if self.state != State::ProbeRtt {
            return;
        }
        self.rate.mark_app_limited(ack.in_flight);
        match self.probe_rtt_until {
            None if ack.in_flight <= self.probe_rtt_cwnd => {
                self.probe_rtt_until = Some(ack.now.saturating_add(self.p.probe_rtt));
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            Some(until) => {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done && ack.now > until {
                    self.exit_probe_rtt(ack.now);
                }
            }
            None => {}
        }
    }

    pub(super) fn exit_probe_rtt(&mut self, now: Time) {
        self.min_rtt_at = now;
        self.restore_cwnd();
        self.reset_shortterm();
        if self.full_reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    pub(super) fn save_cwnd(&mut self) {
        let disturbed = self.recovering || self.timed_out || self.state == State::ProbeRtt;
        self.prior_cwnd = if disturbed { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}
