//! Deficit round robin: fair in bytes, independent of packet sizes.
//!
//! Each flow has its own queue, or shares one of a number of hashed queues. Over any time in which two queues
//! have packets, what they send differs by at most the quantum and two of the largest packets (the paper's theorem
//! 4.2).

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::flow_table::hashed;
use super::limit::Limit;
use super::properties::{Describe, Properties, WaitDependsOn};
use super::round_robin::RoundRobin;
use crate::Packet;

/// Parameters of `drr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrrParams {
    /// Limit of all queues together, without the packet in transmission; beyond it the longest queue drops its newest packet.
    #[serde(default)]
    pub limit: Limit,
    /// Quantum in bytes; below the largest packet, some turns send nothing.
    #[serde(default = "bytes_1500")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub quantum: Bytes,
    /// Number of queues onto which flows are hashed. Default: one queue per flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub queues: Option<u32>,
}

impl Describe for DrrParams {
    const PROPERTIES: Properties = Properties { fair: true, ..Properties::BUFFER };
    const WAIT_DEPENDS_ON: WaitDependsOn = WaitDependsOn::Flow;
}

const fn bytes_1500() -> Bytes {
    Bytes::new(1500)
}

/// Queues in a round, by bytes.
#[derive(Debug)]
pub struct Drr<P> {
    limit: Limit,
    /// Number of hashed queues and the hash's salt.
    hashed: Option<(u32, u64)>,
    round: RoundRobin<P>,
}

impl<P: Packet> Drr<P> {
    /// Empty queues.
    #[must_use]
    pub fn new(params: &DrrParams, context: &LinkContext<'_>) -> Self {
        Self {
            limit: params.limit,
            hashed: params.queues.map(|n| (n.max(1), context.stream("drr").bits())),
            round: RoundRobin::new(Some(params.quantum.get().max(1))),
        }
    }
}

impl<P: Packet> Discipline<P> for Drr<P> {
    fn enqueue(&mut self, _now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let queue = match self.hashed {
            Some((queues, salt)) => hashed(packet.flow_hash(), salt, queues),
            None => self.round.own_queue(packet.flow()),
        };
        self.round.push_stealing(queue, packet, self.limit, false, dropped)
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.round.pop()
    }

    fn bytes_before(&self, packet: &P) -> u64 {
        let queue = match self.hashed {
            Some((queues, salt)) => Some(hashed(packet.flow_hash(), salt, queues)),
            None => self.round.queue_of(packet.flow()),
        };
        self.round.bytes_before(queue, u64::from(packet.wire_bytes()))
    }

    fn packets(&self) -> u64 {
        self.round.packets()
    }

    fn bytes(&self) -> u64 {
        self.round.bytes()
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.round.drain(taken);
    }
}
