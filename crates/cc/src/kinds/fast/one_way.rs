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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Stamp;

    /// A receiver that seems to lose 30 ppm by the forward delays and 60 ppm by the reverse ones: the latter show a queue that grows.
    fn estimated_ppm(weight: f64) -> f64 {
        let mut delays = OneWay::new();
        for i in 0..9 {
            let us = |value: f64| Time::from_ps((value * 1e6) as u64);
            let at = 1.5 * f64::from(i);
            let (sent_at, rtt) = (Time::from_ms(10_000) + us(at * 1e6), us(100e3 + 30.0 * at));
            let ack = Ack {
                now: sent_at + rtt,
                sent_at,
                received_at: sent_at + us(50e3 - 30.0 * at),
                rtt: Some(rtt),
                acked: 1.0,
                lost: 0.0,
                in_flight: 1.0,
                stamp: Stamp::default(),
                cwnd_limited: true,
                in_recovery: false,
            };
            let queueing = delays.update(&ack, rtt, weight, false);
            // until there is an estimate all of it counts as queueing
            assert!(i == 8 || (queueing.forward == 0.0 && (queueing.reverse / 1e6 - 60.0 * at).abs() < 1e-3));
        }
        delays.drift.rate() * 1e6
    }

    #[test]
    fn the_path_whose_queue_the_sender_reacts_to_has_the_lesser_weight() {
        // trust in the forward delay (`Drift::estimate`): 2/3 where the reverse queue alone counts, 1/2 where nothing does
        for (weight, ppm) in [(1.0, -2.0 / 3.0 * 30.0 - 1.0 / 3.0 * 60.0), (0.0, -0.5 * 30.0 - 0.5 * 60.0)] {
            let estimated = estimated_ppm(weight);
            assert!((estimated - ppm).abs() < 1e-3, "{estimated} and not {ppm}");
        }
    }
}
