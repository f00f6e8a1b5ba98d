//! The retransmission timer (RFC 6298), in integer picoseconds.

use eddyline_units::Time;

/// Before the first sample (RFC 6298, 2.1).
const INITIAL: Time = Time::SECOND;
/// After a lost SYN, until the first sample (RFC 6298, 5.7).
const AFTER_LOST_SYN: Time = Time::from_ms(3_000);
/// The maximum timeout when backing off (RFC 6298, 2.5), unless the timeout was longer before.
const MAX_BACKED_OFF: Time = Time::from_ms(60_000);

/// Smoothed round-trip time, its variation, the timeout that follows from them, and the timer.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct RetransmissionTimer {
    srtt: i64,
    rttvar: i64,
    min_rto: Time,
    // what every acknowledgement reads
    /// Segments sent from here on may give the next sample: one per round trip.
    sample_from: Time,
    /// The timeout without back-off.
    base: Time,
    backoff: u16,
    /// Expiries since new data was acknowledged. Beside `backoff`: one store ends both.
    expiries: u16,
    /// It runs on: progress does not restart it.
    held: bool,
    /// When the timer expires, or [`Time::MAX`].
    deadline: Time,
    /// The last round-trip sample of data, or [`Time::MAX`].
    last_rtt: Time,
}

impl RetransmissionTimer {
    /// Before any sample, stopped.
    pub fn new(min_rto: Time) -> Self {
        Self {
            srtt: 0,
            rttvar: 0,
            min_rto,
            base: INITIAL.max(min_rto),
            backoff: 0,
            expiries: 0,
            deadline: Time::MAX,
            held: false,
            sample_from: Time::ZERO,
            last_rtt: Time::MAX,
        }
    }

    /// When the timer expires, or [`Time::MAX`].
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Starts the timer anew, unless it is held.
    #[inline]
    pub fn restart(&mut self, now: Time) {
        if !self.held {
            self.deadline = now.saturating_add(self.timeout());
        }
    }

    /// Starts the timer anew once more and then holds it, until it expires or is no longer to be held.
    #[cold]
    pub fn hold(&mut self, now: Time, hold: bool) {
        if hold {
            self.restart(now);
        }
        self.held = hold;
    }

    /// Whether progress does not restart it.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Starts the timer if it is stopped.
    #[inline]
    pub fn start(&mut self, now: Time) {
        if self.deadline == Time::MAX {
            self.restart(now);
        }
    }

    /// Stops the timer.
    #[inline]
    pub fn stop(&mut self) {
        self.deadline = Time::MAX;
    }

    /// A round-trip sample of a segment sent at `sent_at`. One per round trip counts, as RFC 6298 was made for: with more, the
    /// variation is forgotten within one (RFC 7323, appendix G), and a queue that fills is a timeout.
    #[inline]
    pub fn measure(&mut self, now: Time, sent_at: Time, rtt: Time) {
        if sent_at >= self.sample_from {
            self.sample(rtt);
            self.sample_from = now;
        }
        self.last_rtt = rtt;
    }

    /// The timeout exceeds this sample by `min_rto`, until a later one that counts.
    pub fn exceed(&mut self, rtt: Time) {
        self.base = self.base.max(rtt + self.min_rto);
    }

    /// The last round-trip sample of data, if there is one.
    pub fn last_rtt(&self) -> Option<Time> {
        (self.last_rtt < Time::MAX).then_some(self.last_rtt)
    }

    /// A round-trip sample (RFC 6298, 2.2 and 2.3).
    #[inline]
    pub fn sample(&mut self, rtt: Time) {
        let r = rtt.as_ps() as i64;
        if self.srtt == 0 {
            self.srtt = r;
            self.rttvar = r / 2;
        } else {
            // beta = 1/4, alpha = 1/8, in this order
            self.rttvar += ((self.srtt - r).abs() - self.rttvar) >> 2;
            self.srtt += (r - self.srtt) >> 3;
        }
        // With a sample per acknowledgement the variation fades between losses, and srtt + 4 rttvar would expire on a
        // retransmission that takes just one round trip. As in Linux, min_rto bounds the spread (the G of RFC 6298, 2.3).
        let spread = (4 * self.rttvar).max(self.min_rto.as_ps() as i64);
        self.base = Time::from_ps((self.srtt + spread) as u64);
        self.end_back_off();
    }

    /// The timeout is that of the samples (RFC 6298, 2 and the note at the end of 5): one by SACK may come before any progress.
    #[inline]
    pub fn end_back_off(&mut self) {
        self.backoff = 0;
    }

    /// The minimum by which the timeout exceeds the smoothed round-trip time.
    pub fn min_rto(&self) -> Time {
        self.min_rto
    }

    /// Replaces the timeout by the controller's own estimate.
    pub fn replace(&mut self, timeout: Time) {
        self.base = timeout;
    }

