//! Queueing of data packets and of acknowledgements apart, from timestamps of clocks that nobody synchronised.
//!
//! A sample is a packet's time of sending by the sender's clock and its time of arrival by the receiver's; their difference
//! `r` is the forward delay plus an offset that changes with the drift of one clock against the other. `s = RTT - r` is the
//! reverse delay less the same. The round-trip time knows only the sender's clock, so it is free of both.
//!
//! Queueing is what exceeds the smallest value seen: of `r - drift t` forward, of `s + drift t` reverse, whatever the offset is.
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

/// Measures them.
#[derive(Debug, Clone)]
pub(crate) struct OneWay {
    /// Time of sending and difference of the clocks' readings of the first sample: all others are counted from there.
    origin: Option<(Time, i64)>,
    drift: Drift,
    /// Smallest `r - drift t` and `s + drift t`.
    base: (f64, f64),
    /// Sums since the last window of readings ended: which queue the flow mostly sees.
    seen: Queueing,
}

impl OneWay {
    pub(crate) fn new() -> Self {
        Self { origin: None, drift: Drift::new(), base: (f64::INFINITY, f64::INFINITY), seen: Queueing::default() }
    }

    /// Hears a sample; `weight` is what a second of reverse queueing counts for in what the flow acts on, `paused` says
    /// that the flow holds no queue for the moment.
    pub(crate) fn hear(&mut self, ack: &Ack, rtt: Time, weight: f64, paused: bool) -> Queueing {
        // readings may be of any age and wrap around: only their difference means something
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
        if self.drift.hear(reading) {
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
