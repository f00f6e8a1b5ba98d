//! Delay-based congestion control of acknowledgements: keeps a target number of them queued on the reverse path.
//!
//! The sender tells the receiver how many packets to acknowledge together, by the option of RFC 5690. RFC 5690 adapts that ratio to
//! lost acknowledgements; this adapts it by FAST's law: with `n = (acknowledgements a second) x (their queueing delay)` on the
//! reverse path, the ratio moves towards `ratio n / target`. In equilibrium n is the target, or every packet is acknowledged.

use eddyline_units::Time;

use crate::controller::Ack;
use crate::parts::round_trips::Round;

/// Gain per round trip.
const GAIN: f64 = 0.5;
/// The ratio at most doubles or halves in a round trip.
const MAX_CHANGE: f64 = 2.0;
/// Minimum number of acknowledgements a window (RFC 5690, 4.5).
const MIN_ACKS_PER_WINDOW: f64 = 2.0;

/// The ratio.
#[derive(Debug, Clone)]
pub(crate) struct AckBacklog {
    target: f64,
    ratio: f64,
    round: Round,
    begin: Time,
    acks: f64,
}

impl AckBacklog {
    pub(crate) fn new(target: f64) -> Self {
        Self { target, ratio: 1.0, round: Round::default(), begin: Time::ZERO, acks: 0.0 }
    }

    /// Takes an acknowledgement, the smoothed queueing delay of acknowledgements in picoseconds, and the window.
    pub(crate) fn update(&mut self, ack: &Ack, queueing: f64, window: f64) {
        self.acks += 1.0;
        if !self.round.ends(ack) {
            return;
        }
        let time = ack.now.saturating_sub(self.begin).as_ps() as f64;
        if time > 0.0 && self.begin > Time::ZERO {
            let queued = self.acks / time * queueing;
            let aim = (queued / self.target).clamp(1.0 / MAX_CHANGE, MAX_CHANGE);
            self.ratio *= 1.0 + GAIN * (aim - 1.0);
            self.ratio = self.ratio.min(window / MIN_ACKS_PER_WINDOW).max(1.0);
        }
        self.begin = ack.now;
        self.acks = 0.0;
    }

    /// The retransmission timer expired: start over.
    pub(crate) fn reset(&mut self) {
        self.ratio = 1.0;
    }

    /// Packets to be acknowledged together.
    pub(crate) fn ratio(&self) -> u32 {
        libm::round(self.ratio) as u32
    }
}
