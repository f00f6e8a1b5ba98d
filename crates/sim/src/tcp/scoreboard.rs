//! What the sender knows of the segments between `una` and `nxt` (RFC 6675): selectively acknowledged, lost, sent again.
//!
//! Every number moves one way within an episode, so all sums are kept as they change and no acknowledgement walks the
//! window: `lost` is what lies below the loss edge, is not acknowledged and has not been sent again.

use super::ranges::Ranges;

/// Segments above a hole that make it lost (RFC 6675: DupThresh).
const DUP_THRESH: u64 = 3;

/// Selective acknowledgement state.
#[derive(Debug, Clone, Default)]
pub struct Scoreboard {
    sacked: Ranges,
    /// Holes below this are lost.
    edge: u64,
    /// Holes below this have been sent again.
    resent: u64,
    /// Bytes in holes between `resent` and `edge`.
    lost: u64,
    /// Bytes that were ever found lost.
    ever_lost: u64,
}

impl Scoreboard {
    /// Bytes selectively acknowledged.
    #[inline]
    pub fn sacked(&self) -> u64 {
        self.sacked.total()
    }

    /// Bytes lost and not sent again.
    #[inline]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes that were ever found lost.
    pub fn ever_lost(&self) -> u64 {
        self.ever_lost
    }

    /// Everything below `una` is acknowledged. Gives the bytes below it that had been selectively acknowledged before.
    pub fn advance(&mut self, una: u64) -> u64 {
        if self.resent < una {
            let upto = una.min(self.edge);
            if self.resent < upto {
                self.lost -= (upto - self.resent) - self.sacked.held_within(self.resent, upto);
            }
            self.resent = una;
        }
        self.edge = self.edge.max(una);
        self.sacked.remove_below(una)
    }

    /// A block of selectively acknowledged bytes; gives how many are news.
    pub fn sack(&mut self, start: u64, end: u64) -> u64 {
        let (resent, edge, lost) = (self.resent, self.edge, &mut self.lost);
        self.sacked.insert(start, end, |s, e| {
            let (from, to) = (s.max(resent), e.min(edge));
            if from < to {
                *lost -= to - from;
            }
        })
    }

    /// Moves the loss edge up to the highest byte above which more than two segments are acknowledged (IsLost of
    /// RFC 6675). Gives whether anything below it is lost.
    pub fn detect(&mut self, mss: u32) -> bool {
        let enough = (DUP_THRESH - 1) * u64::from(mss);
        let (mut above, mut blocks) = (0, 0);
        let edge = self.sacked.descending().find_map(|(start, end)| {
            above += end - start;
            blocks += 1;
            (above > enough || blocks >= DUP_THRESH).then_some(start)
        });
        if let Some(edge) = edge {
            self.lose_below(edge);
        }
        self.lost > 0
    }

    /// Holes below `edge` are lost.
    pub fn lose_below(&mut self, edge: u64) {
        if edge <= self.edge {
            return;
        }
        let from = self.edge.max(self.resent);
        if from < edge {
            let lost = (edge - from) - self.sacked.held_within(from, edge);
            self.lost += lost;
            self.ever_lost += lost;
        }
        self.edge = edge;
    }

    /// A new episode: nothing is known to be lost or sent again from `una` on.
    pub fn begin_episode(&mut self, una: u64) {
        self.edge = una;
        self.resent = una;
        self.lost = 0;
    }

    /// The first lost stretch to send again, at most `most` bytes.
    pub fn next_hole(&self, most: u64) -> Option<(u64, u64)> {
        if self.lost == 0 {
            return None;
        }
        let mut start = self.resent;
        while let Some((_, end)) = self.sacked.containing(start) {
            start = end;
        }
        let wall = self.sacked.next_from(start).map_or(self.edge, |(s, _)| s.min(self.edge));
        (start < wall).then(|| (start, wall.min(start + most)))
    }

    /// The stretch up to `end` was sent again.
    pub fn sent_again(&mut self, end: u64, bytes: u64) {
        self.resent = end;
        self.lost -= bytes;
    }
}
