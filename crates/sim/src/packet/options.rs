//! Fields that few packets carry.

use eddyline_units::Time;

use super::PacketFlags;

/// SACK blocks (RFC 2018); an empty one ends the list.
pub type SackBlocks = [(u64, u64); 3];

/// TCP options of an acknowledgement.
#[derive(Debug, Clone, Copy, Default)]
pub struct AckOptions {
    /// What has arrived beyond the acknowledgement number.
    pub blocks: Option<SackBlocks>,
    /// Fields of the AccECN option (RFC 9768).
    pub accecn: Option<[u32; 4]>,
}

impl AckOptions {
    /// There are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_none() && self.accecn.is_none()
    }
}

/// An acknowledgement that a data packet of the other direction carries.
#[derive(Debug, Clone, Copy)]
pub struct PiggybackedAck {
    /// Cumulative acknowledgement number.
    pub number: u64,
    /// When the packet that caused it was sent.
    pub sent_at: Time,
    /// When that packet arrived.
    pub received_at: Time,
    /// That packet's stamp.
    pub stamp: f32,
    /// Flags of the acknowledgement.
    pub flags: PacketFlags,
    /// Its options.
    pub options: AckOptions,
}
