//! The minimum over a window of time.

use eddyline_units::Time;

/// A minimum over a window of time that slides in steps of `1 / N` of its length, with one value per slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowedMin<const N: usize> {
    slots: [f64; N],
    /// The current slot and its beginning.
    slot: usize,
    begin: Option<Time>,
}

impl<const N: usize> WindowedMin<N> {
    pub(crate) const fn new() -> Self {
        Self { slots: [f64::INFINITY; N], slot: 0, begin: None }
    }

    /// The first slot begins now. Without this it begins with the first value.
    pub(crate) fn start(&mut self, now: Time) {
        self.begin = Some(now);
    }

    /// Takes a value.
    #[inline]
    pub(crate) fn update(&mut self, now: Time, value: f64, window: Time) {
        let slot = Time::from_ps(window.as_ps() / N as u64);
        let elapsed = now.saturating_sub(*self.begin.get_or_insert(now));
        if elapsed > window {
            self.slots = [f64::INFINITY; N];
            self.begin = Some(now);
        } else if elapsed > slot {
            self.slot = (self.slot + 1) % N;
            self.slots[self.slot] = f64::INFINITY;
            self.begin = Some(now);
        }
        let min = &mut self.slots[self.slot];
        *min = min.min(value);
    }

    /// The minimum, if there is any value.
    #[inline]
    pub(crate) fn get(&self) -> Option<f64> {
        let min = self.slots.iter().copied().fold(f64::INFINITY, f64::min);
        min.is_finite().then_some(min)
    }
}
