//! Segments that wait for earlier ones, and the SACK blocks that report them (RFC 2018).

use crate::segment::SackBlocks;
use crate::sequence_ranges::SequenceRanges;

/// What has arrived beyond a gap.
#[derive(Debug, Clone)]
pub struct Reassembly {
    ranges: SequenceRanges,
    /// Number of ranges before the last segment.
    before: usize,
    /// Starts of the SACK blocks reported last, latest first.
    reported: [u64; 3],
}

impl Default for Reassembly {
    fn default() -> Self {
        Self { ranges: SequenceRanges::default(), before: 0, reported: [u64::MAX; 3] }
    }
}

impl Reassembly {
    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds `[start, end)`; returns how many of these numbers are new.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        self.before = self.ranges.len();
        self.ranges.insert(start, end, |_, _| {})
    }

    /// Removes what is in order now, all below `next` having arrived; returns the end of it, if there is any.
    pub fn take_in_order(&mut self, next: u64) -> Option<u64> {
        let (_, end) = self.ranges.first().filter(|(start, _)| *start <= next)?;
        self.ranges.remove_below(end);
        Some(end)
    }

    /// The latest segment begins at `start`: its block is reported first.
    pub fn report(&mut self, start: u64) {
        let Some((block, _)) = self.ranges.containing(start) else { return };
        let ([a, b, c], ranges) = (self.reported, self.ranges.len());
        let keeps_starts = ranges > self.before || (ranges == self.before && block != start);
        if keeps_starts {
            self.reported = match block {
                _ if block == a => [a, b, c],
                _ if block == b => [b, a, c],
                _ => [block, a, b],
            };
            return;
        }
        // blocks were joined, or one begins earlier: it may have been reported by a start that it had then
        let others = |at: &u64| self.ranges.containing(*at).is_some_and(|(known, _)| known != block);
        let mut others = self.reported.into_iter().filter(others);
        self.reported = [block, others.next().unwrap_or(u64::MAX), others.next().unwrap_or(u64::MAX)];
    }

    /// The block with the latest segment first, then those reported before, all at their present extent.
    #[cold]
    pub fn blocks(&mut self) -> SackBlocks {
        let mut blocks = [(0, 0); 3];
        let mut n = 0;
        for start in self.reported {
            if let Some(range) = self.ranges.containing(start).filter(|r| !blocks[..n].contains(r)) {
                blocks[n] = range;
                n += 1;
            }
        }
        for (slot, block) in self.reported.iter_mut().zip(blocks) {
            *slot = if block.1 > 0 { block.0 } else { u64::MAX };
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(reassembly: &mut Reassembly, start: u64, end: u64) -> SackBlocks {
        reassembly.insert(start, end);
        reassembly.report(start);
        reassembly.blocks()
    }

    /// RFC 2018, section 4: as many of the blocks reported last as there is room for, also when a segment extends or joins some.
    #[test]
    fn blocks_reported_before_stay_while_there_is_room() {
        let mut r = Reassembly::default();
        for (start, end) in [(10, 11), (20, 21), (30, 31)] {
            arrive(&mut r, start, end);
        }
        assert_eq!(arrive(&mut r, 21, 22), [(20, 22), (30, 31), (10, 11)], "the second block grows");
        assert_eq!(arrive(&mut r, 9, 10), [(9, 11), (20, 22), (30, 31)], "the third begins earlier");
        assert_eq!(arrive(&mut r, 19, 20), [(19, 22), (9, 11), (30, 31)], "the second begins earlier");
        assert_eq!(arrive(&mut r, 22, 30), [(19, 31), (9, 11), (0, 0)], "two are joined");
        assert_eq!(arrive(&mut r, 40, 41), [(40, 41), (19, 31), (9, 11)]);
        assert_eq!(arrive(&mut r, 50, 51), [(50, 51), (40, 41), (19, 31)], "the oldest makes room");
    }
}
