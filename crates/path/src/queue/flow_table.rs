//! Mapping of flows to queues: by a hash, or exactly.

use std::collections::BTreeMap;

/// The queue of `flow` among `queues`, the same for every packet under the same `salt`.
pub(super) fn hashed(flow: u64, salt: u64, queues: u32) -> u32 {
    ((u128::from(mix(flow ^ salt)) * u128::from(queues)) >> 64) as u32
}

/// Spreads 64 bits over 64 bits, one to one: the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
pub(super) fn mix(bits: u64) -> u64 {
    let z = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A queue for every flow that has packets waiting; numbers are reused.
#[derive(Debug, Default)]
pub(super) struct FlowTable {
    queue_of: BTreeMap<u64, u32>,
    /// The current or last flow of each queue.
    owner: Vec<u64>,
    free: Vec<u32>,
}

impl FlowTable {
    /// The queue of `flow`, if it has one.
    pub fn get(&self, flow: u64) -> Option<u32> {
        self.queue_of.get(&flow).copied()
    }

    /// The queue of `flow`, allocated if it has none.
    pub fn queue(&mut self, flow: u64) -> u32 {
        if let Some(queue) = self.queue_of.get(&flow) {
            return *queue;
        }
        let queue = self.free.pop().unwrap_or(self.owner.len() as u32);
        match self.owner.get_mut(queue as usize) {
            Some(owner) => *owner = flow,
            None => self.owner.push(flow),
        }
        self.queue_of.insert(flow, queue);
        queue
    }

    /// Releases `queue`, which is empty.
    pub fn release(&mut self, queue: u32) {
        if let Some(owner) = self.owner.get(queue as usize)
            && self.queue_of.remove(owner).is_some()
        {
            self.free.push(queue);
        }
    }

    /// Releases all queues.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
