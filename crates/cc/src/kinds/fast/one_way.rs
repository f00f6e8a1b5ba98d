//! Separate queueing delays of data packets and of acknowledgements, from timestamps of unsynchronised clocks.
//!
//! A sample is a packet's time of sending by the sender's clock and its time of arrival by the receiver's; their difference
//! `r` is the forward delay plus an offset that changes with the drift of one clock against the other. `s = RTT - r` is the
//! reverse delay less the same. The round-trip time is measured by the sender's clock alone, so it has neither error.
//!
//! The queueing delay is the excess over the minimum: of `r - drift t` forward, of `s + drift t` reverse, whatever the offset is.
//! The drift comes from [`Drift`](crate::kinds::fast::clock_drift::Drift).

use eddyline_units::Time;

use crate::controller::Ack;
use crate::kinds::fast::clock_drift::{Drift, Low, Reading};

/// Queueing delays of the two sub-paths in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Queueing {
    pub(crate) forward: f64,
    pub(crate) reverse: f64,
}

/// The estimator of both.
#[derive(Debug, Clone)]
pub(crate) struct OneWay {
    /// Time of sending and difference of the clocks' readings of the first sample: all others are counted from there.
    origin: Option<(Time, i64)>,
    drift: Drift,
    /// Minima of `r - drift t` and `s + drift t`.
    base: (f64, f64),
    /// Sums since the last window of readings ended, which show where the flow's packets mostly wait.
    seen: Queueing,
}

impl OneWay {
    pub(crate) fn new() -> Self {
        Self { origin: None, drift: Drift::new(), base: (f64::INFINITY, f64::INFINITY), seen: Queueing::default() }
    }

    /// Takes a sample; `weight` is the weight of reverse queueing in the flow's congestion signal, `paused` that the flow has no
    /// packets queued because of a pause.
    pub(crate) fn update(&mut self, ack: &Ack, rtt: Time, weight: f64, paused: bool) -> Queueing {
        // clock readings have any origin and wrap around: only differences are used
        let difference = ack.received_at.as_ps().wrapping_sub(ack.sent_at.as_ps()) as i64;
        let (start, first) = *self.origin.get_or_insert((ack.sent_at, difference));
        let at = ack.sent_at.saturating_sub(start).as_ps() as f64;
        let forward = difference.wrapping_sub(first) as f64;
        let rtt = rtt.as_ps() as f64;
        let reading = Reading { at, forward, rtt, paused };
        let (f, r) = reading.without(self.drift.rate());
        self.base = (self.base.0.min(f), self.base.1.min(r));
        let queueing = Queueing { forward: f - self.base.0, reverse: r - self.base.1 };
        self.seen.forward += queueing.forward;
        self.seen.reverse += weight * queueing.reverse;
        if self.drift.update(reading) {
            let all = self.seen.forward + self.seen.reverse;
            self.drift.estimate(if all > 0.0 { self.seen.forward / all } else { 0.5 });
            self.seen = Queueing::default();
            self.base = self.drift.lows().fold((f64::INFINITY, f64::INFINITY), |base, low: &Low| {
                let (f, r) = low.without(self.drift.rate());
                (base.0.min(f), base.1.min(r))
            });
        }
        queueing
    }
}
