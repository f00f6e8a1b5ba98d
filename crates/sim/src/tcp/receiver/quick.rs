//! Quick acknowledgements: a receiver that delays acknowledgements does not when the sender's window is likely to be small,
//! as in Linux: at the start, after a pause, and after a needless retransmission.

use eddyline_units::Time;

/// A pause after which the sender's window is small again. Linux takes the receiver's own retransmission timeout; one that
/// sends no data knows the initial one only (RFC 6298, 2.1).
const PAUSE: Time = Time::SECOND;

/// How many acknowledgements are still quick.
#[derive(Debug, Clone, Copy)]
pub struct QuickAcks {
    budget: u32,
    left: u32,
    last: Time,
}

impl QuickAcks {
    /// `budget` of them each time.
    pub fn new(budget: u32) -> Self {
        Self { budget, left: budget, last: Time::MAX }
    }

    /// A segment arrived, `needless` if all of it was there; gives whether its acknowledgement is quick.
    pub fn on_segment(&mut self, now: Time, needless: bool) -> bool {
        if needless || now.saturating_sub(self.last) > PAUSE {
            self.left = self.budget;
        }
        self.last = now;
        self.left > 0
    }

    /// An acknowledgement leaves.
    pub fn on_acknowledgement(&mut self) {
        self.left = self.left.saturating_sub(1);
    }
}