    /// The handshake is over, but its SYN was retransmitted and gave no sample.
    pub fn on_lost_syn(&mut self) {
        if self.srtt == 0 {
            self.base = self.base.max(AFTER_LOST_SYN);
        }
    }

    /// New data was acknowledged: the back-off ends. RFC 6298 would keep it until the next sample, which under heavy loss
    /// may never come; deployed senders end it here too.
    #[inline]
    pub fn on_progress(&mut self) {
        self.end_back_off();
        self.expiries = 0;
    }

    /// The timer expired: backs off and restarts it (RFC 6298, 5.5 and 5.6); returns whether it had expired before without
    /// progress in between.
    pub fn on_expiry(&mut self, now: Time) -> bool {
        self.backoff = self.backoff.saturating_add(1);
        self.expiries = self.expiries.saturating_add(1);
        self.held = false;
        self.restart(now);
        self.expiries > 1
    }

    /// The timeout.
    #[inline]
    pub fn timeout(&self) -> Time {
        if self.backoff == 0 {
            self.base
        } else {
            self.base.saturating_mul(1 << self.backoff.min(20)).min(MAX_BACKED_OFF.max(self.base))
        }
    }

    /// The smoothed round-trip time, if there is one.
    pub fn srtt(&self) -> Option<Time> {
        (self.srtt > 0).then(|| Time::from_ps(self.srtt as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_seconds_after_a_lost_syn_until_the_first_sample() {
        let mut rto = RetransmissionTimer::new(Time::from_ms(200));
        assert_eq!(rto.timeout(), Time::SECOND);
        rto.on_expiry(Time::ZERO);
        rto.on_progress();
        rto.on_lost_syn();
        assert_eq!(rto.timeout(), Time::from_ms(3_000));
        rto.sample(Time::from_ms(100));
        assert_eq!(rto.timeout(), Time::from_ms(300), "SRTT + 4 RTTVAR");
    }

    #[test]
    fn backing_off_doubles_up_to_a_minute() {
        let mut rto = RetransmissionTimer::new(Time::from_ms(200));
        let mut waits = (0..8).map(|_| {
            rto.on_expiry(Time::ZERO);
            rto.timeout().as_ps() / Time::SECOND.as_ps()
        });
        assert!(waits.by_ref().take(7).eq([2, 4, 8, 16, 32, 60, 60]));
    }

    /// The timeout is computed anew, from a sample that has the outage in it: doubling it as often as before would count that twice.
    #[test]
    fn a_sample_ends_the_back_off() {
        let mut rto = RetransmissionTimer::new(Time::from_ms(200));
        rto.sample(Time::from_ms(20));
        for _ in 0..4 {
            rto.on_expiry(Time::ZERO);
        }
        assert_eq!(rto.timeout(), Time::from_ms(220) * 16);
        rto.sample(Time::from_ms(3_020));
        // srtt 20 + 3000 / 8, rttvar 10 + (3000 - 10) / 4
        assert_eq!(rto.timeout().as_ps() / 1_000_000, (395_000 + 4 * 757_500));
        assert!(rto.on_expiry(Time::ZERO), "a sample is no progress");
        assert_eq!(rto.timeout().as_ps() / 1_000_000, 2 * (395_000 + 4 * 757_500));
        rto.on_progress();
        assert!(!rto.on_expiry(Time::ZERO));
    }

    /// In slow start over a long path the first segment of each burst does not wait, and the last waits for the whole burst.
    #[test]
    fn every_sample_may_lengthen_the_timeout() {
        let mut rto = RetransmissionTimer::new(Time::from_ms(200));
        for round in 0..8 {
            let sent_at = Time::from_ms(600 * round);
            rto.measure(sent_at + Time::from_ms(600), sent_at, Time::from_ms(600));
        }
        // the first sample's variation, 300 ms, less a quarter for each of the seven others
        let by_samples = rto.timeout();
        assert!(by_samples < Time::from_ms(810), "one sample a round trip: {by_samples:?}");
        let sent_at = Time::from_ms(600 * 7 + 1);
        rto.measure(sent_at + Time::from_ms(900), sent_at, Time::from_ms(900));
        assert_eq!(rto.timeout(), by_samples);
        rto.exceed(Time::from_ms(500));
        assert_eq!(rto.timeout(), by_samples, "not shorter");
        rto.exceed(Time::from_ms(900));
        assert_eq!((rto.timeout(), rto.srtt()), (Time::from_ms(1_100), Some(Time::from_ms(600))));
    }

    /// A round trip of hours must not time out at every minute.
    #[test]
    fn never_below_the_round_trip_time() {
        let mut rto = RetransmissionTimer::new(Time::from_ms(200));
        let hour = Time::SECOND * 3_600;
        for _ in 0..100 {
            rto.sample(hour);
        }
        assert!(rto.timeout() >= hour);
        rto.on_expiry(Time::ZERO);
        assert!(rto.timeout() >= hour);
    }
}
