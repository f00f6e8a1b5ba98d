//! The sender: what acknowledgements and timers do to a connection.
//!
//! What it sends then is decided by its [`Transmitter`], which has the parts that own the connection's state. A connection with
//! options (ECN, RACK-TLP, PRR, F-RTO, timestamps, ...) runs a second copy of the hot functions (`OPTIONS = true`), so that one
//! without options pays for one check per acknowledgement.

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
mod transmitter;

use std::ops::Range;

use eddyline_cc::{Ack, AnyController, Controller as _, Decisions, Stamp};
use eddyline_units::Time;

use crate::accecn_option::AccEcnOption;
use crate::config::{Config, Transfer};
use crate::ecn::Ecn;
use crate::segment::{Acknowledgement, SackBlocks, SegmentFlags};
use ack_event::AckEvent;
use ack_ratio::RatioAck;
pub use counters::Counters;
use episode::Episode;
use loss_recovery::Connection;
use sequence::PriorState;
pub use sink::SegmentSink;
use transmitter::Transmitter;

/// The sending endpoint of a connection.
// in an order that puts together what an event touches, here and in the parts: with many senders it waits for memory
#[derive(Debug)]
#[repr(C)]
pub struct Sender {
    tx: Transmitter,
    timeouts: u32,
    /// The controller has an estimate of the retransmission timeout.
    controller_rto: bool,
    timestamps: bool,
    rto_every_ack: bool,
}

impl Sender {
    /// The bytes of a sender that acknowledgements and timers usually touch.
    pub const TOUCHED: Range<usize> = Transmitter::TOUCHED;

    /// A connection that has not been opened.
    #[must_use]
    pub fn new(config: &Config, transfer: &Transfer, controller: AnyController) -> Self {
        let controller_rto = controller.retransmission_timeout(config.min_rto).is_some();
        Self {
            tx: Transmitter::new(config, transfer, controller, controller_rto),
            timeouts: 0,
            controller_rto,
            timestamps: config.timestamps,
            // a controller's own timeout is left as it is
            rto_every_ack: config.rto_every_ack && !controller_rto,
        }
    }

    /// When [`on_timer`](Self::on_timer) is due, or [`Time::MAX`].
    #[inline]
    #[must_use]
    pub fn next_timer(&self) -> Time {
        let next = self.tx.pacer.next_timer().min(self.tx.rto.deadline()).min(self.tx.application.next_timer());
        next.min(self.tx.recovery.next_timer())
    }

    /// The congestion controller.
    #[inline]
    #[must_use]
    pub fn controller(&self) -> &AnyController {
        self.tx.congestion.controller()
    }

    /// The window in packets: the controller's, or while PRR reduces it what that leaves (RFC 9937, 6.2).
    #[must_use]
    pub fn window_packets(&self) -> f64 {
        let reduced = self.tx.recovery.reduced_window().map(|bytes| self.tx.congestion.packets(bytes));
        reduced.unwrap_or_else(|| self.controller().window())
    }

    /// Packets estimated to be in flight.
    #[inline]
    #[must_use]
    pub fn in_flight_packets(&self) -> f64 {
        self.tx.congestion.packets(self.tx.recovery.pipe(&self.tx.seq))
    }

    /// The smoothed round-trip time.
    #[must_use]
    pub fn srtt(&self) -> Option<Time> {
        self.tx.rto.srtt()
    }

    /// The last round-trip sample.
    #[must_use]
    pub fn last_rtt(&self) -> Option<Time> {
        self.tx.rto.last_rtt()
    }

    /// The interval between packets, if they are paced.
    #[inline]
    #[must_use]
    pub fn pacing_interval(&self) -> Option<Time> {
        let controller = self.tx.congestion.controller();
        self.tx.pacer.interval(&controller.decisions(), controller, || self.tx.rto.srtt())
    }

    /// The controller's decisions, with the window of [`window_packets`](Self::window_packets).
    #[inline(always)]
    pub fn decisions(&mut self) -> &Decisions {
        self.tx.congestion.decisions()
    }

    /// Whether fast recovery is in progress.
    #[must_use]
    pub fn in_recovery(&self) -> bool {
        self.tx.recovery.episode() == Episode::Recovery
    }

