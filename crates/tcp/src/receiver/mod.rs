//! The receiver: reassembly, delayed acknowledgements (RFC 1122, 5681), SACK blocks (RFC 2018).

mod ack_ratio;
mod dsack;
mod ecn;
mod options;
mod quick_acks;
#[cfg(test)]
mod tests;
mod timestamps;

use eddyline_units::Time;

use crate::config::Config;
use crate::segment::{AckOptions, DataSegment, SackBlocks, SegmentFlags};
use crate::sequence_ranges::SequenceRanges;
use options::Options;

/// What an acknowledgement echoes of the segment that caused it.
#[derive(Debug, Clone, Copy)]
pub struct Echo {
    /// When that segment was sent.
    pub sent_at: Time,
    /// When it arrived, by the receiver's clock.
    pub received_at: Time,
    /// Its stamp.
    pub stamp: f32,
    /// Flags of the acknowledgement: whether that segment was a retransmission, and what options add.
    pub flags: SegmentFlags,
}

impl Echo {
    #[inline]
    fn of(segment: &DataSegment, now: Time) -> Self {
        Self { sent_at: segment.sent_at, received_at: now, stamp: segment.stamp, flags: segment.flags.echoed() }
    }
}

/// The response to a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reaction {
    /// Acknowledge it at once.
    pub ack_now: bool,
    /// It held bytes that had not arrived before.
    pub new_data: bool,
}

/// The receiving endpoint of a connection.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// The next number expected (RCV.NXT).
    next: u64,
    /// The FIN's number once it is known.
    fin: u64,
    out_of_order: SequenceRanges,
    /// Starts of the SACK blocks reported last, latest first.
    reported: [u64; 3],
    /// Segments since the last acknowledgement.
    pending: u32,
    /// When a delayed acknowledgement is due.
    due: Time,
    /// Segments per acknowledgement at present.
    ack_every: u32,
    ack_timer: Time,
    sack: bool,
    echo: Echo,
    options: Option<Box<Options>>,
}

