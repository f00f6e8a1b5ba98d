//! A link with any queue discipline: an event per departure, in virtual or real time.

use eddyline_units::{Rate, Time};

use super::Meter;
use crate::queue::{Discipline, Queue, QueueParams, Site};
use crate::{Acknowledgement, Class, Ecn, Packet};

/// A packet with the moment it joined the queue and the host it belongs to.
#[derive(Debug)]
struct Stamped<P> {
    since: Time,
    host: u32,
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
    fn host(&self) -> u32 {
        self.host
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
    rate: Rate,
    queue: Queue<Stamped<P>>,
    on_wire: Option<(Stamped<P>, Time)>,
    /// Waited time of the packet on the wire.
    waited: Time,
    meter: Meter,
}

impl<P: Packet> StoreLink<P> {
    /// An idle link.
    #[must_use]
    pub fn new(queue: &QueueParams, site: &Site<'_>, meter: Meter) -> Self {
        Self { rate: site.rate, queue: queue.build(site), on_wire: None, waited: Time::ZERO, meter }
    }

    /// Offers a packet of `host`; `dropped` hears of those that the queue drops for it, the packet itself among them.
    /// Gives whether it was taken in.
    pub fn offer(&mut self, now: Time, host: u32, packet: P, dropped: &mut dyn FnMut(P)) -> bool {
        self.meter.offered_bytes += u64::from(packet.wire_bytes());
        let packet = Stamped { since: now, host, marked: false, packet };
        if self.on_wire.is_none() && self.queue.passes_when_idle() && self.queue.packets() == 0 {
            self.transmit(now, packet);
            return true;
        }
        let meter = &mut self.meter;
        let refused = self.queue.enqueue(now, packet, &mut |p| dropped(discard(meter, now, p)));
        let taken = refused.is_ok();
        if let Err(packet) = refused {
            dropped(discard(meter, now, packet));
        }
        if self.on_wire.is_none() {
            self.start(now, dropped);
        }
        self.meter.level(now, self.queue.packets(), self.queue.bytes());
        taken
    }

    fn transmit(&mut self, now: Time, packet: Stamped<P>) {
        let end = now.saturating_add(self.rate.transmission_time(u64::from(packet.wire_bytes())));
        self.meter.wait(packet.since, now, packet.wire_bytes());
        self.meter.transmission(end, packet.wire_bytes(), packet.class(), packet.payload_bytes());
        self.meter.marks += u64::from(packet.marked);
        self.waited = now - packet.since;
        self.on_wire = Some((packet, end));
    }

    fn start(&mut self, now: Time, dropped: &mut dyn FnMut(P)) {
        let meter = &mut self.meter;
        if let Some(packet) = self.queue.dequeue(now, &mut |p| dropped(discard(meter, now, p))) {
            self.transmit(now, packet);
        }
    }

    /// When [`advance`](Self::advance) has something to do: the end of a transmission, or a packet that the discipline
    /// holds back until then; [`Time::MAX`] if nothing.
    #[must_use]
    pub fn due(&self) -> Time {
        match &self.on_wire {
            Some((_, end)) => *end,
            None => self.queue.next_wake().unwrap_or(Time::MAX),
        }
    }

    /// A moment that [`due`](Self::due) named has come: ends a transmission, starts the next. Gives the packet that was
    /// transmitted, if one was, and how long it had waited.
    pub fn advance(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<(P, Time)> {
        let left = self.on_wire.take_if(|(_, end)| *end <= now).map(|(p, _)| (p.packet, self.waited));
        if self.on_wire.is_none() {
            self.start(now, dropped);
        }
        left
    }

    /// How long a packet that arrives now would wait behind what is queued, in order of arrival.
    #[must_use]
    pub fn backlog(&self, now: Time) -> Time {
        let rest = self.on_wire.as_ref().map_or(Time::ZERO, |(_, end)| end.saturating_sub(now));
        rest.saturating_add(self.rate.transmission_time(self.queue.bytes()))
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
        &self.meter
    }

    /// The summary window begins: what waits now counts for the maximum.
    pub fn begin_window(&mut self, now: Time) {
        self.meter.level(now, self.queue.packets(), self.queue.bytes());
    }

    /// The run ends: what still waits is counted and let go.
    pub fn close(&mut self, now: Time) {
        let meter = &mut self.meter;
        self.queue.drain(&mut |p| meter.wait_in_vain(p.since, now, p.wire_bytes()));
    }
}

/// A packet that the queue drops, with its wait counted.
fn discard<P: Packet>(meter: &mut Meter, now: Time, packet: Stamped<P>) -> P {
    meter.wait_in_vain(packet.since, now, packet.wire_bytes());
    meter.drop(packet.wire_bytes(), packet.class());
    packet.packet
}
