//! Pacing: the time from one packet to the next.

use eddyline_cc::Controller as _;
use eddyline_scenario::network::Pacing;
use eddyline_units::Time;

use super::Sender;

impl Sender {
    /// The controller's interval if packets are paced; `pacing = true` makes one for controllers that have none.
    #[inline]
    pub fn pacing_interval(&self) -> Option<Time> {
        match self.pacing {
            Pacing::Off => None,
            Pacing::Controller => self.controller.pacing_interval(),
            Pacing::On => self.controller.pacing_interval().or_else(|| self.window_interval()),
        }
    }

    /// A multiple of the window a smoothed round-trip time, as Linux paces.
    #[cold]
    #[inline(never)]
    fn window_interval(&self) -> Option<Time> {
        let window = self.controller.window();
        let slow_start = self.controller.slow_start_threshold().is_some_and(|t| window < t / 2.0);
        let gain = if slow_start { self.pacing_gain.slow_start } else { self.pacing_gain.avoidance };
        Some(Time::from_ps((self.rto.srtt()?.as_ps() as f64 / (gain * window)) as u64))
    }
}
