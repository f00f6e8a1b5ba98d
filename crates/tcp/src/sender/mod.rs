//! The sender: handshake, what to send next and when, acknowledgements, timers, FIN.
//!
//! It is composed of parts that own their state; only this file and `output.rs` use all of them. A connection with options (ECN, RACK-TLP,
//! PRR, F-RTO, timestamps, ...) runs a second copy of the hot functions (`OPTIONS = true`), so that one without
//! options pays for one check per acknowledgement.

mod ack_event;
mod ack_ratio;
mod application;
mod ce_counter;
mod congestion;
mod counters;
mod duplicate_acks;
mod ecn_feedback;
mod episode;
mod frto;
mod handshake;
mod loss_recovery;
mod nic;
mod output;
mod pacer;
mod prr;
mod rack;
mod rack_tlp;
mod rto;
mod scoreboard;
mod sequence;
mod sink;
#[cfg(test)]
mod tests;
mod tlp;
mod transmissions;

use std::mem::offset_of;
use std::ops::Range;

use eddyline_cc::{Ack, AnyController, Controller as _, Decisions, Stamp};
use eddyline_units::Time;

use crate::accecn_option::AccEcnOption;
use crate::config::{Config, Transfer};
use crate::ecn::Ecn;
use crate::segment::{Acknowledgement, SackBlocks, SegmentFlags};
use ack_event::AckEvent;
use ack_ratio::{AckRatioControl, RatioAck};
use application::ApplicationSource;
use congestion::Congestion;
pub use counters::Counters;
use episode::Episode;
use handshake::Handshake;
use loss_recovery::{Connection, LossRecovery};
use pacer::Pacer;
use rto::RetransmissionTimer;
use sequence::{PriorState, SendSequence};
pub use sink::SegmentSink;

/// The sending endpoint of a connection.
// in an order that puts together what an event touches, here and in the parts: with many senders it waits for memory
#[derive(Debug)]
#[repr(C)]
pub struct Sender {
    recovery: LossRecovery,
    application: ApplicationSource,
    pacer: Pacer,
    rto: RetransmissionTimer,
    seq: SendSequence,
    last_sent: Time,
    /// The last round-trip sample, or [`Time::MAX`].
    last_rtt: Time,
    /// When the FIN was acknowledged, or [`Time::MAX`].
    completed_at: Time,
    handshake: Handshake,
    /// The controller has an estimate of the retransmission timeout.
    controller_rto: bool,
    /// Some option is in use: the specialised copies of the hot functions run.
    options: bool,
    timestamps: bool,
    congestion: Congestion,
    ack_ratio: AckRatioControl,
    retransmits: u64,
    timeouts: u64,
}

impl Sender {
    /// The bytes of a sender that acknowledgements and timers usually touch.
    pub const TOUCHED: Range<usize> =
        offset_of!(Self, recovery) + LossRecovery::TOUCHED_FROM..offset_of!(Self, congestion) + Congestion::TOUCHED_TO;

    /// A connection that has not been opened.
    #[must_use]
    pub fn new(config: &Config, transfer: &Transfer, controller: AnyController) -> Self {
        let recovery = LossRecovery::new(config, &controller);
        let controller_rto = controller.retransmission_timeout(config.min_rto).is_some();
        let congestion = Congestion::new(config, controller);
        let options =
            recovery.has_options() || congestion.has_signals() || controller_rto || AckRatioControl::is_needed(config);
        Self {
            handshake: Handshake::new(),
            seq: SendSequence::new(config.mss, config.receive_window),
            congestion,
            pacer: Pacer::new(config),
            rto: RetransmissionTimer::new(config.min_rto),
            application: ApplicationSource::new(transfer),
            recovery,
            ack_ratio: AckRatioControl::new(config),
            controller_rto,
            options,
            timestamps: config.timestamps,
            last_sent: Time::ZERO,
            last_rtt: Time::MAX,
            retransmits: 0,
            timeouts: 0,
            completed_at: Time::MAX,
        }
    }

    /// When [`on_timer`](Self::on_timer) is due, or [`Time::MAX`].
    #[inline]
    #[must_use]
    pub fn next_timer(&self) -> Time {
        let next = self.pacer.next_timer().min(self.rto.deadline()).min(self.application.next_timer());
        next.min(self.recovery.next_timer())
    }

