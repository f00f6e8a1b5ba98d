//! What to send next, and when: new data, retransmissions, probes, SYN and FIN.

use std::mem::offset_of;
use std::ops::Range;

use eddyline_cc::{AnyController, Controller as _};
use eddyline_units::Time;

use super::SegmentSink;
use super::ack_ratio::AckRatioControl;
use super::application::ApplicationSource;
use super::congestion::{Congestion, LimitedBy};
use super::episode::Episode;
use super::handshake::Handshake;
use super::loss_recovery::LossRecovery;
use super::pacer::Pacer;
use super::rto::RetransmissionTimer;
use super::sequence::SendSequence;
use crate::config::{Config, Transfer};
use crate::segment::{Segment, SegmentFlags, SegmentKind};

/// Segments sent at once between two looks at whether the network is full.
const BURST: u32 = 1024;

/// The parts of a sender, each of which owns its state, and the output that follows from all of them.
// in an order that puts together what an event touches, as in `Sender`
#[derive(Debug)]
#[repr(C)]
pub(super) struct Transmitter {
    pub recovery: LossRecovery,
    pub application: ApplicationSource,
    pub pacer: Pacer,
    pub rto: RetransmissionTimer,
    pub seq: SendSequence,
    pub last_sent: Time,
    /// When the FIN was acknowledged, or [`Time::MAX`].
    pub completed_at: Time,
    pub handshake: Handshake,
    /// Some option is in use: the specialised copies of the hot functions run.
    pub options: bool,
    pub congestion: Congestion,
    pub ack_ratio: AckRatioControl,
    pub retransmits: u64,
}

impl Transmitter {
    /// The bytes that acknowledgements and timers usually touch.
    pub const TOUCHED: Range<usize> =
        offset_of!(Self, recovery) + LossRecovery::TOUCHED_FROM..offset_of!(Self, congestion) + Congestion::TOUCHED_TO;

    /// Of a connection that has not been opened.
    pub fn new(config: &Config, transfer: &Transfer, controller: AnyController, controller_rto: bool) -> Self {
        let recovery = LossRecovery::new(config, &controller);
        let congestion = Congestion::new(config, controller);
        let options = recovery.has_options()
            || congestion.has_signals()
            || controller_rto
            || config.rto_every_ack
            || AckRatioControl::is_needed(config);
        Self {
            handshake: Handshake::new(),
            seq: SendSequence::new(config.mss, config.receive_window),
            congestion,
            pacer: Pacer::new(config),
            rto: RetransmissionTimer::new(config.min_rto),
            application: ApplicationSource::new(transfer),
            recovery,
            ack_ratio: AckRatioControl::new(config),
            options,
            last_sent: Time::ZERO,
            completed_at: Time::MAX,
            retransmits: 0,
        }
    }

    /// Sends what window, pacing and application allow.
    #[inline(always)]
    pub(super) fn send<const OPTIONS: bool>(&mut self, now: Time, sink: &mut impl SegmentSink) {
        // an acknowledgement does not advance the pacer
        if !self.pacer.is_waiting(now) {
            self.send_now::<OPTIONS>(now, sink);
        }
        // last, because controllers that decide on what is sent have new decisions
        if OPTIONS && let Some(window) = self.recovery.reduced_window() {
            self.congestion.report_window(window);
        }
    }

    /// As [`send`](Self::send), when pacing does not forbid it.
    #[inline(never)]
    pub(super) fn send_now<const OPTIONS: bool>(&mut self, now: Time, sink: &mut impl SegmentSink) {
        let mut decisions = *self.congestion.decisions();
        let interval = self.pacer.interval(&decisions, self.congestion.controller(), || self.rto.srtt());
        if self.restart_after_idle(now) {
            decisions = *self.congestion.decisions();
        }
        let mut limit = self.congestion.flight_limit(&decisions, interval.is_some());
        if OPTIONS {
            limit = self.recovery.reduction_limit().unwrap_or(limit);
        }
        self.pacer.stop_waiting();
        let mut sent = 1_u32;
        loop {
            let more = if self.recovery.has_lost() {
                self.send_lost::<OPTIONS>(now, (interval, limit), sink)
            } else {
                self.send_new::<OPTIONS>(now, (interval, limit), sink)
            };
            if !more {
                return;
            }
            // one acknowledgement may open a window larger than all memory
            sent = sent.wrapping_add(1);
            if sent.is_multiple_of(BURST) && sink.is_full() {
                return;
            }
        }
    }

