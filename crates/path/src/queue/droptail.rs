//! Drop-tail FIFO: a packet that does not fit is dropped on arrival.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::Limit;
use super::packet_fifo::PacketFifo;
use super::properties::{DelayBound, Describe, Properties};
use crate::Packet;

/// Parameters of `droptail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropTailParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
}

impl Describe for DropTailParams {
    const PROPERTIES: Properties =
        Properties { drop_tail: true, delay_set_by: Some(DelayBound::Limit), ..Properties::BUFFER };
}

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail<P> {
    limit: Limit,
    waiting: PacketFifo<P>,
}

impl<P: Packet> DropTail<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &DropTailParams, _: &LinkContext<'_>) -> Self {
        Self { limit: params.limit, waiting: PacketFifo::default() }
    }
}

impl<P: Packet> Discipline<P> for DropTail<P> {
    const PASSES_WHEN_IDLE: bool = true;

    fn enqueue(&mut self, _now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        if !self.waiting.admits(self.limit, u64::from(packet.wire_bytes())) {
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
