//! RACK (RFC 8985, 6): a segment is lost when one that was sent later has been delivered and time enough for reordering has
//! passed since.

use eddyline_units::Time;

use crate::tcp::segments::Segment;

/// Segments whose delivery beyond a hole is evidence enough where no reordering was ever seen.
const DUP_THRESH: usize = 3;
/// Recoveries without a needless retransmission until the reordering window is small again.
const PERSIST: u32 = 16;

/// What the reordering window depends on besides what RACK remembers (RACK_update_reo_wnd).
#[derive(Debug, Clone, Copy)]
pub struct Situation {
    pub una: u64,
    pub nxt: u64,
    pub srtt: Option<Time>,
    /// Segments selectively acknowledged.
    pub sacked: usize,
    /// Recovery is under way, after a timeout or not.
    pub recovering: bool,
    /// It ended with this acknowledgement.
    pub recovered: bool,
    /// The acknowledgement reports a segment that arrived twice (RFC 2883).
    pub duplicate: bool,
}

/// State of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rack {
    /// The most recently sent of all delivered segments: when, and its end (RACK.segment).
    newest: (Time, u64),
    /// Round-trip time of the most recently delivered one.
    rtt: Time,
    min_rtt: Option<Time>,
    /// Highest number delivered.
    fack: u64,
    reordering_seen: bool,
    /// The reordering window grew last when numbers below this were out.
    dsack_round: Option<u64>,
    /// The window in quarters of the least round-trip time, less one.
    more: u32,
    persist: u32,
}

impl Rack {
    /// A round-trip sample, the handshake's included (step 1).
    pub fn on_sample(&mut self, rtt: Time) {
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
    }

    /// Segments were delivered, in order of number (steps 2 and 3), by an acknowledgement that advanced to `una` if it has an
    /// `echo`: the time of sending that its timestamp tells. In `doubt` about the last timeout no retransmission is evidence.
    ///
    /// A receiver echoes the segment that its left edge advanced with (RFC 7323, 4.3), which is the first one here: of segments
    /// beyond a hole the timestamp tells nothing.
    pub fn on_delivery(&mut self, now: Time, delivered: &[Segment], echo: Option<(Time, u64)>, doubt: bool) {
        let mut latest: Option<(Time, u64)> = None;
        let first = delivered.first().filter(|s| s.again);
        let answered = echo.filter(|(e, _)| first.is_some_and(|s| *e < s.sent)).map_or(0, |(_, una)| una);
        for segment in delivered {
            let rtt = now - segment.sent;
            if segment.end > self.fack {
                self.fack = segment.end;
            } else if !segment.again {
                self.reordering_seen = true;
            }
            let early = self.min_rtt.is_some_and(|min| rtt < min);
            let spurious = segment.again && (doubt || early || segment.end <= answered);
            if !spurious {
                latest = latest.max(Some(segment.order()));
            }
        }
        if let Some(latest) = latest {
            self.rtt = now - latest.0;
            self.newest = self.newest.max(latest);
        }
    }

    /// The most recently sent of all delivered segments.
    pub fn newest(&self) -> (Time, u64) {
        self.newest
    }