    /// Everything below this sequence number is acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.tx.seq.una
    }

    /// What has been counted.
    #[must_use]
    pub fn counters(&self) -> Counters {
        Counters {
            retransmits: self.tx.retransmits,
            timeouts: self.timeouts.into(),
            nic_refusals: self.tx.congestion.nic().map(|nic| nic.refusals()),
            delivered_ce: self.tx.congestion.ecn().and_then(|ecn| ecn.delivered_ce()),
        }
    }

    /// When the FIN was acknowledged.
    #[inline]
    #[must_use]
    pub fn completed_at(&self) -> Option<Time> {
        (self.tx.completed_at < Time::MAX).then_some(self.tx.completed_at)
    }

    /// Handles the timers that are due, if any; returns whether one was.
    #[inline(always)]
    pub fn on_timer(&mut self, now: Time, sink: &mut impl SegmentSink) -> bool {
        // the usual one: the next packet of a paced sender
        let others = self.tx.rto.deadline().min(self.tx.application.next_timer()).min(self.tx.recovery.next_timer());
        if !self.tx.options && others > now && self.tx.handshake.is_established() {
            let due = self.tx.pacer.is_due(now);
            if due {
                self.tx.send_now::<false>(now, sink);
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
        if self.tx.application.next_timer() <= now {
            self.on_application_timer(now, sink);
        }
        if self.tx.recovery.next_timer() <= now {
            self.on_recovery_timer(now, sink);
        }
        if self.tx.rto.deadline() <= now {
            self.on_timeout(now, sink);
        }
        if !self.tx.handshake.is_established() {
            self.tx.retry_syn(now, sink);
        } else if self.tx.options {
            self.tx.send::<true>(now, sink);
        } else {
            self.tx.send::<false>(now, sink);
        }
    }

    fn on_application_timer(&mut self, now: Time, sink: &mut impl SegmentSink) {
        if self.tx.handshake.open() {
            self.tx.rto.restart(now);
            self.tx.send_syn(now, sink);
        }
        let unsent = self.tx.application.unsent(self.tx.seq.nxt);
        self.tx.application.on_timer(now, self.tx.seq.una, self.tx.seq.nxt);
        // it may also be the flow's end
        let more = self.tx.application.unsent(self.tx.seq.nxt) > unsent;
        if more && self.tx.handshake.is_established() {
            self.tx.congestion.controller_mut().on_data(now);
        }
    }

    fn on_recovery_timer(&mut self, now: Time, sink: &mut impl SegmentSink) {
        let probe = self.tx.recovery.on_timer(
            now,
            &mut Connection {
                seq: self.tx.seq,
                application: &self.tx.application,
                rto: &mut self.tx.rto,
                congestion: &mut self.tx.congestion,
            },
        );
        if !probe || self.tx.seq.is_idle() {
            return;
        }
        if self.tx.recovery.may_probe() {
            self.tx.send_probe(now, sink);
        }
        self.tx.rto.restart(now);
    }

    fn on_timeout(&mut self, now: Time, sink: &mut impl SegmentSink) {
        self.timeouts += 1;
        let repeated = self.tx.rto.on_expiry(now);
        if self.tx.handshake.on_timeout() {
            self.tx.send_syn(now, sink);
            return;
        }
        self.tx.congestion.on_timeout(now, &self.tx.seq, repeated);
        self.tx.ack_ratio.on_timeout(self.tx.seq.nxt);
        self.tx.recovery.on_timeout(now, &self.tx.seq, self.tx.rto.srtt(), repeated);
        self.tx.pacer.reset(now);
    }

    /// The SYN-ACK arrived; returns the round-trip sample, unless the SYN was retransmitted.
    pub fn on_syn_ack(
        &mut self,
        now: Time,
        sent_at: Time,
        flags: SegmentFlags,
        sink: &mut impl SegmentSink,
    ) -> Option<Time> {
        if !self.tx.handshake.on_syn_ack() {
            return None;
        }
        if let Some(ecn) = self.tx.congestion.ecn_mut() {
            ecn.on_syn_ack(flags);
        }
        self.tx.rto.on_progress();
        self.tx.rto.stop();
        let sample = (!flags.retransmission()).then(|| now - sent_at);
        if let Some(rtt) = sample {
            self.tx.rto.sample(rtt);
            self.tx.congestion.controller_mut().on_handshake(now, rtt);
            self.take_controller_rto();
            self.tx.recovery.on_sample(rtt);
        }
        let retransmissions = self.tx.handshake.syn_retransmissions();
        if retransmissions > 0 {
            self.tx.congestion.on_lost_syns(retransmissions);
            self.tx.rto.on_lost_syn();
        }
        self.tx.last_sent = now;
        if self.tx.options {
            self.tx.send::<true>(now, sink);
        } else {
            self.tx.send::<false>(now, sink);
        }
        sample
    }

    /// The next acknowledgement carries this AccECN option.
    #[cold]
    pub fn set_accecn_option(&mut self, option: AccEcnOption) {
        if let Some(ecn) = self.tx.congestion.ecn_mut() {
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
        if !self.tx.handshake.is_established() {
            return None;
        }
        if self.tx.options {
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
        let prior = self.tx.recovery.prior_state(&self.tx.seq, OPTIONS);
        let advanced = ack.number > self.tx.seq.una;
        if advanced {
            self.tx.seq.una = ack.number;
            self.tx.rto.on_progress();
        }
        if OPTIONS {
            self.tx.recovery.read_dsack(ack.number, blocks);
        }
        let in_order = advanced && blocks.is_none() && self.tx.recovery.is_in_order();
        let (acked, lost) = if in_order && !(OPTIONS && self.tx.recovery.uses_rack()) {
            (self.tx.seq.una - prior.una, 0)
        } else {
            self.tx.recovery.on_ack(
                now,
                &{ ack },
                blocks,
                &{ prior },
                &mut Connection {
                    seq: self.tx.seq,
                    application: &self.tx.application,
                    rto: &mut self.tx.rto,
                    congestion: &mut self.tx.congestion,
                },
            );
            let acknowledged = self.tx.seq.una + self.tx.recovery.sacked();
            (acknowledged.saturating_sub(prior.acknowledged), self.tx.recovery.ever_lost() - prior.lost)
        };
        // Karn's algorithm; with timestamps every acknowledgement that advances gives a sample (RFC 7323, 4.1)
        let karn = !ack.flags.retransmission() && acked > 0;
        let timed = if OPTIONS && self.timestamps { advanced } else { karn };
        let sample = timed.then(|| now - ack.sent_at);
        if let Some(rtt) = sample {
            self.tx.rto.measure(now, ack.sent_at, rtt);
        }
        let reducing = OPTIONS && self.process_options(now, ack, prior, sample);
        if acked > 0 {
            // RFC 3042: the window does not grow on duplicates. On a path that reorders most acknowledgements of new data are, so there it
            // does, as in Linux (tcp_may_raise_cwnd)
            let grows = advanced || OPTIONS && self.tx.recovery.has_seen_reordering();
            let event = AckEvent {
                now,
                ack,
                rtt: sample,
                acked,
                lost,
                scale: self.tx.congestion.scale(),
                seq: &self.tx.seq,
                recovery: &self.tx.recovery,
                cwnd_limited: self.tx.congestion.cwnd_limited() && grows,
                reducing,
            };
            self.tx.congestion.on_ack(event);
            if OPTIONS {
                self.take_controller_rto();
            }
        } else if self.tx.recovery.duplicate_bytes() > prior.duplicate_bytes {
            self.report_duplicate(now, &{ ack }, &{ prior });
        } else if OPTIONS {
            self.tx.congestion.on_lost(lost);
        }
        if advanced {
            if self.tx.seq.is_idle() {
                self.tx.rto.stop();
            } else {
                self.tx.rto.restart(now);
            }
            self.tx.application.on_advance(now, self.tx.seq.una);
            if self.tx.application.is_complete(self.tx.seq.una) {
                self.finish(now);
                return sample;
            }
            if OPTIONS {
                self.tx.recovery.schedule_probe(now, &self.tx.seq, &self.tx.rto);
            }
        }
        self.tx.send::<OPTIONS>(now, sink);
        sample
    }

    /// The options' part of an acknowledgement, before the controller processes it. Returns whether the window must not grow: on an
    /// echo of a mark (RFC 3168, 6.1.2), during a reduction (RFC 9937, 6.4), or after an undone timeout (RFC 4015, 3.2). While a timeout's
    /// losses are repaired it grows from one packet whatever is echoed, as in Linux: the echo ends only with new data that carries CWR.
    fn process_options(&mut self, now: Time, ack: Acknowledgement, prior: PriorState, rtt: Option<Time>) -> bool {
        if let Some(rtt) = rtt {
            self.tx.recovery.on_sample(rtt);
        }
        if self.rto_every_ack {
            self.exceed_every_sample(now, rtt, ack.number < self.tx.seq.una);
        }
        self.update_ack_ratio(&ack, &prior);
        let acknowledged = self.tx.seq.una + self.tx.recovery.sacked();
        let bytes = acknowledged.saturating_sub(prior.acknowledged);
        // without SACK, duplicates have already reported part of it as delivered
        let delivered = (acknowledged + self.tx.recovery.duplicate_bytes())
            .saturating_sub(prior.acknowledged + prior.duplicate_bytes);
        let marks = self.tx.congestion.on_ecn_feedback(now, &ack, &self.tx.seq, &prior, (bytes, delivered));
        if marks.reduced && marks.forbids_growth {
            self.tx.recovery.on_reduction(now, &self.tx.seq, &mut self.tx.congestion);
        } else if marks.reduced {
            self.tx.recovery.on_reduction_by_share(&self.tx.seq, &mut self.tx.congestion);
        }
        let undone = self.tx.recovery.take_undone();
        let nic_reduces = self.tx.congestion.nic().is_some_and(|nic| nic.is_reducing(self.tx.seq.una));
        let reducing = (marks.forbids_growth || nic_reduces) && self.tx.recovery.episode() != Episode::AfterTimeout;
        self.tx.recovery.reduce_in_proportion(&self.tx.seq, &prior) || undone || reducing
    }

    /// The timeout exceeds the sample of this acknowledgement, and with RACK the round trip of what it reports by SACK. If that was sent
    /// before the first outstanding segment was retransmitted, the retransmission may take as long, and its timer starts anew, as in Linux
    /// (tcp_clean_rtx_queue), but not at an acknowledgement that a later one has overtaken.
    fn exceed_every_sample(&mut self, now: Time, rtt: Option<Time>, overtaken: bool) {
        if let Some(rtt) = rtt {
            self.tx.rto.exceed(rtt);
        }
        if let Some((sent, first_resent_since)) = self.tx.recovery.first_sacked().filter(|_| !overtaken) {
            self.tx.rto.end_back_off();
            self.tx.rto.exceed(now - sent);
            if first_resent_since {
                self.tx.rto.restart(now);
            }
        }
    }

    fn update_ack_ratio(&mut self, ack: &Acknowledgement, prior: &PriorState) {
        let Some(ratio) = self.tx.ack_ratio.rfc5690_mut() else { return };
        ratio.on_ack(&RatioAck {
            una: self.tx.seq.una,
            nxt: self.tx.seq.nxt,
            segments: (self.tx.seq.una - prior.una).div_ceil(self.tx.seq.mss.into()),
            recovering: !prior.in_order || self.tx.recovery.episode() != Episode::None || self.tx.recovery.sacked() > 0,
            marked: ack.flags.ecn() == Ecn::Ce,
            window: self.tx.congestion.controller().window(),
        });
    }

    /// The controller may have changed its estimate of the timeout.
    fn take_controller_rto(&mut self) {
        if self.controller_rto
            && let Some(timeout) = self.tx.congestion.controller().retransmission_timeout(self.tx.rto.min_rto())
        {
            self.tx.rto.replace(timeout);
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
            acked: self.tx.congestion.packets(self.tx.recovery.duplicate_bytes() - prior.duplicate_bytes),
            lost: self.tx.congestion.packets(self.tx.recovery.ever_lost() - prior.lost),
            in_flight: self.in_flight_packets(),
            stamp: Stamp::default(),
            cwnd_limited: false,
            in_recovery: self.tx.recovery.episode() == Episode::Recovery,
        };
        self.tx.congestion.controller_mut().on_duplicate(&event);
    }

    /// The FIN is acknowledged.
    fn finish(&mut self, now: Time) {
        self.tx.handshake.finish();
        self.tx.completed_at = now;
        self.tx.rto.stop();
        self.tx.recovery.finish();
        self.tx.application.finish();
        self.tx.pacer.stop_waiting();
    }
}
