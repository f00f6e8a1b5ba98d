//! A token bucket whose credit is stored as time at its rate, in whole picoseconds: a packet costs its transmission time at
//! that rate, and the bucket's capacity is that of the burst.

use eddyline_units::{Bytes, Rate, Time};

/// A token bucket, initially full.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    rate: Rate,
    full: Time,
    /// Credit at `since`.
    credit: Time,
    since: Time,
}

impl Bucket {
    /// A full bucket of `burst` that fills at `rate`.
    pub fn new(rate: Rate, burst: Bytes) -> Self {
        let full = rate.transmission_time(burst.get());
        Self { rate, full, credit: full, since: Time::ZERO }
    }

    /// Cost of `bytes`.
    pub fn cost(&self, bytes: u64) -> Time {
        self.rate.transmission_time(bytes)
    }

    /// Whether a full bucket has credit for `bytes`.
    pub fn holds(&self, bytes: u64) -> bool {
        self.cost(bytes) <= self.full
    }

    /// Takes the cost of `bytes` from the credit if it suffices; returns whether it does.
    pub fn consume(&mut self, now: Time, bytes: u64) -> bool {
        self.credit = self.credit.saturating_add(now.saturating_sub(self.since)).min(self.full);
        self.since = now;
        let cost = self.cost(bytes);
        let suffices = cost <= self.credit;
        if suffices {
            self.credit = self.credit - cost;
        }
        suffices
    }

    /// When the credit suffices for `bytes`.
    pub fn ready_at(&self, bytes: u64) -> Time {
        self.since.saturating_add(self.cost(bytes).saturating_sub(self.credit))
    }
}
