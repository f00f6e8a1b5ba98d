//! The smallest value over a window of time.

use eddyline_units::Time;

/// A minimum over a window of time that slides by `1 / N` of it: one value a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowedMin<const N: usize> {
    slots: [f64; N],
    /// The present slot and when it began.
    slot: usize,
    begin: Time,
}

impl<const N: usize> WindowedMin<N> {
    pub(crate) const fn new() -> Self {
        Self { slots: [f64::INFINITY; N], slot: 0, begin: Time::ZERO }
    }

    /// Hears a value.
    #[inline]
    pub(crate) fn hear(&mut self, now: Time, value: f64, window: Time) {
        let slot = Time::from_ps(window.as_ps() / N as u64);
        let elapsed = now.saturating_sub(self.begin);
        if elapsed > window {
            self.slots = [f64::INFINITY; N];
            self.begin = now;
        } else if elapsed > slot {
            self.slot = (self.slot + 1) % N;
            self.slots[self.slot] = f64::INFINITY;
            self.begin = now;
        }
        let least = &mut self.slots[self.slot];
        *least = least.min(value);
    }

    /// The minimum, if any value was heard.
    #[inline]
    pub(crate) fn get(&self) -> Option<f64> {
        let least = self.slots.iter().copied().fold(f64::INFINITY, f64::min);
        least.is_finite().then_some(least)
    }
}
