//! A drop-tail link whose departures are known on arrival.

use eddyline_units::Time;

use super::meter::Meter;
use crate::Class;
use crate::queue::{Backlog, Limit, atm_cells};
use crate::ring::Ring;

/// When an accepted packet leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    /// Its transmission starts.
    pub start: Time,
    /// Its transmission ends.
    pub end: Time,
}

/// A packet that waits: 12 bytes, of which a large network has hundreds of thousands.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, packed(4))]
struct Waiting {
    /// When its transmission starts.
    start: Time,
    bytes: u32,
}

/// First in, first out, drop-tail.
///
/// Packets whose transmission has started are not removed from the backlog one by one, but together, when the backlog with them reaches
/// a limit or a maximum: as long as it does not, neither does the true one.
#[derive(Debug, Clone)]
pub struct FifoLink {
    /// End of the last accepted packet's transmission.
    free_at: Time,
    limit: Limit,
    /// A packet joins the backlog without a look at the limit and at the maxima if it then has at most so many packets and bytes.
    calm: (usize, u64),
    /// Those that wait, after some whose transmission has started.
    waiting: Ring<Waiting>,
    /// Bytes of those.
    bytes: u64,
    /// Cells waiting, if the limit is in cells.
    cells: u64,
    counts_cells: bool,
    meter: Meter,
}

impl FifoLink {
    /// An idle link.
    #[must_use]
    pub fn new(limit: Limit, meter: Meter) -> Self {
        Self {
            free_at: Time::ZERO,
            limit,
            calm: (0, 0),
            waiting: Ring::default(),
            bytes: 0,
            cells: 0,
            counts_cells: matches!(limit, Limit::Cells(_)),
            meter,
        }
    }

    /// Removes packets whose transmission has started by `now` from the backlog.
    #[inline]
    pub fn settle(&mut self, now: Time) {
        let (mut bytes, mut cells, counts_cells) = (self.bytes, self.cells, self.counts_cells);
        self.waiting.pop_while(|head| {
            let Waiting { start, bytes: length } = *head;
            let starts = start <= now;
            if starts {
                bytes -= u64::from(length);
                cells -= if counts_cells { atm_cells(length.into()) } else { 0 };
            }
            starts
        });
        (self.bytes, self.cells) = (bytes, cells);
    }

    /// Offers a packet that takes `transmission`; `None` if the queue drops it. `payload` is looked at if the class is data only.
    #[inline]
    pub fn offer(
        &mut self,
        now: Time,
        transmission: Time,
        bytes: u32,
        class: Class,
        payload: u32,
    ) -> Option<Departure> {
        self.offer_framed(now, transmission, bytes, u64::from(bytes), class, payload)
    }

    /// As [`offer`](Self::offer), for a packet that takes `line_bytes` on the wire.
    // a second copy of the code, so that links without framing have a fast path of their own
    #[inline(always)]
    pub fn offer_framed(
        &mut self,
        now: Time,
        transmission: Time,
        bytes: u32,
        line_bytes: u64,
        class: Class,
        payload: u32,
    ) -> Option<Departure> {
        self.meter.offered_bytes += u64::from(bytes);
        let start = if self.free_at <= now {
            now
        } else {
            let joins = self.waiting.len() < self.calm.0 && self.bytes + u64::from(bytes) <= self.calm.1;
            if !joins && !self.admit(now, bytes) {
                self.meter.drop(bytes, class);
                return None;
            }
            self.waiting.push_back(Waiting { start: self.free_at, bytes });
            self.bytes += u64::from(bytes);
            self.free_at
        };
        let end = start.saturating_add(transmission);
        self.free_at = end;
        // at a constant rate
        let share = move |from: Time, to: Time| (to - from).as_ps() as f64 / transmission.as_ps() as f64;
        self.meter.served((now, start, end), bytes, (line_bytes, class, payload), share);
        Some(Departure { start, end })
    }

    /// Whether the queue has room for a packet, which then joins the backlog.
    #[inline(never)]
    fn admit(&mut self, now: Time, bytes: u32) -> bool {
        self.settle(now);
        let (packets, size) = (self.waiting.len() as u64, u64::from(bytes));
        if !self.limit.admits(&Backlog { packets, bytes: self.bytes, cells: self.cells }, size) {
            return false;
        }
        if self.counts_cells {
            self.cells += atm_cells(size);
        }
        self.meter.note_backlog(now, packets + 1, self.bytes + size);
        self.calm = self.calm_backlog(now);
        true
    }

    /// See [`calm`](Self::calm); little more than the present backlog, so that what has left takes little memory beside what waits.
    fn calm_backlog(&self, now: Time) -> (usize, u64) {
        let limit = match self.limit {
            Limit::Unlimited => u64::MAX,
            Limit::Packets(n) => n,
            // a limit on the size is looked at for each packet
            Limit::Bytes(_) | Limit::Cells(_) => 0,
        };
        let (max_packets, max_bytes) = self.meter.max_backlog(now);
        let few = self.waiting.len() + self.waiting.len() / 4 + 16;
        (few.min(usize::try_from(limit.min(max_packets)).unwrap_or(few)), max_bytes)
    }

    /// A packet is dropped before the queue.
    pub fn refuse(&mut self, bytes: u32, class: Class) {
        self.meter.refuse(bytes, class);
    }

    /// Whether a packet of `bytes` would be accepted now, with room reserved for `others` more of that size.
    pub fn has_room(&mut self, now: Time, bytes: u32, others: u64) -> bool {
        self.settle(now);
        let (packets, size) = (self.waiting.len() as u64, u64::from(bytes));
        if self.free_at <= now && others == 0 {
            return true;
        }
        // the first of the others is transmitted at once if the link is idle
        let others = others - u64::from(self.free_at <= now);
        let cells = self.cells + others * atm_cells(size);
        self.limit.admits(&Backlog { packets: packets + others, bytes: self.bytes + others * size, cells }, size)
    }

    /// When the waiting packet with `ahead` others before it starts its transmission, which makes room; the end of all transmissions if
    /// there is no such packet.
    #[must_use]
    pub fn room_at(&self, ahead: usize) -> Time {
        self.waiting.get(ahead).map_or(self.free_at, |w| w.start)
    }

    /// How long a packet that arrives now would wait.
    #[must_use]
    pub fn backlog(&self, now: Time) -> Time {
        self.free_at.saturating_sub(now)
    }

    /// Packets and bytes waiting; call [`settle`](Self::settle) first.
    #[must_use]
    pub fn waiting(&self) -> (u64, u64) {
        (self.waiting.len() as u64, self.bytes)
    }

    /// Counters.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The measurement window begins: the current backlog counts for the maximum.
    pub fn begin_window(&mut self, now: Time) {
        self.settle(now);
        self.meter.note_backlog(now, self.waiting.len() as u64, self.bytes);
        self.calm = self.calm_backlog(now);
    }
}
