//! The event queue: the next event of each source, and the earliest of all.
//!
//! It is a winner tree (Knuth, TAOCP vol. 3, 5.4.1) with four entries per node. A source's time changes in place, so there is
//! one entry per source and none is ever stale. Ties go to the lower source: the order of events never depends on history.

use eddyline_units::Time;

const ENTRIES: usize = 4;

/// The times of the sources `ENTRIES n` to `ENTRIES n + 3`.
type Leaf = [u64; ENTRIES];

/// Four entries, each the earliest of a node below.
#[derive(Debug, Clone, Copy)]
struct Node {
    at: [u64; ENTRIES],
    /// The source of each entry.
    source: [u32; ENTRIES],
}

/// Time and place of the earliest entry; the first among equals.
#[inline(always)]
fn earliest(at: &[u64; ENTRIES]) -> (u64, usize) {
    let earlier = |a: (u64, usize), b: (u64, usize)| if b.0 < a.0 { b } else { a };
    let entry = |i: usize| (at[i], i);
    earlier(earlier(entry(0), entry(1)), earlier(entry(2), entry(3)))
}

/// The next event of each source.
#[derive(Debug)]
pub struct EventQueue {
    leaves: Vec<Leaf>,
    /// The tree above the leaves, root first: the children of node `n` are those from `4 n + 1` on, the leaves after all nodes.
    nodes: Vec<Node>,
    first: (Time, u32),
}

impl EventQueue {
    /// `n` sources without events.
    pub fn new(n: usize) -> Self {
        let needed = n.max(1).div_ceil(ENTRIES);
        let (mut above, mut level) = (0, 1);
        while level < needed {
            above += level;
            level *= ENTRIES;
        }
        let node = Node { at: [u64::MAX; ENTRIES], source: [0; ENTRIES] };
        Self { leaves: vec![[u64::MAX; ENTRIES]; needed], nodes: vec![node; above], first: (Time::MAX, 0) }
    }

    /// Makes room for at least `n` sources; the new ones have no event.
    pub fn grow(&mut self, n: usize) {
        let room = self.leaves.len() * ENTRIES;
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
        Time::from_ps(self.leaves.as_flattened()[source as usize])
    }

    /// Moves the event of `source`.
    #[inline]
    pub fn set(&mut self, source: u32, at: Time) {
        let mut index = source as usize / ENTRIES;
        let leaf = &mut self.leaves[index];
        leaf[source as usize % ENTRIES] = at.as_ps();
        let (mut first, place) = earliest(leaf);
        let mut of = (index * ENTRIES + place) as u32;
        index += self.nodes.len();
        while index > 0 {
            let entry = (index - 1) % ENTRIES;
            index = (index - 1) / ENTRIES;
            let node = &mut self.nodes[index];
            (node.at[entry], node.source[entry]) = (first, of);
            let (at, place) = earliest(&node.at);
            (first, of) = (at, node.source[place]);
        }
        self.first = (Time::from_ps(first), of);
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
