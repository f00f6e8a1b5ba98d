//! Which queueing delay is the congestion signal: of the round trip, of the data path, or of both weighted by load.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::Ack;
use crate::controller::PathFacts;
use crate::kinds::fast::one_way::{OneWay, Queueing};

/// Which queueing delay is the congestion signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delay {
    /// q = RTT - baseRTT: that of data packets and of acknowledgements, as published.
    #[default]
    RoundTrip,
    /// The queueing delay of data packets alone, from one-way timestamps.
    Forward,
    /// q = q_data + (P_ack / P_data) q_ack, with P_ack the acknowledgement bytes per data packet: each queue weighted by the bytes
    /// that a data packet adds to it. From one-way timestamps.
    Weighted,
}

impl Delay {
    /// Whether it needs timestamps of both hosts.
    #[must_use]
    pub const fn is_one_way(self) -> bool {
        !matches!(self, Self::RoundTrip)
    }
}

/// Weight of an acknowledgement in the mean number of packets per acknowledgement.
const PER_ACK_WEIGHT: f64 = 1.0 / 32.0;

/// Queueing delay of the round trip in picoseconds, in two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Split {
    /// The part that is the congestion signal, smoothed.
    pub(crate) counted: f64,
    /// The rest, as far as it does not come from the flow's own rate: smoothed, the change of that, and of the latest sample.
    pub(crate) uncounted: f64,
    pub(crate) change: f64,
    pub(crate) uncounted_now: f64,
}

/// Share of forward queueing in the congestion signal from which on the flow ignores the acknowledgements' delay entirely. Below, it
/// ignores proportionally less: a flow that is limited by its acknowledgements alone needs the ACK clock, or it oscillates.
const FORWARD_ENOUGH: f64 = 0.25;

/// The congestion signal if it is not the delay of the round trip.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    one_way: OneWay,
    /// Bytes of an acknowledgement over bytes of a data packet; zero if queueing of acknowledgements is no signal.
    ratio: f64,
    /// Packets per acknowledgement, smoothed: includes acknowledgements that the path drops or filters.
    per_ack: f64,
    /// Smoothed queueing delays of the two sub-paths.
    avg: Option<Queueing>,
    /// Queueing delay of the latest acknowledgement.
    reverse: f64,
}

impl Counted {
    /// None for the delay of the round trip.
    pub(crate) fn new(delay: Delay, facts: &PathFacts) -> Option<Self> {
        let ratio = match delay {
            Delay::RoundTrip => return None,
            Delay::Forward => 0.0,
            Delay::Weighted => f64::from(facts.ack_bytes) / f64::from(facts.packet_bytes.max(1)),
        };
        Some(Self {
            one_way: OneWay::new(),
            ratio,
            per_ack: f64::from(facts.ack_ratio.max(1)),
            avg: None,
            reverse: 0.0,
        })
    }

    /// Takes a sample with its `weight` in the averages; none if it is from a pause.
    pub(crate) fn update(&mut self, ack: &Ack, rtt: Time, weight: Option<f64>) -> Split {
        // an acknowledgement that fills a hole covers more packets than one usually does
        if !ack.in_recovery && ack.acked > 0.0 {
            self.per_ack += PER_ACK_WEIGHT * (ack.acked - self.per_ack);
        }
        let share = self.share();
        let now = self.one_way.update(ack, rtt, share, weight.is_none());
        self.reverse = now.reverse;
        let avg = self.avg.get_or_insert(now);
        let previous = avg.reverse;
        let weight = weight.unwrap_or(0.0);
        avg.forward += weight * (now.forward - avg.forward);
        avg.reverse += weight * (now.reverse - avg.reverse);
        let counted = avg.forward + share * avg.reverse;
        let free = if share > 0.0 && counted > 0.0 { (avg.forward / (FORWARD_ENOUGH * counted)).min(1.0) } else { 1.0 };
        let not = free * (1.0 - share);
        Split {
            counted,
            uncounted: not * avg.reverse,
            change: not * (avg.reverse - previous),
            uncounted_now: not * now.reverse,
        }
    }

    /// Weight of reverse queueing delay.
    fn share(&self) -> f64 {
        self.ratio / self.per_ack.max(1.0)
    }

    /// Queueing delay of the latest acknowledgement in picoseconds.
    pub(crate) fn reverse(&self) -> f64 {
        self.reverse
    }
}
