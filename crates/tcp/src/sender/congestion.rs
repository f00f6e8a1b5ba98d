//! The congestion controller as used by the sender: events in its units, and congestion signals other than losses.

use std::mem::offset_of;

use eddyline_cc::{Ack, AnyController, Controller as _, Decisions, Loss, Marks, Sent, Stamp, Timeout};
use eddyline_units::Time;

use super::ecn_feedback::EcnFeedback;
use super::nic::NicQueue;
use super::sequence::{PriorState, SendSequence};
use crate::config::{AccurateEcn, Config};
use crate::segment::Acknowledgement;

/// Segments of the largest initial window that RFC 5681, 3.1 allows.
const LARGEST_OF_RFC_5681: f64 = 4.0;

/// Packets per byte.
#[derive(Debug, Clone, Copy)]
pub struct PacketScale(f64);

impl PacketScale {
    /// Bytes in packets.
    #[inline(always)]
    pub fn packets(self, bytes: u64) -> f64 {
        bytes.cast_signed() as f64 * self.0
    }
}

/// A controller with the ECN feedback and NIC queue that it responds to.
// in the order of use
#[derive(Debug)]
#[repr(C)]
pub struct Congestion {
    /// No event has come since the decisions were read.
    current: bool,
    uses_sent: bool,
    decides_on_sent: bool,
    limited_by: LimitedBy,
    initial_window: u32,
    mss: f64,
    scale: PacketScale,
    /// The controller's decisions, if [`current`](Self::current).
    decisions: Decisions,
    controller: AnyController,
    ecn: Option<Box<EcnFeedback>>,
    nic: Option<Box<NicQueue>>,
}

/// What the sender waited for when it last stopped sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedBy {
    /// Data to send, or it has not sent any yet.
    Application,
    /// Nothing but the pacer: what there is to send fits into the window. Or it has not stopped since it had data again.
    Nothing,
    /// The receive window or room in the NIC queue.
    ReceiverOrNic,
    /// The congestion window, be it while a packet waits for the pacer.
    Window,
}

/// The response to an acknowledgement's ECN feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EcnOutcome {
    /// It reports marks for which the window must not grow.
    pub forbids_growth: bool,
    /// The window was reduced.
    pub reduced: bool,
}

impl Congestion {
    /// The end of what acknowledgements usually touch: the controller's tag and what FAST reads for each.
    pub const TOUCHED_TO: usize = offset_of!(Self, controller) + 128;

    /// A connection that has not started.
    pub fn new(config: &Config, controller: AnyController) -> Self {
        let ecn = config.ecn.then(|| {
            let accurate = config.accurate_ecn != AccurateEcn::Off;
            Box::new(EcnFeedback::new(accurate, config.mss, controller.ecn_response()))
        });
        Self {
            decisions: Decisions::default(),
            current: false,
            uses_sent: controller.uses_sent(),
            decides_on_sent: controller.decides_on_sent(),
            controller,
            mss: f64::from(config.mss),
            scale: PacketScale(1.0 / f64::from(config.mss)),
            initial_window: config.initial_window,
            limited_by: LimitedBy::Application,
            ecn,
            nic: NicQueue::new(config.local).map(Box::new),
        }
    }

    /// Whether there is ECN feedback or a NIC queue to respond to.
    pub fn has_signals(&self) -> bool {
        self.ecn.is_some() || self.nic.is_some()
    }

    /// The controller.
    #[inline(always)]
    pub fn controller(&self) -> &AnyController {
        &self.controller
    }

    /// The controller, for events that need no translation.
    #[inline(always)]
    pub fn controller_mut(&mut self) -> &mut AnyController {
        self.current = false;
        &mut self.controller
    }

    /// The controller's decisions.
    #[inline(always)]
    pub fn decisions(&mut self) -> &Decisions {
        if !self.current {
            self.read_decisions();
        }
        &self.decisions
    }

    /// The window to report until the next event of the controller.
    #[cold]
    pub fn report_window(&mut self, bytes: u64) {
        let window = self.packets(bytes);
        if !self.current {
            self.read_decisions();
        }
        self.decisions.window = window;
    }

    #[inline(never)]
    fn read_decisions(&mut self) {
        self.decisions = self.controller.decisions();
        self.decides_on_sent = self.controller.decides_on_sent();
        self.current = true;
    }

