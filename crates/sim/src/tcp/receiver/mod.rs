//! The receiver: reassembly, delayed acknowledgements (RFC 1122, 5681), SACK blocks (RFC 2018).

mod ack_ratio;
mod dsack;
mod ecn;
mod extras;
mod quick;
#[cfg(test)]
mod tests;
mod timestamps;

use eddyline_scenario::network::TcpOptions;
use eddyline_units::Time;

use super::aside::{AckOptions, SackBlocks};
use super::ranges::Ranges;
use crate::engine::{Flags, Packet};
use extras::Extras;

/// What the sender learns of the packet that caused an acknowledgement.
#[derive(Debug, Clone, Copy)]
pub struct Echo {
    pub sent_at: Time,
    pub received_at: Time,
    pub stamp: f32,
    /// Flags of the acknowledgement: whether that packet was sent again, and what options add.
    pub flags: Flags,
}

impl Echo {
    #[inline]
    fn of(packet: &Packet, now: Time) -> Self {
        Self { sent_at: packet.sent_at, received_at: now, stamp: packet.stamp, flags: packet.flags.echoed() }
    }
}

/// What to do about a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reaction {
    /// Acknowledge at once.
    pub ack_now: bool,
    /// The segment held bytes that had not arrived before.
    pub news: bool,
}

/// A flow's receiving end.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// Next byte expected.
    next: u64,
    /// The FIN's number once it is known.
    fin: u64,
    early: Ranges,
    /// Starts of the blocks reported last, latest first.
    reported: [u64; 3],
    /// Segments since the last acknowledgement.
    pending: u32,
    /// When a delayed acknowledgement is due.
    due: Time,
    /// Segments per acknowledgement at present.
    every: u32,
    timer: Time,
    sack: bool,
    echo: Echo,
    extras: Option<Box<Extras>>,
}

impl Receiver {
    /// Acknowledges as `options` say.
    pub fn new(options: &TcpOptions) -> Self {
        let echo = Echo { sent_at: Time::ZERO, received_at: Time::ZERO, stamp: 0.0, flags: Flags::default() };
        Self {
            next: 0,
            fin: u64::MAX,
            early: Ranges::default(),
            reported: [u64::MAX; 3],
            pending: 0,
            due: Time::MAX,
            every: options.ack_every,
            timer: options.ack_timer,
            sack: options.sack,
            echo,
            extras: Extras::of(options),
        }
    }

