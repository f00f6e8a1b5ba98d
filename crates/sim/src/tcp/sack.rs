//! SACK blocks on their way (RFC 2018): three at most, as beside a timestamp; kept apart because few ACKs carry any.

/// Up to three blocks; an empty block ends the list.
pub type SackBlocks = [(u64, u64); 3];

/// Blocks of the acknowledgements that are on their way.
#[derive(Debug, Default)]
pub struct SackStore {
    slots: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl SackStore {
    /// Keeps `blocks`; gives their place.
    pub fn put(&mut self, blocks: SackBlocks) -> u32 {
        if let Some(i) = self.free.pop() {
            self.slots[i as usize] = blocks;
            return i;
        }
        self.slots.push(blocks);
        self.slots.len() as u32 - 1
    }

    /// Takes the blocks at `place` out.
    pub fn take(&mut self, place: u32) -> SackBlocks {
        self.free.push(place);
        self.slots[place as usize]
    }
}
