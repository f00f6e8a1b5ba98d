//! ACK decimation: above a threshold, drops a part of the arriving acknowledgements regardless of their content.
//!
//! Later cumulative acknowledgements compensate for dropped ones, so the queue need not inspect them. SYN, SYN-ACK and FIN are never
//! dropped by it.

use std::collections::BTreeMap;

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::Limit;
use super::packet_fifo::PacketFifo;
use super::properties::{DelayBound, Describe, Properties};
use crate::Packet;
use crate::ParamError;
use crate::random::Stream;

/// Which acknowledgements are dropped while the queue is above the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Decimation {
    /// All but one in n of each connection.
    Every {
        /// One in this many stays.
        #[schemars(range(min = 1))]
        keep_one_in: u32,
    },
    /// Each with a probability, independently.
    Random {
        /// The probability.
        #[schemars(range(min = 0, max = 1))]
        probability: f64,
    },
    /// With a probability that rises with the average queue, as in random early detection.
    Red {
        /// Average queue above which every acknowledgement is dropped; at or below `threshold` none is.
        max_threshold: Packets,
        /// Probability just below `max_threshold`.
        #[schemars(range(min = 0, max = 1))]
        max_probability: f64,
        /// Weight of the current queue in the average, at each arrival of an acknowledgement.
        #[serde(default = "weight")]
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
        weight: f64,
    },
}

/// As in Floyd and Jacobson's RED.
const fn weight() -> f64 {
    0.002
}

/// Parameters of `ack_decimation`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckDecimationParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
    /// Queue length in packets of any class above which acknowledgements are dropped. With a `limit` that is not above it, none are for
    /// this reason.
    pub threshold: Packets,
    /// Which of them.
    pub drop: Decimation,
}

impl Describe for AckDecimationParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Limit), ..Properties::BUFFER };

    fn conflict(&self) -> Option<ParamError> {
        match self.drop {
            Decimation::Red { max_threshold, .. } if max_threshold.get() <= self.threshold.get() => {
                Some(ParamError::new(
                    "drop.max_threshold",
                    format!("{max_threshold} is not above the threshold, {}", self.threshold),
                ))
            }
            _ => None,
        }
    }
}

/// A drop-tail queue with ACK decimation.
#[derive(Debug)]
pub struct AckDecimation<P> {
    params: AckDecimationParams,
    waiting: PacketFifo<P>,
    /// Acknowledgements dropped since the last one kept, for connections where that is not zero.
    dropped_since: BTreeMap<u64, u32>,
    average: f64,
    random: Box<Stream>,
}

impl<P: Packet> AckDecimation<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &AckDecimationParams, context: &LinkContext<'_>) -> Self {
        Self {
            params: *params,
            waiting: PacketFifo::default(),
            dropped_since: BTreeMap::new(),
            average: 0.0,
            random: Box::new(context.stream("ack_decimation")),
        }
    }

    /// Whether an arriving acknowledgement of `flow` is dropped.
    fn takes(&mut self, flow: u64) -> bool {
        let waiting = self.waiting.packets() as f64;
        let above = waiting > self.params.threshold.get();
        match self.params.drop {
            Decimation::Every { keep_one_in } => {
                let dropped = self.dropped_since.get(&flow).copied().unwrap_or(0);
                let goes = above && dropped + 1 < keep_one_in;
                if goes {
                    self.dropped_since.insert(flow, dropped + 1);
                } else if dropped > 0 {
                    self.dropped_since.remove(&flow);
                }
                goes
            }
            Decimation::Random { probability } => above && self.random.uniform() < probability,
            Decimation::Red { max_threshold, max_probability, weight } => {
                self.average += weight * (waiting - self.average);
                let (min_threshold, max_threshold) = (self.params.threshold.get(), max_threshold.get());
                if self.average <= min_threshold {
                    return false;
                }
                let share = (self.average - min_threshold) / (max_threshold - min_threshold);
                share >= 1.0 || max_threshold <= min_threshold || self.random.uniform() < share * max_probability
            }
        }
    }
}

impl<P: Packet> Discipline<P> for AckDecimation<P> {
    fn enqueue(&mut self, _now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let thinned = packet.acknowledgement().is_some() && self.takes(packet.flow());
        if thinned || !self.waiting.admits(self.params.limit, u64::from(packet.wire_bytes())) {
            return Err(packet);
        }
        self.waiting.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.waiting.pop()
    }

    fn packets(&self) -> u64 {
        self.waiting.packets()
    }

    fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.waiting.drain(taken);
    }
}
