//! TCP, sans-I/O: segments and the time come in, segments and the next timer come out.
//!
//! [`Sender`] and [`Receiver`] are the endpoints of one direction of a connection. Neither reads a clock, draws random numbers
//! or depends on a network: the caller carries their segments and calls them when a timer expires. A congestion controller of
//! `eddyline-cc` sets how much may be in flight.
//!
//! Sequence numbers are byte offsets of 64 bits that never wrap; a FIN takes one number after the last byte.

mod accecn_option;
mod config;
#[cfg(test)]
mod conversations;
mod ecn;
mod receiver;
mod segment;
mod sender;
mod sequence_ranges;
#[cfg(test)]
mod test_config;

pub use accecn_option::AccEcnOption;
pub use config::{
    AccurateEcn, Application, Config, LocalCongestion, Pacing, PacingGain, PartialAckTimer, TimestampClock, Transfer,
};
pub use ecn::Ecn;
pub use receiver::{Echo, Reaction, Receiver};
pub use segment::{AckOptions, Acknowledgement, DataSegment, SackBlocks, Segment, SegmentFlags, SegmentKind};
pub use sender::{Counters, SegmentSink, Sender};
