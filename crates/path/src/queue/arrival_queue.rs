//! A FIFO queue with an AQM law that drops or marks packets on arrival.

use std::fmt;

use eddyline_units::Time;

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::timed_fifo::TimedFifo;
use crate::{Ecn, Packet};

/// An AQM's decision on an arriving packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Enqueue it.
    Admit,
    /// Signal congestion: mark it if possible, else drop it.
    Signal,
    /// Mark it if possible, else enqueue it.
    Mark,
    /// Drop it, even if it could be marked.
    Drop,
}

/// An AQM law that decides on arrival.
pub trait ArrivalLaw: fmt::Debug {
    /// Its parameters in a scenario.
    type Params;

    /// The initial state, for the link of `context`.
    fn new(params: &Self::Params, context: &LinkContext<'_>) -> Self;
    /// The limit of the queue, and whether packets are marked if possible.
    fn bounds(params: &Self::Params) -> (Limit, bool);
    /// Advances the time to `now`; the queue has not changed since the last call of any method.
    fn tick(&mut self, _now: Time, _waiting: &Backlog) {}
    /// Decides on a packet of `size` bytes that finds the backlog `waiting`; without `room` it is dropped whatever the decision.
    fn judge(&mut self, now: Time, size: u64, waiting: &Backlog, room: bool) -> Verdict;
    /// A packet of `size` bytes has joined the queue.
    fn joined(&mut self, _size: u64) {}
    /// A packet leaves after the time `waited`; the backlog `behind` remains.
    fn left(&mut self, _waited: Time, _behind: &Backlog) {}
    /// The link has nothing to send.
    fn idle(&mut self, _now: Time) {}
}

/// A FIFO queue with an AQM law that decides on arrival.
#[derive(Debug)]
pub struct ArrivalQueue<P, L> {
    limit: Limit,
    ecn: bool,
    law: L,
    waiting: TimedFifo<P>,
}

impl<P: Packet, L: ArrivalLaw> ArrivalQueue<P, L> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &L::Params, context: &LinkContext<'_>) -> Self {
        let (limit, ecn) = L::bounds(params);
        Self { limit, ecn, law: L::new(params, context), waiting: TimedFifo::default() }
    }

    /// The AQM law.
    #[must_use]
    pub const fn law(&self) -> &L {
        &self.law
    }
}

impl<P: Packet, L: ArrivalLaw> Discipline<P> for ArrivalQueue<P, L> {
    fn enqueue(&mut self, now: Time, mut packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let size = u64::from(packet.wire_bytes());
        let waiting = self.waiting.backlog();
        let room = self.limit.admits(waiting, size);
        self.law.tick(now, waiting);
        let verdict = self.law.judge(now, size, waiting, room);
        if !room {
            return Err(packet);
        }
        match verdict {
            Verdict::Admit => {}
            Verdict::Signal | Verdict::Mark if self.ecn && packet.ecn() != Ecn::NotCapable => packet.mark(),
            Verdict::Mark => {}
            Verdict::Signal | Verdict::Drop => return Err(packet),
        }
        self.law.joined(size);
        self.waiting.push(now, packet);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.law.tick(now, self.waiting.backlog());
        let Some((since, packet)) = self.waiting.pop() else {
            self.law.idle(now);
            return None;
        };
        self.law.left(now - since, self.waiting.backlog());
        Some(packet)
    }

    fn packets(&self) -> u64 {
        self.waiting.backlog().packets
    }

    fn bytes(&self) -> u64 {
        self.waiting.backlog().bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.waiting.drain(taken);
    }
}
