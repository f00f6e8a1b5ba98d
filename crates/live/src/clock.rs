//! Real time as time since the start of the run.

use std::thread;
use std::time::{Duration, Instant};

use eddyline_units::Time;

/// The start of the run.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    epoch: Instant,
}

impl Clock {
    /// A run that starts after `delay`.
    #[must_use]
    pub fn starting_in(delay: Duration) -> Self {
        Self { epoch: Instant::now() + delay }
    }

    /// Time since the start, zero before it.
    #[must_use]
    pub fn now(&self) -> Time {
        Time::from_ps(Instant::now().saturating_duration_since(self.epoch).as_nanos() as u64 * 1_000)
    }

    /// How long it is until `at`.
    #[must_use]
    pub fn until(&self, at: Time) -> Duration {
        (self.epoch + duration(at)).saturating_duration_since(Instant::now())
    }

    /// Sleeps until `at`.
    pub fn sleep_until(&self, at: Time) {
        thread::sleep(self.until(at));
    }
}

/// The same span as a [`Duration`].
#[must_use]
pub const fn duration(span: Time) -> Duration {
    Duration::from_nanos(span.as_ps().div_ceil(1_000))
}
