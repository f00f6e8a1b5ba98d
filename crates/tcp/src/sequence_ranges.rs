//! A set of sequence numbers as disjoint ranges, in order.
//!
//! New data extends the last range or adds one after it; retransmissions fill holes at the front. A double-ended queue moves
//! few elements for either, and a binary search in it is logarithmic in the number of ranges.

use std::collections::VecDeque;

/// Disjoint, non-adjacent half-open ranges, ascending.
#[derive(Debug, Clone, Default)]
#[repr(C)]
pub struct SequenceRanges {
    list: VecDeque<(u64, u64)>,
    /// Numbers in all ranges together.
    pub(crate) total: u64,
}

impl SequenceRanges {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Numbers held.
    #[inline]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Index of the first range that ends after `at`.
    #[inline]
    fn index(&self, at: u64) -> usize {
        match self.list.back() {
            Some((start, end)) if *end > at && *start <= at => self.list.len() - 1,
            Some((_, end)) if *end <= at => self.list.len(),
            _ => self.list.partition_point(|(_, end)| *end <= at),
        }
    }

    /// The range that holds or begins at `at`.
    pub fn containing(&self, at: u64) -> Option<(u64, u64)> {
        self.list.get(self.index(at)).copied().filter(|(start, _)| *start <= at)
    }

    /// The first range that begins at or after `at`.
    pub fn next_from(&self, at: u64) -> Option<(u64, u64)> {
        let index = self.list.partition_point(|(start, _)| *start < at);
        self.list.get(index).copied()
    }

    /// The ranges in descending order.
    pub fn descending(&self) -> impl Iterator<Item = (u64, u64)> {
        self.list.iter().rev().copied()
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The lowest range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.list.front().copied()
    }

    /// Adds `[start, end)` and calls `on_new` with each part that was not held; returns how many numbers were new.
    pub fn insert(&mut self, start: u64, end: u64, mut on_new: impl FnMut(u64, u64)) -> u64 {
        if start >= end {
            return 0;
        }
        // the first range that touches the new one, or the index at which it is inserted
        let first = if start == 0 { 0 } else { self.index(start - 1) };
        let (mut low, mut high, mut gap, mut last, mut added) = (start, end, start, first, 0);
        while let Some((s, e)) = self.list.get(last).copied().filter(|(s, _)| *s <= end) {
            if gap < s {
                on_new(gap, s);
                added += s - gap;
            }
            gap = gap.max(e);
            low = low.min(s);
            high = high.max(e);
            last += 1;
        }
        if gap < end {
            on_new(gap, end);
            added += end - gap;
        }
        self.total += added;
        if last == first {
            self.list.insert(first, (low, high));
        } else {
            self.list[first] = (low, high);
            if last > first + 1 {
                self.list.drain(first + 1..last);
            }
        }
        added
    }

    /// Removes all below `limit`; returns how many numbers were removed.
    pub fn remove_below(&mut self, limit: u64) -> u64 {
        let mut removed = 0;
        while let Some((start, end)) = self.list.front_mut().filter(|(start, _)| *start < limit) {
            if *end > limit {
                removed += limit - *start;
                *start = limit;
                break;
            }
            removed += *end - *start;
            self.list.pop_front();
        }
        self.total -= removed;
        removed
    }

    /// Numbers held within `[start, end)`.
    pub fn held_within(&self, start: u64, end: u64) -> u64 {
        let inside = self.list.range(self.index(start)..).take_while(|(s, _)| *s < end);
        inside.map(|(s, e)| (*e).min(end) - (*s).max(start)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_bitmap(steps in prop::collection::vec((0u64..60, 1u64..12, any::<bool>()), 1..60)) {
            let (mut ranges, mut bits) = (SequenceRanges::default(), [false; 80]);
            for (start, len, drop) in steps {
                if drop {
                    let gone = bits[..start as usize].iter().filter(|b| **b).count() as u64;
                    bits[..start as usize].fill(false);
                    prop_assert_eq!(ranges.remove_below(start), gone);
                } else {
                    let fresh = bits[start as usize..(start + len) as usize].iter().filter(|b| !**b).count() as u64;
                    bits[start as usize..(start + len) as usize].fill(true);
                    let mut reported = 0;
                    prop_assert_eq!(ranges.insert(start, start + len, |s, e| reported += e - s), fresh);
                    prop_assert_eq!(reported, fresh);
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
