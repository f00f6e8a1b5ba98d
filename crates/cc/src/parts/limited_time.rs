//! Time during which the sender was limited by the window, not by the application or the receiver.

use eddyline_units::Time;

use crate::controller::Ack;

/// Finds the time between acknowledgements in which the sender was not limited by the window.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LimitedTime {
    last: Time,
    limited: bool,
}

impl LimitedTime {
    /// The time since the last acknowledgement if the sender was not limited by the window at both of these
    /// acknowledgements, else zero. After an
    /// idle period it includes the round trip until the first acknowledgement. Recovery counts as limited; duplicates before it do
    /// not.
    #[inline]
    pub(crate) fn unlimited(&mut self, ack: &Ack) -> Time {
        let limited = ack.cwnd_limited || ack.in_recovery;
        let previous = std::mem::replace(self, Self { last: ack.now, limited });
        if limited && previous.limited { Time::ZERO } else { ack.now.saturating_sub(previous.last) }
    }
}
