//! From a QUIC stack's events to a controller's, and from its decisions to a window and a pacing rate in bytes.
//!
//! The bridge is sans-I/O and knows no stack; the adapters for noq and quinn only rename their events to its.
//! It makes of a stack's calls what the controllers are written for:
//!
//! - One event per ACK frame, as TCP has one per acknowledgement. The round-trip sample is that of the newest packet, if no packet
//!   sent later was acknowledged before (RFC 9002, 5.1); all others have waited at the receiver.
//! - Round trips and recovery by times of sending: QUIC never sends a packet number twice. Losses, and marks unless the controller
//!   counts them, reduce the window once per recovery, which ends with the acknowledgement of a packet sent after its beginning
//!   (RFC 9002, 7.3.2).
//! - Persistent congestion (RFC 9002, 7.6) is the timeout of TCP. A probe timeout is no event: it does not change the window.
//! - Packets are counted in packets of the current maximum size; the window in bytes is their number times that size.

use std::time::Instant;

use eddyline_cc::{Ack, AnyController, Controller as _, EcnResponse, Loss, Marks, Sent, Stamp, Timeout};
use eddyline_units::Time;

use crate::clock::Clock;
use crate::config::Config;
use crate::receipts::PacketTag;
use crate::round_trip_time::RoundTripTime;
use crate::sent_packets::SentPackets;

/// Packets were declared lost.
#[derive(Debug, Clone, Copy)]
pub struct LostPackets {
    /// When.
    pub now: Instant,
    /// When the newest of them was sent.
    pub newest_sent: Instant,
    /// Their bytes.
    pub bytes: u64,
    /// Everything sent over a persistent congestion period was lost (RFC 9002, 7.6).
    pub persistent: bool,
}

/// The newest packet of an ACK frame, and all its packets together.
#[derive(Debug, Clone, Copy, Default)]
struct Batch {
    newest: Option<(Time, Stamp)>,
    received_at: Option<Time>,
    bytes: u64,
    marked: f64,
}

/// A recovery: packets sent up to its beginning cause no further reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Loss,
    Mark,
    Timeout,
}

/// What a QUIC stack needs to know from a controller; valid until the next event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decisions {
    /// Bytes that may be in flight.
    pub window: u64,
    /// Bytes a second, if the controller paces.
    pub pacing_rate: Option<u64>,
    /// Maximum burst in bytes, if the controller paces: what is sent in a millisecond, at least two packets, at most 64 KiB
    /// (draft-ietf-ccwg-bbr, 5.6.3).
    pub send_quantum: Option<u64>,
    /// Window in bytes at which slow start ends, if it is known.
    pub slow_start_threshold: Option<u64>,
}

/// A controller of one connection's path, driven by a QUIC stack.
#[derive(Debug)]
pub struct Bridge {
    config: Config,
    clock: Clock,
    controller: AnyController,
    response: EcnResponse,
    /// Bytes of a full packet (UDP payload).
    mtu: u16,
    initial_window: f64,
    sent: SentPackets,
    in_flight: u64,
    /// Window or pacing, not the application or flow control, held the sender back.
    limited: bool,
    /// The pacer, or flow control, held back less data than the window has room for.
    underused: bool,
    /// The application had no more data, and nothing has been sent since.
    dry: bool,
    last_sent: Option<Time>,
    rtt: RoundTripTime,
    /// Stamp of the packet acknowledged last.
    stamp: Stamp,
    batch: Batch,
    /// When the newest packet acknowledged so far was sent.
    newest_acked: Option<Time>,
    /// Packets declared lost since the last acknowledgement.
    lost: f64,
    /// The recovery in progress and its beginning.
    recovery: Option<(Cause, Time)>,
    /// When the window was last reduced for a loss, or for a mark taken as one.
    reduced_at: Option<Time>,
    /// The same before the last timeout, which may turn out to be spurious.
    reduced_before_timeout: Option<Time>,
    /// When a controller that counts marks last reduced its window for them.
    reduced_for_marks_at: Option<Time>,
    /// An acknowledgement whose marks may still be reported.
    uncounted: Option<Marks>,
}

