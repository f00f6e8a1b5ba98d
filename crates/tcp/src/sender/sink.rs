//! The output of a sender.

use eddyline_units::Time;

use crate::segment::Segment;

/// The output of a sender: the NIC queue of its host.
pub trait SegmentSink {
    /// Sends a segment.
    fn send(&mut self, segment: Segment);

    /// Whether nothing more should be sent, now or later.
    fn is_full(&mut self) -> bool {
        false
    }

    /// Whether the NIC queue has room for a data segment with this payload, or for a SYN or FIN.
    fn has_room(&mut self, _payload: Option<u64>) -> bool {
        true
    }

    /// Time at which the queue will have room, if it has none now.
    fn room_at(&mut self) -> Time {
        Time::ZERO
    }
}
