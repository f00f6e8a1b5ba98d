//! Packets in order of arrival with their bytes: what queues are made of.

use std::collections::VecDeque;

use super::Limit;
use crate::Packet;

/// First in, first out, without a limit of its own.
#[derive(Debug)]
pub(super) struct Fifo<P> {
    packets: VecDeque<P>,
    bytes: u64,
}

impl<P> Default for Fifo<P> {
    fn default() -> Self {
        Self { packets: VecDeque::new(), bytes: 0 }
    }
}

impl<P: Packet> Fifo<P> {
    pub fn push(&mut self, packet: P) {
        self.bytes += u64::from(packet.wire_bytes());
        self.packets.push_back(packet);
    }

    /// Takes the oldest.
    pub fn pop(&mut self) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    /// Takes the youngest.
    pub fn pop_youngest(&mut self) -> Option<P> {
        let packet = self.packets.pop_back()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    /// Takes the one in `place` from the oldest.
    pub fn remove(&mut self, place: usize) -> Option<P> {
        let packet = self.packets.remove(place)?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    pub fn first(&self) -> Option<&P> {
        self.packets.front()
    }

    /// From the oldest on.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &P> {
        self.packets.iter()
    }

    pub fn packets(&self) -> u64 {
        self.packets.len() as u64
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Whether a packet of `size` bytes fits under `limit`.
    pub fn admits(&self, limit: Limit, size: u64) -> bool {
        limit.admits(self.packets(), self.bytes, size)
    }

    pub fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.packets.drain(..).for_each(taken);
        self.bytes = 0;
    }
}
