//! A packet on its way: one cache line together with its time of arrival.

use eddyline_path::link::Acknowledges;
use eddyline_path::{Acknowledgement, Class, Ecn};
use eddyline_units::Time;

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Payload of a flow.
    Data = 0,
    /// Opens a flow.
    Syn = 1,
    /// Answers a SYN.
    SynAck = 2,
    /// Acknowledges.
    Ack = 3,
    /// Closes a flow.
    Fin = 4,
    /// Unresponsive traffic.
    Cross = 5,
}

/// Marks on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

impl Flags {
    const RETRANSMISSION: u8 = 1;
    const LOST: u8 = 2;
    /// The ECN field, two bits.
    const ECN: u8 = 4 | 8;
    const ECE: u8 = 16;
    const CWR: u8 = 32;
    const AE: u8 = 64;

    /// A segment sent again, or the acknowledgement that one caused: no round-trip sample (Karn).
    #[inline]
    pub const fn retransmission(self) -> bool {
        self.0 & Self::RETRANSMISSION != 0
    }

    /// The link's loss took it: it will not arrive.
    #[inline]
    pub const fn lost(self) -> bool {
        self.0 & Self::LOST != 0
    }

    /// As [`retransmission`](Self::retransmission).
    #[inline]
    pub fn set_retransmission(&mut self, on: bool) {
        self.0 = (self.0 & !Self::RETRANSMISSION) | (u8::from(on) * Self::RETRANSMISSION);
    }

    /// As [`lost`](Self::lost).
    #[inline]
    pub fn set_lost(&mut self) {
        self.0 |= Self::LOST;
    }

