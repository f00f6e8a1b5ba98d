//! The sender: handshake, what to send next and when, acknowledgements, recovery, FIN.
//!
//! Recovery is RFC 6675 where SACK is on, RFC 5681 and 6582 where it is off. The first segment of a recovery goes out at
//! once, all others while the bytes in flight ("pipe") are below the window; without SACK every duplicate acknowledgement
//! stands for one segment that has left.

mod ack_ratio;
mod application;
mod card;
mod early;
mod ecn;
mod extras;
mod frto;
mod mark_counter;
mod output;
mod pacing;
mod prr;
mod rack;
mod recovery;
#[cfg(test)]
mod tests;
mod tlp;

use eddyline_cc::{Ack, AnyController, Controller as _, PartialAck, Stamp};
use eddyline_scenario::network::{Application, Flow as FlowSpec, Pacing, PacingGain};
use eddyline_units::Time;

use super::aside::SackBlocks;
use super::rto::Rto;
use super::scoreboard::Scoreboard;
use crate::engine::{Aside, Flags, Kind, Packet};
pub use ecn::{FIRST_COUNT, SYN_NOT_ECT};
use extras::{Before, Extras};

/// A segment that the sender wants on the wire.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    pub kind: Kind,
    /// Its first number.
    pub seq: u64,
    /// Bytes of data.
    pub payload: u32,
    pub flags: Flags,
    /// What the controller wants to remember.
    pub stamp: f32,
    pub aside: Aside,
}

/// Where segments go.
pub trait Wire {
    /// Sends a segment.
    fn segment(&mut self, segment: Segment);

    /// Whether the sender's own card has room for so many bytes of data, or for a FIN.
    fn has_room(&mut self, _payload: Option<u64>) -> bool {
        true
    }

