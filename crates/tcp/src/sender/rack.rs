//! RACK (RFC 8985, 6): a segment is lost when one that was sent later has been delivered and the reordering window has passed.

use eddyline_units::Time;

use super::transmissions::SentSegment;

/// Transmissions delivered above a hole that indicate a loss as long as no reordering has been observed.
const DUP_THRESH: usize = 3;
/// Recoveries without DSACK until the reordering window is reset (RACK.reo_wnd_persist).
const PERSIST: u32 = 16;

/// What the reordering window depends on besides RACK's own state (RACK_update_reo_wnd).
#[derive(Debug, Clone, Copy)]
pub struct ReorderingState {
    pub una: u64,
    pub nxt: u64,
    pub srtt: Option<Time>,
    /// Transmissions selectively acknowledged.
    pub sacked: usize,
    /// A recovery is in progress, after a timeout or not.
    pub recovering: bool,
    /// A recovery ended with this acknowledgement.
    pub recovered: bool,
    /// The acknowledgement carries a DSACK (RFC 2883).
    pub dsack: bool,
}

/// State of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rack {
    /// The most recently sent of all delivered segments: when, and its end (RACK.segment).
    newest: (Time, u64),
    /// Its round-trip time (RACK.rtt).
    rtt: Time,
    min_rtt: Option<Time>,
    /// Highest number delivered (RACK.fack).
    fack: u64,
    reordering_seen: bool,
    /// The round trip of the last DSACK ends when this is acknowledged (RACK.dsack_round).
    dsack_round: Option<u64>,
    /// The reordering window in quarters of the minimum round-trip time, less one (RACK.reo_wnd_mult - 1).
    extra_quarters: u32,
    persist: u32,
}

