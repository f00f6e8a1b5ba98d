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
            Pacing::On => self.controller.pacing_interval().or_else(|| {
                let srtt = self.rto.srtt()?;
                Some(Time::from_ps((srtt.as_ps() as f64 / self.controller.window()) as u64))
            }),
        }
    }
}
