//! The receiver: reassembly, delayed acknowledgements (RFC 1122, 5681), SACK blocks (RFC 2018).

mod ack_ratio;
mod dsack;
mod ecn;
mod options;
mod quick_acks;
mod reassembly;
#[cfg(test)]
mod tests;
mod timestamps;

use std::mem::offset_of;

use eddyline_units::Time;

use crate::config::Config;
use crate::segment::{AckOptions, DataSegment, SackBlocks, SegmentFlags};
use options::Options;
use reassembly::Reassembly;

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
// in the order of use: what every segment reads is together
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Receiver {
    /// The next number expected (RCV.NXT).
    next: u64,
    /// When a delayed acknowledgement is due.
    due: Time,
    /// What is beyond a gap, while there is one.
    out_of_order: Option<Box<Reassembly>>,
    options: Option<Box<Options>>,
    /// Segments since the last acknowledgement.
    pending: u32,
    /// Segments per acknowledgement at present.
    ack_every: u32,
    echo: Echo,
    /// The FIN's number once it is known.
    fin: u64,
    ack_timer: Time,
    sack: bool,
}

impl Receiver {
    /// The end of what segments usually touch.
    pub const TOUCHED_TO: usize = offset_of!(Self, fin);

    /// A connection that has not been opened.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let echo = Echo { sent_at: Time::ZERO, received_at: Time::ZERO, stamp: 0.0, flags: SegmentFlags::default() };
        Self {
            next: 0,
            fin: u64::MAX,
            out_of_order: None,
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

    /// Whether all data and the FIN have arrived.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.next > self.fin
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

    /// A SYN that was sent at `sent_at` arrived; returns the flags of the SYN-ACK. With timestamps it is echoed until data arrive in order
    /// (RFC 7323, 4.3), another one that comes after them is not.
    pub fn on_syn(&mut self, now: Time, sent_at: Time, syn: SegmentFlags) -> SegmentFlags {
        if self.next == 0 {
            let received_at = self.options.as_ref().map_or(now, |options| options.read_clock(now));
            self.echo = Echo { sent_at, received_at, ..self.echo };
        }
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
        if segment.seq == self.next && self.out_of_order.is_none() {
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
        } else if segment.seq > self.next && self.pending == 0 && !segment.fin {
            // the acknowledgement is of this segment alone: its timestamp stays that from before the gap, but the stamp is the
            // sender's own note on what SACK reports
            self.echo.stamp = segment.stamp;
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
            let out_of_order = self.out_of_order.get_or_insert_default();
            let new_bytes = out_of_order.insert(start.max(self.next), end);
            if let Some(next) = out_of_order.take_in_order(self.next) {
                self.next = next;
            }
            if end > self.next {
                out_of_order.report(start);
            }
            if out_of_order.is_empty() {
                self.out_of_order = None;
            }
            new_bytes
        };
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
        if self.out_of_order.is_none() {
            ratio.on_in_order();
        }
        self.pending += 1;
        if advanced || self.out_of_order.is_none() || ratio.acknowledges_at_once(self.pending) {
            return true;
        }
        if self.due == Time::MAX {
            self.due = now.saturating_add(self.ack_timer);
        }
        false
    }

    /// Sends an acknowledgement that has no options, unless it may have some; returns whether it does.
    #[inline]
    pub fn acknowledge_without_options(&mut self) -> bool {
        let plain = self.options.is_none() && self.out_of_order.is_none();
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
        AckOptions { blocks: self.blocks(), accecn: None }
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
        AckOptions { blocks: self.blocks(), accecn: self.options.as_ref().and_then(|o| o.accecn()) }
    }

    /// The SACK blocks of an acknowledgement sent now.
    #[inline]
    fn blocks(&mut self) -> Option<SackBlocks> {
        if self.sack { self.out_of_order.as_mut().map(|segments| segments.blocks()) } else { None }
    }
}
