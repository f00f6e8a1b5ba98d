//! Outages: a link transmits nothing for a while, and its queue holds what it can.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One outage, or one that comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutageParams {
    /// When the first begins.
    pub start: Time,
    /// How long each lasts. A packet in transmission is held and goes on afterwards.
    #[schemars(extend("x-above" = 0))]
    pub length: Time,
    /// From the start of one to the start of the next, above `length`; there is one alone where this is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-above" = 0))]
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