    /// The congestion controller.
    #[inline]
    #[must_use]
    pub fn controller(&self) -> &AnyController {
        self.congestion.controller()
    }

    /// Packets estimated to be in flight.
    #[inline]
    #[must_use]
    pub fn in_flight_packets(&self) -> f64 {
        self.congestion.packets(self.recovery.pipe(&self.seq))
    }

    /// The smoothed round-trip time.
    #[must_use]
    pub fn srtt(&self) -> Option<Time> {
        self.rto.srtt()
    }

    /// The last round-trip sample.
    #[must_use]
    pub fn last_rtt(&self) -> Option<Time> {
        (self.last_rtt < Time::MAX).then_some(self.last_rtt)
    }

    /// The interval between packets, if they are paced.
    #[inline]
    #[must_use]
    pub fn pacing_interval(&self) -> Option<Time> {
        let controller = self.congestion.controller();
        self.pacer.interval(&controller.decisions(), controller, || self.rto.srtt())
    }

    /// The controller's decisions.
    #[inline(always)]
    pub fn decisions(&mut self) -> &Decisions {
        self.congestion.decisions()
    }

    /// Whether fast recovery is in progress.
    #[must_use]
    pub fn in_recovery(&self) -> bool {
        self.recovery.episode() == Episode::Recovery
    }

