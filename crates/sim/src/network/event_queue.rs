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
    /// Without events; entries stand for sources from `first` on, `stride` apart.
    fn new(first: usize, stride: usize) -> Self {
        Self { at: [u64::MAX; ENTRIES], source: std::array::from_fn(|i| (first + i * stride) as u32) }
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
    /// Levels of the tree, leaves first.
    levels: Vec<Vec<Node>>,
    first: (Time, u32),
}

impl EventQueue {
    /// `n` sources without events.
    pub fn new(n: usize) -> Self {
        let (mut levels, mut entries, mut stride) = (Vec::new(), n.max(1), 1);
        loop {
            let nodes = entries.div_ceil(ENTRIES);
            levels.push((0..nodes).map(|t| Node::new(t * ENTRIES * stride, stride)).collect::<Vec<_>>());
            (entries, stride) = (nodes, stride * ENTRIES);
            if nodes == 1 {
                return Self { levels, first: (Time::MAX, 0) };
            }
        }
    }

    /// Makes room for at least `n` sources; the new ones have no event.
    pub fn grow(&mut self, n: usize) {
        let room = self.levels[0].len() * ENTRIES;
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
        Time::from_ps(self.levels[0][source as usize / ENTRIES].at[source as usize % ENTRIES])
    }

    /// Moves the event of `source`.
    #[inline]
    pub fn set(&mut self, source: u32, at: Time) {
        let (mut index, mut earliest) = (source as usize, (at.as_ps(), source));
        for level in &mut self.levels {
            let node = &mut level[index / ENTRIES];
            (node.at[index % ENTRIES], node.source[index % ENTRIES]) = earliest;
            earliest = node.earliest();
            index /= ENTRIES;
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
