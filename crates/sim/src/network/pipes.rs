//! Pipes: packets on their way behind links, each pipe in order of time.
//!
//! The packets of all pipes are in one array, which is divided into blocks. A pipe has a chain of blocks, filled at its end and emptied at
//! its beginning; an empty one goes to whichever pipe needs a block next. So memory follows the packets on their way in the whole network,
//! not the most that each pipe has had, and a packet is written where another has just been read.

use std::mem;

use eddyline_units::Time;
use prefetch_index::prefetch_index;

use crate::packet::Packet;

/// Packets in a block. A power of two: the beginning of a block is seen from a place in the array.
const BLOCK: u32 = 64;

/// Slots of an array that an allocator maps by itself, 32 MB: pages that are not used take no memory.
const MAPPED: usize = 1 << 19;

/// How far before their use slots are loaded into the cache. In large networks every pipe's turn comes after a thousand others.
const AHEAD: usize = 1;

/// A constant delay, and places in the array: of the first packet, and of the next that will be added. They are equal if there is none.
#[derive(Debug, Clone, Copy)]
struct Pipe {
    delay: Time,
    head: u32,
    tail: u32,
    /// All of its packets end their path here, and none is logged.
    direct: bool,
}

/// A packet with its time of arrival at the end of the pipe: a cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Slot {
    at: Time,
    packet: Packet,
}

const _: () = assert!(size_of::<Slot>() == 64);

/// Neighbours of a block in its chain. The first has none before it, the last none behind it, whatever is written there.
#[derive(Debug, Clone, Copy, Default)]
struct Links {
    before: u32,
    behind: u32,
}

/// All pipes of a network.
#[derive(Debug, Default)]
pub(super) struct Pipes {
    pipes: Vec<Pipe>,
    /// Times of arrival at the end of the pipe, with the packets.
    slots: Vec<Slot>,
    /// Of each block.
    links: Vec<Links>,
    /// Blocks that no pipe has; the last is used first.
    free: Vec<u32>,
}

impl Pipes {
    /// No pipes yet, in one of several parts of a large network: their arrays grow in turn, and must not leave gaps as they are moved.
    pub fn of_part() -> Self {
        Self { slots: Vec::with_capacity(MAPPED), ..Self::default() }
    }

    /// Adds an empty pipe behind the others.
    pub fn add(&mut self, delay: Time) {
        let first = self.take_block() * BLOCK;
        self.pipes.push(Pipe { delay, head: first, tail: first, direct: true });
    }

    /// Not all packets of `pipe` end their path there, or they are logged. A hop in another domain has no pipe here.
    pub fn set_indirect(&mut self, pipe: u32) {
        if let Some(pipe) = self.pipes.get_mut(pipe as usize) {
            pipe.direct = false;
        }
    }

    /// Number of pipes.
    #[inline]
    pub fn len(&self) -> usize {
        self.pipes.len()
    }

    /// The delay of `pipe`.
    pub fn delay(&self, pipe: u32) -> Time {
        self.pipes[pipe as usize].delay
    }

    /// A packet enters `pipe` at `departure`; returns when it arrives, if it is the only one.
    #[inline(always)]
    pub fn push(&mut self, pipe: u32, departure: Time, packet: Packet) -> Option<Time> {
        let at = departure.saturating_add(self.pipes[pipe as usize].delay);
        self.push_arrival(pipe, at, packet).then_some(at)
    }

    /// A packet that arrives `at` is behind the others of `pipe`; returns whether it is the only one.
    #[inline(always)]
    pub fn push_arrival(&mut self, pipe: u32, at: Time, packet: Packet) -> bool {
        let Pipe { head, tail, .. } = &mut self.pipes[pipe as usize];
        let place = *tail;
        let first = *head == place;
        let slots = self.slots.as_mut_slice();
        slots[place as usize] = Slot { at, packet };
        prefetch_index(&*slots, place as usize + AHEAD);
        *tail = place + 1;
        if (place + 1).is_multiple_of(BLOCK) {
            self.extend(pipe);
        }
        first
    }

    /// Takes the first packet out of `pipe`, which is not empty, into `packet`; returns when the next arrives, [`Time::MAX`] if there is
    /// none, and whether the pipe is direct.
    #[inline(always)]
    pub fn pop(&mut self, pipe: u32, packet: &mut Packet) -> (Time, bool) {
        let Pipe { head, tail, direct, .. } = &mut self.pipes[pipe as usize];
        let direct = *direct;
        debug_assert_ne!(head, tail, "an event of a pipe without packets");
        let slots = self.slots.as_slice();
        *packet = slots[*head as usize].packet;
        prefetch_index(slots, *head as usize + 1 + AHEAD);
        *head += 1;
        let (mut next, end) = (*head, *tail);
        if next.is_multiple_of(BLOCK) {
            next = self.shorten(pipe);
        }
        (if next == end { Time::MAX } else { self.slots[next as usize].at }, direct)
    }

    /// The first packet of `pipe`, if there is one.
    #[inline]
    pub fn first(&self, pipe: u32) -> Option<&Packet> {
        let Pipe { head, tail, .. } = *self.pipes.get(pipe as usize)?;
        if head == tail { None } else { Some(&self.slots[head as usize].packet) }
    }

    /// Takes the first packet out of `pipe`, with its time of arrival.
    pub fn take_first(&mut self, pipe: u32) -> Option<(Time, Packet)> {
        let Pipe { head, tail, .. } = self.pipes[pipe as usize];
        let first = self.slots.get(head as usize).filter(|_| head != tail).map(|s| (s.at, s.packet))?;
        self.pop(pipe, &mut Packet::default());
        Some(first)
    }

