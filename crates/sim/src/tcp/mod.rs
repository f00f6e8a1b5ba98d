//! TCP: sequence numbers, acknowledgements, recovery and timers. What a controller decides is in `eddyline-cc`.
//!
//! Sequence numbers are byte offsets of 64 bits that never wrap; a FIN takes one number after the last byte.

mod aside;
mod flow;
mod marked_bytes;
mod pair;
mod ranges;
mod receiver;
mod rto;
mod scoreboard;
mod segments;
mod sender;

pub use aside::{AckOptions, Carried, SackBlocks, Store};
pub use flow::{Ends, Flow};
pub use marked_bytes::MarkedBytes;
pub use pair::Pair;
