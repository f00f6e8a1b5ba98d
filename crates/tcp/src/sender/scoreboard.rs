//! The scoreboard (RFC 6675): which bytes between `una` and `nxt` are selectively acknowledged, lost or retransmitted.
//!
//! Every edge moves forward only within an episode, so all sums are updated as they change and no acknowledgement scans the
//! window: `lost` counts bytes below the loss edge that are neither acknowledged nor retransmitted.
//!
//! A sender with RACK keeps every transmission instead ([`Transmissions`]), and may find the same segment lost more than once;
//! the edges are unused then.

use std::mem::offset_of;

use eddyline_units::Time;

use super::transmissions::{LossSearch, Transmissions};
use crate::sequence_ranges::SequenceRanges;

/// Segments above a hole that make it lost (RFC 6675: DupThresh).
const DUP_THRESH: u64 = 3;

/// Selective acknowledgement state.
#[derive(Debug, Clone, Default)]
#[repr(C)]
pub struct Scoreboard {
    /// Every transmission, with RACK.
    transmissions: Option<Box<Transmissions>>,
    /// Holes below this are lost.
    edge: u64,
    /// Holes below this have been retransmitted.
    resent: u64,
    sacked: SequenceRanges,
    /// Bytes in holes between `resent` and `edge`.
    lost: u64,
    /// Bytes ever marked lost.
    ever_lost: u64,
}

impl Scoreboard {
    /// The first byte of its sums.
    pub const SUMS: usize = offset_of!(Self, sacked) + offset_of!(SequenceRanges, total);

    /// An empty scoreboard; with `rack` it keeps every transmission.
    pub fn new(rack: bool) -> Self {
        Self { transmissions: rack.then(Box::default), ..Self::default() }
    }

    /// All transmissions, with RACK.
    pub fn transmissions(&mut self) -> Option<&mut Transmissions> {
        self.transmissions.as_deref_mut()
    }

    /// Bytes selectively acknowledged.
    #[inline]
    pub fn sacked(&self) -> u64 {
        self.sacked.total()
    }

    /// Without RACK: bytes selectively acknowledged of those below `nxt` that this episode has not retransmitted.
    pub fn sacked_first_copies(&self, nxt: u64) -> u64 {
        self.sacked.held_within(self.resent, nxt)
    }

    /// Bytes lost and not retransmitted.
    #[inline]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes ever marked lost.
    pub fn ever_lost(&self) -> u64 {
        self.ever_lost
    }

    /// Everything below `una` is acknowledged; returns how many bytes of it had been selectively acknowledged.
    pub fn advance(&mut self, una: u64) -> u64 {
        if let Some(transmissions) = &mut self.transmissions {
            self.lost -= transmissions.advance(una);
        } else if self.resent < una {
            let upto = una.min(self.edge);
            if self.resent < upto {
                self.lost -= (upto - self.resent) - self.sacked.held_within(self.resent, upto);
            }
            self.resent = una;
        }
        self.edge = self.edge.max(una);
        self.sacked.remove_below(una)
    }

    /// A block of selectively acknowledged bytes; returns how many of them are new.
    pub fn sack(&mut self, start: u64, end: u64) -> u64 {
        if let Some(transmissions) = &mut self.transmissions {
            self.lost -= transmissions.deliver(start, end);
            return self.sacked.insert(start, end, |_, _| {});
        }
        let (resent, edge, lost) = (self.resent, self.edge, &mut self.lost);
        self.sacked.insert(start, end, |s, e| {
            let (from, to) = (s.max(resent), e.min(edge));
            if from < to {
                *lost -= to - from;
            }
        })
    }

    /// Moves the loss edge up to the highest byte above which more than two segments are acknowledged (IsLost of
    /// RFC 6675); returns whether anything below it is lost.
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