    /// Sends new data, unless window, pacing, application or NIC queue forbid it; returns whether more may be sent.
    #[inline(always)]
    fn send_new<const OPTIONS: bool>(
        &mut self,
        now: Time,
        (interval, limit): (Option<Time>, u64),
        sink: &mut impl SegmentSink,
    ) -> bool {
        let mss = u64::from(self.seq.mss);
        let seq = self.seq.nxt;
        let unsent = self.application.unsent(seq);
        let len = mss.min(unsent);
        if len == 0 || !self.seq.has_receive_window(len) {
            self.congestion.set_limited_by(if len == 0 { LimitedBy::Application } else { LimitedBy::ReceiverOrNic });
            let fin = len == 0 && self.application.is_fin_next(seq);
            if fin && !(OPTIONS && self.is_refused(now, None, false, sink)) {
                self.send_fin::<OPTIONS>(now, false, sink);
            }
            return self.recovery.episode() == Episode::Recovery && self.recovery.presume_lost(&self.seq, limit);
        }
        let pipe = if OPTIONS { self.recovery.pipe_for_new_data(&self.seq) } else { self.recovery.pipe(&self.seq) };
        let exempt = OPTIONS && self.recovery.take_frto_credit();
        if !exempt && !self.may_send(now, (interval, limit), pipe, len) {
            return false;
        }
        if exempt && self.pacing_forbids(now, interval, limit) {
            return false;
        }
        if OPTIONS && self.is_refused(now, Some(len), false, sink) {
            return false;
        }
        if let Some(interval) = interval {
            self.pacer.on_sent(now, interval);
        }
        self.send_data::<OPTIONS>(now, seq, len, false, sink);
        // the next packet may have to wait
        if unsent > len && self.pacing_forbids(now, interval, limit) {
            return false;
        }
        // what usually ends it, without another look at everything: more data waits for the window
        if !OPTIONS
            && interval.is_none()
            && pipe > 0
            && pipe + len + mss > limit
            && unsent >= len + mss
            && self.seq.has_receive_window(mss)
        {
            self.congestion.set_limited_by(LimitedBy::Window);
            return false;
        }
        true
    }

    /// Retransmits what is lost first, unless window, pacing or NIC queue forbid it; returns whether more may be sent.
    #[inline(never)]
    fn send_lost<const OPTIONS: bool>(
        &mut self,
        now: Time,
        (interval, limit): (Option<Time>, u64),
        sink: &mut impl SegmentSink,
    ) -> bool {
        let Some((seq, end)) = self.recovery.next_retransmission(self.seq.mss.into()) else { return false };
        let len = end - seq;
        if self.recovery.retransmits_at_once() {
            if self.pacing_forbids(now, interval, limit) {
                return false;
            }
        } else {
            let pipe = self.recovery.pipe(&self.seq);
            if !self.may_send(now, (interval, limit), pipe, len) {
                return false;
            }
        }
        let fin = self.application.is_fin(seq);
        if OPTIONS && self.is_refused(now, (!fin).then_some(len), true, sink) {
            return false;
        }
        if let Some(interval) = interval {
            self.pacer.on_sent(now, interval);
        }
        if fin {
            self.send_fin::<OPTIONS>(now, true, sink);
            return true;
        }
        self.send_data::<OPTIONS>(now, seq, self.application.data_within(seq, len), true, sink);
        let more = self.recovery.has_lost() || self.application.unsent(self.seq.nxt) > 0;
        !(more && self.pacing_forbids(now, interval, limit))
    }

