//! A set of sequence numbers as disjoint ranges: work per change does not grow with how many numbers it holds.

use std::collections::BTreeMap;

/// Disjoint, non-adjacent half-open ranges.
#[derive(Debug, Clone, Default)]
pub struct Ranges {
    /// Start to end.
    map: BTreeMap<u64, u64>,
    /// Numbers in all ranges.
    total: u64,
}

impl Ranges {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Numbers held.
    #[inline]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The range that holds or begins at `at`.
    pub fn containing(&self, at: u64) -> Option<(u64, u64)> {
        self.map.range(..=at).next_back().map(|(s, e)| (*s, *e)).filter(|(_, e)| *e > at)
    }

    /// The first range that begins at or after `at`.
    pub fn next_from(&self, at: u64) -> Option<(u64, u64)> {
        self.map.range(at..).next().map(|(s, e)| (*s, *e))
    }

    /// The ranges from the highest down.
    pub fn descending(&self) -> impl Iterator<Item = (u64, u64)> {
        self.map.iter().rev().map(|(s, e)| (*s, *e))
    }

    /// The lowest range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.map.first_key_value().map(|(s, e)| (*s, *e))
    }

    /// Adds `[start, end)`; `fresh` hears of each part that was not held. Gives how many numbers were new.
    pub fn insert(&mut self, start: u64, end: u64, mut fresh: impl FnMut(u64, u64)) -> u64 {
        if start >= end {
            return 0;
        }
        let (mut low, mut high, mut added, mut gap) = (start, end, 0, start);
        // The last range that begins at or before `start` may touch the new one.
        if let Some((s, e)) = self.map.range(..=start).next_back().map(|(s, e)| (*s, *e)) {
            if e >= end {
                return 0;
            }
            if e >= start {
                low = s;
                gap = e;
                self.map.remove(&s);
            }
        }
        while let Some((s, e)) = self.map.range(low..=end).next().map(|(s, e)| (*s, *e)) {
            if gap < s {
                fresh(gap, s);
                added += s - gap;
            }
            gap = gap.max(e);
            high = high.max(e);
            self.map.remove(&s);
        }
        if gap < end {
            fresh(gap, end);
            added += end - gap;
        }
        self.map.insert(low, high);
        self.total += added;
        added
    }

    /// Removes all below `limit`; gives how many numbers went.
    pub fn remove_below(&mut self, limit: u64) -> u64 {
        let mut gone = 0;
        while let Some((s, e)) = self.first().filter(|(s, _)| *s < limit) {
            self.map.remove(&s);
            if e > limit {
                self.map.insert(limit, e);
                gone += limit - s;
                break;
            }
            gone += e - s;
        }
        self.total -= gone;
        gone
    }

    /// Numbers held within `[start, end)`.
    pub fn held_within(&self, start: u64, end: u64) -> u64 {
        let before = self.containing(start).filter(|(s, _)| *s < start).map_or(0, |(_, e)| e.min(end) - start);
        let inside = self.map.range(start..end).map(|(s, e)| (*e).min(end) - *s);
        before + inside.sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_bitmap(steps in prop::collection::vec((0u64..60, 1u64..12, any::<bool>()), 1..60)) {
            let (mut ranges, mut bits) = (Ranges::default(), [false; 80]);
            for (start, len, drop) in steps {
                if drop {
                    let gone = bits[..start as usize].iter().filter(|b| **b).count() as u64;
                    bits[..start as usize].fill(false);
                    prop_assert_eq!(ranges.remove_below(start), gone);
                } else {
                    let fresh = bits[start as usize..(start + len) as usize].iter().filter(|b| !**b).count() as u64;
                    bits[start as usize..(start + len) as usize].fill(true);
                    let mut heard = 0;
                    prop_assert_eq!(ranges.insert(start, start + len, |s, e| heard += e - s), fresh);
                    prop_assert_eq!(heard, fresh);
                }
                prop_assert_eq!(ranges.total(), bits.iter().filter(|b| **b).count() as u64);
                for at in 0..80u64 {
                    prop_assert_eq!(ranges.containing(at).is_some(), bits[at as usize]);
                }
                let mut last = None;
                for (s, e) in ranges.descending() {
                    prop_assert!(s < e && last.is_none_or(|l| e < l), "disjoint and not adjacent");
                    last = Some(s);
                }
                prop_assert_eq!(ranges.held_within(start, start + len), bits[start as usize..(start + len) as usize].iter().filter(|b| **b).count() as u64);
            }
        }
    }
}