    /// How long ago a segment must have been sent to be lost: a round trip and the reordering window (steps 4 and 5).
    pub fn patience(&mut self, s: &Situation) -> Time {
        if self.dsack_round.is_some_and(|round| s.una >= round) {
            self.dsack_round = None;
        }
        if self.dsack_round.is_none() && s.duplicate {
            self.dsack_round = Some(s.nxt);
            self.more += 1;
            self.persist = PERSIST;
        } else if s.recovered {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.more = 0;
            }
        }
        self.rtt.saturating_add(self.reordering_window(s))
    }

    fn reordering_window(&self, s: &Situation) -> Time {
        if !self.reordering_seen && (s.recovering || s.sacked >= DUP_THRESH) {
            return Time::ZERO;
        }
        let quarter = Time::from_ps(self.min_rtt.map_or(0, |min| min.as_ps() / 4));
        quarter.saturating_mul(u64::from(self.more) + 1).min(s.srtt.unwrap_or(Time::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::segments::Segments;

    const NONE: Situation = Situation {
        una: 0,
        nxt: 100,
        srtt: Some(Time::from_ms(100)),
        sacked: 0,
        recovering: false,
        recovered: false,
        duplicate: false,
    };

    /// Segments of ten numbers sent a millisecond apart, from 0 ms on.
    fn flight(n: u64) -> Segments {
        let mut segments = Segments::default();
        (0..n).for_each(|i| {
            segments.sent(Time::from_ms(i), 10 * i, 10 * i + 10, false);
        });
        segments
    }

    fn hear(rack: &mut Rack, segments: &mut Segments, ms: u64) {
        let fresh = segments.take_fresh();
        fresh.iter().filter(|s| !s.again).for_each(|s| rack.on_sample(Time::from_ms(ms) - s.sent));
        rack.on_delivery(Time::from_ms(ms), &fresh, None, false);
        segments.give_back(fresh);
    }

    /// A quarter of the least round-trip time before anything is known of reordering, none once three segments beyond the
    /// hole have arrived; one more quarter for each round trip with a needless retransmission, for sixteen recoveries.
    #[test]
    fn the_reordering_window() {
        let mut rack = Rack::default();
        let mut segments = flight(4);
        segments.deliver(10, 20);
        hear(&mut rack, &mut segments, 101);
        assert_eq!(rack.patience(&NONE), Time::from_ms(125));
        assert_eq!(rack.patience(&Situation { sacked: 3, ..NONE }), Time::from_ms(100));
        assert_eq!(rack.patience(&Situation { recovering: true, ..NONE }), Time::from_ms(100));
        segments.deliver(0, 10);
        hear(&mut rack, &mut segments, 101);
        let seen = Situation { sacked: 3, ..NONE };
        assert_eq!(rack.patience(&seen), Time::from_ms(126), "0 came after 1: reordering, and a round trip of 101 ms");
        let twice = Situation { duplicate: true, ..seen };
        assert_eq!(rack.patience(&twice), Time::from_ms(151));
        assert_eq!(rack.patience(&twice), Time::from_ms(151), "once a round trip");
        assert_eq!(rack.patience(&Situation { una: 100, nxt: 200, ..twice }), Time::from_ms(176));
        for i in 3..9 {
            rack.patience(&Situation { una: 100 * i, nxt: 100 * (i + 1), ..twice });
        }
        assert_eq!(rack.patience(&seen), Time::from_ms(201), "at most a smoothed round-trip time");
        for _ in 0..15 {
            rack.patience(&Situation { una: 1000, recovered: true, ..seen });
        }
        assert_eq!(rack.patience(&seen), Time::from_ms(201));
        rack.patience(&Situation { recovered: true, ..seen });
        assert_eq!(rack.patience(&seen), Time::from_ms(126), "small again");
    }

    /// Lost is what was sent before the latest delivery and long enough ago; the deadline is that of the last one in doubt.
    #[test]
    fn losses_by_time() {
        let mut rack = Rack::default();
        let mut segments = flight(6);
        segments.deliver(30, 40);
        hear(&mut rack, &mut segments, 103);
        let patience = rack.patience(&NONE);
        assert_eq!(patience, Time::from_ms(125));
        let found = segments.search(Time::from_ms(103), rack.newest(), patience);
        assert_eq!((found.bytes, found.deadline), (0, Some(Time::from_ms(127))), "segments 0, 1 and 2 are in doubt");
        let found = segments.search(Time::from_ms(126), rack.newest(), patience);
        assert_eq!((found.bytes, found.deadline), (20, Some(Time::from_ms(127))));
        assert_eq!((segments.first_lost(), found.latest), (Some((0, 10)), Time::from_ms(1)));
        // the retransmission of the first is lost too: that of the second, sent later, is delivered before it
        assert_eq!(segments.sent(Time::from_ms(126), 0, 10, true), 10);
        assert_eq!(segments.sent(Time::from_ms(127), 10, 20, true), 10);
        assert_eq!(segments.deliver(10, 20), 0);
        hear(&mut rack, &mut segments, 228);
        let patience = rack.patience(&Situation { recovering: true, ..NONE });
        let found = segments.search(Time::from_ms(228), rack.newest(), patience);
        assert_eq!(found.bytes, 40, "0 once more, 2, 4 and 5");
        assert_eq!((segments.first_lost(), found.latest), (Some((0, 10)), Time::from_ms(126)));
    }

    /// A retransmission that is "answered" within less than the least round trip was not what was delivered (6.2, step 2).
    #[test]
    fn needless_retransmissions_are_no_evidence() {
        for echo in [None, Some(Time::from_ms(0))] {
            let mut rack = Rack::default();
            let mut segments = flight(2);
            segments.deliver(10, 20);
            hear(&mut rack, &mut segments, 101);
            segments.sent(Time::from_ms(150), 0, 10, true);
            let at = if echo.is_some() { 260 } else { 160 };
            segments.advance(20);
            let fresh = segments.take_fresh();
            rack.on_delivery(Time::from_ms(at), &fresh, echo.map(|e| (e, 20)), false);
            assert_eq!((rack.newest(), rack.rtt), ((Time::from_ms(1), 20), Time::from_ms(100)), "{echo:?}");
        }
    }

    /// Two retransmissions, acknowledged together: the timestamp is that of the first (RFC 7323, 4.3). It tells nothing of the
    /// second unless both are answers to what was sent before.
    #[test]
    fn a_timestamp_is_of_the_first_segment() {
        for (echo, newest) in [(Time::from_ms(150), (Time::from_ms(151), 20)), (Time::ZERO, (Time::from_ms(2), 30))] {
            let mut rack = Rack::default();
            let mut segments = flight(3);
            segments.deliver(20, 30);
            hear(&mut rack, &mut segments, 102);
            segments.sent(Time::from_ms(150), 0, 10, true);
            segments.sent(Time::from_ms(151), 10, 20, true);
            segments.advance(30);
            let fresh = segments.take_fresh();
            rack.on_delivery(Time::from_ms(260), &fresh, Some((echo, 30)), false);
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
        segments.forgive();
        assert_eq!(segments.first_lost(), None);
        assert_eq!(segments.search(Time::from_ms(200), (Time::from_ms(4), 50), Time::from_ms(100)).bytes, 40);
    }
}
