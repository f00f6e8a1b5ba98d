//! The retransmission timeout (RFC 6298), in integer picoseconds.

use eddyline_units::Time;

/// Before the first sample (RFC 6298, 2.1).
const INITIAL: Time = Time::SECOND;
/// Upper bound (RFC 6298, 2.5).
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
        self.base = Time::from_ps((self.srtt + spread) as u64).min(MOST);
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
            self.base.saturating_mul(1 << self.backoff.min(20)).min(MOST.max(self.least))
        }
    }

    /// The smoothed round-trip time, if there is one.
    pub fn srtt(&self) -> Option<Time> {
        (self.srtt > 0).then(|| Time::from_ps(self.srtt as u64))
    }
}
