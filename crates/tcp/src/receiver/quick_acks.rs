//! Quick acknowledgements: as in Linux, a receiver does not delay acknowledgements when the sender's window is likely to be
//! small: at the start, after a pause, and after a spurious retransmission.

use eddyline_units::Time;

/// A pause after which the sender's window is small again. Linux uses the receiver's own retransmission timeout; one that
/// sends no data only has the initial one (RFC 6298, 2.1).
const PAUSE: Time = Time::SECOND;

/// The acknowledgements that are not delayed.
#[derive(Debug, Clone, Copy)]
pub struct QuickAcks {
    budget: u32,
    remaining: u32,
    last: Time,
}

impl QuickAcks {
    /// `budget` of them each time.
    pub fn new(budget: u32) -> Self {
        Self { budget, remaining: budget, last: Time::MAX }
    }

    /// A segment arrived, `duplicate` if it held nothing new; returns whether its acknowledgement is quick.
    pub fn on_segment(&mut self, now: Time, duplicate: bool) -> bool {
        if duplicate || now.saturating_sub(self.last) > PAUSE {
            self.remaining = self.budget;
        }
        self.last = now;
        self.remaining > 0
    }

    /// An acknowledgement is sent.
    pub fn on_acknowledgement(&mut self) {
        self.remaining = self.remaining.saturating_sub(1);
    }
}