    /// Whether window and pacing allow `len` bytes more than the `pipe` in flight.
    #[inline(always)]
    fn may_send(&mut self, now: Time, (interval, limit): (Option<Time>, u64), pipe: u64, len: u64) -> bool {
        // one packet may always be in flight, unless the controller has failed
        if pipe + len > limit && (pipe > 0 || limit == 0) {
            self.congestion.set_limited_by(LimitedBy::Window);
            return false;
        }
        !self.pacing_forbids(now, interval, limit)
    }

    /// Whether pacing forbids a packet now, which then waits.
    #[inline(always)]
    fn pacing_forbids(&mut self, now: Time, interval: Option<Time>, limit: u64) -> bool {
        let forbidden = interval.is_some() && self.pacer.forbids(now);
        if forbidden {
            let by_receiver = limit > self.seq.receive_window;
            self.congestion.set_limited_by(if by_receiver { LimitedBy::ReceiverOrNic } else { LimitedBy::Window });
            if self.application.unsent(self.seq.nxt) < limit {
                self.wait_with_little_data(limit);
            }
            self.pacer.wait();
        }
        forbidden
    }

    /// A sender that waits for its pacer, with less to send than a window, is limited by the window only if it would be used in
    /// full without the wait (RFC 9002, 7.8). Where a window takes longer than half as long again as a round trip, it is the
    /// rate that limits: a controller's own, and its window a guard.
    #[cold]
    #[inline(never)]
    fn wait_with_little_data(&mut self, limit: u64) {
        let decisions = *self.congestion.decisions();
        let (srtt, controller) = (self.rto.srtt(), self.congestion.controller());
        let interval = self.pacer.interval(&decisions, controller, || srtt);
        let by_rate = interval
            .zip(srtt)
            .is_none_or(|(interval, srtt)| interval.as_ps() as f64 * controller.window() > 1.5 * srtt.as_ps() as f64);
        let offered = self.recovery.pipe(&self.seq) + self.application.unsent(self.seq.nxt);
        if !by_rate && self.congestion.cwnd_limited() && offered < limit && !self.recovery.has_lost() {
            self.congestion.set_limited_by(LimitedBy::Nothing);
        }
    }

    /// RFC 5681, 4.1: after an idle period longer than the timeout the window is reset. Returns whether it was.
    #[inline(always)]
    fn restart_after_idle(&mut self, now: Time) -> bool {
        let restarts = self.seq.is_idle()
            && self.application.unsent(self.seq.nxt) > 0
            && self.seq.nxt > 0
            && now.saturating_sub(self.last_sent) > self.rto.timeout();
        if restarts {
            self.congestion.on_idle();
        }
        restarts
    }

    #[inline(always)]
    fn send_data<const OPTIONS: bool>(
        &mut self,
        now: Time,
        seq: u64,
        len: u64,
        retransmission: bool,
        sink: &mut impl SegmentSink,
    ) {
        if retransmission {
            self.recovery.on_retransmitted(now, seq, seq + len);
            self.retransmits += 1;
            if seq == self.seq.una && !self.rto.is_held() {
                // The timer now waits for this segment, as in deployed senders: one that runs since the last advance would
                // expire while the retransmission is on its way.
                self.rto.stop();
            }
        } else {
            self.seq.nxt = seq + len;
        }
        let stamp = self.congestion.on_sent(now, self.recovery.pipe(&self.seq), retransmission);
        self.after_sending(now);
        let mut flags = SegmentFlags::default();
        flags.set_retransmission(retransmission);
        let ack_ratio = if OPTIONS { self.complete_segment(now, seq, len, &mut flags) } else { 0 };
        sink.send(Segment {
            kind: SegmentKind::Data,
            seq,
            payload: len as u32,
            flags,
            stamp: stamp.remembered,
            ack_ratio,
        });
    }

    /// The options' part of a data segment: sets its ECN flags and returns the ACK ratio that it requests.
    fn complete_segment(&mut self, now: Time, seq: u64, len: u64, flags: &mut SegmentFlags) -> u32 {
        if self.recovery.uses_rack() && !flags.retransmission() {
            self.recovery.on_sent(now, seq, seq + len);
            self.recovery.schedule_probe(now, &self.seq, &self.rto);
        }
        self.recovery.on_data_sent(len);
        if let Some(ecn) = self.congestion.ecn_mut() {
            ecn.mark_outgoing(flags);
        }
        self.ack_ratio.ask(self.congestion.controller())
    }

