//! Time of a transport as the controllers' time.

use std::time::Instant;

use eddyline_units::Time;

const PS_PER_NS: u128 = 1000;

/// Counts time from an epoch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    epoch: Instant,
}

impl Clock {
    pub(crate) fn new(epoch: Instant) -> Self {
        Self { epoch }
    }

    /// Time since the epoch; zero before it, [`Time::MAX`] after 213 days.
    pub(crate) fn time(self, at: Instant) -> Time {
        let ps = at.saturating_duration_since(self.epoch).as_nanos().saturating_mul(PS_PER_NS);
        Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}
