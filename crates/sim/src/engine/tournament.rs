//! Which of many sources has the next event: a winner tree with one leaf per source.
//!
//! A source's time changes in place, so there is one entry per source and none is ever stale. Ties go to the lower leaf:
//! the order of events never depends on history.

use eddyline_units::Time;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    at: Time,
    leaf: u32,
}

/// Next event of each source, and the earliest of them all.
#[derive(Debug)]
pub struct Tournament {
    /// Root at 1, children of `i` at `2 i` and `2 i + 1`, leaves in the second half.
    nodes: Vec<Entry>,
    leaves: usize,
}

impl Tournament {
    /// `n` sources without an event.
    pub fn new(n: usize) -> Self {
        let leaves = n.max(1).next_power_of_two();
        let mut nodes = vec![Entry { at: Time::MAX, leaf: 0 }; 2 * leaves];
        for (i, node) in nodes[leaves..].iter_mut().enumerate() {
            node.leaf = i as u32;
        }
        for i in (1..leaves).rev() {
            nodes[i] = nodes[2 * i];
        }
        Self { nodes, leaves }
    }

    /// The earliest event and its source.
    #[inline]
    pub fn first(&self) -> (Time, u32) {
        let e = self.nodes[1];
        (e.at, e.leaf)
    }

    /// When `leaf` has its event.
    #[inline]
    pub fn get(&self, leaf: u32) -> Time {
        self.nodes[self.leaves + leaf as usize].at
    }

    /// Moves the event of `leaf`.
    #[inline]
    pub fn set(&mut self, leaf: u32, at: Time) {
        let mut i = self.leaves + leaf as usize;
        self.nodes[i].at = at;
        while i > 1 {
            let (left, right) = (self.nodes[i & !1], self.nodes[i | 1]);
            i >>= 1;
            let winner = if right.at < left.at { right } else { left };
            if self.nodes[i] == winner {
                return;
            }
            self.nodes[i] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_scan(n in 1usize..70, moves in prop::collection::vec((any::<u32>(), 0u64..50), 1..300)) {
            let mut tree = Tournament::new(n);
            let mut plain = vec![Time::MAX; n];
            for (leaf, at) in moves {
                let leaf = leaf as usize % n;
                plain[leaf] = Time::from_ps(at);
                tree.set(leaf as u32, plain[leaf]);
                let (i, t) = plain.iter().enumerate().min_by_key(|(i, t)| (**t, *i)).unwrap();
                prop_assert_eq!(tree.first(), (*t, i as u32));
                prop_assert_eq!(tree.get(leaf as u32), plain[leaf]);
            }
        }
    }
}
