//! The variation of one link.

use std::sync::Arc;

use eddyline_units::Time;

use super::conditions::Conditions;
use super::jitter::JitterParams;
use super::policer::PolicerParams;

/// Variation of a link.
#[derive(Debug, Clone, Default)]
pub struct Variation {
    /// Rate, delay and loss over time, outages included.
    pub conditions: Option<Arc<Conditions>>,
    /// Random delay on top of the propagation delay.
    pub jitter: Option<JitterParams>,
    /// Packets may overtake each other where delay falls.
    pub reorder: bool,
    /// Drops above a rate, before the queue.
    pub policer: Option<PolicerParams>,
}

impl Variation {
    /// Whether rate and propagation are constant.
    #[must_use]
    pub const fn is_steady(&self) -> bool {
        self.conditions.is_none() && self.jitter.is_none()
    }

    /// The smallest propagation of a link whose constant delay is `delay`. Jitter may add nothing.
    #[must_use]
    pub fn min_delay(&self, delay: Time) -> Time {
        self.conditions.as_ref().map_or(delay, |c| c.min_delay())
    }
}
