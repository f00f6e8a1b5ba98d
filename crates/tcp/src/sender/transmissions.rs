//! When each outstanding segment was last sent: the per-segment state of RACK (RFC 8985, 5.2).
//!
//! Segments are kept in sequence order, transmissions in order of time. The entry of a transmission whose segment was delivered
//! or retransmitted since stays in the queue and is discarded when a search reaches it.

use std::collections::VecDeque;

use eddyline_units::Time;

/// An outstanding segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentSegment {
    pub start: u64,
    pub end: u64,
    /// When it was last sent.
    pub sent: Time,
    /// It was retransmitted.
    pub retransmitted: bool,
    /// Selectively acknowledged.
    delivered: bool,
    /// Lost and not retransmitted.
    lost: bool,
}

impl SentSegment {
    /// Sort key by time of transmission, then by sequence number (RACK_sent_after).
    pub fn order(&self) -> (Time, u64) {
        (self.sent, self.end)
    }
}

/// What a search for losses found.
#[derive(Debug, Clone, Copy, Default)]
pub struct LossSearch {
    /// Bytes newly marked lost.
    pub bytes: u64,
    /// When the last sent of them was sent.
    pub latest: Time,
    /// When the segments that may only be reordered will be marked lost.
    pub deadline: Option<Time>,
}

/// All outstanding segments and their last transmissions.
#[derive(Debug, Clone, Default)]
pub struct Transmissions {
    list: VecDeque<SentSegment>,
    /// Time of sending and first number of each transmission.
    transmissions: VecDeque<(Time, u64)>,
    /// No segment below this number is lost.
    lost_from: u64,
    /// Segments selectively acknowledged.
    sacked: usize,
    /// Delivered since the last call of [`Transmissions::take_delivered`].
    delivered: Vec<SentSegment>,
    /// Scratch space of a search.
    undecided: Vec<(Time, u64)>,
}

impl Transmissions {
    /// Index of the segment that begins at `start`.
    fn index(&self, start: u64) -> Option<usize> {
        let index = self.list.partition_point(|s| s.start < start);
        self.list.get(index).is_some_and(|s| s.start == start).then_some(index)
    }

    /// `[start, end)` is sent, or retransmitted; returns how many of its bytes were marked lost.
    pub fn sent(&mut self, now: Time, start: u64, end: u64, retransmission: bool) -> u64 {
        self.transmissions.push_back((now, start));
        if !retransmission {
            self.list.push_back(SentSegment {
                start,
                end,
                sent: now,
                retransmitted: false,
                delivered: false,
                lost: false,
            });
            return 0;
        }
        let Some(index) = self.index(start) else { return 0 };
        let segment = &mut self.list[index];
        segment.sent = now;
        segment.retransmitted = true;
        if std::mem::take(&mut segment.lost) { segment.end - segment.start } else { 0 }
    }

    /// All below `una` is acknowledged; returns how many of its bytes were marked lost.
    pub fn advance(&mut self, una: u64) -> u64 {
        let mut found = 0;
        while let Some(segment) = self.list.front().copied().filter(|s| s.end <= una) {
            self.list.pop_front();
            if segment.delivered {
                self.sacked -= 1;
            } else {
                found += if segment.lost { segment.end - segment.start } else { 0 };
                self.delivered.push(segment);
            }
        }
        found
    }

    /// `[start, end)` is selectively acknowledged; returns how many of its bytes were marked lost.
    pub fn deliver(&mut self, start: u64, end: u64) -> u64 {
        let mut found = 0;
        let first = self.list.partition_point(|s| s.start < start);
        for segment in self.list.range_mut(first..).take_while(|s| s.end <= end).filter(|s| !s.delivered) {
            segment.delivered = true;
            found += if std::mem::take(&mut segment.lost) { segment.end - segment.start } else { 0 };
            self.sacked += 1;
            self.delivered.push(*segment);
        }
        found
    }

    /// Segments selectively acknowledged.
    pub fn sacked(&self) -> usize {
        self.sacked
    }

    /// Whether one segment is outstanding.
    pub fn is_single(&self) -> bool {
        self.list.len() == 1
    }

    /// Segments delivered since the last call, in sequence order. Pass the list to [`Transmissions::reuse`] afterwards.
    pub fn take_delivered(&mut self) -> Vec<SentSegment> {
        self.delivered.sort_unstable_by_key(|s| s.end);
        std::mem::take(&mut self.delivered)
    }

    /// Reuses the allocation of a list from [`Transmissions::take_delivered`].
    pub fn reuse(&mut self, mut list: Vec<SentSegment>) {
        list.clear();
        self.delivered = list;
    }

    /// Marks lost what was sent before `newest` and at least `timeout` ago.
    pub fn search(&mut self, now: Time, newest: (Time, u64), timeout: Time) -> LossSearch {
        let mut found = LossSearch::default();
        while let Some((sent, start)) = self.transmissions.front().copied() {
            let valid = |s: &SentSegment| s.sent == sent && !s.delivered && !s.lost;
            let Some(index) = self.index(start).filter(|p| valid(&self.list[*p])) else {
                self.transmissions.pop_front();
                continue;
            };
            if self.list[index].order() >= newest {
                break;
            }
            self.transmissions.pop_front();
            let overdue = sent.saturating_add(timeout);
            if overdue <= now {
                found.bytes += self.lose(index);
                found.latest = found.latest.max(sent);
            } else {
                found.deadline = Some(overdue);
                self.undecided.push((sent, start));
            }
        }
        while let Some(transmission) = self.undecided.pop() {
            self.transmissions.push_front(transmission);
        }
        found
    }

    /// The retransmission timer expired (6.3): marks lost the first segment and all sent at least `timeout` ago; returns the
    /// bytes.
    pub fn search_after_timeout(&mut self, now: Time, timeout: Time) -> u64 {
        let late = self.search(now, (Time::MAX, u64::MAX), timeout).bytes;
        let first = self.list.front().is_some_and(|s| !s.delivered && !s.lost);
        late + if first { self.lose(0) } else { 0 }
    }

    /// Marks lost all below `edge` that was sent once; returns the bytes.
    pub fn lose_below(&mut self, edge: u64) -> u64 {
        let n = self.list.partition_point(|s| s.end <= edge);
        let candidate = |s: &SentSegment| !s.delivered && !s.lost && !s.retransmitted;
        (0..n).map(|index| if candidate(&self.list[index]) { self.lose(index) } else { 0 }).sum()
    }

    fn lose(&mut self, index: usize) -> u64 {
        let segment = &mut self.list[index];
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

    /// When the first outstanding segment was last sent.
    pub fn first_sent(&self) -> Option<Time> {
        self.list.front().map(|s| s.sent)
    }

    /// The segment with the highest number.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.list.back().map(|s| (s.start, s.end))
    }

    /// Undoes all loss marks.
    pub fn clear_lost(&mut self) {
        for segment in &mut self.list {
            segment.lost = false;
        }
        self.lost_from = u64::MAX;
        self.transmissions = self.list.iter().filter(|s| !s.delivered).map(|s| (s.sent, s.start)).collect();
        self.transmissions.make_contiguous().sort_unstable();
    }
}
