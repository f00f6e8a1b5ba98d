//! Duplicate SACK: reports of segments that arrived more than once (RFC 2883).

use crate::segment::SackBlocks;

/// The segment that the next acknowledgement reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dsack {
    segment: Option<(u64, u64)>,
}

impl Dsack {
    /// A segment arrived that held nothing new.
    pub fn on_duplicate(&mut self, start: u64, end: u64) {
        self.segment = Some((start, end));
    }

    /// The blocks of an acknowledgement: the report comes first, the others follow (section 4).
    pub fn complete(&mut self, blocks: Option<SackBlocks>) -> Option<SackBlocks> {
        let Some(segment) = self.segment.take() else { return blocks };
        let [a, b, _] = blocks.unwrap_or_default();
        Some([segment, a, b])
    }
}
