//! Periodic updates that are performed late, at the next access.

use eddyline_units::Time;

/// The times `period`, `2 period`, ... at which an update has not been performed yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct UpdateTimer {
    period: Time,
    next: Time,
}

impl UpdateTimer {
    /// Updates every `period`, the first one `period` after time zero.
    pub const fn new(period: Time) -> Self {
        Self { period, next: period }
    }

    /// Time between updates.
    pub const fn period(&self) -> Time {
        self.period
    }

    /// The time of the first update due, and the number of updates due until `now`, which count as performed.
    pub fn due(&mut self, now: Time) -> (Time, u64) {
        let first = self.next;
        if now < first || self.period == Time::ZERO {
            return (first, 0);
        }
        let count = (now - first).as_ps() / self.period.as_ps() + 1;
        self.next = first.saturating_add(self.period.saturating_mul(count));
        (first, count)
    }
}
