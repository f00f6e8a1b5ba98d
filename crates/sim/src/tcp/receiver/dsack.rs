//! Reports of segments that arrived twice (RFC 2883).

use crate::tcp::SackBlocks;

/// The segment that the next acknowledgement reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dsack {
    twice: Option<(u64, u64)>,
}

impl Dsack {
    /// A segment arrived all of which was there.
    pub fn on_duplicate(&mut self, start: u64, end: u64) {
        self.twice = Some((start, end));
    }

    /// Blocks of an acknowledgement: the report goes first, the others move back (section 4).
    pub fn complete(&mut self, blocks: Option<SackBlocks>) -> Option<SackBlocks> {
        let Some(twice) = self.twice.take() else { return blocks };
        let [a, b, _] = blocks.unwrap_or_default();
        Some([twice, a, b])
    }
}