impl Rack {
    /// A round-trip sample, the handshake's included (step 1).
    pub fn on_sample(&mut self, rtt: Time) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
    }

    /// Transmissions were delivered, in sequence order (steps 2 and 3). `echo`, if the acknowledgement advanced and has a timestamp,
    /// is the time of transmission that it echoes and the new `una`. While it is `undecided` whether the last timeout was
    /// spurious, retransmissions are no evidence.
    ///
    /// A receiver echoes the segment that advanced its left edge (RFC 7323, 4.3), the first one here; for segments beyond a hole
    /// the timestamp is not of the segment that arrived.
    pub fn on_delivery(&mut self, now: Time, delivered: &[SentSegment], echo: Option<(Time, u64)>, undecided: bool) {
        let mut latest: Option<(Time, u64)> = None;
        let first = delivered.first().filter(|s| s.retransmitted);
        let first_copies = echo.filter(|(e, _)| first.is_some_and(|s| *e < s.sent)).map_or(0, |(_, una)| una);
        for segment in delivered {
            let rtt = now - segment.sent;
            if segment.end > self.fack {
                self.fack = segment.end;
            } else if !segment.retransmitted {
                self.reordering_seen = true;
            }
            let too_fast = self.min_rtt.is_some_and(|min| rtt < min);
            let spurious = segment.retransmitted && (undecided || too_fast || segment.end <= first_copies);
            if !spurious {
                latest = latest.max(Some(segment.order()));
            }
        }
        if let Some(latest) = latest {
            self.rtt = now - latest.0;
            self.newest = self.newest.max(latest);
        }
    }

    /// Whether a segment that was sent once was delivered after a later one (RACK.reordering_seen).
    pub fn has_seen_reordering(&self) -> bool {
        self.reordering_seen
    }

    /// The most recently sent of all delivered segments.
    pub fn newest(&self) -> (Time, u64) {
        self.newest
    }

    /// How long ago a segment must have been sent to be lost: a round trip and the reordering window (steps 4 and 5).
    pub fn loss_timeout(&mut self, s: &ReorderingState) -> Time {
        if self.dsack_round.is_some_and(|round| s.una >= round) {
            self.dsack_round = None;
        }
        if self.dsack_round.is_none() && s.dsack {
            self.dsack_round = Some(s.nxt);
            self.extra_quarters += 1;
            self.persist = PERSIST;
        } else if s.recovered {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.extra_quarters = 0;
            }
        }
        self.rtt.saturating_add(self.reordering_window(s))
    }

    fn reordering_window(&self, s: &ReorderingState) -> Time {
        if !self.reordering_seen && (s.recovering || s.sacked >= DUP_THRESH) {
            return Time::ZERO;
        }
        let quarter = Time::from_ps(self.min_rtt.map_or(0, |min| min.as_ps() / 4));
        quarter.saturating_mul(u64::from(self.extra_quarters) + 1).min(s.srtt.unwrap_or(Time::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sender::transmissions::Transmissions;

    const NONE: ReorderingState = ReorderingState {
        una: 0,
        nxt: 100,
        srtt: Some(Time::from_ms(100)),
        sacked: 0,
        recovering: false,
        recovered: false,
        dsack: false,
    };

    /// Transmissions of ten numbers sent a millisecond apart, from 0 ms on.
    fn flight(n: u64) -> Transmissions {
        let mut segments = Transmissions::default();
        (0..n).for_each(|i| {
            segments.sent(Time::from_ms(i), 10 * i, 10 * i + 10, false);
        });
        segments
    }

    fn deliver(rack: &mut Rack, segments: &mut Transmissions, ms: u64) {
        let delivered = segments.take_delivered();
        delivered.iter().filter(|s| !s.retransmitted).for_each(|s| rack.on_sample(Time::from_ms(ms) - s.sent));
        rack.on_delivery(Time::from_ms(ms), &delivered, None, false);
        segments.reuse(delivered);
    }

    /// A quarter of the minimum round-trip time as long as no reordering was seen, zero once three segments beyond the hole were
    /// delivered; one more quarter for each round trip with a DSACK, for sixteen recoveries.
    #[test]
    fn the_reordering_window() {
        let mut rack = Rack::default();
        let mut segments = flight(4);
        segments.deliver(10, 20);
        deliver(&mut rack, &mut segments, 101);
        assert_eq!(rack.loss_timeout(&NONE), Time::from_ms(125));
        assert_eq!(rack.loss_timeout(&ReorderingState { sacked: 3, ..NONE }), Time::from_ms(100));
        assert_eq!(rack.loss_timeout(&ReorderingState { recovering: true, ..NONE }), Time::from_ms(100));
        segments.deliver(0, 10);
        deliver(&mut rack, &mut segments, 101);
        let seen = ReorderingState { sacked: 3, ..NONE };
        assert_eq!(
            rack.loss_timeout(&seen),
            Time::from_ms(126),
            "0 came after 1: reordering, and a round trip of 101 ms"
        );
        let dsack = ReorderingState { dsack: true, ..seen };
        assert_eq!(rack.loss_timeout(&dsack), Time::from_ms(151));
        assert_eq!(rack.loss_timeout(&dsack), Time::from_ms(151), "once a round trip");
        assert_eq!(rack.loss_timeout(&ReorderingState { una: 100, nxt: 200, ..dsack }), Time::from_ms(176));
        for i in 3..9 {
            rack.loss_timeout(&ReorderingState { una: 100 * i, nxt: 100 * (i + 1), ..dsack });
        }
        assert_eq!(rack.loss_timeout(&seen), Time::from_ms(201), "at most a smoothed round-trip time");
        for _ in 0..15 {
            rack.loss_timeout(&ReorderingState { una: 1000, recovered: true, ..seen });
        }
        assert_eq!(rack.loss_timeout(&seen), Time::from_ms(201));
        rack.loss_timeout(&ReorderingState { recovered: true, ..seen });
        assert_eq!(rack.loss_timeout(&seen), Time::from_ms(126), "reset");
    }

    /// Segments sent before the latest delivery and long enough ago are lost; the deadline is that of the last other one.
    #[test]
    fn losses_by_time_of_transmission() {
        let mut rack = Rack::default();
        let mut segments = flight(6);
        segments.deliver(30, 40);
        deliver(&mut rack, &mut segments, 103);
        let loss_timeout = rack.loss_timeout(&NONE);
        assert_eq!(loss_timeout, Time::from_ms(125));
        let found = segments.search(Time::from_ms(103), rack.newest(), loss_timeout);
        assert_eq!(
            (found.bytes, found.deadline),
            (0, Some(Time::from_ms(127))),
            "segments 0, 1 and 2 may only be reordered"
        );
        let found = segments.search(Time::from_ms(126), rack.newest(), loss_timeout);
        assert_eq!((found.bytes, found.deadline), (20, Some(Time::from_ms(127))));
        assert_eq!((segments.first_lost(), found.latest), (Some((0, 10)), Time::from_ms(1)));
        // the retransmission of the first is lost too: that of the second, sent later, is delivered before it
        assert_eq!(segments.sent(Time::from_ms(126), 0, 10, true), 10);
        assert_eq!(segments.sent(Time::from_ms(127), 10, 20, true), 10);
        assert_eq!(segments.deliver(10, 20), 0);
        deliver(&mut rack, &mut segments, 228);
        let loss_timeout = rack.loss_timeout(&ReorderingState { recovering: true, ..NONE });
        let found = segments.search(Time::from_ms(228), rack.newest(), loss_timeout);
        assert_eq!(found.bytes, 40, "0 a second time, 2, 4 and 5");
        assert_eq!((segments.first_lost(), found.latest), (Some((0, 10)), Time::from_ms(126)));
    }

    /// A retransmission acknowledged in less than the minimum round-trip time was not what was delivered (6.2, step 2).
    #[test]
    fn spurious_retransmissions_are_ignored() {
        for echo in [None, Some(Time::from_ms(0))] {
            let mut rack = Rack::default();
            let mut segments = flight(2);
            segments.deliver(10, 20);
            deliver(&mut rack, &mut segments, 101);
            segments.sent(Time::from_ms(150), 0, 10, true);
            let at = if echo.is_some() { 260 } else { 160 };
            segments.advance(20);
            let delivered = segments.take_delivered();
            rack.on_delivery(Time::from_ms(at), &delivered, echo.map(|e| (e, 20)), false);
            assert_eq!((rack.newest(), rack.rtt), ((Time::from_ms(1), 20), Time::from_ms(100)), "{echo:?}");
        }
    }

    /// Two retransmissions acknowledged together: the timestamp is that of the first (RFC 7323, 4.3). It is no evidence about the
    /// second unless it shows that the first copy of the first was delivered.
    #[test]
    fn a_timestamp_is_of_the_first_segment() {
        for (echo, newest) in [(Time::from_ms(150), (Time::from_ms(151), 20)), (Time::ZERO, (Time::from_ms(2), 30))] {
            let mut rack = Rack::default();
            let mut segments = flight(3);
            segments.deliver(20, 30);
            deliver(&mut rack, &mut segments, 102);
            segments.sent(Time::from_ms(150), 0, 10, true);
            segments.sent(Time::from_ms(151), 10, 20, true);
            segments.advance(30);
            let delivered = segments.take_delivered();
            rack.on_delivery(Time::from_ms(260), &delivered, Some((echo, 30)), false);
            assert_eq!(rack.newest(), newest, "{echo:?}");
        }
    }

    #[test]
    fn after_a_timeout() {
        let mut segments = flight(6);
        assert_eq!(
            segments.search_after_timeout(Time::from_ms(103), Time::from_ms(100)),
            40,
            "0, 1, 2, 3: 100 ms and more"
        );
        let mut segments = flight(6);
        assert_eq!(segments.search_after_timeout(Time::from_ms(50), Time::from_ms(100)), 10, "the first in any case");
        segments.clear_lost();
        assert_eq!(segments.first_lost(), None);
        assert_eq!(segments.search(Time::from_ms(200), (Time::from_ms(4), 50), Time::from_ms(100)).bytes, 40);
    }
}
