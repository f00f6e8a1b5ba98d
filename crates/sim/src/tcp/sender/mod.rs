//! The sender: handshake, what to send next and when, acknowledgements, recovery, FIN.
//!
//! Recovery is RFC 6675 where SACK is on, RFC 5681 and 6582 where it is off. The first segment of a recovery goes out at
//! once, all others while the bytes in flight ("pipe") are below the window; without SACK every duplicate acknowledgement
//! stands for one segment that has left.

mod recovery;

use eddyline_cc::{Ack, AnyController, Controller as _, Sent, Stamp};
use eddyline_scenario::network::{Application, Flow as FlowSpec, Pacing};
use eddyline_units::Time;

use super::rto::Rto;
use super::sack::SackBlocks;
use super::scoreboard::Scoreboard;
use crate::engine::{Flags, Kind, Packet};

/// What the sender wants to put on the wire.
pub trait Wire {
    /// Sends a segment; `seq` is its first number, `payload` its bytes of data.
    fn segment(&mut self, kind: Kind, seq: u64, payload: u32, flags: Flags, stamp: f32);
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
#[derive(Debug, Clone)]
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
    /// Segments sent from here on may give the timer its next sample: one a round trip.
    timed_from: Time,
    /// When the next packet may leave, if paced.
    pace_at: Time,
    /// Packets wait for `pace_at`.
    waits_for_pace: bool,
    pacing: Pacing,
    state: State,
    episode: Episode,
    /// All below is acknowledged when the episode is over.
    recovery_point: u64,
    /// The first segment outstanding is to be sent again, whatever the window.
    fast_retransmit: bool,
    board: Scoreboard,
    sack: bool,
    /// Without SACK: duplicate acknowledgements, and the bytes that they stand for.
    duplicates: u32,
    duplicate_bytes: u64,
    cwnd_limited: bool,
    application: Application,
    /// When the application offers more, starts or stops.
    application_at: Time,
    stop: Time,
    size: u64,
    last_sent: Time,
    syn_resent: bool,
    pub last_rtt: Option<Time>,
    pub retransmits: u64,
    pub timeouts: u64,
    pub completed_at: Option<Time>,
}

impl Sender {
    pub fn new(spec: &FlowSpec, controller: AnyController) -> Self {
        let mss = spec.mss();
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
            timed_from: Time::ZERO,
            pace_at: Time::ZERO,
            waits_for_pace: false,
            pacing: spec.tcp.pacing,
            state: State::Idle,
            episode: Episode::None,
            recovery_point: 0,
            fast_retransmit: false,
            board: Scoreboard::default(),
            sack: spec.tcp.sack,
            duplicates: 0,
            duplicate_bytes: 0,
            cwnd_limited: false,
            application: spec.application,
            application_at: spec.start,
            stop: spec.stop.unwrap_or(Time::MAX),
            size: spec.size.unwrap_or(u64::MAX),
            last_sent: Time::ZERO,
            syn_resent: false,
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
        pace.min(self.rto_at).min(self.application_at)
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

    /// The controller's interval if packets are paced; `pacing = true` makes one for controllers that have none.
    #[inline]
    pub fn pacing_interval(&self) -> Option<Time> {
        match self.pacing {
            Pacing::Off => None,
            Pacing::Controller => self.controller.pacing_interval(),
            Pacing::On => self.controller.pacing_interval().or_else(|| {
                let srtt = self.rto.srtt()?;
                Some(Time::from_ps((srtt.as_ps() as f64 / self.controller.window()) as u64))
            }),
        }
    }

    /// A time that was asked for has come.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl Wire) {
        if self.application_at <= now {
            self.on_application(now, wire);
        }
        if self.rto_at <= now {
            self.on_timeout(now, wire);
        }
        self.send(now, wire);
    }

    fn on_application(&mut self, now: Time, wire: &mut impl Wire) {
        if self.state == State::Idle {
            self.state = State::SynSent;
            self.rto_at = now.saturating_add(self.rto.timeout());
            wire.segment(Kind::Syn, 0, 0, Flags::default(), 0.0);
        }
        if now >= self.stop {
            // what was not sent never will be; a FIN that has left keeps its number
            self.offered = self.offered.min(self.nxt);
            self.closing = true;
            self.application_at = Time::MAX;
            return;
        }
        match self.application {
            Application::Bulk => {
                self.offered = self.size;
                self.application_at = self.stop;
            }
            Application::Bursts { bytes, every } => {
                self.offered = self.offered.saturating_add(bytes).min(self.size);
                self.application_at = now.saturating_add(every).min(self.stop);
            }
        }
        if self.offered == self.size && self.size != u64::MAX {
            self.closing = true;
            self.application_at = self.stop;
        }
    }

