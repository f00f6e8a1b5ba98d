//! What few packets carry, kept apart from all packets: options of acknowledgements, and acknowledgements that ride on data.

use eddyline_units::Time;

use super::marked_bytes::MarkedBytes;
use crate::engine::Flags;

/// Up to three blocks, as many as find room beside a timestamp; an empty block ends the list.
pub type SackBlocks = [(u64, u64); 3];

/// What an acknowledgement says besides its number.
#[derive(Debug, Clone, Copy, Default)]
pub struct AckOptions {
    /// SACK (RFC 2018).
    pub blocks: Option<SackBlocks>,
    /// AccECN (RFC 9768).
    pub marked_bytes: Option<MarkedBytes>,
}

impl AckOptions {
    /// It says nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_none() && self.marked_bytes.is_none()
    }

    /// Bytes on the wire besides `ack_packet`, which has the room that blocks and timestamps take.
    #[inline]
    pub fn wire_bytes(&self) -> u32 {
        self.marked_bytes.map_or(0, |m| m.wire_bytes())
    }
}

/// An acknowledgement that a data packet carries.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// Everything below has arrived.
    pub number: u64,
    /// When the packet that caused it was sent.
    pub sent_at: Time,
    /// When that packet arrived.
    pub received_at: Time,
    /// What the controller remembered of it.
    pub stamp: f32,
    pub flags: Flags,
    pub options: AckOptions,
}

/// Things on their way, by place.
#[derive(Debug)]
pub struct Store<T> {
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Store<T> {
    /// Keeps `thing`; gives its place.
    pub fn put(&mut self, thing: T) -> u32 {
        if let Some(i) = self.free.pop() {
            self.slots[i as usize] = thing;
            return i;
        }
        self.slots.push(thing);
        self.slots.len() as u32 - 1
    }

    /// Takes the thing at `place` out.
    pub fn take(&mut self, place: u32) -> T {
        self.free.push(place);
        self.slots[place as usize]
    }
}