    /// When it will have, after it had none.
    fn room_at(&mut self) -> Time {
        Time::ZERO
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    SynSent,
    Established,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Episode {
    /// All is well, or not known to be otherwise.
    None,
    /// Fast recovery until all that was outstanding at its start is acknowledged.
    Recovery,
    /// After a timeout, likewise.
    AfterTimeout,
}

/// A flow's sending end.
#[derive(Debug)]
pub struct Sender {
    pub controller: AnyController,
    una: u64,
    nxt: u64,
    /// Numbers that the application has offered: data may be sent below this.
    offered: u64,
    /// The application sends no more: a FIN takes the number `offered`.
    closing: bool,
    window_bytes: u64,
    mss: u32,
    packets_per_byte: f64,
    initial_window: f64,
    receive_window: u64,
    rto: Rto,
    rto_at: Time,
    /// When something is to be done before that (RFC 8985).
    early_at: Time,
    /// The earlier of `application_at` and `early_at`.
    seldom_at: Time,
    /// Segments sent from here on may give the timer its next sample: one a round trip.
    timed_from: Time,
    /// When the next packet may leave, if paced.
    pace_at: Time,
    /// Packets wait for `pace_at`.
    waits_for_pace: bool,
    pacing: Pacing,
    pacing_gain: PacingGain,
    state: State,
    episode: Episode,
    /// All below is acknowledged when the episode is over.
    recovery_point: u64,
    /// The first segment outstanding is to be sent again, whatever the window.
    fast_retransmit: bool,
    board: Scoreboard,
    sack: bool,
    /// Losses are found by time (RFC 8985).
    by_time: bool,
    timestamps: bool,
    limited_transmit: bool,
    /// Duplicate acknowledgements mean a loss.
    fast_retransmits: bool,
    /// Without SACK: duplicate acknowledgements, and the bytes that they stand for.
    duplicates: u32,
    duplicate_bytes: u64,
    /// Without SACK: duplicates at the recovery point are not of segments that were sent again needlessly.
    trusts_duplicates: bool,
    partial_ack: PartialAck,
    cwnd_limited: bool,
    application: Application,
    /// When the application offers more, starts or stops.
    application_at: Time,
    stop: Time,
    size: u64,
    last_sent: Time,
    syn_resent: bool,
    extras: Option<Box<Extras>>,
    pub last_rtt: Option<Time>,
    pub retransmits: u64,
    pub timeouts: u64,
    pub completed_at: Option<Time>,
}

impl Sender {
    pub fn new(spec: &FlowSpec, controller: AnyController) -> Self {
        let mss = spec.mss();
        let extras = Extras::of(&spec.tcp, mss, &controller);
        let partial_ack = controller.partial_ack();
        Self {
            controller,
            una: 0,
            nxt: 0,
            offered: 0,
            closing: false,
            window_bytes: 0,
            mss,
            packets_per_byte: 1.0 / f64::from(mss),
            initial_window: f64::from(spec.tcp.initial_window),
            receive_window: spec.receive_window.unwrap_or(u64::MAX),
            rto: Rto::new(spec.tcp.min_rto),
            rto_at: Time::MAX,
            early_at: Time::MAX,
            seldom_at: spec.start,
            timed_from: Time::ZERO,
            pace_at: Time::ZERO,
            waits_for_pace: false,
            pacing: spec.tcp.pacing,
            pacing_gain: spec.tcp.pacing_gain,
            state: State::Idle,
            episode: Episode::None,
            recovery_point: 0,
            fast_retransmit: false,
            board: Scoreboard::new(spec.tcp.rack),
            sack: spec.tcp.sack,
            by_time: spec.tcp.rack,
            timestamps: spec.tcp.timestamps,
            limited_transmit: spec.tcp.limited_transmit,
            fast_retransmits: spec.tcp.fast_retransmit,
            duplicates: 0,
            duplicate_bytes: 0,
            trusts_duplicates: false,
            partial_ack,
            cwnd_limited: false,
            application: spec.application,
            application_at: spec.start,
            stop: spec.stop.unwrap_or(Time::MAX),
            size: spec.size.unwrap_or(u64::MAX),
            last_sent: Time::ZERO,
            syn_resent: false,
            extras,
            last_rtt: None,
            retransmits: 0,
            timeouts: 0,
            completed_at: None,
        }
    }

    /// When [`on_timer`](Self::on_timer) must be called at the latest.
    #[inline]
    pub fn next_timer(&self) -> Time {
        let pace = if self.waits_for_pace { self.pace_at } else { Time::MAX };
        pace.min(self.rto_at).min(self.seldom_at)
    }

    fn set_application(&mut self, at: Time) {
        self.application_at = at;
        self.seldom_at = at.min(self.early_at);
    }

    fn set_early(&mut self, at: Time) {
        self.early_at = at;
        self.seldom_at = at.min(self.application_at);
    }

    /// Bytes believed to be on their way (the "pipe" of RFC 6675).
    #[inline]
    fn pipe(&self) -> u64 {
        (self.nxt - self.una).saturating_sub(self.board.sacked() + self.board.lost() + self.duplicate_bytes)
    }

    /// Packets believed to be on their way.
    #[inline]
    pub fn in_flight_packets(&self) -> f64 {
        self.pipe() as f64 * self.packets_per_byte
    }

    /// The smoothed round-trip time.
    pub fn srtt(&self) -> Option<Time> {
        self.rto.srtt()
    }

    /// A time that was asked for has come.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl Wire) {
        if self.seldom_at <= now {
            if self.application_at <= now {
                self.on_application(now, wire);
            }
            if self.early_at <= now {
                self.on_early(now, wire);
            }
        }
        if self.rto_at <= now {
            self.on_timeout(now, wire);
        }
        self.send(now, wire);
    }

    /// The SYN-ACK arrived.
    pub fn on_syn_ack(&mut self, now: Time, packet: &Packet, wire: &mut impl Wire) -> Option<Time> {
        if self.state != State::SynSent {
            return None;
        }
        self.state = State::Established;
        if let Some(ecn) = self.extras.as_mut().and_then(|x| x.ecn.as_mut()) {
            ecn.on_syn_ack(packet.flags);
        }
        self.rto.progress();
        self.rto_at = Time::MAX;
        let sample = (!packet.flags.retransmission()).then(|| now - packet.sent_at);
        if let Some(rtt) = sample {
            self.rto.sample(rtt);
            self.controller.on_handshake(now, rtt);
            self.take_own_timeout();
            self.measure_early(Some(rtt));
        }
        if self.syn_resent {
            // RFC 5681, 3.1: after a lost SYN the initial window is one segment
            self.controller.on_idle(1.0);
            self.rto.lost_syn();
        }
        self.last_sent = now;
        self.send(now, wire);
        sample
    }

    /// An acknowledgement arrived; gives the round-trip sample, if it holds one.
    #[inline(always)]
    pub fn on_ack(
        &mut self,
        now: Time,
        packet: &Packet,
        blocks: Option<SackBlocks>,
        wire: &mut impl Wire,
    ) -> Option<Time> {
        if self.state != State::Established {
            return None;
        }
        if self.extras.is_some() {
            return self.hear_with_extras(now, packet, blocks, wire);
        }
        self.hear::<false>(now, packet, blocks, wire)
    }

    #[cold]
    #[inline(never)]
    fn hear_with_extras(
        &mut self,
        now: Time,
        packet: &Packet,
        blocks: Option<SackBlocks>,
        wire: &mut impl Wire,
    ) -> Option<Time> {
        self.hear::<true>(now, packet, blocks, wire)
    }

    #[inline(always)]
    fn hear<const EXTRAS: bool>(
        &mut self,
        now: Time,
        packet: &Packet,
        blocks: Option<SackBlocks>,
        wire: &mut impl Wire,
    ) -> Option<Time> {
        let before = Before {
            una: self.una,
            acknowledged: self.una + self.board.sacked(),
            duplicate_bytes: self.duplicate_bytes,
            lost: self.board.ever_lost(),
            in_order: EXTRAS && self.episode == Episode::None && self.board.sacked() == 0,
        };
        let advanced = packet.seq > self.una;
        if advanced {
            self.una = packet.seq;
            self.rto.progress();
        }
        if EXTRAS && self.by_time {
            self.look_for_duplicate(packet.seq, blocks);
        }
        if self.episode != Episode::None
            || blocks.is_some()
            || !advanced
            || self.board.sacked() > 0
            || self.duplicates > 0
            || (EXTRAS && self.by_time)
        {
            self.account(now, packet, before, blocks);
        }
        let acked = (self.una + self.board.sacked()).saturating_sub(before.acknowledged);
        // Karn; with timestamps every acknowledgement that advances tells which packet it answers (RFC 7323, 4.1)
        let karn = !packet.flags.retransmission() && acked > 0;
        let timed = if EXTRAS && self.timestamps { advanced } else { karn };
        let sample = timed.then(|| now - packet.sent_at);
        if let Some(rtt) = sample {
            // One sample a round trip, as RFC 6298 was made for: with more, the variation is forgotten within one (RFC 7323,
            // appendix G), and a queue that fills is a timeout.
            if packet.sent_at >= self.timed_from {
                self.rto.sample(rtt);
                self.timed_from = now;
            }
            self.last_rtt = sample;
        }
        let reduced = EXTRAS && self.on_extras(now, packet, before, sample);
        if acked > 0 {
            self.controller.on_ack(&Ack {
                now,
                sent_at: packet.sent_at,
                received_at: packet.aside.time(),
                rtt: sample,
                acked: acked as f64 * self.packets_per_byte,
                lost: (self.board.ever_lost() - before.lost) as f64 * self.packets_per_byte,
                in_flight: self.in_flight_packets(),
                stamp: Stamp { remembered: packet.stamp },
                // RFC 3042: the window does not grow on duplicates
                cwnd_limited: self.cwnd_limited && advanced,
                in_recovery: self.episode == Episode::Recovery || reduced,
            });
            if EXTRAS {
                self.take_own_timeout();
            }
        } else if self.duplicate_bytes > before.duplicate_bytes {
            self.tell_of_duplicate(now, packet, before);
        }
        if advanced {
            self.rto_at = if self.una == self.nxt { Time::MAX } else { now.saturating_add(self.rto.timeout()) };
            if self.una == self.offered && matches!(self.application, Application::Objects { .. }) {
                // the next request came with this acknowledgement
                self.set_application(now);
            }
            if self.closing && self.una > self.offered {
                self.finish(now);
                return sample;
            }
            if EXTRAS && self.by_time {
                self.schedule_probe(now);
            }
        }
        self.send_within::<EXTRAS>(now, wire);
        sample
    }

    /// The FIN is acknowledged.
    fn finish(&mut self, now: Time) {
        self.state = State::Done;
        self.completed_at = Some(now);
        self.rto_at = Time::MAX;
        self.set_early(Time::MAX);
        self.set_application(Time::MAX);
        self.waits_for_pace = false;
    }
}
