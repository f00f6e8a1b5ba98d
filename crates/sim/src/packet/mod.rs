//! A packet in the network: one cache line together with its time of arrival.

mod flags;
mod options;
mod sink;

use eddyline_path::link::{Acknowledges, Origin};
use eddyline_path::{Acknowledgement, Class, Ecn};
use eddyline_units::Time;

pub use flags::PacketFlags;
pub use options::{AckOptions, PiggybackedAck, SackBlocks};
pub use sink::{PacketHead, PacketSink};

/// Kind of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PacketKind {
    /// Payload of a flow.
    #[default]
    Data = 0,
    /// Opens a flow.
    Syn = 1,
    /// Accepts a SYN.
    SynAck = 2,
    /// An acknowledgement.
    Ack = 3,
    /// Closes a flow.
    Fin = 4,
    /// Unresponsive traffic.
    Cross = 5,
}

impl PacketKind {
    /// Senders of flows send it: data, a SYN or a FIN.
    #[must_use]
    pub const fn is_from_sender(self) -> bool {
        matches!(self, Self::Data | Self::Syn | Self::Fin)
    }

    /// The class for counters and losses.
    #[inline]
    #[must_use]
    pub const fn class(self) -> Class {
        // for each packet on each link: a look at a table is shorter than a decision
        CLASSES[self as usize]
    }
}

/// Eight bytes that hold one field in data and another in an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metadata(u64);

impl Metadata {
    /// In an ACK: when the packet that caused it arrived.
    #[inline]
    #[must_use]
    pub const fn received_at(at: Time) -> Self {
        Self(at.as_ps())
    }

    /// As [`received_at`](Self::received_at).
    #[inline]
    #[must_use]
    pub const fn time(self) -> Time {
        Time::from_ps(self.0)
    }

    /// In data: segments that the sender wants acknowledged together (RFC 5690, 4.2); 0: no request.
    #[inline]
    #[must_use]
    pub const fn ack_ratio(ratio: u32) -> Self {
        Self(ratio as u64)
    }

    /// In data: with the handle of a piggybacked acknowledgement.
    #[must_use]
    pub const fn with_ack(self, handle: u32) -> Self {
        Self((self.0 & u32::MAX as u64) | (handle as u64 + 1) << 32)
    }

    /// As [`with_ack`](Self::with_ack).
    #[inline]
    #[must_use]
    pub const fn ack(self) -> Option<u32> {
        ((self.0 >> 32) as u32).checked_sub(1)
    }

    /// As [`ack_ratio`](Self::ack_ratio).
    #[inline]
    #[must_use]
    pub const fn ratio(self) -> u32 {
        self.0 as u32
    }
}

/// A packet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Packet {
    /// First payload byte of data, the FIN's sequence number, cumulative acknowledgement number of an ACK; the number of a datagram.
    pub seq: u64,
    /// When the data packet was sent; an ACK echoes that of the packet that caused it.
    pub sent_at: Time,
    /// Fields that only data or only an ACK has.
    pub metadata: Metadata,
    /// Time spent waiting in queues so far.
    pub waited: Time,
    /// Number of its source: flows, then cross traffic, then probes, then dynamic flows.
    pub flow: u32,
    /// Bytes on the wire.
    pub bytes: u32,
    /// Data: payload bytes. ACK: handle of its options, with [`Packet::NOT_SELECTIVE`] if there are no SACK blocks among them,
    /// [`Packet::NO_OPTIONS`] or [`Packet::OPAQUE`]. Of a probe: number of its connection.
    pub extra: u32,
    /// A number that the controller attached to the data packet; an ACK echoes it.
    pub stamp: f32,
    /// Index of the current hop of its path.
    pub hop: u32,
    /// Generation of its flow among the flows that have had this number.
    pub generation: u16,
    /// What it is.
    pub kind: PacketKind,
    /// Flags.
    pub flags: PacketFlags,
}

const _: () = assert!(size_of::<Packet>() <= 56, "a packet and its time of arrival share a cache line");

impl Packet {
    /// An ACK without options.
    pub const NO_OPTIONS: u32 = u32::MAX;
    /// An ACK that the network cannot read, because it is encrypted: no queue can filter or reconstruct it.
    pub const OPAQUE: u32 = u32::MAX - 1;
    /// An ACK without SACK blocks.
    pub const NOT_SELECTIVE: u32 = 1 << 31;

    /// Whether it is an acknowledgement with options.
    #[inline]
    #[must_use]
    pub fn has_options(&self) -> bool {
        self.kind == PacketKind::Ack && self.extra < Self::OPAQUE
    }

    /// What the network has to know first.
    #[inline]
    #[must_use]
    pub const fn head(&self) -> PacketHead {
        PacketHead { hop: self.hop, bytes: self.bytes, extra: self.extra, kind: self.kind }
    }

    /// Payload bytes.
    #[inline]
    #[must_use]
    pub const fn payload(&self) -> u32 {
        match self.kind {
            PacketKind::Data => self.extra,
            _ => 0,
        }
    }

    /// The connection, of a source that has several at a time: each is a flow of its own to queues.
    #[inline]
    #[must_use]
    pub const fn connection(&self) -> u64 {
        match self.kind {
            PacketKind::Cross => self.extra as u64,
            _ => 0,
        }
    }

    /// Two bits that differ between what the two ends of a connection send, which queues take for two flows, and cross traffic.
    #[inline]
    #[must_use]
    pub const fn direction(&self) -> u64 {
        match self.kind {
            PacketKind::Data | PacketKind::Syn | PacketKind::Fin => 0,
            PacketKind::Ack | PacketKind::SynAck => 1,
            PacketKind::Cross => 2,
        }
    }

    /// Where it comes from to queues, if its source is `source`.
    #[inline]
    #[must_use]
    pub const fn origin(&self, source: Origin) -> Origin {
        Origin { hash: source.hash.wrapping_add(self.connection()) ^ self.direction(), ..source }
    }
}

/// The class of each kind of packet.
const CLASSES: [Class; 6] = [Class::Data, Class::Ack, Class::Ack, Class::Ack, Class::Ack, Class::Cross];

impl Acknowledges for Packet {
    fn acknowledging(&self, number: u64) -> Self {
        let mut ack = Self { seq: number, extra: Self::NO_OPTIONS, kind: PacketKind::Ack, ..*self };
        // the packet of that number was not seen here: no round-trip sample
        ack.flags.set_retransmission(true);
        ack
    }
}

impl eddyline_path::Packet for Packet {
    #[inline]
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }

    #[inline]
    fn class(&self) -> Class {
        self.kind.class()
    }

    #[inline]
    fn payload_bytes(&self) -> u32 {
        self.payload()
    }

    #[inline]
    fn flow(&self) -> u64 {
        self.connection() << 34 | u64::from(self.flow) << 2 | self.direction()
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        self.flags.ecn()
    }

    #[inline]
    fn mark(&mut self) {
        self.flags.set_ecn(Ecn::Ce);
    }

    #[inline]
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        (self.kind == PacketKind::Ack && self.extra != Self::OPAQUE).then(|| Acknowledgement {
            number: self.seq,
            selective: self.extra & Self::NOT_SELECTIVE == 0,
            flags: self.flags.endpoint_bits(),
        })
    }
}
