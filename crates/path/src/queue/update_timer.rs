//! Updates at multiples of a period, made up for when somebody looks.

use eddyline_units::Time;

/// The moments `period`, `2 period`, ... that have not been dealt with.
#[derive(Debug, Clone, Copy)]
pub(super) struct UpdateTimer {
    period: Time,
    next: Time,
}

impl UpdateTimer {
    /// Every `period` from time zero; the first after one of them.
    pub const fn new(period: Time) -> Self {
        Self { period, next: period }
    }

    /// Time between two of them.
    pub const fn period(&self) -> Time {
        self.period
    }

    /// The first moment not dealt with, and how many there are up to `now`, which are thereby dealt with.
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