    /// Sends the FIN, which is subject to neither window nor pacing.
    fn send_fin<const OPTIONS: bool>(&mut self, now: Time, retransmission: bool, sink: &mut impl SegmentSink) {
        let mut flags = SegmentFlags::default();
        flags.set_retransmission(retransmission);
        let fin = self.application.fin();
        if retransmission {
            self.recovery.on_retransmitted(now, fin, fin + 1);
        } else {
            self.seq.nxt = fin + 1;
            self.recovery.on_sent(now, fin, fin + 1);
        }
        self.after_sending(now);
        if OPTIONS && !retransmission {
            self.recovery.schedule_probe(now, &self.seq, &self.rto);
        }
        sink.send(Segment { kind: SegmentKind::Fin, seq: fin, payload: 0, flags, stamp: 0.0, ack_ratio: 0 });
    }

    #[inline]
    fn after_sending(&mut self, now: Time) {
        self.last_sent = now;
        self.rto.start(now);
    }

    /// Sends a tail loss probe regardless of window and pacing: new data if there is any, otherwise the last segment (RFC 8985,
    /// 7.3).
    pub(super) fn send_probe(&mut self, now: Time, sink: &mut impl SegmentSink) {
        let len = u64::from(self.seq.mss).min(self.application.unsent(self.seq.nxt));
        let new_data = len > 0 && self.seq.has_receive_window(len);
        if self.is_refused(now, Some(self.seq.mss.into()), !new_data, sink) {
            return;
        }
        if new_data {
            self.send_data::<true>(now, self.seq.nxt, len, false, sink);
        } else {
            let Some((start, end)) = self.recovery.last_segment() else { return };
            if self.application.is_fin(start) {
                self.send_fin::<true>(now, true, sink);
            } else {
                self.send_data::<true>(now, start, self.application.data_within(start, end - start), true, sink);
            }
        }
        self.recovery.on_probe(self.seq.nxt, !new_data);
    }

    /// Sends or retransmits the SYN.
    pub(super) fn send_syn(&mut self, now: Time, sink: &mut impl SegmentSink) {
        let refused = self.is_refused(now, None, true, sink);
        self.handshake.set_syn_waits(refused);
        if !refused {
            sink.send(self.handshake.syn(self.congestion.ecn()));
        }
    }

    /// Sends a SYN that waited for room in the NIC queue, once there is some.
    pub(super) fn retry_syn(&mut self, now: Time, sink: &mut impl SegmentSink) {
        let syn_waits = self.handshake.syn_waits();
        if syn_waits && self.pacer.is_waiting(now) {
            return;
        }
        self.pacer.stop_waiting();
        if syn_waits {
            self.send_syn(now, sink);
        }
    }

    /// Whether the NIC queue has no room for `payload` bytes, or for a SYN or FIN. If so the sender keeps the packet and retries at
    /// the next acknowledgement, or when the queue has room.
    fn is_refused(
        &mut self,
        now: Time,
        payload: Option<u64>,
        retransmission: bool,
        sink: &mut impl SegmentSink,
    ) -> bool {
        let Some(nic) = self.congestion.nic() else { return false };
        let reduces_window = nic.reduces_window();
        if sink.has_room(payload) {
            return false;
        }
        let pipe = self.recovery.pipe(&self.seq);
        let open = self.handshake.is_established() && self.recovery.episode() == Episode::None;
        if self.congestion.on_nic_refusal(now, &self.seq, open) {
            self.recovery.on_reduction(now, &self.seq, &mut self.congestion);
        }
        // with data in flight an acknowledgement comes; a retransmission, or a sender with nothing in flight, waits for room
        if !reduces_window || retransmission || pipe == 0 {
            self.pacer.wait_until(sink.room_at());
        }
        true
    }
}
