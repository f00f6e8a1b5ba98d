//! Pacing: the time from one packet to the next.

use eddyline_cc::{AnyController, Controller as _, Decisions};
use eddyline_units::Time;

use crate::config::{Config, Pacing, PacingGain};

/// When the next packet may leave.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Pacer {
    gain: PacingGain,
    next_at: Time,
    /// Packets wait for `next_at`.
    waiting: bool,
    mode: Pacing,
}

impl Pacer {
    /// Nothing waits.
    pub fn new(config: &Config) -> Self {
        Self { next_at: Time::ZERO, waiting: false, mode: config.pacing, gain: config.pacing_gain }
    }

    /// When packets that wait may leave.
    #[inline]
    pub fn next_timer(&self) -> Time {
        if self.waiting { self.next_at } else { Time::MAX }
    }

    /// Whether packets wait and their time has come.
    #[inline]
    pub fn is_due(&self, now: Time) -> bool {
        self.waiting && self.next_at <= now
    }

    /// Whether packets wait and their time has not come.
    #[inline]
    pub fn is_waiting(&self, now: Time) -> bool {
        self.waiting && now < self.next_at
    }

    /// Whether a packet has to wait now.
    #[inline]
    pub fn forbids(&self, now: Time) -> bool {
        now < self.next_at
    }

    /// The interval between packets, if they are paced: the controller's, or with `pacing = true` one from its window.
    #[inline(always)]
    pub fn interval(
        &self,
        decisions: &Decisions,
        controller: &AnyController,
        srtt: impl FnOnce() -> Option<Time>,
    ) -> Option<Time> {
        match self.mode {
            Pacing::Off => None,
            Pacing::Controller => decisions.pacing_interval,
            Pacing::On => decisions.pacing_interval.or_else(|| self.window_interval(controller, srtt()?)),
        }
    }

    /// A multiple of the window per smoothed round-trip time, as Linux paces.
    #[cold]
    #[inline(never)]
    fn window_interval(&self, controller: &AnyController, srtt: Time) -> Option<Time> {
        let window = controller.window();
        let slow_start = controller.slow_start_threshold().is_some_and(|t| window < t / 2.0);
        let gain = if slow_start { self.gain.slow_start } else { self.gain.avoidance };
        Some(Time::from_ps((srtt.as_ps() as f64 / (gain * window)) as u64))
    }

    /// Nothing waits any more.
    #[inline]
    pub fn stop_waiting(&mut self) {
        self.waiting = false;
    }

    /// Packets wait for their time.
    #[inline]
    pub fn wait(&mut self) {
        self.waiting = true;
    }

    /// Packets wait until `at`.
    pub fn wait_until(&mut self, at: Time) {
        self.next_at = at;
        self.waiting = true;
    }

    /// A packet leaves: the next one may `interval` later. A delay of up to one interval is compensated, more is not.
    #[inline]
    pub fn on_sent(&mut self, now: Time, interval: Time) {
        self.next_at = self.next_at.saturating_add(interval).max(now);
    }

    /// The next packet may leave at once.
    pub fn reset(&mut self, now: Time) {
        self.next_at = now;
    }
}
