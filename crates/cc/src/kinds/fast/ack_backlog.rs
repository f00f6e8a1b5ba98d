//! Congestion control of acknowledgements by delay: as many of them queued on the way back as a target, no more.
//!
//! The stream of acknowledgements is a flow of its own whose rate only its sender's peer can change, and the sender can ask it to: RFC
//! 5690 has a way to say how many packets are to be acknowledged together. Where RFC 5690 decides by lost acknowledgements, this
//! does by FAST's law: with `n = (acknowledgements a second) x (their queueing delay)` on the way back, the number of packets
//! per acknowledgement moves towards `ratio n / target`. In equilibrium n is the target, or every packet is acknowledged.

use eddyline_units::Time;

use crate::controller::Ack;
use crate::parts::round_trips::Round;

/// Share of the way that a round trip goes.
const GAIN: f64 = 0.5;
/// The ratio doubles or halves in a round trip at most.
const MOST_CHANGE: f64 = 2.0;
/// A window is answered by so many acknowledgements at least (RFC 5690, 4.5).
const FEWEST: f64 = 2.0;

/// The ratio.
#[derive(Debug, Clone)]
pub(crate) struct AckBacklog {
    target: f64,
    ratio: f64,
    round: Round,
    begin: Time,
    heard: f64,
}

impl AckBacklog {
    pub(crate) fn new(target: f64) -> Self {
        Self { target, ratio: 1.0, round: Round::default(), begin: Time::ZERO, heard: 0.0 }
    }

    /// Hears an acknowledgement, with their smoothed queueing delay in picoseconds and the window.
    pub(crate) fn hear(&mut self, ack: &Ack, queueing: f64, window: f64) {
        self.heard += 1.0;
        if !self.round.ends(ack) {
            return;
        }
        let time = ack.now.saturating_sub(self.begin).as_ps() as f64;
        if time > 0.0 && self.begin > Time::ZERO {
            let queued = self.heard / time * queueing;
            let aim = (queued / self.target).clamp(1.0 / MOST_CHANGE, MOST_CHANGE);
            self.ratio *= 1.0 + GAIN * (aim - 1.0);
            self.ratio = self.ratio.min(window / FEWEST).max(1.0);
        }
        self.begin = ack.now;
        self.heard = 0.0;
    }

    /// The retransmission timer expired: start over.
    pub(crate) fn forget(&mut self) {
        self.ratio = 1.0;
    }

    /// Packets to be acknowledged together.
    pub(crate) fn ratio(&self) -> u32 {
        libm::round(self.ratio) as u32
    }
}
