//! Time during which the application or the receiver limited the sender, not the window.

use eddyline_units::Time;

use crate::controller::Ack;

/// Finds the time between acknowledgements in which the sender was not limited by the window.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LimitedTime {
    last: Time,
    limited: bool,
}

impl LimitedTime {
    /// The time since the last acknowledgement, or zero if the window limited the sender at both of these acknowledgements.
    /// After an idle period it includes the round trip until the first acknowledgement. Recovery counts as limited; duplicates before
    /// it do not.
    #[inline]
    pub(crate) fn not_cwnd_limited(&mut self, ack: &Ack) -> Time {
        let limited = ack.cwnd_limited || ack.in_recovery;
        let previous = std::mem::replace(self, Self { last: ack.now, limited });
        if limited && previous.limited { Time::ZERO } else { ack.now.saturating_sub(previous.last) }
    }
}
