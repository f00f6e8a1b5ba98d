//! A base round-trip time that expires: the minimum over a sliding window of time.
//!
//! It adapts to a longer route, and it corrects a base that was measured through other flows' queues. But it also expires a correct
//! base: a flow whose own queue never empties eventually takes that queue for propagation delay, adds alpha packets to it, and so on
//! without bound (La, Walrand and Anantharam 1999 describe this for Vegas). So it should be combined with a drain.

use eddyline_units::Time;

use crate::parts::windowed_min::WindowedMin;

/// Number of slots of the sliding window.
const STEPS: usize = 8;

/// The recent minimum.
#[derive(Debug, Clone)]
pub(crate) struct Ageing {
    recent: WindowedMin<STEPS>,
    window: Time,
}

impl Ageing {
    pub(crate) const fn new(window: Time) -> Self {
        Self { recent: WindowedMin::new(), window }
    }

    /// The flow has begun.
    pub(crate) fn start(&mut self, now: Time) {
        self.recent.start(now);
    }

    /// Takes a sample and returns the base.
    pub(crate) fn update(&mut self, now: Time, rtt: Time) -> Time {
        self.recent.update(now, rtt.as_ps() as f64, self.window);
        self.recent.get().map_or(rtt, |min| Time::from_ps(min as u64))
    }
}
