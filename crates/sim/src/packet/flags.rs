//! Flags of a packet: those of its header, and whether a link has lost or damaged it.

use eddyline_path::Ecn;

/// Header flags of an endpoint and the network's own marks, in one byte.
///
/// The network reads and writes the ECN field and whether the packet is lost or damaged; the other bits belong to the endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketFlags(u8);

impl PacketFlags {
    const RETRANSMISSION: u8 = 1;
    const LOST: u8 = 2;
    /// The ECN field, two bits.
    const ECN: u8 = 4 | 8;
    const CORRUPTED: u8 = 128;
    /// The network's own: either alone, or both for a packet that the link it is on has damaged.
    const IMPAIRED: u8 = Self::LOST | Self::CORRUPTED;

    /// Flags with these header bits: bit 0 marks a retransmission, bits 2 and 3 are the ECN field; bits 1 and 7 are
    /// ignored.
    #[inline]
    #[must_use]
    pub const fn from_header(bits: u8) -> Self {
        Self(bits & !Self::IMPAIRED)
    }

    /// The header bits.
    #[inline]
    #[must_use]
    pub const fn header(self) -> u8 {
        self.0 & !Self::IMPAIRED
    }

    /// The packet is a retransmission, or the acknowledgement of one: no round-trip sample (Karn).
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

    /// A link has lost it: it will not arrive.
    #[inline]
    pub(crate) const fn lost(self) -> bool {
        self.0 & Self::IMPAIRED == Self::LOST
    }

    /// As [`lost`](Self::lost).
    #[inline]
    pub(crate) const fn set_lost(&mut self) {
        self.0 = (self.0 & !Self::IMPAIRED) | Self::LOST;
    }

    /// A link has damaged it: its checksum is wrong.
    #[inline]
    #[must_use]
    pub const fn corrupted(self) -> bool {
        self.0 & Self::CORRUPTED != 0
    }

    /// The link that it is on damages it.
    #[inline]
    pub(crate) const fn set_corrupted(&mut self) {
        self.0 |= Self::IMPAIRED;
    }

    /// It leaves the link; returns whether that has damaged it.
    #[inline]
    pub(crate) const fn take_corrupted_here(&mut self) -> bool {
        let here = self.0 & Self::IMPAIRED == Self::IMPAIRED;
        self.0 &= !(here as u8 * Self::LOST);
        here
    }

    /// Lost or damaged.
    #[inline]
    pub(crate) const fn impaired(self) -> bool {
        self.0 & Self::IMPAIRED != 0
    }

    /// The ECN field.
    #[inline]
    #[must_use]
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
    pub const fn set_ecn(&mut self, field: Ecn) {
        self.0 = (self.0 & !Self::ECN) | ((field as u8) << 2);
    }

    /// The endpoints' bits alone, by which queues compare acknowledgements.
    #[inline]
    pub(crate) const fn endpoint_bits(self) -> u8 {
        self.0 & !(Self::IMPAIRED | Self::ECN)
    }
}
