//! Queue disciplines: one file each, one line here.

mod droptail;

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Packet;
pub use droptail::{DropTail, DropTailParams, Limit};

/// A queue discipline in virtual or real time. The packet in transmission is not in it.
pub trait Discipline<P: Packet> {
    /// Takes a packet in, or gives back the one that is dropped for it.
    ///
    /// # Errors
    /// The dropped packet: the one offered, or another that had to make room.
    fn enqueue(&mut self, now: Time, packet: P) -> Result<(), P>;
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
}

macro_rules! queues {
    ($($name:literal $kind:ident($params:ty => $state:ident): $summary:literal, $source:literal;)*) => {
        /// A queue by kind, with its parameters.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum QueueParams {
            $(#[doc = $summary] #[serde(rename = $name)] $kind($params),)*
        }

        /// Every discipline there is: name, what it does, source.
        pub const KINDS: &[(&str, &str, &str)] = &[$(($name, $summary, $source)),*];

        impl QueueParams {
            /// The kind's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$kind(_) => $name),* }
            }

            /// An empty queue.
            #[must_use]
            pub fn build<P: Packet>(&self) -> Queue<P> {
                match self { $(Self::$kind(p) => Queue::$kind($state::new(*p))),* }
            }
        }

        /// Any queue, dispatched without indirection.
        #[derive(Debug)]
        #[expect(missing_docs, reason = "the kinds document themselves")]
        pub enum Queue<P> { $($kind($state<P>)),* }

        impl<P: Packet> Discipline<P> for Queue<P> {
            fn enqueue(&mut self, now: Time, packet: P) -> Result<(), P> {
                match self { $(Self::$kind(q) => q.enqueue(now, packet)),* }
            }
            fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
                match self { $(Self::$kind(q) => q.dequeue(now, dropped)),* }
            }
            fn next_wake(&self) -> Option<Time> {
                match self { $(Self::$kind(q) => Discipline::<P>::next_wake(q)),* }
            }
            fn packets(&self) -> u64 {
                match self { $(Self::$kind(q) => q.packets()),* }
            }
            fn bytes(&self) -> u64 {
                match self { $(Self::$kind(q) => q.bytes()),* }
            }
        }
    };
}

queues! {
    "droptail" DropTail(DropTailParams => DropTail):
        "drop-tail FIFO with a limit in packets, in bytes, or none",
        "RFC 2309, section 1";
}

impl Default for QueueParams {
    fn default() -> Self {
        Self::DropTail(DropTailParams::default())
    }
}
