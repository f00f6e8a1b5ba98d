//! The rate of a link, constant or varying.

use std::sync::Arc;

use eddyline_units::{Rate, Time};

use super::Conditions;

/// The rate of a link over time.
#[derive(Debug, Clone)]
pub struct LinkRate {
    constant: Rate,
    /// What it is instead, if it varies.
    varying: Option<Arc<Conditions>>,
}

impl LinkRate {
    /// A constant rate, or the one of `conditions`.
    #[must_use]
    pub const fn new(constant: Rate, conditions: Option<Arc<Conditions>>) -> Self {
        Self { constant, varying: conditions }
    }

    /// When a transmission of `line_bytes` ends that starts at `start`.
    #[inline]
    #[must_use]
    pub fn end(&self, start: Time, line_bytes: u64) -> Time {
        match &self.varying {
            None => start.saturating_add(self.constant.transmission_time(line_bytes)),
            Some(conditions) => conditions.end(start, line_bytes),
        }
    }

    /// The first time from `now` on at which something can be transmitted; [`Time::MAX`] if there is none.
    #[must_use]
    pub fn starts(&self, now: Time) -> Time {
        self.varying.as_ref().map_or(now, |conditions| conditions.starts(now))
    }

    /// Bits that can be transmitted from `from` to `to`.
    #[must_use]
    pub fn bits(&self, from: Time, to: Time) -> f64 {
        match &self.varying {
            None => self.constant.as_bps() as f64 * to.saturating_sub(from).as_secs_f64(),
            Some(conditions) => conditions.bits(from, to),
        }
    }

    /// The part of a transmission of `line_bytes` that takes the time `of` which is done from `from` to `to`.
    #[must_use]
    pub fn share(&self, of: (Time, Time), line_bytes: u64, (from, to): (Time, Time)) -> f64 {
        match &self.varying {
            None => (to - from).as_ps() as f64 / (of.1 - of.0).as_ps() as f64,
            Some(conditions) => (conditions.bits(from, to) / (line_bytes * 8) as f64).min(1.0),
        }
    }
}
