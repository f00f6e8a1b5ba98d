//! Vegas's estimate of the packets that a flow has queued, measured once a round trip.

use eddyline_units::Time;

use crate::controller::Ack;
use crate::parts::base_rtt::BaseRtt;
use crate::parts::round_trips::{Round, Samples};

/// Minimum number of samples in a round trip: with fewer, all of them may be of delayed acknowledgements.
const FEW: u32 = 2;

/// The result of a round trip.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// baseRTT and the minimum of the round trip, in picoseconds.
    pub(crate) base: f64,
    pub(crate) rtt: f64,
}

impl Measured {
    /// Packets queued, of a window of `cwnd`: `cwnd (rtt - baseRTT) / rtt`.
    pub(crate) fn backlog(&self, cwnd: f64) -> f64 {
        cwnd * (self.rtt - self.base).max(0.0) / self.rtt
    }

    /// The window that would queue nothing: `cwnd baseRTT / rtt`.
    pub(crate) fn without_queue(&self, cwnd: f64) -> f64 {
        cwnd * (self.base / self.rtt).min(1.0)
    }
}

/// The estimator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backlog {
    pub(crate) base: BaseRtt,
    round: Round,
    samples: Samples,
}

impl Backlog {
    pub(crate) fn new(base: BaseRtt) -> Self {
        Self { base, round: Round::default(), samples: Samples::NONE }
    }

    /// Takes an acknowledgement. At the end of a round trip returns its result, or `Some(None)` if it had too few samples.
    #[inline]
    pub(crate) fn update(&mut self, ack: &Ack) -> Option<Option<Measured>> {
        if let Some(rtt) = ack.rtt {
            self.base.sample(rtt);
            self.samples.update(rtt.as_ps() as f64);
        }
        if !self.round.ends(ack) {
            return None;
        }
        let samples = self.samples.take();
        let base = self.base.get()?.as_ps() as f64;
        Some((samples.count > FEW && samples.min > 0.0).then_some(Measured { base, rtt: samples.min }))
    }

    /// Discards the samples so far.
    pub(crate) fn reset(&mut self, now: Time) {
        self.round.begin(now);
        self.samples = Samples::NONE;
    }
}
