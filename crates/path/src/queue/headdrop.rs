//! Drop-head FIFO: when it is full, the oldest packets are dropped to make room.
//!
//! The sender detects the loss earlier than with drop-tail, by the queueing delay.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::packet_fifo::PacketFifo;
use super::properties::{DelayBound, Describe, Properties};
use crate::Packet;

/// Parameters of `headdrop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeadDropParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
}

impl Describe for HeadDropParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Limit), ..Properties::BUFFER };
}

/// A queue that drops from its head.
#[derive(Debug)]
pub struct HeadDrop<P> {
    limit: Limit,
    waiting: PacketFifo<P>,
}

impl<P: Packet> HeadDrop<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &HeadDropParams, _: &LinkContext<'_>) -> Self {
        Self { limit: params.limit, waiting: PacketFifo::default() }
    }
}

impl<P: Packet> Discipline<P> for HeadDrop<P> {
    const PASSES_WHEN_IDLE: bool = true;

    fn enqueue(&mut self, _now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let size = u64::from(packet.wire_bytes());
        if !self.limit.admits(&Backlog::EMPTY, size) {
            return Err(packet);
        }
        while !self.waiting.admits(self.limit, size) {
            match self.waiting.pop() {
                Some(oldest) => dropped(oldest),
                None => break,
            }
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
