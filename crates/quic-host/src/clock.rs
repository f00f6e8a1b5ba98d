//! Virtual time as the stack's `Instant`.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use eddyline_units::Time;

const PS_PER_NS: u64 = 1000;

/// The stack has no other way to name a moment than `Instant`, which only the platform's clock makes. One is enough: all others are
/// sums of it and virtual time, and no result depends on it.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The moment `now`, rounded down to nanoseconds.
pub fn instant(now: Time) -> Instant {
    *EPOCH + Duration::from_nanos(now.as_ps() / PS_PER_NS)
}

/// The virtual time of a moment; [`Time::MAX`] beyond its range.
pub fn time(at: Instant) -> Time {
    duration(at.saturating_duration_since(*EPOCH))
}

/// A duration; [`Time::MAX`] beyond the range.
pub fn duration(span: Duration) -> Time {
    let ps = span.as_nanos().saturating_mul(u128::from(PS_PER_NS));
    u64::try_from(ps).map_or(Time::MAX, Time::from_ps)
}

/// A duration of the stack, rounded down to nanoseconds.
pub fn std_duration(span: Time) -> Duration {
    Duration::from_nanos(span.as_ps() / PS_PER_NS)
}