    /// The SYN-ACK arrived.
    pub fn on_syn_ack(&mut self, now: Time, packet: &Packet, wire: &mut impl Wire) -> Option<Time> {
        if self.state != State::SynSent {
            return None;
        }
        self.state = State::Established;
        self.rto.progress();
        self.rto_at = Time::MAX;
        let sample = (!packet.flags.retransmission()).then(|| now - packet.sent_at);
        if let Some(rtt) = sample {
            self.rto.sample(rtt);
            self.controller.on_handshake(now, rtt);
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
    #[inline]
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
        let before = self.una + self.board.sacked();
        let advanced = packet.seq > self.una;
        if advanced {
            self.una = packet.seq;
            self.rto.progress();
        }
        if self.episode != Episode::None
            || blocks.is_some()
            || !advanced
            || self.board.sacked() > 0
            || self.duplicates > 0
        {
            self.account(now, advanced, before, blocks);
        }
        let acked = (self.una + self.board.sacked()).saturating_sub(before);
        let sample = (!packet.flags.retransmission() && acked > 0).then(|| now - packet.sent_at);
        if let Some(rtt) = sample {
            // One sample a round trip, as RFC 6298 was made for: with more, the variation is forgotten within one (RFC 7323,
            // appendix G), and a queue that fills is a timeout.
            if packet.sent_at >= self.timed_from {
                self.rto.sample(rtt);
                self.timed_from = now;
            }
            self.last_rtt = sample;
        }
        if acked > 0 {
            self.controller.on_ack(&Ack {
                now,
                sent_at: packet.sent_at,
                received_at: packet.received_at,
                rtt: sample,
                acked: acked as f64 * self.packets_per_byte,
                in_flight: self.in_flight_packets(),
                stamp: Stamp { in_flight: packet.stamp },
                // RFC 3042: the window does not grow on duplicates
                cwnd_limited: self.cwnd_limited && advanced,
                in_recovery: self.episode == Episode::Recovery,
            });
        }
        if advanced {
            self.rto_at = if self.una == self.nxt { Time::MAX } else { now.saturating_add(self.rto.timeout()) };
            if self.closing && self.una > self.offered {
                self.state = State::Done;
                self.completed_at = Some(now);
                self.rto_at = Time::MAX;
                self.application_at = Time::MAX;
                self.waits_for_pace = false;
                return sample;
            }
        }
        self.send(now, wire);
        sample
    }

    /// Sends what window, pacing and application allow.
    #[inline]
    fn send(&mut self, now: Time, wire: &mut impl Wire) {
        if self.state != State::Established {
            self.waits_for_pace = false;
            return;
        }
        if self.waits_for_pace && now < self.pace_at {
            // an acknowledgement does not bring the next packet forward
            return;
        }
        let interval = self.pacing_interval();
        self.restart_after_idle(now);
        self.window_bytes = (self.controller.flight_limit(interval.is_some()) * f64::from(self.mss)) as u64;
        self.waits_for_pace = false;
        loop {
            let mss = u64::from(self.mss);
            let (seq, len, again) = if self.board.lost() > 0 {
                let Some((start, end)) = self.board.next_hole(mss) else { return };
                (start, end - start, true)
            } else {
                let len = mss.min(self.offered.saturating_sub(self.nxt));
                if len == 0 || self.nxt + len - self.una > self.receive_window {
                    self.cwnd_limited = false;
                    if len == 0 && self.closing && self.nxt == self.offered {
                        self.send_fin(now, false, wire);
                    }
                    return;
                }
                (self.nxt, len, false)
            };
            let pipe = self.pipe();
            // one packet may always be in flight
            if pipe + len > self.window_bytes && pipe > 0 && !(again && self.fast_retransmit) {
                self.cwnd_limited = true;
                return;
            }
            if let Some(interval) = interval {
                if now < self.pace_at {
                    self.cwnd_limited = self.window_bytes <= self.receive_window;
                    self.waits_for_pace = true;
                    return;
                }
                // lateness of up to one interval is made up for, more is not
                self.pace_at = self.pace_at.saturating_add(interval).max(now);
            }
            if again && self.closing && seq == self.offered {
                self.send_fin(now, true, wire);
                continue;
            }
            self.send_data(now, seq, len, again, wire);
            if interval.is_some() && now < self.pace_at && (self.board.lost() > 0 || self.nxt < self.offered) {
                // what else there is to send will have to wait: no need to look what it is
                self.cwnd_limited = self.window_bytes <= self.receive_window;
                self.waits_for_pace = true;
                return;
            }
        }
    }

    #[inline]
    fn send_data(&mut self, now: Time, seq: u64, len: u64, again: bool, wire: &mut impl Wire) {
        // A stretch to send again may end with the FIN's number, which is no byte.
        let len = if self.closing { len.min(self.offered - seq) } else { len };
        if again {
            self.board.sent_again(seq + len, len);
            self.fast_retransmit = false;
            self.retransmits += 1;
            if seq == self.una {
                // The timer now waits for this very segment, as in senders in use: one that runs since the last advance
                // would expire while the retransmission is on its way.
                self.rto_at = Time::MAX;
            }
        } else {
            self.nxt = seq + len;
        }
        let stamp = self.controller.on_sent(&Sent {
            now,
            in_flight: self.in_flight_packets(),
            cwnd_limited: self.cwnd_limited,
        });
        self.after_sending(now);
        let mut flags = Flags::default();
        flags.set_retransmission(again);
        wire.segment(Kind::Data, seq, len as u32, flags, stamp.in_flight);
    }

    /// The FIN waits for neither window nor pacing.
    fn send_fin(&mut self, now: Time, again: bool, wire: &mut impl Wire) {
        let mut flags = Flags::default();
        flags.set_retransmission(again);
        if again {
            self.board.sent_again(self.offered + 1, 1);
            self.fast_retransmit = false;
        } else {
            self.nxt = self.offered + 1;
        }
        self.after_sending(now);
        wire.segment(Kind::Fin, self.offered, 0, flags, 0.0);
    }

    #[inline]
    fn after_sending(&mut self, now: Time) {
        self.last_sent = now;
        if self.rto_at == Time::MAX {
            self.rto_at = now.saturating_add(self.rto.timeout());
        }
    }

    /// RFC 5681, 4.1: after an idle period longer than the timeout the window starts over.
    #[inline]
    fn restart_after_idle(&mut self, now: Time) {
        if self.una == self.nxt
            && self.offered > self.nxt
            && self.nxt > 0
            && now.saturating_sub(self.last_sent) > self.rto.timeout()
        {
            self.controller.on_idle(self.initial_window.min(self.controller.window()));
        }
    }
}
