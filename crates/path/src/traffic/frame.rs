//! A frame.

use eddyline_units::Time;

/// A frame of a video, or a packet of a packet trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// Its time.
    pub at: Time,
    /// Its bytes, without any packet header.
    pub bytes: u32,
}