    /// A data packet is sent with `in_flight` bytes in flight, itself included; returns its stamp. While there is something to
    /// retransmit the application is not what limits.
    #[inline(always)]
    pub fn on_sent(&mut self, now: Time, in_flight: u64, retransmission: bool) -> Stamp {
        if !self.uses_sent {
            return Stamp::default();
        }
        self.current &= !self.decides_on_sent;
        let app_limited = self.limited_by == LimitedBy::Application && !retransmission;
        if app_limited {
            self.limited_by = LimitedBy::Nothing;
        }
        self.controller.on_sent(&Sent {
            now,
            in_flight: self.packets(in_flight),
            cwnd_limited: self.cwnd_limited(),
            app_limited,
        })
    }

    /// ECN feedback, if ECN is configured.
    pub fn ecn(&self) -> Option<&EcnFeedback> {
        self.ecn.as_deref()
    }

    /// As [`ecn`](Self::ecn).
    pub fn ecn_mut(&mut self) -> Option<&mut EcnFeedback> {
        self.ecn.as_deref_mut()
    }

    /// The NIC queue, if the sender detects that it is full.
    pub fn nic(&self) -> Option<&NicQueue> {
        self.nic.as_deref()
    }

    /// Bytes to packets.
    #[inline(always)]
    pub fn scale(&self) -> PacketScale {
        self.scale
    }

    /// Bytes in packets.
    #[inline(always)]
    pub fn packets(&self, bytes: u64) -> f64 {
        self.scale.packets(bytes)
    }

    /// Bytes that may be in flight by `decisions`.
    #[inline(always)]
    pub fn flight_limit(&self, decisions: &Decisions, paced: bool) -> u64 {
        // a signed integer takes half the instructions, and is as unlimited
        ((decisions.flight_limits[usize::from(paced)] * self.mss) as i64).cast_unsigned()
    }

    /// The window in bytes.
    pub fn window_bytes(&self) -> u64 {
        (self.controller.window() * self.mss) as u64
    }

    /// Whether the window limited the sender when it last stopped sending.
    #[inline]
    pub fn cwnd_limited(&self) -> bool {
        self.limited_by == LimitedBy::Window
    }

    /// The sender stops sending.
    #[inline]
    pub fn set_limited_by(&mut self, limit: LimitedBy) {
        self.limited_by = limit;
    }

    /// Packets outstanding, at most a window: data that limited transmit sent does not count (RFC 5681, 3.2, step 2), nor does
    /// what is lost or selectively acknowledged while holes are repaired.
    pub fn flight_size(&self, seq: &SendSequence) -> f64 {
        self.packets(seq.outstanding()).min(self.controller.window())
    }

    /// A loss is a new congestion event unless the window was reduced, for a mark or a full NIC queue, since the packet at
    /// `una` was sent.
    pub fn is_new_event(&self, una: u64) -> bool {
        let by_mark = self.ecn.as_ref().is_some_and(|e| !e.responds_by_share() && e.has_reduced_since(una));
        let by_nic = self.nic.as_ref().is_some_and(|n| n.has_reduced_since(una));
        !by_mark && !by_nic
    }

    /// A loss episode begins.
    pub fn on_loss(&mut self, now: Time, seq: &SendSequence) {
        let flight_size = self.flight_size(seq);
        self.controller_mut().on_loss(&Loss { now, flight_size });
    }

    /// Bytes were marked lost, but not by an acknowledgement that the controller gets.
    pub fn on_lost(&mut self, bytes: u64) {
        if bytes > 0 {
            let packets = self.packets(bytes);
            self.controller_mut().on_lost(packets);
        }
    }

    /// The retransmission timer expired.
    pub fn on_timeout(&mut self, now: Time, seq: &SendSequence, repeated: bool) {
        let flight_size = self.flight_size(seq);
        self.controller_mut().on_timeout(&Timeout { now, flight_size, repeated });
        if let Some(ecn) = &mut self.ecn {
            ecn.on_timeout(seq.nxt, repeated);
        }
    }

    /// The controller has reduced its window.
    pub fn on_reduction(&mut self, nxt: u64) {
        if let Some(ecn) = &mut self.ecn {
            ecn.on_reduction(nxt);
        }
    }

