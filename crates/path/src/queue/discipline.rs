//! The interface of queue disciplines.

use std::sync::Arc;

use eddyline_units::{Rate, Time};

use crate::Packet;
use crate::framing::Framing;
use crate::random::Stream;
use crate::variation::{Conditions, LinkRate};

/// What a discipline is told about its link.
#[derive(Debug, Clone, Copy)]
pub struct LinkContext<'a> {
    /// The link's rate of transmission; the nominal one if it varies.
    pub rate: Rate,
    /// Its rate over time, if it varies.
    pub conditions: Option<&'a Arc<Conditions>>,
    /// What the link adds to packets.
    pub framing: Framing,
    /// The scenario's seed.
    pub seed: u64,
    /// The link's name.
    pub name: &'a str,
}

impl<'a> LinkContext<'a> {
    /// A link of constant rate without framing.
    #[must_use]
    pub const fn new(rate: Rate, seed: u64, name: &'a str) -> Self {
        Self { rate, conditions: None, framing: Framing::NONE, seed, name }
    }

    /// The link's rate over time.
    #[must_use]
    pub fn rate_over_time(&self) -> LinkRate {
        LinkRate::new(self.rate, self.conditions.cloned())
    }

    /// How long the link takes for a packet of `bytes` at its nominal rate.
    #[must_use]
    pub fn packet_time(&self, bytes: u64) -> Time {
        let whole = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.rate.transmission_time(self.framing.line_bytes(whole))
    }

    /// The link's random stream for `purpose`.
    #[must_use]
    pub fn stream(&self, purpose: &str) -> Stream {
        Stream::new(self.seed, self.name, purpose)
    }
}

/// A queue discipline in virtual or real time. The packet in transmission is not in it.
pub trait Discipline<P: Packet> {
    /// Whether a packet that finds the link idle and the queue empty may bypass the discipline.
    const PASSES_WHEN_IDLE: bool = false;

    /// Enqueues a packet; `dropped` is called with packets that are dropped to make room for it.
    ///
    /// # Errors
    /// The packet itself, if it is dropped.
    fn enqueue(&mut self, now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P>;
    /// Dequeues the next packet; `dropped` is called with packets that the discipline drops at the head.
    fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P>;
    /// When to call [`dequeue`](Self::dequeue) again without an arrival, for disciplines that delay packets.
    fn next_wake(&self) -> Option<Time> {
        None
    }
    /// How long what waits takes to leave at the discipline's own rate, for those that have one below the link's.
    fn shaped_wait(&self, _now: Time) -> Time {
        Time::ZERO
    }
    /// Bytes that leave before `packet`, if it arrives now and nothing after it, about: all that waits, unless the wait depends on more
    /// ([`Describe::WAIT_DEPENDS_ON`]).
    ///
    /// [`Describe::WAIT_DEPENDS_ON`]: super::Describe::WAIT_DEPENDS_ON
    fn bytes_before(&self, _packet: &P) -> u64 {
        self.bytes()
    }
    /// Packets waiting.
    fn packets(&self) -> u64;
    /// Bytes waiting.
    fn bytes(&self) -> u64;
    /// Removes all packets, in any order.
    fn drain(&mut self, taken: &mut dyn FnMut(P));
}
