//! A set-associative hash table of queues with eight ways: on a collision a flow takes another queue of its set, so two flows share a
//! queue only if nine hash to one set.

use super::flow_table::mix;

/// Ways of a set.
const WAYS: u32 = 8;

/// Assignment of queues to flows.
#[derive(Debug)]
pub(super) struct SetAssociative {
    /// Hash of the last flow of each queue.
    tags: Vec<u64>,
    salt: u64,
}

impl SetAssociative {
    /// A table of `queues`, a multiple of eight, at least one set.
    pub fn new(queues: u32, salt: u64) -> Self {
        // a tag of zero may be a flow's hash; `busy` decides whether the queue is in use
        Self { tags: vec![0; (queues.max(WAYS) / WAYS * WAYS) as usize], salt }
    }

    /// Number of queues.
    pub fn queues(&self) -> u32 {
        self.tags.len() as u32
    }

    /// The queue whose last flow is `flow`.
    pub fn queue_of(&self, flow: u64) -> Option<u32> {
        self.tagged(mix(flow ^ self.salt))
    }

    fn tagged(&self, hash: u64) -> Option<u32> {
        self.ways(hash).find(|q| self.tags[*q as usize] == hash)
    }

    /// The queues of the set of `hash`, its own first.
    fn ways(&self, hash: u64) -> impl Iterator<Item = u32> + use<> {
        let home = (hash % self.tags.len() as u64) as u32;
        let set = home / WAYS * WAYS;
        (0..WAYS).map(move |i| set + (home - set + i) % WAYS)
    }

    /// The queue of `flow`, reserved for it; `busy` says which queues are in use.
    pub fn queue(&mut self, flow: u64, busy: impl Fn(u32) -> bool) -> u32 {
        let hash = mix(flow ^ self.salt);
        let place = self.tagged(hash).or_else(|| self.ways(hash).find(|q| !busy(*q)));
        let place = place.unwrap_or((hash % self.tags.len() as u64) as u32);
        self.tags[place as usize] = hash;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight flows of one set have a queue each; the ninth shares one.
    #[test]
    fn nine_flows_of_a_set_collide() {
        let mut table = SetAssociative::new(8, 1);
        let mut busy = [false; 8];
        for flow in 0..8 {
            let q = table.queue(flow, |q| busy[q as usize]);
            assert!(!busy[q as usize]);
            busy[q as usize] = true;
        }
        assert!(busy.iter().all(|b| *b));
        let before: Vec<u32> = (0..8).map(|flow| table.queue(flow, |q| busy[q as usize])).collect();
        let ninth = table.queue(8, |_| true);
        assert!(before.contains(&ninth));
    }
}