    /// The first segment from `una` on is lost, to what is selectively acknowledged above it.
    pub fn lose_first(&mut self, una: u64, mss: u32) {
        let end = self.sacked.next_from(una).map_or(una, |(start, _)| start);
        self.lose_below(end.min(una + u64::from(mss)));
    }

    /// Without RACK: the first segment that is not lost, and is below what is selectively acknowledged, is lost; returns whether there
    /// was one.
    pub fn lose_next(&mut self, mss: u32) -> bool {
        let mut start = self.edge.max(self.resent);
        while let Some((_, end)) = self.sacked.containing(start) {
            start = end;
        }
        let Some((end, _)) = self.sacked.next_from(start) else { return false };
        self.lose_below(end.min(start + u64::from(mss)));
        true
    }

    /// Without RACK: the first byte at or above `point` that is lost and not retransmitted.
    pub fn first_lost_from(&self, point: u64) -> Option<u64> {
        let mut start = point.max(self.resent);
        while let Some((_, end)) = self.sacked.containing(start) {
            start = end;
        }
        (start < self.edge).then_some(start)
    }

    /// The highest number selectively acknowledged, if there is any.
    pub fn highest(&self) -> Option<u64> {
        self.sacked.descending().next().map(|(_, end)| end)
    }

    /// Holes below `edge` are lost.
    pub fn lose_below(&mut self, edge: u64) {
        if let Some(transmissions) = &mut self.transmissions {
            let bytes = transmissions.lose_below(edge);
            self.lost += bytes;
            self.ever_lost += bytes;
            return;
        }
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

    /// A new episode: nothing from `una` on is lost or retransmitted.
    pub fn begin_episode(&mut self, una: u64) {
        self.edge = una;
        self.resent = una;
        self.lost = 0;
    }

    /// With RACK: marks lost what was sent before `newest` and at least `timeout` ago.
    pub fn detect_by_time(&mut self, now: Time, newest: (Time, u64), timeout: Time) -> LossSearch {
        let found = self.transmissions.as_mut().map_or(LossSearch::default(), |t| t.search(now, newest, timeout));
        self.lost += found.bytes;
        self.ever_lost += found.bytes;
        found
    }

    /// With RACK: the retransmission timer expired.
    pub fn detect_after_timeout(&mut self, now: Time, timeout: Time) {
        let bytes = self.transmissions.as_mut().map_or(0, |t| t.search_after_timeout(now, timeout));
        self.lost += bytes;
        self.ever_lost += bytes;
    }

    /// Undoes the loss marks of what was not retransmitted, which can be found lost again.
    pub fn clear_lost(&mut self) {
        if let Some(transmissions) = &mut self.transmissions {
            transmissions.clear_lost();
        }
        self.edge = self.resent;
        self.lost = 0;
    }

    /// The first lost range to retransmit, at most `max` bytes of it.
    pub fn next_hole(&mut self, max: u64) -> Option<(u64, u64)> {
        if self.lost == 0 {
            return None;
        }
        if let Some(transmissions) = &mut self.transmissions {
            return transmissions.first_lost();
        }
        let mut start = self.resent;
        while let Some((_, end)) = self.sacked.containing(start) {
            start = end;
        }
        let limit = self.sacked.next_from(start).map_or(self.edge, |(s, _)| s.min(self.edge));
        (start < limit).then(|| (start, limit.min(start + max)))
    }

    /// `[start, end)` is sent for the first time.
    #[inline]
    pub fn sent(&mut self, now: Time, start: u64, end: u64) {
        if let Some(transmissions) = &mut self.transmissions {
            transmissions.sent(now, start, end, false);
        }
    }

    /// `[start, end)`, the first lost range or a part of it, is retransmitted.
    pub fn retransmitted(&mut self, now: Time, start: u64, end: u64) {
        if let Some(transmissions) = &mut self.transmissions {
            self.lost -= transmissions.sent(now, start, end, true);
        } else {
            self.resent = end;
            self.lost -= end - start;
        }
    }
}