    /// Everything below this sequence number is acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.seq.una
    }

    /// What has been counted.
    #[must_use]
    pub fn counters(&self) -> Counters {
        Counters {
            retransmits: self.retransmits,
            timeouts: self.timeouts,
            nic_refusals: self.congestion.nic().map(|nic| nic.refusals()),
            delivered_ce: self.congestion.ecn().and_then(|ecn| ecn.delivered_ce()),
        }
    }

    /// When the FIN was acknowledged.
    #[inline]
    #[must_use]
    pub fn completed_at(&self) -> Option<Time> {
        (self.completed_at < Time::MAX).then_some(self.completed_at)
    }

    /// Handles the timers that are due, if any; returns whether one was.
    #[inline(always)]
    pub fn on_timer(&mut self, now: Time, sink: &mut impl SegmentSink) -> bool {
        // the usual one: the next packet of a paced sender
        let others = self.rto.deadline().min(self.application.next_timer()).min(self.recovery.next_timer());
        if !self.options && others > now && self.handshake.is_established() {
            let due = self.pacer.is_due(now);
            if due {
                self.send_now::<false>(now, sink);
            }
            return due;
        }
        let due = self.next_timer() <= now;
        if due {
            self.on_timers(now, sink);
        }
        due
    }

    /// One of the timers is due.
    #[inline(never)]
    fn on_timers(&mut self, now: Time, sink: &mut impl SegmentSink) {
        if self.application.next_timer() <= now {
            self.on_application_timer(now, sink);
        }
        if self.recovery.next_timer() <= now {
            self.on_recovery_timer(now, sink);
        }
        if self.rto.deadline() <= now {
            self.on_timeout(now, sink);
        }
        if !self.handshake.is_established() {
            self.retry_syn(now, sink);
        } else if self.options {
            self.send::<true>(now, sink);
        } else {
            self.send::<false>(now, sink);
        }
    }

    fn on_application_timer(&mut self, now: Time, sink: &mut impl SegmentSink) {
        if self.handshake.open() {
            self.rto.restart(now);
            self.send_syn(now, sink);
        }
        self.application.on_timer(now, self.seq.una, self.seq.nxt);
    }

    fn on_recovery_timer(&mut self, now: Time, sink: &mut impl SegmentSink) {
        let probe = self.recovery.on_timer(
            now,
            &mut Connection {
                seq: self.seq,
                application: &self.application,
                rto: &mut self.rto,
                congestion: &mut self.congestion,
            },
        );
        if !probe || self.seq.is_idle() {
            return;
        }
        if self.recovery.may_probe() {
            self.send_probe(now, sink);
        }
        self.rto.restart(now);
    }

    fn on_timeout(&mut self, now: Time, sink: &mut impl SegmentSink) {
        self.timeouts += 1;
        let repeated = self.rto.on_expiry(now);
        if self.handshake.on_timeout() {
            self.send_syn(now, sink);
            return;
        }
        self.congestion.on_timeout(now, &self.seq, repeated);
        self.ack_ratio.on_timeout(self.seq.nxt);
        self.recovery.on_timeout(now, &self.seq, self.rto.srtt());
        self.pacer.reset(now);
    }

    /// The SYN-ACK arrived; returns the round-trip sample, unless the SYN was retransmitted.
    pub fn on_syn_ack(
        &mut self,
        now: Time,
        sent_at: Time,
        flags: SegmentFlags,
        sink: &mut impl SegmentSink,
    ) -> Option<Time> {
        if !self.handshake.on_syn_ack() {
            return None;
        }
        if let Some(ecn) = self.congestion.ecn_mut() {
            ecn.on_syn_ack(flags);
        }
        self.rto.on_progress();
        self.rto.stop();
        let sample = (!flags.retransmission()).then(|| now - sent_at);
        if let Some(rtt) = sample {
            self.rto.sample(rtt);
            self.congestion.controller_mut().on_handshake(now, rtt);
            self.take_controller_rto();
            self.recovery.on_sample(rtt);
        }
        if self.handshake.lost_syn() {
            // RFC 5681, 3.1: after a lost SYN the initial window is one segment
            self.congestion.controller_mut().on_idle(1.0);
            self.rto.on_lost_syn();
        }
        self.last_sent = now;
        if self.options {
            self.send::<true>(now, sink);
        } else {
            self.send::<false>(now, sink);
        }
        sample
    }

    /// The next acknowledgement carries this AccECN option.
    #[cold]
    pub fn set_accecn_option(&mut self, option: AccEcnOption) {
        if let Some(ecn) = self.congestion.ecn_mut() {
            ecn.set_option(option);
        }
    }

    /// An acknowledgement arrived; returns its round-trip sample, if it has one.
    #[inline(always)]
    pub fn on_ack(
        &mut self,
        now: Time,
        ack: Acknowledgement,
        blocks: Option<&SackBlocks>,
        sink: &mut impl SegmentSink,
    ) -> Option<Time> {
        if !self.handshake.is_established() {
            return None;
        }
        if self.options {
            // a copy, here and below, so that those without options have theirs in registers
            return self.process_ack_with_options(now, &{ ack }, blocks, sink);
        }
        self.process_ack::<false>(now, ack, blocks, sink)
    }

    #[cold]
    #[inline(never)]
    fn process_ack_with_options(
        &mut self,
        now: Time,
        ack: &Acknowledgement,
        blocks: Option<&SackBlocks>,
        sink: &mut impl SegmentSink,
    ) -> Option<Time> {
        self.process_ack::<true>(now, *ack, blocks, sink)
    }

    #[inline(always)]
    fn process_ack<const OPTIONS: bool>(
        &mut self,
        now: Time,
        ack: Acknowledgement,
        blocks: Option<&SackBlocks>,
        sink: &mut impl SegmentSink,
    ) -> Option<Time> {
        let prior = self.recovery.prior_state(&self.seq, OPTIONS);
        let advanced = ack.number > self.seq.una;
        if advanced {
            self.seq.una = ack.number;
            self.rto.on_progress();
        }
        if OPTIONS {
            self.recovery.read_dsack(ack.number, blocks);
        }
        let in_order = advanced && blocks.is_none() && self.recovery.is_in_order();
        let (acked, lost) = if in_order && !(OPTIONS && self.recovery.uses_rack()) {
            (self.seq.una - prior.una, 0)
        } else {
            self.recovery.on_ack(
                now,
                &{ ack },
                blocks,
                &{ prior },
                &mut Connection {
                    seq: self.seq,
                    application: &self.application,
                    rto: &mut self.rto,
                    congestion: &mut self.congestion,
                },
            );
            let acknowledged = self.seq.una + self.recovery.sacked();
            (acknowledged.saturating_sub(prior.acknowledged), self.recovery.ever_lost() - prior.lost)
        };
        // Karn's algorithm; with timestamps every acknowledgement that advances gives a sample (RFC 7323, 4.1)
        let karn = !ack.flags.retransmission() && acked > 0;
        let timed = if OPTIONS && self.timestamps { advanced } else { karn };
        let sample = timed.then(|| now - ack.sent_at);
        if let Some(rtt) = sample {
            self.rto.measure(now, ack.sent_at, rtt);
            self.last_rtt = rtt;
        }
        let reducing = OPTIONS && self.process_options(now, ack, prior, sample);
        if acked > 0 {
            let event = AckEvent {
                now,
                ack,
                rtt: sample,
                acked,
                lost,
                scale: self.congestion.scale(),
                seq: &self.seq,
                recovery: &self.recovery,
                // RFC 3042: the window does not grow on duplicates
                cwnd_limited: self.congestion.cwnd_limited() && advanced,
                reducing,
            };
            self.congestion.on_ack(event);
            if OPTIONS {
                self.take_controller_rto();
            }
        } else if self.recovery.duplicate_bytes() > prior.duplicate_bytes {
            self.report_duplicate(now, &{ ack }, &{ prior });
        }
        if advanced {
            if self.seq.is_idle() {
                self.rto.stop();
            } else {
                self.rto.restart(now);
            }
            self.application.on_advance(now, self.seq.una);
            if self.application.is_complete(self.seq.una) {
                self.finish(now);
                return sample;
            }
            if OPTIONS {
                self.recovery.schedule_probe(now, &self.seq, &self.rto);
            }
        }
        self.send::<OPTIONS>(now, sink);
        sample
    }

    /// The options' part of an acknowledgement, before the controller processes it. Returns whether the window must not grow: on an
    /// echo of a mark (RFC 3168, 6.1.2), during a reduction (RFC 9937, 6.4), or after an undone timeout (RFC 4015, 3.2).
    fn process_options(&mut self, now: Time, ack: Acknowledgement, prior: PriorState, rtt: Option<Time>) -> bool {
        if let Some(rtt) = rtt {
            self.recovery.on_sample(rtt);
        }
        self.update_ack_ratio(&ack, &prior);
        let acknowledged = self.seq.una + self.recovery.sacked();
        let bytes = acknowledged.saturating_sub(prior.acknowledged);
        // without SACK, duplicates have already reported part of it as delivered
        let delivered =
            (acknowledged + self.recovery.duplicate_bytes()).saturating_sub(prior.acknowledged + prior.duplicate_bytes);
        let marks = self.congestion.on_ecn_feedback(now, &ack, &self.seq, &prior, (bytes, delivered));
        if marks.reduced && marks.forbids_growth {
            self.recovery.on_reduction(now, &self.seq, &mut self.congestion);
        } else if marks.reduced {
            self.recovery.on_reduction_by_share(&self.seq, &mut self.congestion);
        }
        let undone = self.recovery.take_undone();
        let nic_reduces = self.congestion.nic().is_some_and(|nic| nic.is_reducing(self.seq.una));
        self.recovery.reduce_in_proportion(&self.seq, &prior) || marks.forbids_growth || undone || nic_reduces
    }

    fn update_ack_ratio(&mut self, ack: &Acknowledgement, prior: &PriorState) {
        let Some(ratio) = self.ack_ratio.rfc5690_mut() else { return };
        ratio.on_ack(&RatioAck {
            una: self.seq.una,
            nxt: self.seq.nxt,
            segments: (self.seq.una - prior.una).div_ceil(self.seq.mss.into()),
            recovering: !prior.in_order || self.recovery.episode() != Episode::None || self.recovery.sacked() > 0,
            marked: ack.flags.ecn() == Ecn::Ce,
            window: self.congestion.controller().window(),
        });
    }

    /// The controller may have changed its estimate of the timeout.
    fn take_controller_rto(&mut self) {
        if self.controller_rto
            && let Some(timeout) = self.congestion.controller().retransmission_timeout(self.rto.min_rto())
        {
            self.rto.replace(timeout);
        }
    }

    /// Without SACK: reports a duplicate acknowledgement to the controller.
    #[cold]
    fn report_duplicate(&mut self, now: Time, ack: &Acknowledgement, prior: &PriorState) {
        let event = Ack {
            now,
            sent_at: ack.sent_at,
            received_at: ack.received_at,
            rtt: None,
            acked: self.congestion.packets(self.recovery.duplicate_bytes() - prior.duplicate_bytes),
            lost: self.congestion.packets(self.recovery.ever_lost() - prior.lost),
            in_flight: self.in_flight_packets(),
            stamp: Stamp::default(),
            cwnd_limited: false,
            in_recovery: self.recovery.episode() == Episode::Recovery,
        };
        self.congestion.controller_mut().on_duplicate(&event);
    }

    /// The FIN is acknowledged.
    fn finish(&mut self, now: Time) {
        self.handshake.finish();
        self.completed_at = now;
        self.rto.stop();
        self.recovery.finish();
        self.application.finish();
        self.pacer.stop_waiting();
    }
}
