//! A base round-trip time that forgets: the smallest sample of the last so many seconds.
//!
//! It finds a longer route, and in time a base that was learnt in somebody else's queue. It also forgets a right one: a flow whose
//! own queue never empties takes that queue for propagation after a while, adds alpha packets to it, and so on without end
//! (La, Walrand and Anantharam 1999 describe it of Vegas). So it belongs together with a drain.

use eddyline_units::Time;

use crate::parts::windowed_min::WindowedMin;

/// Steps in which the past is forgotten.
const STEPS: usize = 8;

/// The smallest recent sample.
#[derive(Debug, Clone)]
pub(crate) struct Ageing {
    recent: WindowedMin<STEPS>,
    window: Time,
}

impl Ageing {
    pub(crate) const fn new(window: Time) -> Self {
        Self { recent: WindowedMin::new(), window }
    }

    /// Hears a sample and gives the base that it leaves.
    pub(crate) fn hear(&mut self, now: Time, rtt: Time) -> Time {
        self.recent.hear(now, rtt.as_ps() as f64, self.window);
        self.recent.get().map_or(rtt, |least| Time::from_ps(least as u64))
    }
}
