//! Round trips and statistics of their samples.

use eddyline_units::Time;

use crate::controller::Ack;

/// Detects round trips: one ends when a packet that was sent after its beginning is acknowledged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Round {
    begin: Time,
}

impl Round {
    /// Whether this acknowledgement ends a round trip; if so the next one begins.
    #[inline]
    pub(crate) fn ends(&mut self, ack: &Ack) -> bool {
        let over = ack.sent_at >= self.begin;
        if over {
            self.begin = ack.now;
        }
        over
    }

    /// The same for an acknowledgement that arrived at `now`, of a packet sent at `sent_at`.
    pub(crate) fn is_over(&mut self, now: Time, sent_at: Time) -> bool {
        let over = sent_at >= self.begin;
        if over {
            self.begin = now;
        }
        over
    }

    /// Begins a new round trip.
    pub(crate) fn begin(&mut self, now: Time) {
        self.begin = now;
    }
}

/// The samples of one round trip, in picoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Samples {
    pub(crate) min: f64,
    pub(crate) sum: f64,
    pub(crate) count: u32,
}

impl Samples {
    pub(crate) const NONE: Self = Self { min: f64::INFINITY, sum: 0.0, count: 0 };

    #[inline]
    pub(crate) fn update(&mut self, rtt: f64) {
        self.min = self.min.min(rtt);
        self.sum += rtt;
        self.count += 1;
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum / f64::from(self.count)
    }

    /// Returns the samples and clears them.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::NONE)
    }
}

/// An exponential average with gain 1/8, initialised by the first sample (RFC 6298, 2.3).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Smoothed(Option<f64>);

impl Smoothed {
    #[inline]
    pub(crate) fn update(&mut self, sample: f64) {
        self.0 = Some(self.0.map_or(sample, |old| old + (sample - old) / 8.0));
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<f64> {
        self.0
    }
}