    /// The ECN field.
    #[inline]
    pub const fn ecn(self) -> Ecn {
        match (self.0 & Self::ECN) >> 2 {
            0 => Ecn::NotCapable,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// As [`ecn`](Self::ecn).
    #[inline]
    pub fn set_ecn(&mut self, field: Ecn) {
        self.0 = (self.0 & !Self::ECN) | ((field as u8) << 2);
    }

    /// ECN-Echo: the receiver saw a mark (RFC 3168, 6.1).
    #[inline]
    pub const fn ece(self) -> bool {
        self.0 & Self::ECE != 0
    }

    /// As [`ece`](Self::ece).
    #[inline]
    pub fn set_ece(&mut self, on: bool) {
        self.0 = (self.0 & !Self::ECE) | (u8::from(on) * Self::ECE);
    }

    /// Congestion window reduced: the sender heard of a mark (RFC 3168, 6.1).
    #[inline]
    pub const fn cwr(self) -> bool {
        self.0 & Self::CWR != 0
    }

    /// As [`cwr`](Self::cwr).
    #[inline]
    pub fn set_cwr(&mut self) {
        self.0 |= Self::CWR;
    }

    /// The three bits AE, CWR and ECE as one number: the counter of marked packets (RFC 9768, 3.2.2), or what the handshake says.
    #[inline]
    pub const fn ace(self) -> u8 {
        (self.0 & (Self::ECE | Self::CWR | Self::AE)) >> 4 & 0b111
    }

    /// As [`ace`](Self::ace).
    #[inline]
    pub fn set_ace(&mut self, count: u8) {
        self.0 = (self.0 & !(Self::ECE | Self::CWR | Self::AE)) | ((count & 0b111) << 4);
    }

    /// What an acknowledgement repeats: whether the packet that caused it was sent again.
    #[inline]
    pub const fn echoed(self) -> Self {
        Self(self.0 & Self::RETRANSMISSION)
    }

    /// All but what happened to the packet on its way.
    #[inline]
    const fn without_journey(self) -> u8 {
        self.0 & !(Self::LOST | Self::ECN)
    }
}

/// Eight bytes that mean one thing in data and another in an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Aside(u64);

impl Aside {
    /// In an ACK: when the packet that caused it arrived.
    #[inline]
    pub const fn received_at(at: Time) -> Self {
        Self(at.as_ps())
    }

    /// As [`received_at`](Self::received_at).
    #[inline]
    pub const fn time(self) -> Time {
        Time::from_ps(self.0)
    }

    /// In data: segments that the sender wants acknowledged together (RFC 5690, 4.2), or none.
    #[inline]
    pub const fn ack_ratio(ratio: u32) -> Self {
        Self(ratio as u64)
    }

    /// In data: with the place of an acknowledgement that it carries.
    pub const fn carrying(self, place: u32) -> Self {
        Self((self.0 & u32::MAX as u64) | (place as u64 + 1) << 32)
    }

    /// As [`carrying`](Self::carrying).
    #[inline]
    pub const fn carried(self) -> Option<u32> {
        ((self.0 >> 32) as u32).checked_sub(1)
    }

    /// As [`ack_ratio`](Self::ack_ratio).
    #[inline]
    pub const fn ratio(self) -> u32 {
        self.0 as u32
    }
}

/// A packet.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    /// First payload byte of data, the FIN's place for a FIN, cumulative acknowledgement of an ACK.
    pub seq: u64,
    /// When the data packet was sent; an ACK echoes that of the packet that caused it.
    pub sent_at: Time,
    /// What only data or only an ACK has to say.
    pub aside: Aside,
    /// Time spent waiting in queues so far.
    pub waited: Time,
    /// Flow or traffic it belongs to.
    pub flow: u32,
    /// Bytes on the wire.
    pub bytes: u32,
    /// Data: payload bytes. ACK: place of its options, with [`Packet::NOT_SELECTIVE`] if there are no SACK blocks among them, or
    /// [`Packet::NO_OPTIONS`].
    pub extra: u32,
    /// What the controller wants to remember.
    pub stamp: f32,
    /// Place of the next link on its path in the table of hops.
    pub hop: u32,
    /// Which of the flows that had this number it belongs to.
    pub generation: u16,
    /// What it is.
    pub kind: Kind,
    /// Marks.
    pub flags: Flags,
}

const _: () = assert!(size_of::<Packet>() <= 56, "a packet and its time of arrival share a cache line");

impl Packet {
    /// An ACK without options.
    pub const NO_OPTIONS: u32 = u32::MAX;
    /// An ACK without SACK blocks.
    pub const NOT_SELECTIVE: u32 = 1 << 31;

    /// Payload bytes.
    #[inline]
    pub const fn payload(&self) -> u32 {
        match self.kind {
            Kind::Data => self.extra,
            _ => 0,
        }
    }
}

impl Acknowledges for Packet {
    fn acknowledging(&self, number: u64) -> Self {
        let mut made = Self { seq: number, extra: Self::NO_OPTIONS, kind: Kind::Ack, ..*self };
        // no packet of that number has been seen here: no round-trip sample
        made.flags.set_retransmission(true);
        made
    }
}

impl eddyline_path::Packet for Packet {
    #[inline]
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }

    #[inline]
    fn class(&self) -> Class {
        match self.kind {
            Kind::Data => Class::Data,
            Kind::Cross => Class::Cross,
            Kind::Syn | Kind::SynAck | Kind::Ack | Kind::Fin => Class::Ack,
        }
    }

    #[inline]
    fn payload_bytes(&self) -> u32 {
        self.payload()
    }
    #[inline]
    fn flow(&self) -> u64 {
        // The two directions of a flow's connection are two conversations; the generation does not matter to a hash.
        let reverse = matches!(self.kind, Kind::Ack | Kind::SynAck);
        let cross = matches!(self.kind, Kind::Cross);
        u64::from(self.flow) << 2 | u64::from(reverse) | u64::from(cross) << 1
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
        (self.kind == Kind::Ack).then(|| Acknowledgement {
            number: self.seq,
            selective: self.extra & Self::NOT_SELECTIVE == 0,
            flags: self.flags.without_journey(),
        })
    }
}
