//! Queues served in round robin, by packets or by bytes with deficits, and the longest of them.

use std::collections::VecDeque;

use super::flow_table::FlowTable;
use super::limit::{Backlog, Limit};
use super::packet_fifo::PacketFifo;
use super::turns::{QueueInTurn, bytes_before};
use crate::Packet;

#[derive(Debug)]
struct Queue<P> {
    waiting: PacketFifo<P>,
    /// Deficit in bytes.
    deficit: u64,
}

/// The round of active queues.
///
/// By bytes it is deficit round robin (Shreedhar and Varghese 1995, figure 2): a turn adds the quantum to the queue's deficit, packets
/// are sent while they fit into it, and the rest is kept for the next turn unless the queue is empty.
#[derive(Debug)]
pub(super) struct RoundRobin<P> {
    queues: Vec<Queue<P>>,
    round: VecDeque<u32>,
    /// Quantum in bytes; `None`: one packet a turn.
    quantum: Option<u64>,
    /// Queues of flows, if each flow has its own.
    register: FlowTable,
    /// The first in the round has had its quantum.
    turn_open: bool,
    all: Backlog,
}

impl<P: Packet> RoundRobin<P> {
    pub fn new(quantum: Option<u64>) -> Self {
        Self {
            queues: Vec::new(),
            round: VecDeque::new(),
            quantum,
            register: FlowTable::default(),
            turn_open: false,
            all: Backlog::EMPTY,
        }
    }

    /// The queue of `flow`, if it has one.
    pub fn queue_of(&self, flow: u64) -> Option<u32> {
        self.register.get(flow)
    }

    /// The queue of `flow`, allocated if it has none; a packet must be enqueued next.
    pub fn own_queue(&mut self, flow: u64) -> u32 {
        self.register.queue(flow)
    }

    /// Backlog of `queue`.
    pub fn waiting(&self, queue: u32) -> Option<&PacketFifo<P>> {
        self.queues.get(queue as usize).map(|q| &q.waiting)
    }

    pub fn packets(&self) -> u64 {
        self.all.packets
    }

    pub fn bytes(&self) -> u64 {
        self.all.bytes
    }

    /// Bytes that leave before a packet of `size` bytes that joins `queue` now.
    pub fn bytes_before(&self, queue: Option<u32>, size: u64) -> u64 {
        let own = queue.filter(|q| self.waiting(*q).is_some_and(|waiting| !waiting.is_empty()));
        let joins = QueueInTurn { bytes: 0, credit: 0, refill: self.quantum.unwrap_or(size), packet: size }.refilled();
        let queue = own.map_or(joins, |q| self.in_turn(q));
        let turns = match self.quantum {
            Some(_) => queue.turns_until(queue.bytes + size),
            None => own.and_then(|q| self.waiting(q)).map_or(0, PacketFifo::packets),
        };
        let queues = self.round.iter().map(|q| (own != Some(*q)).then(|| self.in_turn(*q)));
        bytes_before(&queue, turns, self.all.bytes, self.round.len(), queues)
    }

    /// What an active queue may send from its next turn on, or from the one that it has.
    fn in_turn(&self, queue: u32) -> QueueInTurn {
        let Queue { waiting, deficit } = &self.queues[queue as usize];
        let packet = waiting.bytes() / waiting.packets().max(1);
        // without deficits a turn is a packet
        let refill = self.quantum.unwrap_or(packet);
        let credit = i64::try_from(*deficit).unwrap_or(i64::MAX);
        let now = QueueInTurn { bytes: waiting.bytes(), credit, refill, packet };
        if self.turn_open && self.round.front() == Some(&queue) { now } else { now.refilled() }
    }

    /// Whether a packet of `size` bytes fits under a `limit` of all queues together.
    pub fn admits(&self, limit: Limit, size: u64) -> bool {
        limit.admits(&self.all, size)
    }

    pub fn push(&mut self, queue: u32, packet: P) {
        while self.queues.len() <= queue as usize {
            self.queues.push(Queue { waiting: PacketFifo::default(), deficit: 0 });
        }
        let place = &mut self.queues[queue as usize];
        if place.waiting.is_empty() {
            self.round.push_back(queue);
        }
        self.all.add(u64::from(packet.wire_bytes()));
        place.waiting.push(packet);
    }

