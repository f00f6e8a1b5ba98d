//! Segments as one endpoint sends them and the other receives them.

use eddyline_units::Time;

use crate::accecn_option::AccEcnOption;
use crate::ecn::Ecn;

/// Kind of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// Payload.
    Data,
    /// Opens the connection.
    Syn,
    /// Closes it.
    Fin,
}

/// TCP header flags and ECN field of a segment, and whether it is a retransmission.
///
/// One byte; bit 1 is not used here and is reserved for the carrier of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SegmentFlags(u8);

impl SegmentFlags {
    const RETRANSMISSION: u8 = 1;
    /// The ECN field, two bits.
    const ECN: u8 = 4 | 8;
    const ECE: u8 = 16;
    const CWR: u8 = 32;
    const AE: u8 = 64;
    /// All bits in use.
    pub const MASK: u8 = Self::RETRANSMISSION | Self::ECN | Self::ECE | Self::CWR | Self::AE;

    /// The flags as one byte.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The flags of a byte that [`bits`](Self::bits) gave; bits outside [`MASK`](Self::MASK) are ignored.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::MASK)
    }

    /// A retransmission, or the acknowledgement of one: no round-trip sample (Karn).
    #[inline]
    #[must_use]
    pub const fn retransmission(self) -> bool {
        self.0 & Self::RETRANSMISSION != 0
    }

    /// As [`retransmission`](Self::retransmission).
    #[inline]
    pub const fn set_retransmission(&mut self, on: bool) {
        self.0 = (self.0 & !Self::RETRANSMISSION) | (on as u8 * Self::RETRANSMISSION);
    }

    /// The ECN field.
    #[inline]
    #[must_use]
    pub const fn ecn(self) -> Ecn {
        match (self.0 & Self::ECN) >> 2 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// As [`ecn`](Self::ecn).
    #[inline]
    pub const fn set_ecn(&mut self, field: Ecn) {
        self.0 = (self.0 & !Self::ECN) | ((field as u8) << 2);
    }

    /// ECN-Echo: the receiver saw a mark (RFC 3168, 6.1).
    #[inline]
    #[must_use]
    pub const fn ece(self) -> bool {
        self.0 & Self::ECE != 0
    }

    /// As [`ece`](Self::ece).
    #[inline]
    pub const fn set_ece(&mut self, on: bool) {
        self.0 = (self.0 & !Self::ECE) | (on as u8 * Self::ECE);
    }

    /// Congestion window reduced: the sender has responded to a mark (RFC 3168, 6.1).
    #[inline]
    #[must_use]
    pub const fn cwr(self) -> bool {
        self.0 & Self::CWR != 0
    }

    /// As [`cwr`](Self::cwr).
    #[inline]
    pub const fn set_cwr(&mut self) {
        self.0 |= Self::CWR;
    }

    /// AE, CWR and ECE as one number: the ACE field (RFC 9768, 3.2.2), or the negotiation in the handshake (3.1.1).
    #[inline]
    #[must_use]
    pub const fn ace(self) -> u8 {
        (self.0 & (Self::ECE | Self::CWR | Self::AE)) >> 4 & 0b111
    }

    /// As [`ace`](Self::ace).
    #[inline]
    pub const fn set_ace(&mut self, count: u8) {
        self.0 = (self.0 & !(Self::ECE | Self::CWR | Self::AE)) | ((count & 0b111) << 4);
    }

    /// What an acknowledgement repeats of the segment that caused it: whether that was a retransmission.
    #[inline]
    #[must_use]
    pub const fn echoed(self) -> Self {
        Self(self.0 & Self::RETRANSMISSION)
    }
}

/// A segment that a sender transmits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// What it is.
    pub kind: SegmentKind,
    /// Its first sequence number.
    pub seq: u64,
    /// Payload bytes.
    pub payload: u32,
    /// Header flags.
    pub flags: SegmentFlags,
    /// A number that the controller attaches to the packet and gets back with its acknowledgement.
    pub stamp: f32,
    /// Segments that the receiver is requested to acknowledge together (RFC 5690, 4.2); 0: no request.
    pub ack_ratio: u32,
}

/// A data segment or FIN as it reaches the receiver.
#[derive(Debug, Clone, Copy)]
pub struct DataSegment {
    /// Its first sequence number.
    pub seq: u64,
    /// Payload bytes; 0 for a FIN.
    pub payload: u32,
    /// It is a FIN.
    pub fin: bool,
    /// When it was sent.
    pub sent_at: Time,
    /// Its [`Segment::stamp`].
    pub stamp: f32,
    /// Header flags.
    pub flags: SegmentFlags,
    /// Its [`Segment::ack_ratio`].
    pub ack_ratio: u32,
}

/// An acknowledgement as it reaches the sender.
#[derive(Debug, Clone, Copy)]
pub struct Acknowledgement {
    /// Cumulative acknowledgement number.
    pub number: u64,
    /// When the segment that it echoes was sent.
    pub sent_at: Time,
    /// When that segment arrived, by the receiver's clock.
    pub received_at: Time,
    /// That segment's [`Segment::stamp`].
    pub stamp: f32,
    /// Header flags.
    pub flags: SegmentFlags,
    /// It arrived on a data segment of the other direction: never a duplicate (RFC 5681, 2).
    pub piggybacked: bool,
}

/// Up to three SACK blocks, as many as fit beside a timestamp; an empty block ends the list.
pub type SackBlocks = [(u64, u64); 3];

/// TCP options of an acknowledgement.
#[derive(Debug, Clone, Copy, Default)]
pub struct AckOptions {
    /// SACK (RFC 2018).
    pub blocks: Option<SackBlocks>,
    /// AccECN (RFC 9768).
    pub accecn: Option<AccEcnOption>,
}

impl AckOptions {
    /// There are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_none() && self.accecn.is_none()
    }

    /// Bytes on the wire besides those that every acknowledgement has, which include SACK blocks and timestamps.
    #[inline]
    #[must_use]
    pub fn wire_bytes(&self) -> u32 {
        self.accecn.map_or(0, |option| option.wire_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_pass_through_a_byte() {
        let mut flags = SegmentFlags::default();
        assert_eq!(flags.bits(), 0);
        flags.set_retransmission(true);
        flags.set_ecn(Ecn::Ce);
        let read = SegmentFlags::from_bits(flags.bits());
        assert!(read == flags && read.retransmission() && read.ecn() == Ecn::Ce);
        assert_eq!(SegmentFlags::from_bits(!SegmentFlags::MASK).bits(), 0);
    }
}
