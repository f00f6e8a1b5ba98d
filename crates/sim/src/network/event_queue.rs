//! The event queue: the next event of each source, and the earliest of all.
//!
//! It is a winner tree (Knuth, TAOCP vol. 3, 5.4.1) with four entries per node. A source's time changes in place, so there is
//! one entry per source and none is ever stale. Ties go to the lower source: the order of events never depends on history.

use eddyline_units::Time;

const ENTRIES: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Node {
    at: [u64; ENTRIES],
    /// The source of each entry.
    source: [u32; ENTRIES],
}

impl Node {
    /// Without events; of the sources from `first` on.
    fn new(first: usize) -> Self {
        Self { at: [u64::MAX; ENTRIES], source: std::array::from_fn(|i| (first + i) as u32) }
    }

    /// Time and source of the earliest entry; the first among equals.
    #[inline]
    fn earliest(&self) -> (u64, u32) {
        let earlier = |a: (u64, u32), b: (u64, u32)| if b.0 < a.0 { b } else { a };
        let entry = |i: usize| (self.at[i], self.source[i]);
        earlier(earlier(entry(0), entry(1)), earlier(entry(2), entry(3)))
    }
}

/// The next event of each source.
#[derive(Debug)]
pub struct EventQueue {
    /// The tree, root first: the children of node `n` are those from `4 n + 1` on, and each entry is the earliest of one of them. The
    /// last level has the sources.
    nodes: Vec<Node>,
    /// The first node of the last level.
    leaves: usize,
    first: (Time, u32),
}

impl EventQueue {
    /// `n` sources without events.
    pub fn new(n: usize) -> Self {
        let needed = n.max(1).div_ceil(ENTRIES);
        let (mut leaves, mut level) = (0, 1);
        while level < needed {
            leaves += level;
            level *= ENTRIES;
        }
        let above = std::iter::repeat_n(Node::new(0), leaves);
        let nodes = above.chain((0..needed).map(|node| Node::new(node * ENTRIES))).collect();
        Self { nodes, leaves, first: (Time::MAX, 0) }
    }

    /// Makes room for at least `n` sources; the new ones have no event.
    pub fn grow(&mut self, n: usize) {
        let room = (self.nodes.len() - self.leaves) * ENTRIES;
        if n <= room {
            return;
        }
        let mut larger = Self::new(n.max(2 * room));
        for source in 0..room as u32 {
            larger.set(source, self.get(source));
        }
        *self = larger;
    }

    /// Time and source of the earliest event.
    #[inline]
    pub fn first(&self) -> (Time, u32) {
        self.first
    }

    /// When the event of `source` is.
    #[inline]
    pub fn get(&self, source: u32) -> Time {
        Time::from_ps(self.nodes[self.leaves + source as usize / ENTRIES].at[source as usize % ENTRIES])
    }

    /// Moves the event of `source`.
    #[inline]
    pub fn set(&mut self, source: u32, at: Time) {
        let (mut index, mut entry) = (self.leaves + source as usize / ENTRIES, source as usize % ENTRIES);
        let mut earliest = (at.as_ps(), source);
        loop {
            let node = &mut self.nodes[index];
            (node.at[entry], node.source[entry]) = earliest;
            earliest = node.earliest();
            if index == 0 {
                break;
            }
            (index, entry) = ((index - 1) / ENTRIES, (index - 1) % ENTRIES);
        }
        self.first = (Time::from_ps(earliest.0), earliest.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_scan(n in 1usize..700, moves in prop::collection::vec((any::<u32>(), 0u64..50), 1..300)) {
            let mut queue = EventQueue::new(n);
            let mut plain = vec![Time::MAX; n];
            for (source, at) in moves {
                let source = source as usize % n;
                plain[source] = Time::from_ps(at);
                queue.set(source as u32, plain[source]);
                let (i, t) = plain.iter().enumerate().min_by_key(|(i, t)| (**t, *i)).unwrap();
                prop_assert_eq!(queue.first(), (*t, i as u32));
                prop_assert_eq!(queue.get(source as u32), plain[source]);
            }
        }
    }
}
