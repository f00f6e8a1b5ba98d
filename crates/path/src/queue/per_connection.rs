//! A buffer per connection: drop-tail queues with individual limits, served fairly in bytes.
//!
//! Data of one connection cannot displace acknowledgements of another, nor delay them by more than its quantum.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::properties::{Describe, Properties, WaitDependsOn};
use super::round_robin::RoundRobin;
use crate::Packet;
use crate::ParamError;

/// Parameters of `per_connection`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerConnectionParams {
    /// Limit of one direction of a connection.
    #[serde(default = "packets_50")]
    pub each: Limit,
    /// Limit of all buffers together, without the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
    /// Quantum in bytes.
    #[serde(default = "bytes_1500")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub quantum: Bytes,
}

impl Describe for PerConnectionParams {
    const PROPERTIES: Properties = Properties { fair: true, ..Properties::BUFFER };
    const WAIT_DEPENDS_ON: WaitDependsOn = WaitDependsOn::Flow;

    fn refuses(&self, size: u64) -> Option<ParamError> {
        self.each.refuses(size).map(|why| ParamError::new("each", why))
    }
}

const fn packets_50() -> Limit {
    Limit::Packets(50)
}

const fn bytes_1500() -> Bytes {
    Bytes::new(1500)
}

/// Buffers in a round.
#[derive(Debug)]
pub struct PerConnection<P> {
    each: Limit,
    limit: Limit,
    round: RoundRobin<P>,
}

impl<P: Packet> PerConnection<P> {
    /// No buffer yet.
    #[must_use]
    pub fn new(params: &PerConnectionParams, _: &LinkContext<'_>) -> Self {
        Self { each: params.each, limit: params.limit, round: RoundRobin::new(Some(params.quantum.get().max(1))) }
    }
}

impl<P: Packet> Discipline<P> for PerConnection<P> {
    fn enqueue(&mut self, _now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let size = u64::from(packet.wire_bytes());
        let own = self.round.queue_of(packet.flow()).and_then(|queue| self.round.waiting(queue));
        let fits = own.map_or_else(|| self.each.admits(&Backlog::EMPTY, size), |own| own.admits(self.each, size));
        if !fits || !self.round.admits(self.limit, size) {
            return Err(packet);
        }
        let queue = self.round.own_queue(packet.flow());
        self.round.push(queue, packet);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.round.pop()
    }

    fn bytes_before(&self, packet: &P) -> u64 {
        self.round.bytes_before(self.round.queue_of(packet.flow()), u64::from(packet.wire_bytes()))
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