impl Bridge {
    /// A path on which nothing was sent, for packets of `mtu` bytes.
    #[must_use]
    pub fn new(config: &Config, now: Instant, mtu: u16) -> Self {
        let facts = config.facts(mtu);
        let controller = config.params().build(&facts);
        Self {
            clock: Clock::new(config.epoch_or(now)),
            response: controller.ecn_response(),
            controller,
            mtu: mtu.max(1),
            initial_window: facts.initial_window,
            sent: SentPackets::default(),
            in_flight: 0,
            limited: false,
            underused: false,
            dry: true,
            last_sent: None,
            rtt: RoundTripTime::default(),
            stamp: Stamp::default(),
            batch: Batch::default(),
            newest_acked: None,
            lost: 0.0,
            recovery: None,
            reduced_at: None,
            reduced_before_timeout: None,
            reduced_for_marks_at: None,
            uncounted: None,
            config: config.clone(),
        }
    }

    /// A copy, for a connection that moves to another path. A registered controller starts again.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        let fresh = || self.config.params().build(&self.config.facts(self.mtu));
        let controller = self.controller.try_clone().unwrap_or_else(fresh);
        Self { config: self.config.clone(), controller, sent: self.sent.clone(), ..*self }
    }

    /// The controller: its window in packets, its estimates.
    #[must_use]
    pub fn controller(&self) -> &AnyController {
        &self.controller
    }

    /// Whether a recovery from losses or marks is in progress.
    #[must_use]
    pub fn in_recovery(&self) -> bool {
        self.recovery.is_some_and(|(cause, _)| cause != Cause::Timeout)
    }

    /// A packet that asks for an acknowledgement is sent; `number` if the stack tells it again with the acknowledgement.
    pub fn on_packet_sent(&mut self, now: Instant, bytes: u64, number: Option<u64>) {
        let now = self.clock.time(now);
        self.move_on();
        let idle = self.last_sent.filter(|_| self.in_flight == 0).map(|last| now.saturating_sub(last));
        if idle.is_some_and(|idle| self.rtt.probe_timeout().is_some_and(|pto| idle > pto)) {
            self.controller.on_idle(self.initial_window.min(self.controller.window()));
        }
        self.last_sent = Some(now);
        self.in_flight += bytes;
        let stamp = self.controller.on_sent(&Sent {
            now,
            in_flight: self.packets(self.in_flight),
            cwnd_limited: self.limited,
            app_limited: std::mem::take(&mut self.dry),
        });
        let tag = self.config.receipts_table().map_or(PacketTag::FIRST, |r| r.current());
        self.sent.push(now, bytes, number, stamp, tag);
        // some stacks report packets here that are never acknowledged: their own acknowledgements
        let kept = (KEPT_WINDOWS * self.controller.window()) as usize;
        self.sent.keep(kept.max(KEPT_PACKETS));
    }

    /// A datagram with the packets since the last one is complete.
    pub fn on_datagram_sent(&mut self) {
        if let Some(receipts) = self.config.receipts_table() {
            receipts.complete();
        }
    }

    /// The window held the sender back.
    pub fn on_cwnd_limited(&mut self) {
        self.on_paced(true);
    }

    /// The stack's pacer, or flow control, held data back. A sender is limited by its window only if these would have filled it (RFC 9002, 7.8).
    pub fn on_paced(&mut self, fills_window: bool) {
        (self.limited, self.underused, self.dry) = (fills_window, !fills_window, false);
    }

    /// A packet is newly acknowledged; [`on_acks_end`](Self::on_acks_end) follows the last one of an ACK frame.
    pub fn on_packet_acked(&mut self, sent: Instant, bytes: u64, number: Option<u64>) {
        let sent_at = self.clock.time(sent);
        self.in_flight = self.in_flight.saturating_sub(bytes);
        self.batch.bytes += bytes;
        let packet = self.sent.take(sent_at, number);
        // a packet that was forgotten has the latest stamp that is known
        self.stamp = packet.map_or(self.stamp, |p| p.stamp);
        let receipt = packet.and_then(|p| self.config.receipts_table()?.get(p.tag));
        if receipt.is_some_and(|r| r.marked) {
            self.batch.marked += self.packets(bytes);
        }
        if self.batch.newest.is_none_or(|(newest, _)| sent_at >= newest) {
            self.batch.newest = Some((sent_at, self.stamp));
            self.batch.received_at = receipt.map(|r| self.clock.time(r.received));
        }
    }

    /// All packets of an ACK frame were reported. `in_flight` are the bytes in flight, `app_limited` says that neither window nor
    /// pacing held the sender back.
    pub fn on_acks_end(&mut self, now: Instant, in_flight: u64, app_limited: bool) {
        let now = self.clock.time(now);
        self.in_flight = in_flight;
        self.underused &= !app_limited;
        (self.limited, self.dry) = (!app_limited && !self.underused, app_limited);
        let batch = std::mem::take(&mut self.batch);
        let Some((sent_at, stamp)) = batch.newest else { return };
        self.move_on();
        self.end_recovery(now, sent_at);
        let acked = self.packets(batch.bytes);
        let marks = Marks { now, sent_at, acked, marked: batch.marked };
        if self.config.receipts_table().is_some() {
            self.take_marks(marks);
        } else if self.response != EcnResponse::AsLoss {
            self.uncounted = Some(marks);
        }
        let sample = self.newest_acked.is_none_or(|newest| sent_at >= newest).then(|| now.saturating_sub(sent_at));
        // a clock may be too coarse for a short path
        let rtt = sample.map(|rtt| rtt.max(CLOCK_TICK));
        if let Some(rtt) = rtt {
            if self.newest_acked.is_none() {
                self.controller.on_handshake(now, rtt);
            }
            self.newest_acked = Some(sent_at);
            self.rtt.update(rtt);
        }
        self.controller.on_ack(&Ack {
            now,
            sent_at,
            received_at: batch.received_at.unwrap_or(now),
            rtt,
            acked,
            lost: std::mem::take(&mut self.lost),
            in_flight: self.packets(in_flight),
            stamp,
            cwnd_limited: self.limited,
            in_recovery: self.in_recovery(),
        });
    }

    /// Packets were declared lost.
    pub fn on_lost(&mut self, lost: &LostPackets) {
        let (now, newest) = (self.clock.time(lost.now), self.clock.time(lost.newest_sent));
        self.count_marks(0.0);
        let flight_size = self.flight_size();
        self.in_flight = self.in_flight.saturating_sub(lost.bytes);
        self.lost += self.packets(lost.bytes);
        if lost.persistent {
            self.controller.on_timeout(&Timeout { now, flight_size, repeated: false });
            self.recovery = Some((Cause::Timeout, now));
            self.reduced_before_timeout = self.reduced_at;
            self.reduced_at = Some(now);
        } else if self.reduced_at.is_none_or(|at| newest > at) {
            self.controller.on_loss(&Loss { now, flight_size });
            self.recovery = Some((Cause::Loss, now));
            self.reduced_at = Some(now);
        }
        self.sent.drop_lost(newest, lost.bytes);
        self.forget_receipts();
    }

    /// The last ACK frame reported packets that experienced congestion (ECN CE), the newest of them sent at `newest_sent`. How many is
    /// `marked` if the stack tells; else all packets of the frame. Ignored with [`Receipts`](crate::Receipts), which tell it packet by
    /// packet.
    pub fn on_ecn(&mut self, now: Instant, newest_sent: Instant, marked: Option<u64>) {
        if self.config.receipts_table().is_some() {
            return;
        }
        let (now, sent_at) = (self.clock.time(now), self.clock.time(newest_sent));
        let marked = marked.map_or(f64::INFINITY, |packets| packets as f64);
        if self.response == EcnResponse::AsLoss {
            self.respond_to_mark(now, sent_at);
        } else {
            self.count_marks(marked);
        }
    }

    /// The packets of the last congestion event arrived after all. Controllers restore their windows after a timeout only.
    pub fn on_spurious_loss(&mut self) {
        if let Some((Cause::Timeout, _)) = self.recovery {
            // RFC 4015, 3.2, with an acknowledgement of two packets
            let window = self.packets(self.in_flight) + self.initial_window.min(2.0);
            self.controller.on_spurious_timeout(window);
            // losses and marks of what was sent before it reduce the window
            self.reduced_at = self.reduced_before_timeout;
        }
    }

    /// Packets may be of this size from now on. Windows in packets stay as they are.
    pub fn on_mtu_update(&mut self, mtu: u16) {
        self.mtu = mtu.max(1);
    }

    /// The controller's decisions.
    #[must_use]
    pub fn decisions(&self) -> Decisions {
        let mtu = f64::from(self.mtu);
        let rate = self.controller.pacing_interval().filter(|&interval| interval > Time::ZERO);
        let pacing_rate = rate.map(|interval| ((mtu / interval.as_secs_f64()) as u64).max(1));
        let quantum = |rate: u64| (rate / 1000).min(MAX_QUANTUM).max(2 * u64::from(self.mtu));
        // not a number becomes the minimum, infinity the maximum of the type
        let window = match self.controller.flight_limit(true) {
            // it has failed: no packet fits into a byte, by which stacks may divide
            0.0 => 1,
            limit => (limit.max(self.config.minimum_window_packets()) * mtu) as u64,
        };
        let threshold = self.controller.slow_start_threshold().filter(|packets| packets.is_finite());
        Decisions {
            window,
            pacing_rate,
            send_quantum: pacing_rate.map(quantum),
            slow_start_threshold: threshold.map(|packets| (packets * mtu) as u64),
        }
    }

    /// The initial window in bytes.
    #[must_use]
    pub fn initial_window(&self) -> u64 {
        (self.initial_window * f64::from(self.mtu)) as u64
    }

    fn packets(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.mtu)
    }

    /// Packets outstanding, at most a window.
    fn flight_size(&self) -> f64 {
        self.packets(self.sent.outstanding(self.in_flight)).min(self.controller.window())
    }

    /// A packet sent at `sent_at` was acknowledged.
    fn end_recovery(&mut self, now: Time, sent_at: Time) {
        let Some((cause, _)) = self.recovery.filter(|&(_, since)| sent_at > since) else { return };
        self.recovery = None;
        match cause {
            Cause::Loss => self.controller.on_recovered(now),
            Cause::Timeout => self.controller.on_timeout_recovered(),
            Cause::Mark => {}
        }
    }

    /// Reports the marks of the last acknowledgement, at most as many as it has packets; with none if the stack has moved on without
    /// reporting any.
    fn count_marks(&mut self, marked: f64) {
        if let Some(marks) = self.uncounted.take() {
            self.take_marks(Marks { marked: marked.min(marks.acked), ..marks });
        }
    }

    fn take_marks(&mut self, marks: Marks) {
        self.controller.on_marks(&marks);
        if marks.marked <= 0.0 {
            return;
        }
        if self.response == EcnResponse::AsLoss {
            self.respond_to_mark(marks.now, marks.sent_at);
        } else if self.reduced_for_marks_at.is_none_or(|at| marks.sent_at > at) {
            let window = self.controller.window();
            self.controller.on_ecn(&Loss { now: marks.now, flight_size: self.flight_size() });
            if self.controller.window() < window {
                self.reduced_for_marks_at = Some(marks.now);
            }
        }
    }

    /// RFC 9002, 7.1: a mark is as a loss.
    fn respond_to_mark(&mut self, now: Time, sent_at: Time) {
        if self.reduced_at.is_none_or(|at| sent_at > at) {
            self.controller.on_ecn(&Loss { now, flight_size: self.flight_size() });
            self.recovery = Some((Cause::Mark, now));
            self.reduced_at = Some(now);
        }
    }

    /// The last ACK frame has been dealt with: it has no marks unless they were reported, and packets sent long before it are lost
    /// (RFC 9002, 6.1.2), also those whose loss the stack does not report (probes of the path's packet size).
    fn move_on(&mut self) {
        self.count_marks(0.0);
        if let (Some(newest), Some(smoothed)) = (self.newest_acked, self.rtt.smoothed()) {
            let long = Time::from_ps(smoothed.as_ps().saturating_mul(4));
            self.sent.drop_before(newest.saturating_sub(long));
        }
        self.forget_receipts();
    }

    fn forget_receipts(&self) {
        if let Some(receipts) = self.config.receipts_table() {
            receipts.forget_before(self.sent.oldest_tag());
        }
    }
}

/// Resolution assumed of the stack's clock.
const CLOCK_TICK: Time = Time::from_ps(1000);

/// Packets remembered: this many windows, at least so many packets.
const KEPT_WINDOWS: f64 = 4.0;
const KEPT_PACKETS: usize = 1024;

const MAX_QUANTUM: u64 = 64 * 1024;
