//! How long a thread was ready to run and had to wait for a processor, or had something due and did not run.
//!
//! Other work on the machine takes the processor away, and Linux itself does: threads with real-time priority are suspended for 50 ms
//! where they leave nothing to others for a second. Whatever a link could have sent meanwhile may be missing of its rate, and few
//! packets show it: those of a stall are late, but not one in a hundred.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use eddyline_units::Time;

use crate::clock::duration;

/// Time that the current thread has run, time that it has waited, and how often it ran, in ns (proc(5)).
const COUNTERS: &str = "/proc/thread-self/schedstat";
/// Spacing of looks at it. Longer waits are single ones.
const SPACING: Duration = Duration::from_millis(1);
/// Waits up to this are the lateness that other figures have.
const STALL: Duration = Duration::from_millis(5);

/// The stalls of a thread.
#[derive(Debug)]
pub struct Stalls {
    /// None where the kernel does not count.
    counters: Option<File>,
    looked: Instant,
    waited: Duration,
    /// In stalls, by the kernel's count.
    total: Duration,
    /// In stalls, by what was due. The kernel does not count the time in which a virtual machine itself gets no processor.
    late: Duration,
}

impl Stalls {
    /// Those of the current thread, from now on.
    #[must_use]
    pub fn of_this_thread() -> Self {
        let counters = File::open(COUNTERS).ok();
        let mut stalls = Self {
            counters,
            looked: Instant::now(),
            waited: Duration::ZERO,
            total: Duration::ZERO,
            late: Duration::ZERO,
        };
        stalls.begin();
        stalls
    }

    /// Forgets what was before.
    pub fn begin(&mut self) {
        self.waited = self.read().unwrap_or(self.waited);
        (self.total, self.late) = (Duration::ZERO, Duration::ZERO);
    }

    /// What was due first when the thread looked was so much late.
    pub fn late(&mut self, late: Time) {
        self.late += stall(duration(late));
    }

    /// Looks, if it is time.
    pub fn look(&mut self) {
        if self.looked.elapsed() < SPACING {
            return;
        }
        self.looked = Instant::now();
        if let Some(waited) = self.read() {
            self.total += stall(waited.saturating_sub(self.waited));
            self.waited = waited;
        }
    }

    /// The time in stalls.
    #[must_use]
    pub fn total(&self) -> Duration {
        // both see most stalls
        self.total.max(self.late)
    }

    fn read(&self) -> Option<Duration> {
        let mut text = [0; 64];
        let length = self.counters.as_ref()?.read_at(&mut text, 0).ok()?;
        waited(std::str::from_utf8(&text[..length]).ok()?)
    }
}

/// The second number.
fn waited(text: &str) -> Option<Duration> {
    text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// What of a wait is a stall.
fn stall(wait: Duration) -> Duration {
    if wait > STALL { wait } else { Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read() {
        assert_eq!(waited("812000 62123 17\n"), Some(Duration::from_nanos(62_123)));
        assert_eq!(waited(""), None);
    }

    #[test]
    fn what_was_due_shows_stalls_that_the_kernel_does_not_count() {
        let mut stalls = Stalls::of_this_thread();
        stalls.counters = None;
        stalls.late(Time::from_ms(4));
        assert_eq!(stalls.total(), Duration::ZERO);
        stalls.late(Time::from_ms(42));
        stalls.late(Time::from_ms(8));
        assert_eq!(stalls.total(), Duration::from_millis(50));
        stalls.begin();
        assert_eq!(stalls.total(), Duration::ZERO);
    }

    #[test]
    fn short_waits_are_no_stalls() {
        assert_eq!(stall(Duration::from_millis(4)), Duration::ZERO);
        assert_eq!(stall(Duration::from_millis(50)), Duration::from_millis(50));
    }
}
