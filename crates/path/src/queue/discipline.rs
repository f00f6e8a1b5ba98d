//! The interface of queue disciplines.

use eddyline_units::{Rate, Time};

use crate::Packet;
use crate::random::Stream;

/// What a discipline may know of the link that it serves.
#[derive(Debug, Clone, Copy)]
pub struct LinkContext<'a> {
    /// The link's rate of transmission.
    pub rate: Rate,
    /// The scenario's seed.
    pub seed: u64,
    /// The link's name.
    pub name: &'a str,
}

impl LinkContext<'_> {
    /// The link's random stream for `purpose`.
    #[must_use]
    pub fn stream(&self, purpose: &str) -> Stream {
        Stream::new(self.seed, self.name, purpose)
    }
}

/// A queue discipline in virtual or real time. The packet in transmission is not in it.
pub trait Discipline<P: Packet> {
    /// Whether a packet that finds the link idle and nothing waiting may go to the wire without a word to the
    /// discipline.
    const PASSES_WHEN_IDLE: bool = false;

    /// Takes a packet in; `dropped` hears of packets that had to make room for it.
    ///
    /// # Errors
    /// The packet offered, if it is the one that is dropped.
    fn enqueue(&mut self, now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P>;
    /// The packet to transmit next; `dropped` hears of packets that the discipline discards on the way.
    fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P>;
    /// When to ask again although nothing arrives, for disciplines that hold packets back.
    fn next_wake(&self) -> Option<Time> {
        None
    }
    /// Packets waiting.
    fn packets(&self) -> u64;
    /// Bytes waiting.
    fn bytes(&self) -> u64;
    /// Takes out every packet that waits, in any order.
    fn drain(&mut self, taken: &mut dyn FnMut(P));
}
