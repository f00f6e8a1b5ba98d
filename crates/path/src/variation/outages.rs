//! Outages: times in which a link transmits nothing.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One outage, or a periodic one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutageParams {
    /// When the first begins.
    pub start: Time,
    /// Duration of each. A packet in transmission is suspended and continues afterwards.
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub length: Time,
    /// Period from start to start, above `length`. Default: a single outage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub every: Option<Time>,
}

impl OutageParams {
    /// Whether the link is out at `now`, and until when that holds.
    pub(super) fn at(&self, now: Time) -> (bool, Time) {
        let Some(since) = now.as_ps().checked_sub(self.start.as_ps()) else { return (false, self.start) };
        let period = self.every.map_or(u64::MAX, Time::as_ps).max(1);
        let phase = since % period;
        if phase < self.length.as_ps() {
            return (true, now.saturating_add(Time::from_ps(self.length.as_ps() - phase)));
        }
        let next = self.every.map_or(Time::MAX, |_| now.saturating_add(Time::from_ps(period - phase)));
        (false, next)
    }
}
