//! Times as they cross the interface: whole picoseconds.

/// A point in time or a duration, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Time(u64);

impl Time {
    /// So many picoseconds.
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// So many seconds; negative ones and NaN are zero, and what is too long for the type is its maximum.
    #[must_use]
    pub const fn from_secs_f64(seconds: f64) -> Self {
        Self((seconds * 1e12) as u64)
    }

    /// In picoseconds.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// In seconds.
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// The time from `earlier` to this one; zero if that is later.
    #[must_use]
    pub const fn saturating_sub(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

/// A time, or none. Across the interface none is the largest number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct MaybeTime(u64);

impl MaybeTime {
    /// No time.
    pub const NONE: Self = Self(u64::MAX);

    /// The time, if there is one.
    #[must_use]
    pub const fn get(self) -> Option<Time> {
        if self.0 == u64::MAX { None } else { Some(Time(self.0)) }
    }

    /// Of the number that crosses the interface.
    #[must_use]
    pub const fn from_raw(ps: u64) -> Self {
        Self(ps)
    }

    /// The number that crosses the interface.
    #[must_use]
    pub const fn as_raw(self) -> u64 {
        self.0
    }
}

impl From<Option<Time>> for MaybeTime {
    fn from(time: Option<Time>) -> Self {
        time.map_or(Self::NONE, |t| Self(t.0))
    }
}
