//! A link: queue and transmitter, then propagation.

use std::collections::VecDeque;

use eddyline_path::link::{Meter, Origin, StoreLink};
use eddyline_path::loss::Loss;
use eddyline_path::variation::{Policer, Propagation};
use eddyline_path::{Class, Packet as _};
use eddyline_scenario::Network;
use eddyline_units::Time;

use super::packet::LivePacket;

/// A link with the packets on it.
#[derive(Debug)]
pub struct LiveLink {
    /// Its place in the network.
    pub index: usize,
    /// Packets lost on the wire.
    pub lost: u64,
    /// Bytes whose transmission has ended.
    pub departed_bytes: u64,
    store: StoreLink<LivePacket>,
    policer: Option<Policer>,
    loss: Loss,
    propagation: Option<Propagation>,
    delay: Time,
    /// Packets in propagation by time of arrival.
    propagating: VecDeque<(Time, LivePacket)>,
}

impl LiveLink {
    /// The idle link with this place in the network.
    #[must_use]
    pub fn new(network: &Network, index: usize) -> Self {
        let link = &network.links[index];
        let meter = Meter::new(network.warmup, network.duration);
        Self {
            index,
            lost: 0,
            departed_bytes: 0,
            store: StoreLink::new(&link.queue, &link.context(network.seed), meter),
            policer: link.variation.policer.map(Policer::new),
            loss: Loss::new(link.loss, network.seed, &link.name),
            propagation: Propagation::new(&link.variation, link.delay, network.seed, &link.name),
            delay: link.delay,
            propagating: VecDeque::new(),
        }
    }

    /// Counters.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        self.store.meter()
    }

    /// Packets and bytes waiting.
    #[must_use]
    pub fn waiting(&self) -> (u64, u64) {
        self.store.waiting()
    }

    /// Packets waiting or in transmission.
    #[must_use]
    pub fn transmitting(&self) -> u32 {
        self.store.held() as u32
    }

    /// Packets waiting, in transmission or in propagation.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.store.held() + self.propagating.len() as u64
    }

    /// A packet arrives at its queue.
    pub fn offer(&mut self, now: Time, packet: LivePacket, dropped: &mut dyn FnMut(LivePacket)) {
        if let Some(policer) = &mut self.policer
            && !policer.admits(now, packet.wire_bytes())
        {
            self.store.refuse(packet.wire_bytes(), packet.class());
            dropped(packet);
            return;
        }
        let origin = Origin { host: packet.host, hash: packet.flow() };
        self.store.offer(now, origin, packet, dropped);
    }

    /// When its queue or transmitter is due.
    #[must_use]
    pub fn due(&self) -> Time {
        self.store.due()
    }

    /// Ends the transmission that is due and starts the next; `dropped` gets what the queue drops and what the wire loses.
    pub fn advance(&mut self, now: Time, dropped: &mut dyn FnMut(LivePacket)) {
        let Some((mut packet, waited)) = self.store.advance(now, dropped) else { return };
        packet.waited += waited;
        self.departed_bytes += u64::from(packet.wire_bytes());
        let varying = self.propagation.as_mut().and_then(|p| p.loses(now));
        if varying.unwrap_or_else(|| self.loss.takes(packet.class())) {
            self.lost += 1;
            dropped(packet);
            return;
        }
        let at = match &mut self.propagation {
            Some(propagation) => propagation.arrival(now),
            None => now.saturating_add(self.delay),
        };
        let place = self.propagating.partition_point(|(earlier, _)| *earlier <= at);
        self.propagating.insert(place, (at, packet));
    }

    /// When the next packet reaches its far end.
    #[must_use]
    pub fn arrival(&self) -> Time {
        self.propagating.front().map_or(Time::MAX, |(at, _)| *at)
    }

    /// The packet that has reached its far end.
    pub fn arrived(&mut self) -> Option<LivePacket> {
        self.propagating.pop_front().map(|(_, packet)| packet)
    }

    /// The measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.store.begin_window(now);
    }

    /// The run ends.
    pub fn close(&mut self, now: Time) {
        self.store.close(now);
    }

    /// Packets dropped so far.
    #[must_use]
    pub fn drops(&self) -> u64 {
        self.meter().drops.iter().sum()
    }
}

/// Whether a packet counts as data in statistics.
#[must_use]
pub fn is_data(packet: &LivePacket) -> bool {
    packet.class() == Class::Data
}
