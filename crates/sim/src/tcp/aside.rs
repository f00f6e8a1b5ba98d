//! What few packets carry, kept apart from all packets: SACK blocks (RFC 2018), and acknowledgements that ride on data.

use eddyline_units::Time;

use crate::engine::Flags;

/// Up to three blocks, as many as find room beside a timestamp; an empty block ends the list.
pub type SackBlocks = [(u64, u64); 3];

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
    pub blocks: Option<SackBlocks>,
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
