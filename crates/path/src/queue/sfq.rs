//! Stochastic fairness queueing: flows hashed onto queues that are served in round robin.
//!
//! Flows that share a queue share its turn. The hash is perturbed periodically so that collisions do not last; packets in the queues
//! are then rehashed, so that the packets of a flow are not reordered.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::flow_table::hashed;
use super::limit::Limit;
use super::properties::{Describe, Properties, WaitDependsOn};
use super::round_robin::RoundRobin;
use crate::Packet;
use crate::random::Stream;

/// Which packet of the longest queue is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DropFrom {
    /// The newest.
    #[default]
    Tail,
    /// The oldest.
    Head,
}

/// Parameters of `sfq`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SfqParams {
    /// Limit of all queues together, without the packet in transmission; beyond it the longest queue drops.
    #[serde(default = "packets_127")]
    pub limit: Limit,
    /// Number of queues.
    #[serde(default = "queues_1024")]
    #[schemars(range(min = 1, max = 65_536))]
    pub queues: u32,
    /// Quantum in bytes, with deficits. Default: one packet a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub quantum: Option<Bytes>,
    /// Perturbation period of the hash; 0 s: never.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "200 d"))]
    pub perturb: Time,
    /// Which packet of the longest queue is dropped.
    #[serde(default)]
    pub drop: DropFrom,
}

impl Describe for SfqParams {
    const PROPERTIES: Properties = Properties { fair: true, ..Properties::BUFFER };
    const WAIT_DEPENDS_ON: WaitDependsOn = WaitDependsOn::Flow;
}

const fn packets_127() -> Limit {
    Limit::Packets(127)
}

const fn queues_1024() -> u32 {
    1024
}

/// Hashed queues in a round.
#[derive(Debug)]
pub struct Sfq<P> {
    limit: Limit,
    queues: u32,
    drop: DropFrom,
    round: RoundRobin<P>,
    perturb: Time,
    next_perturbation: Time,
    salts: Box<Stream>,
    salt: u64,
}

impl<P: Packet> Sfq<P> {
    /// Empty queues.
    #[must_use]
    pub fn new(params: &SfqParams, context: &LinkContext<'_>) -> Self {
        let mut salts = Box::new(context.stream("sfq"));
        let salt = salts.bits();
        Self {
            limit: params.limit,
            queues: params.queues.max(1),
            drop: params.drop,
            round: RoundRobin::new(params.quantum.map(|q| q.get().max(1))),
            perturb: params.perturb,
            next_perturbation: if params.perturb == Time::ZERO { Time::MAX } else { params.perturb },
            salts,
            salt,
        }
    }

    /// Perturbs the hash and rehashes all packets if it is due.
    fn settle(&mut self, now: Time) {
        if now < self.next_perturbation {
            return;
        }
        let late = now.saturating_sub(self.next_perturbation).as_ps() / self.perturb.as_ps().max(1);
        self.next_perturbation = self.next_perturbation.saturating_add(self.perturb.saturating_mul(late + 1));
        self.salt = self.salts.bits();
        let mut waiting = Vec::with_capacity(self.round.packets() as usize);
        self.round.drain(&mut |p| waiting.push(p));
        for packet in waiting {
            self.round.push(hashed(packet.flow_hash(), self.salt, self.queues), packet);
        }
    }
}

impl<P: Packet> Discipline<P> for Sfq<P> {
    fn enqueue(&mut self, now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        self.settle(now);
        let queue = hashed(packet.flow_hash(), self.salt, self.queues);
        self.round.push_stealing(queue, packet, self.limit, self.drop == DropFrom::Head, dropped)
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.settle(now);
        self.round.pop()
    }

    fn bytes_before(&self, packet: &P) -> u64 {
        // by the present hash, until a packet comes after its perturbation is due
        let queue = hashed(packet.flow_hash(), self.salt, self.queues);
        self.round.bytes_before(Some(queue), u64::from(packet.wire_bytes()))
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