    /// New data was acknowledged.
    #[inline(always)]
    pub fn on_ack<A>(&mut self, ack: A)
    where
        Ack: From<A>,
    {
        self.controller.decide_on_ack(ack, &mut self.decisions);
        self.current = true;
    }

    /// The SYN-ACK came after this many retransmissions of the SYN. An initial window of RFC 5681 is one segment then (3.1); a larger one,
    /// of RFC 6928, after two only (2), since one alone may be a long round trip.
    #[cold]
    pub fn on_lost_syns(&mut self, retransmissions: u8) {
        let window = f64::from(self.initial_window).min(self.controller.window());
        let tolerated = u8::from(window > LARGEST_OF_RFC_5681);
        if retransmissions > tolerated {
            self.controller_mut().on_idle(1.0);
        }
    }

    /// Nothing was sent for longer than the retransmission timeout (RFC 5681, 4.1).
    #[cold]
    pub fn on_idle(&mut self) {
        let window = f64::from(self.initial_window).min(self.controller.window());
        self.controller_mut().on_idle(window);
    }

    /// The last timeout was spurious: the window may be what is in flight and what the acknowledgement delivered, at most an
    /// initial window of it (RFC 4015, 3.2).
    pub fn on_spurious_timeout(&mut self, in_flight: u64, delivered: u64) {
        let window = self.packets(in_flight) + self.packets(delivered).min(self.initial_window.into());
        self.controller_mut().on_spurious_timeout(window);
        if let Some(ecn) = &mut self.ecn {
            ecn.on_spurious_timeout();
        }
    }

    /// ECE (RFC 3168, 6.1.2) or counts of marks (RFC 9768) on an acknowledgement that newly acknowledges `acknowledged` bytes and
    /// newly delivers `delivered`, which without SACK may be fewer.
    pub fn on_ecn_feedback(
        &mut self,
        now: Time,
        ack: &Acknowledgement,
        seq: &SendSequence,
        prior: &PriorState,
        (acknowledged, delivered): (u64, u64),
    ) -> EcnOutcome {
        let Some(ecn) = self.ecn.as_mut().filter(|e| e.negotiated()) else { return EcnOutcome::default() };
        let option = ecn.take_option();
        if ack.number < prior.una {
            // overtaken by a later acknowledgement: its counts are old
            return EcnOutcome::default();
        }
        let (mut new_event, by_share) = (ecn.is_new_event(seq.una), ecn.responds_by_share());
        let before = ecn.sent_before_reduction(prior.una, seq.una).min(delivered);
        let marked = match ecn.count(ack.flags, option, delivered) {
            Some(marked) => {
                let (acked, before) = (self.packets(acknowledged), self.packets(before));
                self.controller_mut().on_marks(&Marks { now, sent_at: ack.sent_at, acked, marked });
                // What an acknowledgement covers from both sides of the last reduction: its marks are first of what came before. The
                // option counts bytes, the ACE field packets. What repairs a hole is not ECN-capable.
                let before = if option.is_some() { before } else { before.ceil() };
                new_event &= marked > before || ack.flags.retransmission() && marked > 0.0;
                marked > 0.0
            }
            None => ack.flags.ece(),
        };
        let mut reduced = false;
        if marked && new_event {
            let window = self.controller.window();
            // FlightSize before this acknowledgement
            let flight_size = self.packets(seq.nxt - prior.una).min(window);
            self.controller_mut().on_ecn(&Loss { now, flight_size });
            reduced = self.controller.window() < window || !by_share;
        }
        EcnOutcome { forbids_growth: marked && !by_share, reduced }
    }

    /// The NIC queue refused a packet; `open` if no loss episode is in progress. Returns whether the window was reduced.
    pub fn on_nic_refusal(&mut self, now: Time, seq: &SendSequence, open: bool) -> bool {
        self.limited_by = LimitedBy::ReceiverOrNic;
        let Some(nic) = &mut self.nic else { return false };
        let reduces = nic.on_refusal(seq.una, seq.nxt, open);
        if reduces {
            let flight_size = self.flight_size(seq);
            self.controller_mut().on_ecn(&Loss { now, flight_size });
        }
        reduces
    }
}
