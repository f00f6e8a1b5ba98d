//! A link with any queue discipline: an event per departure, in virtual or real time.

use eddyline_units::Time;

use super::meter::Meter;
use crate::framing::Framing;
use crate::queue::{Discipline, LinkContext, Queue, QueueParams};
use crate::variation::LinkRate;
use crate::{Acknowledgement, Class, Ecn, Packet};

/// Where a packet comes from, as far as queues distinguish it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Origin {
    /// The subscriber's host.
    pub host: u32,
    /// [`Packet::flow_hash`].
    pub hash: u64,
}

/// A packet with its time of arrival and its origin.
#[derive(Debug)]
struct Stamped<P> {
    since: Time,
    origin: Origin,
    marked: bool,
    packet: P,
}

impl<P: Packet> Packet for Stamped<P> {
    fn wire_bytes(&self) -> u32 {
        self.packet.wire_bytes()
    }
    fn class(&self) -> Class {
        self.packet.class()
    }
    fn payload_bytes(&self) -> u32 {
        self.packet.payload_bytes()
    }
    fn flow(&self) -> u64 {
        self.packet.flow()
    }
    fn flow_hash(&self) -> u64 {
        self.origin.hash
    }
    fn host(&self) -> u32 {
        self.origin.host
    }
    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }
    fn mark(&mut self) {
        self.marked = true;
        self.packet.mark();
    }
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.packet.acknowledgement()
    }
}

/// A transmitter behind a queue.
#[derive(Debug)]
pub struct StoreLink<P> {
    rate: LinkRate,
    queue: Queue<Stamped<P>>,
    on_wire: Option<(Stamped<P>, Time)>,
    /// Queueing delay of the packet in transmission.
    waited: Time,
    counters: Counters,
}

/// Counters and framing.
#[derive(Debug)]
struct Counters {
    meter: Meter,
    framing: Framing,
    /// Backlog in bytes, framing included.
    line_bytes: u64,
}

impl Counters {
    fn line_bytes(&self, packet: &impl Packet) -> u64 {
        self.framing.line_bytes(packet.wire_bytes())
    }

    /// Counts a packet that the queue drops.
    fn discard<P: Packet>(&mut self, now: Time, packet: Stamped<P>) -> P {
        self.line_bytes -= self.line_bytes(&packet);
        self.meter.wait_without_transmission(packet.since, now, packet.wire_bytes());
        self.meter.drop(packet.wire_bytes(), packet.class());
        packet.packet
    }
}

impl<P: Packet> StoreLink<P> {
    /// An idle link.
    #[must_use]
    pub fn new(queue: &QueueParams, context: &LinkContext<'_>, meter: Meter) -> Self {
        Self {
            rate: context.rate_over_time(),
            queue: queue.build(context),
            on_wire: None,
            waited: Time::ZERO,
            counters: Counters { meter, framing: context.framing, line_bytes: 0 },
        }
    }

    /// Bits that it can transmit between two times.
    #[must_use]
    pub fn capacity_bits(&self, from: Time, to: Time) -> f64 {
        self.rate.bits(from, to)
    }

    /// The packet in transmission, and when that ends.
    #[must_use]
    pub fn transmitting(&self) -> Option<(&P, Time)> {
        self.on_wire.as_ref().map(|(stamped, end)| (&stamped.packet, *end))
    }

    /// A packet is dropped before the queue.
    pub fn refuse(&mut self, bytes: u32, class: Class) {
        self.counters.meter.refuse(bytes, class);
    }

    /// Offers a packet of `origin`; `dropped` is called with packets that the queue drops, possibly the packet itself. Returns whether it
    /// was accepted.
    pub fn offer(&mut self, now: Time, origin: Origin, packet: P, dropped: &mut dyn FnMut(P)) -> bool {
        if self.on_wire.is_none() && self.queue.passes_when_idle() && self.queue.packets() == 0 {
            self.counters.meter.offered_bytes += u64::from(packet.wire_bytes());
            self.transmit(now, Stamped { since: now, origin, marked: false, packet });
            return true;
        }
        let taken = self.take_in(now, origin, packet, dropped);
        if self.on_wire.is_none() {
            self.start(now, dropped);
        }
        self.note_backlog(now);
        taken
    }

    /// Enqueues a packet, or drops it, without starting a transmission.
    pub(super) fn take_in(&mut self, now: Time, origin: Origin, packet: P, dropped: &mut dyn FnMut(P)) -> bool {
        let counters = &mut self.counters;
        counters.meter.offered_bytes += u64::from(packet.wire_bytes());
        counters.line_bytes += counters.line_bytes(&packet);
        let packet = Stamped { since: now, origin, marked: false, packet };
        let refused = self.queue.enqueue(now, packet, &mut |p| dropped(counters.discard(now, p)));
        let taken = refused.is_ok();
        if let Err(packet) = refused {
            dropped(counters.discard(now, packet));
        }
        taken
    }

