//! Propagation with varying delay or loss.

use std::sync::Arc;

use eddyline_units::Time;

use super::conditions::Conditions;
use super::jitter::Jitter;
use super::link_variation::Variation;
use crate::random::Stream;

/// Propagation from the end of a transmission to the far end of the link.
#[derive(Debug, Clone)]
pub struct Propagation {
    conditions: Option<Arc<Conditions>>,
    /// The constant delay, without conditions.
    delay: Time,
    jitter: Option<Jitter>,
    reorder: bool,
    /// Latest arrival so far.
    last: Time,
    losses: Stream,
}

impl Propagation {
    /// That of the link called `name` with this delay; `None` if nothing varies.
    #[must_use]
    pub fn new(variation: &Variation, delay: Time, seed: u64, name: &str) -> Option<Self> {
        (!variation.is_steady()).then(|| Self {
            conditions: variation.conditions.clone(),
            delay,
            jitter: variation.jitter.map(|j| Jitter::new(j, seed, name)),
            reorder: variation.reorder,
            last: Time::ZERO,
            losses: Stream::new(seed, name, "changing loss"),
        })
    }

    /// Whether a packet that leaves at `now` is lost; `None` if the link's own loss applies.
    pub fn loses(&mut self, now: Time) -> Option<bool> {
        let p = self.conditions.as_ref()?.loss(now)?;
        // no random number if the result is certain
        Some(p > 0.0 && self.losses.uniform() < p)
    }

    /// When a packet that leaves at `now` arrives at the far end. Without reordering it arrives no earlier than its predecessors.
    pub fn arrival(&mut self, now: Time) -> Time {
        let delay = self.conditions.as_ref().map_or(self.delay, |c| c.delay(now));
        let jitter = self.jitter.as_mut().map_or(Time::ZERO, |j| j.draw(now));
        let at = now.saturating_add(delay).saturating_add(jitter);
        if self.reorder {
            return at;
        }
        self.last = self.last.max(at);
        self.last
    }
}
