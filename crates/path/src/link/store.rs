//! A link with any queue discipline: an event per departure, in virtual or real time.

use eddyline_units::{Rate, Time};

use super::Meter;
use crate::queue::{Discipline, Queue, QueueParams};
use crate::{Class, Packet};

/// A packet with the moment it joined the queue.
#[derive(Debug)]
struct Stamped<P> {
    since: Time,
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
}

/// What became of an offered packet.
#[derive(Debug)]
pub enum Offer<P> {
    /// The transmitter was idle: it is on the wire until then.
    Started(Time),
    /// It waits.
    Queued,
    /// This packet was dropped.
    Dropped(P),
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
    pub fn new(rate: Rate, queue: &QueueParams, meter: Meter) -> Self {
        Self { rate, queue: queue.build(), on_wire: None, waited: Time::ZERO, meter }
    }

    /// Offers a packet.
    pub fn offer(&mut self, now: Time, packet: P) -> Offer<P> {
        self.meter.offered_bytes += u64::from(packet.wire_bytes());
        let packet = Stamped { since: now, packet };
        if self.on_wire.is_none() {
            return Offer::Started(self.transmit(now, packet));
        }
        match self.queue.enqueue(now, packet) {
            Ok(()) => {
                self.meter.level(now, self.queue.packets(), self.queue.bytes());
                Offer::Queued
            }
            Err(dropped) => {
                self.meter.drop(dropped.wire_bytes(), dropped.class());
                Offer::Dropped(dropped.packet)
            }
        }
    }

    fn transmit(&mut self, now: Time, packet: Stamped<P>) -> Time {
        let end = now.saturating_add(self.rate.transmission_time(u64::from(packet.wire_bytes())));
        self.meter.wait(packet.since, now, packet.wire_bytes());
        self.meter.transmission(end, packet.wire_bytes(), packet.class(), packet.payload_bytes());
        self.waited = now - packet.since;
        self.on_wire = Some((packet, end));
        end
    }

    /// The transmission that ends `now` is over: gives the packet and how long it had waited. Call
    /// [`next`](Self::next) afterwards.
    pub fn transmitted(&mut self) -> Option<(P, Time)> {
        self.on_wire.take().map(|(p, _)| (p.packet, self.waited))
    }

    /// Starts the next transmission if a packet waits; gives the moment it ends.
    pub fn next(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<Time> {
        let meter = &mut self.meter;
        let mut hear = |p: Stamped<P>| {
            meter.drop(p.wire_bytes(), p.class());
            dropped(p.packet);
        };
        let packet = self.queue.dequeue(now, &mut hear)?;
        Some(self.transmit(now, packet))
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
        while let Some(p) = self.queue.dequeue(now, &mut |_| {}) {
            meter.wait_open(p.since, p.wire_bytes());
        }
    }
}
