//! Which queueing counts as congestion: of the round trip, of the data path alone, or acknowledgements' by their load.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::Ack;
use crate::controller::PathFacts;
use crate::kinds::fast::one_way::{OneWay, Queueing};

/// Which queueing delay a controller counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delay {
    /// q = RTT - baseRTT: that of data packets and of acknowledgements alike, as published.
    #[default]
    RoundTrip,
    /// That of data packets alone, from one-way timestamps.
    Forward,
    /// q = q_data + (P_ack / P_data) q_ack, with P_ack per data packet: each queue by what a packet adds to it. From one-way
    /// timestamps.
    Weighted,
}

impl Delay {
    /// Whether it takes timestamps of both clocks to tell.
    #[must_use]
    pub const fn is_one_way(self) -> bool {
        !matches!(self, Self::RoundTrip)
    }
}

/// Weight of an acknowledgement in the average of how many packets one acknowledges.
const PER_ACK_WEIGHT: f64 = 1.0 / 32.0;

/// Queueing delay of the round trip in picoseconds, in two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Split {
    /// What counts as congestion, smoothed.
    pub(crate) counted: f64,
    /// What does not, as far as the flow's own rate does not make it: smoothed, by how much that changed, and of the latest
    /// sample.
    pub(crate) uncounted: f64,
    pub(crate) change: f64,
    pub(crate) uncounted_now: f64,
}

/// Share of forward queueing in what counts from which the flow takes no notice of when acknowledgements come. Below it goes down
/// to none: a flow that only its acknowledgements hold back needs their clock, or it oscillates.
const FORWARD_ENOUGH: f64 = 0.25;

/// The counted delay where it is not that of the round trip.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    one_way: OneWay,
    /// Bytes of an acknowledgement over bytes of a data packet; zero where acknowledgements do not count.
    ratio: f64,
    /// Packets that an acknowledgement stands for, smoothed: also where the path thins acknowledgements out.
    per_ack: f64,
    /// Smoothed queueing of the two sub-paths.
    avg: Option<Queueing>,
}

impl Counted {
    /// None where the round trip counts.
    pub(crate) fn new(delay: Delay, facts: &PathFacts) -> Option<Self> {
        let ratio = match delay {
            Delay::RoundTrip => return None,
            Delay::Forward => 0.0,
            Delay::Weighted => f64::from(facts.ack_bytes) / f64::from(facts.packet_bytes.max(1)),
        };
        Some(Self { one_way: OneWay::new(), ratio, per_ack: f64::from(facts.ack_ratio.max(1)), avg: None })
    }

    /// Hears a sample; it enters the averages with `weight`, none where it is of a pause.
    pub(crate) fn hear(&mut self, ack: &Ack, rtt: Time, weight: Option<f64>) -> Split {
        // what fills a gap in SACK's knowledge says nothing of how many packets make an acknowledgement
        if !ack.in_recovery && ack.acked > 0.0 {
            self.per_ack += PER_ACK_WEIGHT * (ack.acked - self.per_ack);
        }
        let share = self.share();
        let now = self.one_way.hear(ack, rtt, share, weight.is_none());
        let avg = self.avg.get_or_insert(now);
        let before = avg.reverse;
        let weight = weight.unwrap_or(0.0);
        avg.forward += weight * (now.forward - avg.forward);
        avg.reverse += weight * (now.reverse - avg.reverse);
        let counted = avg.forward + share * avg.reverse;
        let free = if share > 0.0 && counted > 0.0 { (avg.forward / (FORWARD_ENOUGH * counted)).min(1.0) } else { 1.0 };
        let not = free * (1.0 - share);
        Split {
            counted,
            uncounted: not * avg.reverse,
            change: not * (avg.reverse - before),
            uncounted_now: not * now.reverse,
        }
    }

    /// What a second of reverse queueing counts for.
    fn share(&self) -> f64 {
        self.ratio / self.per_ack.max(1.0)
    }

    /// Smoothed queueing delay of acknowledgements in picoseconds.
    pub(crate) fn reverse(&self) -> f64 {
        self.avg.map_or(0.0, |q| q.reverse)
    }
}
