//! Proportional rate reduction (RFC 9937, which obsoletes RFC 6937): how much each acknowledgement allows to be sent while the
//! window is reduced, so that it shrinks over a round trip instead of after half a round trip of silence.

/// A reduction of the window in progress. All in bytes.
#[derive(Debug, Clone, Copy)]
struct Reduction {
    /// The window to arrive at (ssthresh).
    target: u64,
    /// What may be delivered in this episode (RecoverFS).
    flight: u64,
    /// Delivered since its start (prr_delivered).
    delivered: u64,
    /// Sent since its start (prr_out).
    out: u64,
    /// What may be in flight now (cwnd).
    limit: u64,
    /// It is over when all below is acknowledged.
    end: u64,
    /// No acknowledgement has been processed since it began.
    first_ack: bool,
}

/// What an acknowledgement delivers (6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// Bytes newly acknowledged, cumulatively or selectively (DeliveredData).
    pub bytes: u64,
    /// Bytes in flight now.
    pub in_flight: u64,
    /// It advanced and reported no new loss (SafeACK).
    pub safe: bool,
}

/// The state of the algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Prr {
    mss: u64,
    reduction: Option<Reduction>,
}

impl Prr {
    pub fn new(mss: u32) -> Self {
        Self { mss: mss.into(), reduction: None }
    }

    /// Begins a reduction to `target` (6.1) that lasts until all below `end` is acknowledged. `flight` bytes are outstanding, in
    /// addition to those that the acknowledgement which caused the reduction delivers.
    pub fn begin(&mut self, target: u64, flight: u64, end: u64) {
        let flight = flight.max(1);
        self.reduction =
            Some(Reduction { target, flight, delivered: 0, out: 0, limit: u64::MAX, end, first_ack: true });
    }

    /// An acknowledgement of all below `una` arrived (6.2). After the one that ends the episode the window applies again.
    pub fn on_ack(&mut self, una: u64, delivery: &Delivery) {
        let Some(r) = &mut self.reduction else { return };
        if una >= r.end {
            self.reduction = None;
            return;
        }
        if delivery.bytes == 0 {
            // nothing was delivered that could be sent in proportion to: the fast retransmission alone (6.2)
            if r.limit == u64::MAX {
                r.limit = delivery.in_flight + self.mss;
            }
            return;
        }
        if std::mem::take(&mut r.first_ack) {
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

    /// A timer marked losses although nothing was delivered: at least one packet of them may be sent.
    pub fn on_timer(&mut self, in_flight: u64) {
        if let Some(r) = &mut self.reduction {
            r.first_ack = false;
            r.limit = in_flight + r.delivered.saturating_sub(r.out).max(self.mss);
        }
    }

    /// Data was sent (6.3).
    pub fn on_sent(&mut self, bytes: u64) {
        if let Some(r) = &mut self.reduction {
            r.out += bytes;
        }
    }

    /// The retransmission timer expired: the window applies again.
    pub fn stop(&mut self) {
        self.reduction = None;
    }

    /// Whether the window is being reduced.
    pub fn is_reducing(&self) -> bool {
        self.reduction.is_some()
    }

    /// Bytes that may be in flight while the window is reduced.
    pub fn limit(&self) -> Option<u64> {
        self.reduction.map(|r| r.limit)
    }

    /// The window while it is reduced (6.2: cwnd), at least one segment; what is in flight until an acknowledgement comes, after a
    /// reduction that none caused.
    pub fn window(&self) -> Option<u64> {
        let r = self.reduction?;
        Some(if r.limit == u64::MAX { r.flight } else { r.limit }.max(self.mss))
    }
}
