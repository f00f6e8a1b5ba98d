//! When each outstanding segment was sent last, for senders that find losses by time (RFC 8985, 5.2).
//!
//! Segments are kept in order of their numbers, transmissions in order of time; what is delivered or sent again leaves its
//! old place among the transmissions to be cleared away when that end of the queue is looked at.

use std::collections::VecDeque;

use eddyline_units::Time;

/// An outstanding segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub start: u64,
    pub end: u64,
    /// When it was sent last.
    pub sent: Time,
    /// It was sent more than once.
    pub again: bool,
    /// Selectively acknowledged.
    delivered: bool,
    /// Lost and not sent again.
    lost: bool,
}

impl Segment {
    /// Place in the order of transmission: by time, then by number (RACK_sent_after).
    pub fn order(&self) -> (Time, u64) {
        (self.sent, self.end)
    }
}

/// What the search for losses found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Found {
    /// Bytes newly lost.
    pub bytes: u64,
    /// When the latest of them was sent.
    pub latest: Time,
    /// When all that may still be late would be lost.
    pub deadline: Option<Time>,
}

/// All outstanding segments.
#[derive(Debug, Clone, Default)]
pub struct Segments {
    list: VecDeque<Segment>,
    /// Time of sending and first number of each transmission.
    transmissions: VecDeque<(Time, u64)>,
    /// No segment below this number is lost.
    lost_from: u64,
    /// Segments selectively acknowledged.
    sacked: usize,
    /// Delivered since the last call of [`Segments::take_fresh`].
    fresh: Vec<Segment>,
    /// For use while searching.
    waiting: Vec<(Time, u64)>,
}

impl Segments {
    /// Place of the segment that begins at `start`.
    fn place(&self, start: u64) -> Option<usize> {
        let place = self.list.partition_point(|s| s.start < start);
        self.list.get(place).is_some_and(|s| s.start == start).then_some(place)
    }

    /// `[start, end)` is sent, `again` or for the first time. Gives the bytes that were lost until then.
    pub fn sent(&mut self, now: Time, start: u64, end: u64, again: bool) -> u64 {
        self.transmissions.push_back((now, start));
        if !again {
            self.list.push_back(Segment { start, end, sent: now, again: false, delivered: false, lost: false });
            return 0;
        }
        let Some(place) = self.place(start) else { return 0 };
        let segment = &mut self.list[place];
        segment.sent = now;
        segment.again = true;
        if std::mem::take(&mut segment.lost) { segment.end - segment.start } else { 0 }
    }

    /// All below `una` is acknowledged. Gives the bytes of it that were lost.
    pub fn advance(&mut self, una: u64) -> u64 {
        let mut found = 0;
        while let Some(segment) = self.list.front().copied().filter(|s| s.end <= una) {
            self.list.pop_front();
            if segment.delivered {
                self.sacked -= 1;
            } else {
                found += if segment.lost { segment.end - segment.start } else { 0 };
                self.fresh.push(segment);
            }
        }
        found
    }

    /// `[start, end)` is selectively acknowledged. Gives the bytes of it that were lost.
    pub fn deliver(&mut self, start: u64, end: u64) -> u64 {
        let mut found = 0;
        let first = self.list.partition_point(|s| s.start < start);
        for segment in self.list.range_mut(first..).take_while(|s| s.end <= end).filter(|s| !s.delivered) {
            segment.delivered = true;
            found += if std::mem::take(&mut segment.lost) { segment.end - segment.start } else { 0 };
            self.sacked += 1;
            self.fresh.push(*segment);
        }
        found
    }

    /// Segments selectively acknowledged.
    pub fn sacked(&self) -> usize {
        self.sacked
    }

    /// What was delivered since the last call, in order of number; the list goes back by [`Segments::give_back`].
    pub fn take_fresh(&mut self) -> Vec<Segment> {
        self.fresh.sort_unstable_by_key(|s| s.end);
        std::mem::take(&mut self.fresh)
    }

    /// Returns the list that [`Segments::take_fresh`] gave, to be used again.
    pub fn give_back(&mut self, mut list: Vec<Segment>) {
        list.clear();
        self.fresh = list;
    }

    /// Finds what is lost: all that was sent before `newest` and at least `patience` ago.
    pub fn search(&mut self, now: Time, newest: (Time, u64), patience: Time) -> Found {
        let mut found = Found::default();
        while let Some((sent, start)) = self.transmissions.front().copied() {
            let valid = |s: &Segment| s.sent == sent && !s.delivered && !s.lost;
            let Some(place) = self.place(start).filter(|p| valid(&self.list[*p])) else {
                self.transmissions.pop_front();
                continue;
            };
            if self.list[place].order() >= newest {
                break;
            }
            self.transmissions.pop_front();
            let overdue = sent.saturating_add(patience);
            if overdue <= now {
                found.bytes += self.lose(place);
                found.latest = found.latest.max(sent);
            } else {
                found.deadline = Some(overdue);
                self.waiting.push((sent, start));
            }
        }
        while let Some(transmission) = self.waiting.pop() {
            self.transmissions.push_front(transmission);
        }
        found
    }

    /// The retransmission timer expired (6.3): the first segment is lost, and what was sent at least `patience` ago. Gives
    /// the bytes.
    pub fn search_after_timeout(&mut self, now: Time, patience: Time) -> u64 {
        let late = self.search(now, (Time::MAX, u64::MAX), patience).bytes;
        let first = self.list.front().is_some_and(|s| !s.delivered && !s.lost);
        late + if first { self.lose(0) } else { 0 }
    }

    /// All below `edge` that was sent once is lost. Gives the bytes.
    pub fn lose_below(&mut self, edge: u64) -> u64 {
        let n = self.list.partition_point(|s| s.end <= edge);
        let doubtful = |s: &Segment| !s.delivered && !s.lost && !s.again;
        (0..n).map(|place| if doubtful(&self.list[place]) { self.lose(place) } else { 0 }).sum()
    }

    fn lose(&mut self, place: usize) -> u64 {
        let segment = &mut self.list[place];
        segment.lost = true;
        self.lost_from = self.lost_from.min(segment.start);
        segment.end - segment.start
    }

    /// The lost segment with the lowest number.
    pub fn first_lost(&mut self) -> Option<(u64, u64)> {
        let first = self.list.partition_point(|s| s.start < self.lost_from);
        let found = self.list.range(first..).find(|s| s.lost).map(|s| (s.start, s.end));
        self.lost_from = found.map_or(u64::MAX, |(start, _)| start);
        found
    }

    /// The segment with the highest number.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.list.back().map(|s| (s.start, s.end))
    }

    /// Nothing is lost after all.
    pub fn forgive(&mut self) {
        for segment in &mut self.list {
            segment.lost = false;
        }
        self.lost_from = u64::MAX;
        self.transmissions = self.list.iter().filter(|s| !s.delivered).map(|s| (s.sent, s.start)).collect();
        self.transmissions.make_contiguous().sort_unstable();
    }
}
