//! Time that a window law's clock may count: while the window, not the application or the receiver, held the sender back.

use eddyline_units::Time;

use crate::controller::Ack;

/// Tells how much of the time between acknowledgements does not count.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LimitedTime {
    last: Time,
    limited: bool,
}

impl LimitedTime {
    /// The time before this acknowledgement, back to the last one, that is to be left out: all of it if the window was no
    /// limit at either end. After an idle period that includes the round trip until the first acknowledgement. Recovery
    /// counts; duplicates before it do not, for they tell nothing.
    #[inline]
    pub(crate) fn left_out(&mut self, ack: &Ack) -> Time {
        let limited = ack.cwnd_limited || ack.in_recovery;
        let before = std::mem::replace(self, Self { last: ack.now, limited });
        if limited && before.limited { Time::ZERO } else { ack.now.saturating_sub(before.last) }
    }
}
