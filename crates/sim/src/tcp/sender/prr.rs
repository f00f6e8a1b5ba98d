//! Proportional rate reduction (RFC 9937, which replaces RFC 6937): how much each acknowledgement lets out while the window
//! goes down, so that it comes down over a round trip instead of half a one of silence.

/// An episode in which the window is reduced. All in bytes.
#[derive(Debug, Clone, Copy)]
struct Reduction {
    /// The window to arrive at (ssthresh).
    target: u64,
    /// What may be delivered in this episode (RecoverFS).
    flight: u64,
    /// Delivered since its beginning (prr_delivered).
    delivered: u64,
    /// Sent since its beginning (prr_out).
    out: u64,
    /// What may be in flight now (cwnd).
    limit: u64,
    /// It is over when all below is acknowledged.
    end: u64,
    /// Nothing has been heard since it began.
    fresh: bool,
}

/// What an acknowledgement says (6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// Bytes newly acknowledged, cumulatively or selectively (DeliveredData).
    pub bytes: u64,
    /// Bytes in flight now.
    pub in_flight: u64,
    /// It advanced and told of no new loss (SafeACK).
    pub safe: bool,
}

/// The algorithm, at rest or at work.
#[derive(Debug, Clone, Copy)]
pub struct Prr {
    mss: u64,
    now: Option<Reduction>,
}

impl Prr {
    pub fn new(mss: u32) -> Self {
        Self { mss: mss.into(), now: None }
    }

    /// A reduction to `target` begins (6.1): `flight` bytes, and those that the acknowledgement which is its cause delivers,
    /// may be delivered until all below `end` is acknowledged.
    pub fn begin(&mut self, target: u64, flight: u64, end: u64) {
        let flight = flight.max(1);
        self.now = Some(Reduction { target, flight, delivered: 0, out: 0, limit: u64::MAX, end, fresh: true });
    }

    /// An acknowledgement of all below `una` arrived (6.2). The one that ends the episode lets the window decide again.
    pub fn on_ack(&mut self, una: u64, delivery: &Delivery) {
        let Some(r) = &mut self.now else { return };
        if una >= r.end {
            self.now = None;
            return;
        }
        if delivery.bytes == 0 {
            return;
        }
        if std::mem::take(&mut r.fresh) {
            r.flight += delivery.bytes;
        }
        r.delivered += delivery.bytes;
        let count = if delivery.in_flight > r.target {
            let out = (u128::from(r.delivered) * u128::from(r.target)).div_ceil(r.flight.into());
            // in whole segments, as in the examples of section 8 and in Linux
            (out as u64).saturating_sub(r.out).next_multiple_of(self.mss)
        } else {
            let conserved = r.delivered.saturating_sub(r.out).max(delivery.bytes);
            let bound = if delivery.safe { conserved + self.mss } else { conserved };
            bound.min(r.target - delivery.in_flight)
        };
        let forced = if r.out == 0 && count == 0 { self.mss } else { count };
        r.limit = delivery.in_flight + forced;
    }

    /// A timer found losses while nothing was delivered: what it found goes out one packet at least.
    pub fn on_timer(&mut self, in_flight: u64) {
        if let Some(r) = &mut self.now {
            r.fresh = false;
            r.limit = in_flight + r.delivered.saturating_sub(r.out).max(self.mss);
        }
    }

    /// Data was sent (6.3).
    pub fn on_sent(&mut self, bytes: u64) {
        if let Some(r) = &mut self.now {
            r.out += bytes;
        }
    }

    /// The retransmission timer expired: its own rules hold.
    pub fn stop(&mut self) {
        self.now = None;
    }

    /// The window is being reduced.
    pub fn works(&self) -> bool {
        self.now.is_some()
    }

    /// Bytes that may be in flight while the window is reduced.
    pub fn limit(&self) -> Option<u64> {
        self.now.map(|r| r.limit)
    }
}
