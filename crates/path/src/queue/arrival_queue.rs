//! A FIFO queue under a law that drops or marks packets on arrival, before the queue is full.

use std::fmt;

use eddyline_units::Time;

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::timed_fifo::TimedFifo;
use crate::{Ecn, Packet};

/// What a law says to an arriving packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Let it in.
    Admit,
    /// Tell its sender of congestion: by a mark where that is possible, else by a drop.
    Signal,
    /// The same where a mark is possible, else let it in.
    Mark,
    /// Drop it, although it may be possible to mark it.
    Drop,
}

/// A law that judges arriving packets by what waits and how it came about.
pub trait ArrivalLaw: fmt::Debug {
    /// What a scenario says of it.
    type Params;

    /// The law at rest, for the link at `context`.
    fn new(params: &Self::Params, context: &LinkContext<'_>) -> Self;
    /// How much may wait, and whether packets are marked where that is possible.
    fn bounds(params: &Self::Params) -> (Limit, bool);
    /// Time has come to `now`; what waits has not changed since the last call of any kind.
    fn tick(&mut self, _now: Time, _waiting: &Backlog) {}
    /// A packet of `size` bytes arrives at what waits; where there is no `room` for it, it is dropped whatever the law
    /// says.
    fn judge(&mut self, now: Time, size: u64, waiting: &Backlog, room: bool) -> Verdict;
    /// A packet of `size` bytes has joined the queue.
    fn joined(&mut self, _size: u64) {}
    /// A packet leaves after having waited, some stay behind.
    fn left(&mut self, _waited: Time, _behind: &Backlog) {}
    /// The link has nothing to send.
    fn idle(&mut self, _now: Time) {}
}

/// A FIFO queue under a law of arrival.
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

    /// The law at work.
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
