//! A FIFO of packets with their times of arrival.

use std::collections::VecDeque;

use eddyline_units::Time;

use super::limit::Backlog;
use crate::Packet;

/// A first-in, first-out queue.
#[derive(Debug)]
pub(super) struct TimedFifo<P> {
    waiting: VecDeque<(Time, P)>,
    backlog: Backlog,
}

impl<P> Default for TimedFifo<P> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), backlog: Backlog::EMPTY }
    }
}

impl<P: Packet> TimedFifo<P> {
    /// A packet joins at the tail.
    pub fn push(&mut self, now: Time, packet: P) {
        self.backlog.add(u64::from(packet.wire_bytes()));
        self.waiting.push_back((now, packet));
    }

    /// Removes the packet at the head; returns it with its time of arrival.
    pub fn pop(&mut self) -> Option<(Time, P)> {
        let (since, packet) = self.waiting.pop_front()?;
        self.backlog.remove(u64::from(packet.wire_bytes()));
        Some((since, packet))
    }

    /// From the head on.
    pub fn iter(&self) -> impl Iterator<Item = &P> {
        self.waiting.iter().map(|(_, packet)| packet)
    }

    /// The packet at `place` from the head.
    pub fn remove(&mut self, place: usize) -> Option<P> {
        let (_, packet) = self.waiting.remove(place)?;
        self.backlog.remove(u64::from(packet.wire_bytes()));
        Some(packet)
    }

    /// When the packet at the head arrived.
    pub fn head_since(&self) -> Option<Time> {
        self.waiting.front().map(|(since, _)| *since)
    }

    /// What waits.
    pub const fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    /// Takes out everything.
    pub fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.waiting.drain(..).for_each(|(_, packet)| taken(packet));
        self.backlog = Backlog::EMPTY;
    }
}
