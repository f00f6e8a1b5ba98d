//! TCP: sequence numbers, acknowledgements, recovery and timers. What a controller decides is in `eddyline-cc`.
//!
//! Sequence numbers are byte offsets of 64 bits that never wrap; a FIN takes one number after the last byte.

mod aside;
mod flow;
mod pair;
mod ranges;
mod receiver;
mod rto;
mod scoreboard;
mod segments;
mod sender;

pub use aside::{Carried, SackBlocks, Store};
pub use flow::{Ends, Flow};
pub use pair::Pair;
