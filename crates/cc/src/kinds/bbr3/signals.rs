//! Signals of acknowledgements: rounds, bandwidth, losses, aggregation, and the short-term bounds (5.5).

use super::{Model, Sample, State};
use crate::controller::Ack;
use crate::parts::delivery_rate::Rate;

impl Model {
    pub(super) fn update_rounds(&mut self, sample: &Rate) {
        self.round_start = sample.prior_delivered >= self.next_round;
        if self.round_start {
            self.start_round();
            self.round += 1;
            self.rounds_since_up += 1;
        }
    }

    /// UpdateLatestDeliverySignals and UpdateCongestionSignals (5.5.10.3).
    pub(super) fn update_signals(&mut self, rate: &Rate, new_loss: bool) {
        self.loss_round_start = rate.prior_delivered >= self.loss_round_delivered;
        self.bw_latest = self.bw_latest.max(rate.rate.unwrap_or(0.0));
        self.inflight_latest = self.inflight_latest.max(rate.delivered);
        if self.loss_round_start {
            self.loss_round_delivered = self.rate.delivered;
        }
        self.update_rounds(rate);
        if let Some(r) = rate.rate.filter(|r| *r >= self.max_bw.get() || !rate.app_limited) {
            self.max_bw.update(self.cycle, r);
        }
        if new_loss {
            if !self.loss_in_round {
                self.loss_round_delivered = self.rate.delivered;
            }
            self.loss_in_round = true;
            self.loss_events += 1;
        }
        if !self.loss_round_start {
            return;
        }
        if self.loss_in_round && !self.probes_bw() {
            if self.bw_shortterm.is_infinite() {
                self.bw_shortterm = self.max_bw.get();
            }
            if self.inflight_shortterm.is_infinite() {
                self.inflight_shortterm = self.cwnd;
            }
            self.bw_shortterm = self.bw_latest.max(self.p.beta * self.bw_shortterm);
            self.inflight_shortterm = self.inflight_latest.max(self.p.beta * self.inflight_shortterm);
        }
        self.loss_in_round = false;
    }

    /// UpdateACKAggregation (5.5.9).
    pub(super) fn update_aggregation(&mut self, ack: &Ack) {
        let mut expected = self.bw * (ack.now - self.extra_since).as_secs_f64();
        if self.extra_delivered <= expected {
            (self.extra_delivered, self.extra_since, expected) = (0.0, ack.now, 0.0);
        }
        self.extra_delivered += ack.acked;
        let extra = (self.extra_delivered - expected).min(self.cwnd);
        self.extra_acked.update(self.round, extra);
    }

    /// HandleLostPacket (5.5.10.2), for all packets that an acknowledgement reports lost together.
    pub(super) fn handle_lost(&mut self, ack: &Ack, sample: &Sample) {
        if ack.lost <= 0.0 || !self.is_probe_sample || !self.is_too_high(sample) {
            return;
        }
        self.probe_too_high = true;
        self.is_probe_sample = false;
        if !sample.app_limited {
            let inflight = (sample.tx_in_flight - ack.lost).max(0.0);
            let prior_lost = sample.lost - ack.lost;
            let prefix = ((self.p.loss_thresh * inflight - prior_lost) / (1.0 - self.p.loss_thresh)).max(0.0);
            self.inflight_longterm = (inflight + prefix).max(self.target_inflight() * self.p.beta);
        }
        if self.state == State::Up {
            self.start_down(ack.now);
        }
    }
}
