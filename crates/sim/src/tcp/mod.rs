//! TCP: sequence numbers, acknowledgements, recovery and timers. What a controller decides is in `eddyline-cc`.
//!
//! Sequence numbers are byte offsets of 64 bits that never wrap; a FIN takes one number after the last byte.

mod flow;
mod ranges;
mod receiver;
mod rto;
mod sack;
mod scoreboard;
mod segments;
mod sender;

pub use flow::{Ends, Flow};
pub use sack::{SackBlocks, SackStore};
