//! Evenly spaced times without drift.

use eddyline_units::{Rate, Time};

/// Times `n * bits / rate`, rounded down to a picosecond, for every n: the remainder is carried, so there is no drift.
#[derive(Debug, Clone)]
pub(super) struct ExactInterval {
    rate: u64,
    /// `None` if it exceeds the range of time: there is no second tick.
    step: Option<u64>,
    remainder: u64,
    carry: u64,
    at: Option<u64>,
}

impl ExactInterval {
    /// One tick for every `bytes` at `rate`, the first at zero; no tick at rate zero.
    pub(super) fn new(bytes: u32, rate: Rate) -> Self {
        let rate = rate.as_bps();
        let (at, rate) = if rate == 0 { (None, 1) } else { (Some(0), rate) };
        let bit_picoseconds = u128::from(bytes) * 8 * u128::from(Time::SECOND.as_ps());
        let step = bit_picoseconds / u128::from(rate);
        Self {
            rate,
            step: u64::try_from(step).ok(),
            remainder: (bit_picoseconds % u128::from(rate)) as u64,
            carry: 0,
            at,
        }
    }

    /// The next tick, in picoseconds after the first; `None` at the end of time.
    pub(super) fn due(&self) -> Option<u64> {
        self.at
    }

    /// Advances to the next tick.
    pub(super) fn advance(&mut self) {
        let missing = self.rate - self.remainder;
        let whole = self.carry >= missing;
        self.carry = if whole { self.carry - missing } else { self.carry + self.remainder };
        self.at = self.at.and_then(|at| at.checked_add(self.step?)?.checked_add(u64::from(whole)));
    }
}
