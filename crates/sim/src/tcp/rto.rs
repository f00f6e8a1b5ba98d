//! The retransmission timeout (RFC 6298), in integer picoseconds.

use eddyline_units::Time;

/// Before the first sample (RFC 6298, 2.1).
const INITIAL: Time = Time::SECOND;
/// After a lost SYN, until the first sample (RFC 6298, 5.7).
const AFTER_LOST_SYN: Time = Time::from_ms(3_000);
/// Backing off ends here (RFC 6298, 2.5), unless the timeout began above.
const MOST: Time = Time::from_ms(60_000);

/// Smoothed round-trip time, its variation and the timeout from them.
#[derive(Debug, Clone)]
pub struct Rto {
    srtt: i64,
    rttvar: i64,
    least: Time,
    base: Time,
    backoff: u32,
}

impl Rto {
    /// Before any sample; never below `least` afterwards.
    pub fn new(least: Time) -> Self {
        Self { srtt: 0, rttvar: 0, least, base: INITIAL.max(least), backoff: 0 }
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
        // With a sample per acknowledgement the variation fades between losses, and srtt + 4 rttvar would expire on the
        // retransmission that takes just one round trip: as Linux does, the least timeout is a least spread (the G of
        // RFC 6298, 2.3).
        let spread = (4 * self.rttvar).max(self.least.as_ps() as i64);
        self.base = Time::from_ps((self.srtt + spread) as u64);
    }

    /// The least timeout, or spread.
    pub fn least(&self) -> Time {
        self.least
    }

    /// The controller's own estimate takes the place of ours.
    pub fn replace(&mut self, timeout: Time) {
        self.base = timeout;
    }

    /// The handshake is over, but its SYN was sent more than once and gave no sample.
    pub fn lost_syn(&mut self) {
        if self.srtt == 0 {
            self.base = self.base.max(AFTER_LOST_SYN);
        }
    }

    /// New data was acknowledged: the back-off ends. RFC 6298 would keep it until the next sample, which under heavy loss
    /// may never come; senders in use do as we do.
    #[inline]
    pub fn progress(&mut self) {
        self.backoff = 0;
    }

    /// The timer expired (RFC 6298, 5.5). Gives whether it had before, without progress in between.
    pub fn expired(&mut self) -> bool {
        self.backoff += 1;
        self.backoff > 1
    }

    /// The timeout.
    #[inline]
    pub fn timeout(&self) -> Time {
        if self.backoff == 0 {
            self.base
        } else {
            self.base.saturating_mul(1 << self.backoff.min(20)).min(MOST.max(self.base))
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
        let mut rto = Rto::new(Time::from_ms(200));
        assert_eq!(rto.timeout(), Time::SECOND);
        rto.expired();
        rto.progress();
        rto.lost_syn();
        assert_eq!(rto.timeout(), Time::from_ms(3_000));
        rto.sample(Time::from_ms(100));
        assert_eq!(rto.timeout(), Time::from_ms(300), "SRTT + 4 RTTVAR");
    }

    #[test]
    fn backing_off_doubles_up_to_a_minute() {
        let mut rto = Rto::new(Time::from_ms(200));
        let mut waits = (0..8).map(|_| {
            rto.expired();
            rto.timeout().as_ps() / Time::SECOND.as_ps()
        });
        assert!(waits.by_ref().take(7).eq([2, 4, 8, 16, 32, 60, 60]));
    }

    /// A round trip of hours must not time out at every minute.
    #[test]
    fn never_below_the_round_trip() {
        let mut rto = Rto::new(Time::from_ms(200));
        let hour = Time::SECOND * 3_600;
        for _ in 0..100 {
            rto.sample(hour);
        }
        assert!(rto.timeout() >= hour);
        rto.expired();
        assert!(rto.timeout() >= hour);
    }
}