impl Receiver {
    /// A connection that has not been opened.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let echo = Echo { sent_at: Time::ZERO, received_at: Time::ZERO, stamp: 0.0, flags: SegmentFlags::default() };
        Self {
            next: 0,
            fin: u64::MAX,
            out_of_order: SequenceRanges::default(),
            reported: [u64::MAX; 3],
            pending: 0,
            due: Time::MAX,
            ack_every: config.ack_every,
            ack_timer: config.ack_timer,
            sack: config.sack,
            echo,
            options: Options::new(config),
        }
    }

    /// The next number expected: all below has been given to the application, a FIN's number included.
    #[inline]
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Bytes given to the application.
    #[inline]
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.next.min(self.fin)
    }

    /// When a delayed acknowledgement is due, or [`Time::MAX`].
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Whether segments wait to be acknowledged.
    #[must_use]
    pub fn has_pending(&self) -> bool {
        self.pending > 0
    }

    /// The echo of the next acknowledgement.
    #[inline]
    #[must_use]
    pub fn echo(&self) -> Echo {
        self.echo
    }

    /// A SYN arrived; returns the flags of the SYN-ACK.
    pub fn on_syn(&mut self, syn: SegmentFlags) -> SegmentFlags {
        let mut flags = SegmentFlags::default();
        flags.set_retransmission(syn.retransmission());
        if let Some(ecn) = self.options.as_mut().and_then(|o| o.ecn.as_mut()) {
            ecn.on_syn(syn, &mut flags);
        }
        flags
    }

    /// A segment arrived; a FIN is acknowledged at once.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: DataSegment) -> Reaction {
        let len = if segment.fin { 1 } else { u64::from(segment.payload) };
        if self.options.is_some() {
            self.process_options(now, segment, len);
        } else {
            self.echo = Echo::of(&segment, now);
        }
        if segment.fin {
            self.fin = segment.seq;
        }
        if segment.seq == self.next && self.out_of_order.is_empty() {
            self.next += len;
            self.pending += 1;
            if self.pending >= self.ack_every || segment.fin {
                return Reaction { ack_now: true, new_data: true };
            }
            if self.due == Time::MAX {
                self.due = now.saturating_add(self.ack_timer);
            }
            return Reaction { ack_now: false, new_data: true };
        }
        self.on_out_of_order(now, segment.seq, segment.seq + len)
    }

    #[cold]
    #[inline(never)]
    fn process_options(&mut self, now: Time, segment: DataSegment, len: u64) {
        let Some(options) = &mut self.options else { return };
        if options.is_echoed(&segment) {
            self.echo = Echo::of(&segment, options.read_clock(now));
        }
        self.ack_every = options.on_segment(now, &segment, segment.seq + len <= self.next);
        options.set_flags(&mut self.echo.flags);
    }

    /// Anything but the next segment, or a segment that fills a gap: acknowledged at once (RFC 5681, 4.2).
    #[cold]
    fn on_out_of_order(&mut self, now: Time, start: u64, end: u64) -> Reaction {
        let prior = self.next;
        let new_bytes = if end <= self.next {
            0
        } else {
            let new_bytes = self.out_of_order.insert(start.max(self.next), end, |_, _| {});
            if let Some((s, e)) = self.out_of_order.first().filter(|(s, _)| *s <= self.next) {
                debug_assert!(s <= self.next);
                self.next = e;
                self.out_of_order.remove_below(e);
            }
            new_bytes
        };
        if end > self.next {
            self.report(start);
        }
        if new_bytes == 0
            && let Some(dsack) = self.options.as_mut().and_then(|o| o.dsack.as_mut())
        {
            dsack.on_duplicate(start, end);
        }
        Reaction { ack_now: self.acknowledges_at_once(now, self.next > prior), new_data: new_bytes > 0 }
    }

    /// Whether an out-of-order segment is acknowledged at once: always, unless the sender requests a higher ACK ratio and the
    /// segment did not advance the cumulative number.
    fn acknowledges_at_once(&mut self, now: Time, advanced: bool) -> bool {
        let Some(ratio) = self.options.as_mut().and_then(|o| o.ratio.as_mut()) else { return true };
        if self.out_of_order.is_empty() {
            ratio.on_in_order();
        }
        self.pending += 1;
        if advanced || self.out_of_order.is_empty() || ratio.acknowledges_at_once(self.pending) {
            return true;
        }
        if self.due == Time::MAX {
            self.due = now.saturating_add(self.ack_timer);
        }
        false
    }

    fn report(&mut self, start: u64) {
        let Some((block, _)) = self.out_of_order.containing(start) else { return };
        let [a, b, _] = self.reported;
        self.reported = if block == a { [a, b, self.reported[2]] } else { [block, a, b] };
    }

    /// Sends an acknowledgement that has no options, unless it may have some; returns whether it does.
    #[inline]
    pub fn acknowledge_plainly(&mut self) -> bool {
        let plain = self.options.is_none() && self.out_of_order.is_empty();
        if plain {
            self.pending = 0;
            self.due = Time::MAX;
        }
        plain
    }

    /// An acknowledgement is sent; returns its options.
    #[inline]
    pub fn acknowledge(&mut self) -> AckOptions {
        self.pending = 0;
        self.due = Time::MAX;
        if self.options.is_some() {
            return self.acknowledge_with_options();
        }
        let blocks = if self.out_of_order.is_empty() || !self.sack { None } else { Some(self.blocks()) };
        AckOptions { blocks, accecn: None }
    }

    #[cold]
    #[inline(never)]
    fn acknowledge_with_options(&mut self) -> AckOptions {
        let mut ack = self.ack_options();
        let Some(options) = &mut self.options else { return ack };
        options.on_acknowledgement(self.next);
        if let Some(dsack) = &mut options.dsack {
            ack.blocks = dsack.complete(ack.blocks);
        }
        if let Some([.., third]) = &mut ack.blocks
            && ack.accecn.is_some()
            && !options.has_room_for_three_blocks()
        {
            *third = (0, 0);
        }
        ack
    }

    /// The options that an acknowledgement sent now would have, without DSACK.
    pub fn ack_options(&mut self) -> AckOptions {
        AckOptions {
            blocks: (!self.out_of_order.is_empty() && self.sack).then(|| self.blocks()),
            accecn: self.options.as_ref().and_then(|o| o.accecn()),
        }
    }

    /// The block with the latest segment first, then those reported before, all at their present extent.
    #[cold]
    fn blocks(&mut self) -> SackBlocks {
        let mut blocks = [(0, 0); 3];
        let mut n = 0;
        for start in self.reported {
            if let Some(range) = self.out_of_order.containing(start).filter(|r| !blocks[..n].contains(r)) {
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
