//! First in, first out; what does not fit is dropped on arrival.

use std::collections::VecDeque;

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Backlog, Discipline, Limit, Site};
use crate::Packet;

/// Parameters of `droptail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropTailParams {
    /// How much may wait besides the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
}

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail<P> {
    limit: Limit,
    waiting: VecDeque<P>,
    backlog: Backlog,
}

impl<P: Packet> DropTail<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &DropTailParams, _: &Site<'_>) -> Self {
        Self { limit: params.limit, waiting: VecDeque::new(), backlog: Backlog::EMPTY }
    }
}

impl<P: Packet> Discipline<P> for DropTail<P> {
    const PASSES_WHEN_IDLE: bool = true;

    fn enqueue(&mut self, _now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let size = u64::from(packet.wire_bytes());
        if !self.limit.admits(&self.backlog, size) {
            return Err(packet);
        }
        self.backlog.add(size);
        self.waiting.push_back(packet);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        let packet = self.waiting.pop_front()?;
        self.backlog.remove(u64::from(packet.wire_bytes()));
        Some(packet)
    }

    fn packets(&self) -> u64 {
        self.backlog.packets
    }

    fn bytes(&self) -> u64 {
        self.backlog.bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.waiting.drain(..).for_each(taken);
        self.backlog = Backlog::EMPTY;
    }
}