    pub(super) fn note_backlog(&mut self, now: Time) {
        self.counters.meter.note_backlog(now, self.queue.packets(), self.queue.bytes());
    }

    fn transmit(&mut self, now: Time, packet: Stamped<P>) {
        let (bytes, line_bytes) = (packet.wire_bytes(), self.counters.line_bytes(&packet));
        let end = self.rate.end(now, line_bytes);
        let share = |from: Time, to: Time| self.rate.share((now, end), line_bytes, (from, to));
        let meter = &mut self.counters.meter;
        meter.wait(packet.since, now, bytes);
        meter.transmission((now, end), (line_bytes, packet.class(), packet.payload_bytes()), share);
        meter.marks += u64::from(packet.marked);
        self.waited = now - packet.since;
        self.on_wire = Some((packet, end));
    }

    /// Starts a transmission if the queue has a packet; returns whether it did.
    pub(super) fn start(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> bool {
        let counters = &mut self.counters;
        let Some(packet) = self.queue.dequeue(now, &mut |p| dropped(counters.discard(now, p))) else { return false };
        counters.line_bytes -= counters.line_bytes(&packet);
        self.transmit(now, packet);
        true
    }

    /// Ends the transmission that is due, if there is one; returns its packet with its queueing delay.
    pub(super) fn finish(&mut self, now: Time) -> Option<(P, Time)> {
        self.on_wire.take_if(|(_, end)| *end <= now).map(|(p, _)| (p.packet, self.waited))
    }

    /// When the queue has a packet to send, from `now` on, unless it drops it at that time; not in an outage.
    pub(super) fn ready_at(&self, now: Time) -> Option<Time> {
        (self.queue.packets() > 0).then(|| self.rate.starts(self.queue.next_wake().unwrap_or(now).max(now)))
    }

    /// When the transmission in progress ends.
    pub(super) fn end_of_transmission(&self) -> Option<Time> {
        self.on_wire.as_ref().map(|(_, end)| *end)
    }

    /// When [`advance`](Self::advance) must be called: the end of a transmission, or the time until which the discipline delays a
    /// packet; [`Time::MAX`] if never.
    #[must_use]
    pub fn due(&self) -> Time {
        match &self.on_wire {
            Some((_, end)) => *end,
            None => self.queue.next_wake().unwrap_or(Time::MAX),
        }
    }

    /// To be called at the time that [`due`](Self::due) returned: ends a transmission and starts the next. Returns the packet whose
    /// transmission has ended, if there is one, with its queueing delay.
    pub fn advance(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<(P, Time)> {
        let left = self.finish(now);
        if self.on_wire.is_none() {
            self.start(now, dropped);
        }
        left
    }

    /// How long the link, and a discipline that has a rate of its own, take for all that waits and the rest of what is transmitted.
    #[must_use]
    pub fn wait(&self, now: Time) -> Time {
        self.backlog(now).max(self.queue.shaped_wait(now))
    }

    /// How long `packet` of `origin` would wait if it arrived now and nothing after it.
    #[must_use]
    pub fn wait_of(&self, now: Time, origin: Origin, packet: P) -> Time {
        let all = self.queue.bytes();
        if all == 0 {
            return self.wait(now);
        }
        let before = self.queue.bytes_before(&Stamped { since: now, origin, marked: false, packet });
        let part = |whole: u64| (u128::from(whole) * u128::from(before) / u128::from(all)) as u64;
        let free = self.on_wire.as_ref().map_or(now, |(_, end)| now.max(*end));
        let link = self.rate.end(free, part(self.counters.line_bytes)).saturating_sub(now);
        link.max(Time::from_ps(part(self.queue.shaped_wait(now).as_ps())))
    }

    /// How long the link would take to transmit what it holds.
    #[must_use]
    pub fn backlog(&self, now: Time) -> Time {
        let free = self.on_wire.as_ref().map_or(now, |(_, end)| now.max(*end));
        self.rate.end(free, self.counters.line_bytes).saturating_sub(now)
    }

    /// Packets and bytes waiting.
    #[must_use]
    pub fn waiting(&self) -> (u64, u64) {
        (self.queue.packets(), self.queue.bytes())
    }

    /// Packets waiting or on the wire.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.queue.packets() + u64::from(self.on_wire.is_some())
    }

    /// Counters.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.counters.meter
    }

    /// The measurement window begins: the current backlog counts for the maximum.
    pub fn begin_window(&mut self, now: Time) {
        self.note_backlog(now);
    }

    /// The run ends: counts the packets still waiting and removes them.
    pub fn close(&mut self, now: Time) {
        let meter = &mut self.counters.meter;
        self.queue.drain(&mut |p| meter.wait_without_transmission(p.since, now, p.wire_bytes()));
        self.counters.line_bytes = 0;
    }
}