    /// Puts a packet that arrives `at` behind those of `pipe` that arrive no later; returns whether it is first.
    pub fn insert(&mut self, pipe: u32, at: Time, packet: Packet) -> bool {
        let Pipe { head, tail: mut place, .. } = self.pipes[pipe as usize];
        self.push_arrival(pipe, at, packet);
        while place != head {
            let earlier = self.before(place);
            if self.slots[earlier as usize].at <= at {
                return false;
            }
            self.slots[place as usize] = mem::replace(&mut self.slots[earlier as usize], Slot { at, packet });
            place = earlier;
        }
        true
    }

    /// The first packet of each pipe that has one, with its time of arrival.
    pub fn heads(&self) -> impl Iterator<Item = (Time, &Packet)> {
        self.pipes.iter().filter(|p| p.head != p.tail).map(|p| {
            let slot = &self.slots[p.head as usize];
            (slot.at, &slot.packet)
        })
    }

    /// Packets in all pipes.
    pub fn packets(&self) -> u64 {
        self.pipes.iter().map(|pipe| self.packets_in(pipe)).sum()
    }

    fn packets_in(&self, pipe: &Pipe) -> u64 {
        let (mut block, mut blocks) = (pipe.head / BLOCK, 0);
        while block != pipe.tail / BLOCK {
            block = self.links[block as usize].behind;
            blocks += 1;
        }
        u64::from(blocks * BLOCK + pipe.tail % BLOCK - pipe.head % BLOCK)
    }

    /// Frees the memory of packets; none is on its way then.
    pub fn close(&mut self) {
        *self = Self::default();
    }

    /// The place before this one of the same pipe.
    fn before(&self, place: u32) -> u32 {
        if place.is_multiple_of(BLOCK) {
            self.links[(place / BLOCK) as usize].before * BLOCK + BLOCK - 1
        } else {
            place - 1
        }
    }

    /// A block that no pipe has.
    fn take_block(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let block = self.links.len() as u32;
            self.links.push(Links::default());
            self.slots.resize(self.slots.len() + BLOCK as usize, Default::default());
            block
        })
    }

    /// The last block of `pipe` is full.
    // without a packet, which therefore need not be in memory
    #[cold]
    #[inline(never)]
    fn extend(&mut self, pipe: u32) {
        let block = self.take_block();
        let full = (self.pipes[pipe as usize].tail - 1) / BLOCK;
        self.links[full as usize].behind = block;
        self.links[block as usize].before = full;
        self.pipes[pipe as usize].tail = block * BLOCK;
    }

    /// All packets of the first block of `pipe` have left it; returns the place of the next packet.
    #[cold]
    #[inline(never)]
    fn shorten(&mut self, pipe: u32) -> u32 {
        let pipe = &mut self.pipes[pipe as usize];
        let empty = (pipe.head - 1) / BLOCK;
        pipe.head = self.links[empty as usize].behind * BLOCK;
        self.free.push(empty);
        pipe.head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn packet(seq: u64) -> Packet {
        Packet { seq, ..Packet::default() }
    }

    proptest! {
        /// Three pipes agree with plain queues, whatever enters and leaves them.
        #[test]
        fn agrees_with_queues(steps in prop::collection::vec((0u32..3, 0u8..4, 0u64..60), 1..600)) {
            let mut pipes = Pipes::default();
            let mut plain: Vec<VecDeque<(Time, u64)>> = vec![VecDeque::new(); 3];
            (0..3).for_each(|pipe| pipes.add(Time::from_ps(pipe)));
            for ((pipe, step, value), seq) in steps.into_iter().zip(0..) {
                let expected = &mut plain[pipe as usize];
                let latest = expected.back().map_or(Time::ZERO, |(at, _)| *at);
                match step {
                    0 | 1 => {
                        let at = latest + Time::from_ps(value % 3);
                        prop_assert_eq!(pipes.push_arrival(pipe, at, packet(seq)), expected.is_empty());
                        expected.push_back((at, seq));
                    }
                    2 if expected.is_empty() => prop_assert!(pipes.take_first(pipe).is_none()),
                    2 => {
                        let mut taken = Packet::default();
                        let (next, _) = pipes.pop(pipe, &mut taken);
                        prop_assert_eq!(Some(taken.seq), expected.pop_front().map(|(_, seq)| seq));
                        prop_assert_eq!(next, expected.front().map_or(Time::MAX, |(at, _)| *at));
                    }
                    _ => {
                        let at = Time::from_ps(value);
                        let index = expected.partition_point(|(earlier, _)| *earlier <= at);
                        prop_assert_eq!(pipes.insert(pipe, at, packet(seq)), index == 0);
                        expected.insert(index, (at, seq));
                    }
                }
                prop_assert_eq!(pipes.packets(), plain.iter().map(VecDeque::len).sum::<usize>() as u64);
                let heads: Vec<_> = pipes.heads().map(|(at, packet)| (at, packet.seq)).collect();
                prop_assert_eq!(heads, plain.iter().filter_map(|p| p.front().copied()).collect::<Vec<_>>());
            }
        }
    }

    /// Blocks go from pipe to pipe: as many as the packets need that there are at a time.
    #[test]
    fn blocks_are_used_again() {
        let mut pipes = Pipes::default();
        (0..100).for_each(|_| pipes.add(Time::ZERO));
        let many = u64::from(10 * BLOCK);
        for pipe in 0..100 {
            for seq in 0..many {
                pipes.push(pipe, Time::from_ps(seq), packet(seq));
            }
            while pipes.take_first(pipe).is_some() {}
        }
        assert!(pipes.links.len() <= 100 + 10, "{} blocks", pipes.links.len());
    }
}
