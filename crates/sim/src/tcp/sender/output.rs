//! What to send next, and whether window, pacing and application allow it.

use eddyline_cc::{Controller as _, Sent};
use eddyline_units::Time;

use super::{Episode, Segment, Sender, State, Wire};
use crate::engine::{Aside, Flags, Kind};

impl Sender {
    /// Sends what window, pacing and application allow.
    #[inline]
    pub(super) fn send(&mut self, now: Time, wire: &mut impl Wire) {
        if self.state != State::Established {
            self.try_syn(now, wire);
        } else if self.extras.is_some() {
            self.send_within::<true>(now, wire);
        } else {
            self.send_within::<false>(now, wire);
        }
    }

    /// The same once the connection is established.
    #[inline]
    pub(super) fn send_within<const EXTRAS: bool>(&mut self, now: Time, wire: &mut impl Wire) {
        if self.waits_for_pace && now < self.pace_at {
            // an acknowledgement does not bring the next packet forward
            return;
        }
        let interval = self.pacing_interval();
        self.restart_after_idle(now);
        self.window_bytes = (self.controller.flight_limit(interval.is_some()) * f64::from(self.mss)) as u64;
        if EXTRAS {
            self.window_bytes = self.reduction_limit().unwrap_or(self.window_bytes);
        }
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
                    let fin = len == 0 && self.closing && self.nxt == self.offered;
                    if fin && !(EXTRAS && self.is_refused(now, None, false, wire)) {
                        self.send_fin(now, false, wire);
                    }
                    return;
                }
                (self.nxt, len, false)
            };
            let pipe = if EXTRAS && !again { self.pipe_for_new_data() } else { self.pipe() };
            // one packet may always be in flight
            let free = (again && self.fast_retransmit) || (EXTRAS && !again && self.take_credit());
            if pipe + len > self.window_bytes && pipe > 0 && !free {
                self.cwnd_limited = true;
                return;
            }
            if interval.is_some() && now < self.pace_at {
                self.cwnd_limited = self.window_bytes <= self.receive_window;
                self.waits_for_pace = true;
                return;
            }
            let fin = again && self.closing && seq == self.offered;
            if EXTRAS && self.is_refused(now, (!fin).then_some(len), again, wire) {
                return;
            }
            if let Some(interval) = interval {
                // lateness of up to one interval is made up for, more is not
                self.pace_at = self.pace_at.saturating_add(interval).max(now);
            }
            if fin {
                self.send_fin(now, true, wire);
                continue;
            }
            self.send_data::<EXTRAS>(now, seq, len, again, wire);
            if interval.is_some() && now < self.pace_at && (self.board.lost() > 0 || self.nxt < self.offered) {
                // what else there is to send will have to wait: no need to look what it is
                self.cwnd_limited = self.window_bytes <= self.receive_window;
                self.waits_for_pace = true;
                return;
            }
        }
    }

    /// Bytes in flight as far as they hold back new data.
    fn pipe_for_new_data(&self) -> u64 {
        if self.limited_transmit || self.episode != Episode::None {
            return self.pipe();
        }
        // RFC 5681 without RFC 3042: duplicates let nothing out
        self.nxt - self.una
    }

    #[inline]
    pub(super) fn send_data<const EXTRAS: bool>(
        &mut self,
        now: Time,
        seq: u64,
        len: u64,
        again: bool,
        wire: &mut impl Wire,
    ) {
        // A stretch to send again may end with the FIN's number, which is no byte.
        let len = if self.closing { len.min(self.offered - seq) } else { len };
        if again {
            self.board.sent_again(now, seq, seq + len);
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
        let aside = if EXTRAS { self.send_with_extras(now, seq, len, &mut flags) } else { Aside::default() };
        wire.segment(Segment { kind: Kind::Data, seq, payload: len as u32, flags, stamp: stamp.remembered, aside });
    }

    /// The FIN waits for neither window nor pacing.
    pub(super) fn send_fin(&mut self, now: Time, again: bool, wire: &mut impl Wire) {
        let mut flags = Flags::default();
        flags.set_retransmission(again);
        if again {
            self.board.sent_again(now, self.offered, self.offered + 1);
            self.fast_retransmit = false;
        } else {
            self.nxt = self.offered + 1;
            self.board.sent(now, self.offered, self.nxt);
        }
        self.after_sending(now);
        if self.by_time && !again {
            self.schedule_probe(now);
        }
        wire.segment(Segment {
            kind: Kind::Fin,
            seq: self.offered,
            payload: 0,
            flags,
            stamp: 0.0,
            aside: Aside::default(),
        });
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
