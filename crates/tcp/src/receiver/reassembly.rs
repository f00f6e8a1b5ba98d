//! Segments that wait for earlier ones, and the SACK blocks that report them (RFC 2018).

use crate::segment::SackBlocks;
use crate::sequence_ranges::SequenceRanges;

/// What has arrived beyond a gap.
#[derive(Debug, Clone)]
pub struct Reassembly {
    ranges: SequenceRanges,
    /// Starts of the SACK blocks reported last, latest first.
    reported: [u64; 3],
}

impl Default for Reassembly {
    fn default() -> Self {
        Self { ranges: SequenceRanges::default(), reported: [u64::MAX; 3] }
    }
}

impl Reassembly {
    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds `[start, end)`; returns how many of these numbers are new.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
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
        let [a, b, c] = self.reported;
        self.reported = if block == a { [a, b, c] } else { [block, a, b] };
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