    /// Puts a packet into `queue` and makes room for it under `limit` by dropping from the longest queue (McKenney
    /// 1990: a packet that finds no buffer steals one from the longest).
    ///
    /// # Errors
    /// The packet itself, if it is dropped.
    pub fn push_stealing(
        &mut self,
        queue: u32,
        packet: P,
        limit: Limit,
        oldest: bool,
        dropped: &mut dyn FnMut(P),
    ) -> Result<(), P> {
        self.push(queue, packet);
        while !limit.holds(&self.all) {
            let Some(longest) = self.longest(!matches!(limit, Limit::Packets(_))) else { break };
            let itself = longest == queue && (!oldest || self.waiting(queue).is_some_and(|w| w.packets() == 1));
            let Some(gone) = self.take(longest, oldest) else { break };
            if itself {
                return Err(gone);
            }
            dropped(gone);
        }
        Ok(())
    }

    /// The next packet in turn.
    pub fn pop(&mut self) -> Option<P> {
        let mut passed = 0;
        loop {
            let first = *self.round.front()?;
            let queue = &mut self.queues[first as usize];
            let size = queue.waiting.first().map_or(0, |p| u64::from(p.wire_bytes()));
            match self.quantum {
                Some(quantum) => {
                    if !self.turn_open {
                        queue.deficit += quantum;
                        self.turn_open = true;
                    }
                    if queue.deficit < size {
                        self.round.rotate_left(1);
                        self.turn_open = false;
                        passed += 1;
                        if passed == self.round.len() {
                            self.skip_rounds(quantum);
                        }
                        continue;
                    }
                    queue.deficit -= size;
                }
                None => self.round.rotate_left(1),
            }
            let packet = queue.waiting.pop()?;
            self.all.remove(size);
            if queue.waiting.is_empty() {
                self.leave(first);
            }
            return Some(packet);
        }
    }

    /// After a round that has sent nothing: skips further rounds that would send nothing, except the last.
    fn skip_rounds(&mut self, quantum: u64) {
        let short = |q: &u32| {
            let queue = &self.queues[*q as usize];
            let size = queue.waiting.first().map_or(0, |p| u64::from(p.wire_bytes()));
            size.saturating_sub(queue.deficit).div_ceil(quantum)
        };
        let rounds = self.round.iter().map(short).min().unwrap_or(0).saturating_sub(1);
        for q in &self.round {
            self.queues[*q as usize].deficit += rounds * quantum;
        }
    }

    /// The longest queue, in bytes if `by_bytes`; of several, the one whose turn is next.
    pub fn longest(&self, by_bytes: bool) -> Option<u32> {
        let length = |q: u32| {
            let waiting = &self.queues[q as usize].waiting;
            if by_bytes { waiting.bytes() } else { waiting.packets() }
        };
        let longer = |best: Option<(u32, u64)>, q: &u32| match best {
            Some((_, longest)) if longest >= length(*q) => best,
            _ => Some((*q, length(*q))),
        };
        self.round.iter().fold(None, longer).map(|(q, _)| q)
    }

    /// Drops a packet of `queue`: the oldest if `oldest`, else the newest.
    pub fn take(&mut self, queue: u32, oldest: bool) -> Option<P> {
        let waiting = &mut self.queues[queue as usize].waiting;
        let packet = if oldest { waiting.pop() } else { waiting.pop_youngest() }?;
        self.all.remove(u64::from(packet.wire_bytes()));
        if waiting.is_empty() {
            self.leave(queue);
        }
        Some(packet)
    }

    /// Removes the empty `queue` from the round and clears its deficit.
    fn leave(&mut self, queue: u32) {
        self.queues[queue as usize].deficit = 0;
        self.register.release(queue);
        // mostly it is the one that has just been served: the first by bytes, the last by packets
        if self.round.front() == Some(&queue) {
            self.round.pop_front();
            self.turn_open = false;
        } else if self.round.back() == Some(&queue) {
            self.round.pop_back();
        } else if let Some(place) = self.round.iter().position(|q| *q == queue) {
            self.round.remove(place);
        }
    }

    /// Removes all packets, those of a queue in order.
    pub fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        for queue in &mut self.queues {
            queue.waiting.drain(taken);
            queue.deficit = 0;
        }
        self.round.clear();
        self.register.clear();
        self.turn_open = false;
        self.all = Backlog::EMPTY;
    }
}
