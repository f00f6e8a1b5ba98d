//! What the sender knows of the segments between `una` and `nxt` (RFC 6675): selectively acknowledged, lost, sent again.
//!
//! Every number moves one way within an episode, so all sums are kept as they change and no acknowledgement walks the
//! window: `lost` is what lies below the loss edge, is not acknowledged and has not been sent again.
//!
//! A sender that finds losses by time keeps every segment instead ([`Segments`]), and may find any of them lost, again and
//! again; edge and what is resent mean nothing then.

use eddyline_units::Time;

use super::ranges::Ranges;
use super::segments::{Found, Segments};

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
    /// Where losses are found by time.
    segments: Option<Box<Segments>>,
}

impl Scoreboard {
    /// An empty scoreboard; `by_time` if losses are found so.
    pub fn new(by_time: bool) -> Self {
        Self { segments: by_time.then(Box::default), ..Self::default() }
    }

    /// The segments, where losses are found by time.
    pub fn segments(&mut self) -> Option<&mut Segments> {
        self.segments.as_deref_mut()
    }

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
        if let Some(segments) = &mut self.segments {
            self.lost -= segments.advance(una);
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

    /// A block of selectively acknowledged bytes; gives how many are news.
    pub fn sack(&mut self, start: u64, end: u64) -> u64 {
        if let Some(segments) = &mut self.segments {
            self.lost -= segments.deliver(start, end);
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

    /// The highest number selectively acknowledged, if there is any.
    pub fn highest(&self) -> Option<u64> {
        self.sacked.descending().next().map(|(_, end)| end)
    }

    /// Holes below `edge` are lost.
    pub fn lose_below(&mut self, edge: u64) {
        if let Some(segments) = &mut self.segments {
            let bytes = segments.lose_below(edge);
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

    /// A new episode: nothing is known to be lost or sent again from `una` on.
    pub fn begin_episode(&mut self, una: u64) {
        self.edge = una;
        self.resent = una;
        self.lost = 0;
    }

    /// What was sent before `newest` and `patience` ago is lost.
    pub fn detect_by_time(&mut self, now: Time, newest: (Time, u64), patience: Time) -> Found {
        let found = self.segments.as_mut().map_or(Found::default(), |s| s.search(now, newest, patience));
        self.lost += found.bytes;
        self.ever_lost += found.bytes;
        found
    }

    /// The retransmission timer expired: what is lost then, by time.
    pub fn detect_after_timeout(&mut self, now: Time, patience: Time) {
        let bytes = self.segments.as_mut().map_or(0, |s| s.search_after_timeout(now, patience));
        self.lost += bytes;
        self.ever_lost += bytes;
    }

    /// Nothing is lost after all.
    pub fn forgive(&mut self) {
        if let Some(segments) = &mut self.segments {
            segments.forgive();
        }
        self.resent = self.resent.max(self.edge);
        self.lost = 0;
    }

    /// The first lost stretch to send again, at most `most` bytes.
    pub fn next_hole(&mut self, most: u64) -> Option<(u64, u64)> {
        if self.lost == 0 {
            return None;
        }
        if let Some(segments) = &mut self.segments {
            return segments.first_lost();
        }
        let mut start = self.resent;
        while let Some((_, end)) = self.sacked.containing(start) {
            start = end;
        }
        let wall = self.sacked.next_from(start).map_or(self.edge, |(s, _)| s.min(self.edge));
        (start < wall).then(|| (start, wall.min(start + most)))
    }

    /// `[start, end)` is sent for the first time.
    #[inline]
    pub fn sent(&mut self, now: Time, start: u64, end: u64) {
        if let Some(segments) = &mut self.segments {
            segments.sent(now, start, end, false);
        }
    }

    /// `[start, end)`, the first lost stretch or a part of it, is sent again.
    pub fn sent_again(&mut self, now: Time, start: u64, end: u64) {
        if let Some(segments) = &mut self.segments {
            self.lost -= segments.sent(now, start, end, true);
        } else {
            self.resent = end;
            self.lost -= end - start;
        }
    }
}
