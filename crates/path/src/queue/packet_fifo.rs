//! A FIFO of packets without their times of arrival.

use std::collections::VecDeque;

use super::limit::{Backlog, Limit};
use crate::Packet;

/// A first-in, first-out queue without a limit.
#[derive(Debug)]
pub(super) struct PacketFifo<P> {
    packets: VecDeque<P>,
    backlog: Backlog,
}

impl<P> Default for PacketFifo<P> {
    fn default() -> Self {
        Self { packets: VecDeque::new(), backlog: Backlog::EMPTY }
    }
}

impl<P: Packet> PacketFifo<P> {
    pub fn push(&mut self, packet: P) {
        self.backlog.add(u64::from(packet.wire_bytes()));
        self.packets.push_back(packet);
    }

    /// Removes the oldest packet.
    pub fn pop(&mut self) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.backlog.remove(u64::from(packet.wire_bytes()));
        Some(packet)
    }

    /// Removes the newest packet.
    pub fn pop_youngest(&mut self) -> Option<P> {
        let packet = self.packets.pop_back()?;
        self.backlog.remove(u64::from(packet.wire_bytes()));
        Some(packet)
    }

    pub fn first(&self) -> Option<&P> {
        self.packets.front()
    }

    pub fn packets(&self) -> u64 {
        self.backlog.packets
    }

    pub fn bytes(&self) -> u64 {
        self.backlog.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether a packet of `size` bytes fits under `limit`.
    pub fn admits(&self, limit: Limit, size: u64) -> bool {
        limit.admits(&self.backlog, size)
    }

    pub fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.packets.drain(..).for_each(taken);
        self.backlog = Backlog::EMPTY;
    }
}
