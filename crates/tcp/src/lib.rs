//! TCP, sans-I/O: segments and the time come in, segments and the next timer come out.
//!
//! [`Sender`] and [`Receiver`] are the two ends of one direction of a connection. Neither asks for the time, draws a random
//! number or knows a network: whoever drives them carries their segments and calls them back when a timer expires. How
//! much may be in flight is decided by a congestion controller of `eddyline-cc`.
//!
//! Sequence numbers are byte offsets of 64 bits that never wrap; a FIN takes one number after the last byte.

mod accecn_option;
mod config;
mod ecn;
mod receiver;
mod segment;
mod sender;
mod sequence_ranges;
#[cfg(test)]
mod test_config;

pub use accecn_option::AccEcnOption;
pub use config::{AccurateEcn, Application, Config, LocalCongestion, Pacing, PacingGain, TimestampClock, Transfer};
pub use ecn::Ecn;
pub use receiver::{Echo, Reaction, Receiver};
pub use segment::{AckOptions, Acknowledgement, DataSegment, SackBlocks, Segment, SegmentFlags, SegmentKind};
pub use sender::{SegmentSink, Sender};