    /// Next byte expected: what is below has been given to the application, a FIN's number included.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Bytes given to the application.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.next.min(self.fin)
    }

    /// When a delayed acknowledgement is due, or [`Time::MAX`].
    #[inline]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Segments wait to be acknowledged.
    pub fn owes(&self) -> bool {
        self.pending > 0
    }

    /// What the next acknowledgement echoes.
    #[inline]
    pub fn echo(&self) -> Echo {
        self.echo
    }

    /// A SYN arrived: the flags of the SYN-ACK.
    pub fn on_syn(&mut self, syn: Flags) -> Flags {
        let mut flags = Flags::default();
        flags.set_retransmission(syn.retransmission());
        if let Some(ecn) = self.extras.as_mut().and_then(|x| x.ecn.as_mut()) {
            ecn.on_syn(syn, &mut flags);
        }
        flags
    }

    /// A segment of `len` sequence numbers arrived; a FIN is acknowledged at once.
    #[inline]
    pub fn on_segment(&mut self, now: Time, packet: &Packet, len: u64, fin: bool) -> Reaction {
        if self.extras.is_some() {
            self.on_segment_with_extras(now, packet, len);
        } else {
            self.echo = Echo::of(packet, now);
        }
        if fin {
            self.fin = packet.seq;
        }
        if packet.seq == self.next && self.early.is_empty() {
            self.next += len;
            self.pending += 1;
            if self.pending >= self.every || fin {
                return Reaction { ack_now: true, news: true };
            }
            if self.due == Time::MAX {
                self.due = now.saturating_add(self.timer);
            }
            return Reaction { ack_now: false, news: true };
        }
        self.out_of_order(now, packet.seq, packet.seq + len)
    }

    #[cold]
    #[inline(never)]
    fn on_segment_with_extras(&mut self, now: Time, packet: &Packet, len: u64) {
        let Some(extras) = &mut self.extras else { return };
        if extras.echoes(packet) {
            self.echo = Echo::of(packet, extras.read(now));
        }
        self.every = extras.on_segment(now, packet, packet.seq + len <= self.next);
        extras.label(&mut self.echo.flags);
    }

    /// Anything but the next segment, or a segment that fills a gap: acknowledged at once (RFC 5681, 4.2).
    #[cold]
    fn out_of_order(&mut self, now: Time, start: u64, end: u64) -> Reaction {
        let before = self.next;
        let news = if end <= self.next {
            0
        } else {
            let fresh = self.early.insert(start.max(self.next), end, |_, _| {});
            if let Some((s, e)) = self.early.first().filter(|(s, _)| *s <= self.next) {
                debug_assert!(s <= self.next);
                self.next = e;
                self.early.remove_below(e);
            }
            fresh
        };
        if end > self.next {
            self.report(start);
        }
        if news == 0
            && let Some(dsack) = self.extras.as_mut().and_then(|x| x.dsack.as_mut())
        {
            dsack.on_duplicate(start, end);
        }
        Reaction { ack_now: self.acknowledges_early(now, self.next > before), news: news > 0 }
    }

    /// Whether a segment out of order is acknowledged at once, as it is unless the sender asks for few acknowledgements; one
    /// that `advanced` the cumulative number always is.
    fn acknowledges_early(&mut self, now: Time, advanced: bool) -> bool {
        let Some(ratio) = self.extras.as_mut().and_then(|x| x.ratio.as_mut()) else { return true };
        if self.early.is_empty() {
            ratio.in_order();
        }
        self.pending += 1;
        if advanced || self.early.is_empty() || ratio.acknowledges(self.pending) {
            return true;
        }
        if self.due == Time::MAX {
            self.due = now.saturating_add(self.timer);
        }
        false
    }

    fn report(&mut self, start: u64) {
        let Some((block, _)) = self.early.containing(start) else { return };
        let [a, b, _] = self.reported;
        self.reported = if block == a { [a, b, self.reported[2]] } else { [block, a, b] };
    }

    /// An acknowledgement leaves: gives its options.
    #[inline]
    pub fn acknowledge(&mut self) -> AckOptions {
        self.pending = 0;
        self.due = Time::MAX;
        if self.extras.is_some() {
            return self.acknowledge_with_extras();
        }
        let blocks = if self.early.is_empty() || !self.sack { None } else { Some(self.blocks()) };
        AckOptions { blocks, marked_bytes: None }
    }

    #[cold]
    #[inline(never)]
    fn acknowledge_with_extras(&mut self) -> AckOptions {
        let mut options = self.options();
        let Some(extras) = &mut self.extras else { return options };
        extras.on_acknowledgement(self.next);
        if let Some(dsack) = &mut extras.dsack {
            options.blocks = dsack.complete(options.blocks);
        }
        if let Some([.., third]) = &mut options.blocks
            && options.marked_bytes.is_some()
            && !extras.has_room_for_three_blocks()
        {
            *third = (0, 0);
        }
        options
    }

    /// The options that an acknowledgement would have now, reports of what arrived twice left out.
    pub fn options(&mut self) -> AckOptions {
        AckOptions {
            blocks: (!self.early.is_empty() && self.sack).then(|| self.blocks()),
            marked_bytes: self.extras.as_ref().and_then(|x| x.marked_bytes()),
        }
    }

    /// The block that holds the latest segment first, then those reported before, all at their present extent.
    #[cold]
    fn blocks(&mut self) -> SackBlocks {
        let mut blocks = [(0, 0); 3];
        let mut n = 0;
        for start in self.reported {
            if let Some(range) = self.early.containing(start).filter(|r| !blocks[..n].contains(r)) {
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
