//! Readings of links during a run and at its end.

use eddyline_path::Class;
use eddyline_path::link::{Meter, Origin, StoreLink};
use eddyline_units::Time;

use super::{Net, Transmitter};
use crate::packet::{Packet, PacketKind};

/// The counters of a link at a moment.
#[derive(Debug, Clone, Copy)]
pub struct LinkCounts {
    /// Packets and bytes that wait.
    pub waiting: (u64, u64),
    /// Bits that have arrived, and bits that have been transmitted.
    pub carried: (f64, f64),
    /// Packets dropped.
    pub drops: u64,
}

/// Where a packet would wait.
#[derive(Debug, Clone, Copy)]
pub struct WaitingPlace {
    /// The link, by its number here.
    pub link: u32,
    /// The packet, if its wait depends on its flow or class.
    pub of: Option<(Origin, Packet)>,
}

impl Net {
    /// The links that store packets.
    fn stores(&mut self) -> impl Iterator<Item = &mut StoreLink<Packet>> {
        let own = self.links.iter_mut().filter_map(|l| match &mut l.transmitter {
            Transmitter::Store(s) => Some(&mut **s),
            _ => None,
        });
        own.chain(self.media.iter_mut().flat_map(|m| m.medium.members_mut()))
    }

    /// The summary window begins.
    pub fn begin_window(&mut self, now: Time) {
        for link in &mut self.links {
            if let Transmitter::Fifo(f) | Transmitter::FramedFifo(f) = &mut link.transmitter {
                f.begin_window(now);
            }
        }
        self.stores().for_each(|s| s.begin_window(now));
    }

    /// The run ends: no packet is on its way any more.
    pub fn close(&mut self, now: Time) {
        self.stores().for_each(|s| s.close(now));
        self.pipes.close();
    }

    /// Packets in queues, on the wire and in pipes.
    pub fn in_flight(&self) -> u64 {
        let held = self.links.iter().map(|l| match &l.transmitter {
            Transmitter::Store(s) => s.held(),
            _ => 0,
        });
        let shared = self.media.iter().flat_map(|m| m.medium.members()).map(StoreLink::held);
        let reconstructed = self.link_options.iter().filter_map(|l| l.reconstructor.as_ref()).map(|r| r.0.held());
        held.sum::<u64>() + shared.sum::<u64>() + reconstructed.sum::<u64>() + self.pipes.packets()
    }

    /// A link that shares a medium.
    fn member(&self, medium: u32, member: u32) -> &StoreLink<Packet> {
        &self.media[medium as usize].medium.members()[member as usize]
    }

    /// How long a packet that arrives at `link` now would wait if the link did not share its medium.
    pub fn backlog(&self, now: Time, link: u32) -> Time {
        match &self.links[link as usize].transmitter {
            Transmitter::Fifo(f) | Transmitter::FramedFifo(f) => f.backlog(now),
            Transmitter::Store(s) => s.backlog(now),
            Transmitter::Shared { medium, member } => self.member(*medium, *member).backlog(now),
        }
    }

    /// How long a packet would wait that arrives at the link of `place` now.
    pub fn wait(&self, now: Time, place: &WaitingPlace) -> Time {
        let store = match &self.links[place.link as usize].transmitter {
            Transmitter::Fifo(_) | Transmitter::FramedFifo(_) => return self.backlog(now, place.link),
            Transmitter::Store(s) => s,
            Transmitter::Shared { medium, member } => self.member(*medium, *member),
        };
        match place.of {
            Some((origin, packet)) => store.wait_of(now, origin, packet),
            None => store.wait(now),
        }
    }

    /// Packets and bytes waiting at `link` now.
    pub fn waiting(&mut self, now: Time, link: u32) -> (u64, u64) {
        if let Transmitter::Fifo(f) | Transmitter::FramedFifo(f) = &mut self.links[link as usize].transmitter {
            f.settle(now);
        }
        self.settled(link)
    }

    /// Packets and bytes waiting at `link` when it was last settled.
    fn settled(&self, link: u32) -> (u64, u64) {
        match &self.links[link as usize].transmitter {
            Transmitter::Fifo(f) | Transmitter::FramedFifo(f) => f.waiting(),
            Transmitter::Store(s) => s.waiting(),
            Transmitter::Shared { medium, member } => self.member(*medium, *member).waiting(),
        }
    }

    /// Counters of a link, and the number of packets that its loss took.
    pub fn meter(&self, link: usize) -> (&Meter, u64) {
        let l = &self.links[link];
        let meter = match &l.transmitter {
            Transmitter::Fifo(f) | Transmitter::FramedFifo(f) => f.meter(),
            Transmitter::Store(s) => s.meter(),
            Transmitter::Shared { medium, member } => self.member(*medium, *member).meter(),
        };
        (meter, l.lost)
    }

    /// Packets that a link has damaged, if it damages any.
    pub fn corrupted(&self, link: usize) -> Option<u64> {
        let options = &self.link_options[link];
        options.corruption.is_some().then_some(options.corrupted)
    }

    /// Packets of data and cross traffic of which a part has arrived at the end of their path by `now`: number of the source, and bytes
    /// of that part. Those in pipes, of which a link that transmits one packet at a time has at most one, and those still on links. A
    /// packet that is lost or damaged does not arrive. With jitter the parts are approximate, as the arrival is not known before the
    /// transmission ends.
    pub fn partial_packets(&self, now: Time) -> [Vec<(u32, f64)>; 2] {
        let heads = self.pipes.heads().filter(|(_, packet)| !packet.flags.impaired());
        // its last part may not have left a link whose delay is shorter than the transmission
        let own = self
            .links
            .iter()
            .filter_map(|l| if let Transmitter::Store(s) = &l.transmitter { Some(&**s) } else { None });
        let shared = self.media.iter().flat_map(|m| m.medium.members());
        let transmitting = own
            .chain(shared)
            .filter_map(StoreLink::transmitting)
            .filter(|(packet, end)| *end < Time::MAX && !self.impairs(packet, *end))
            .map(|(packet, end)| {
                let pipe = self.hops[packet.hop as usize].pipe;
                (end.saturating_add(self.pipes.delay(pipe)), packet)
            });
        let part = |(at, packet)| self.arrived_part(now, at, packet);
        [heads.filter_map(part).collect(), transmitting.filter_map(part).collect()]
    }

    /// Whether a packet is lost or damaged, at the latest by the link whose transmission of it ends at `end`; that draws the same random
    /// numbers then.
    fn impairs(&self, packet: &Packet, end: Time) -> bool {
        let hop = self.hops[packet.hop as usize];
        let (link, options) = (&self.links[hop.link as usize], &self.link_options[hop.link as usize]);
        let varying = options.propagation.as_ref().and_then(|p| p.0.clone().loses(end));
        packet.flags.impaired()
            || varying.unwrap_or_else(|| link.loss.clone().takes(packet.kind.class()))
            || options.corruption.as_ref().is_some_and(|c| c.as_ref().clone().damages())
    }

    /// The part of a packet, entirely there `at`, that has arrived at the end of its path by `now`, if any.
    fn arrived_part(&self, now: Time, at: Time, packet: &Packet) -> Option<(u32, f64)> {
        let hop = self.hops[packet.hop as usize];
        if !hop.last || !matches!(packet.kind, PacketKind::Data | PacketKind::Cross) {
            return None;
        }
        let delay = self.pipes.delay(hop.pipe);
        let (from, to) = (now.saturating_sub(delay), at.saturating_sub(delay));
        let left = match &self.links[hop.link as usize].transmitter {
            Transmitter::Fifo(_) | Transmitter::FramedFifo(_) => {
                self.links[hop.link as usize].rate.as_bps() as f64 * to.saturating_sub(from).as_secs_f64()
            }
            Transmitter::Store(s) => s.capacity_bits(from, to),
            Transmitter::Shared { medium, member } => self.member(*medium, *member).capacity_bits(from, to),
        };
        let bits = self.link_options[hop.link as usize].framing.line_bytes(packet.bytes) as f64 * 8.0;
        (left < bits).then(|| (packet.flow, (1.0 - left / bits) * f64::from(packet.bytes)))
    }

    /// Bits that arrived at `link` so far, and bits that it has transmitted, without framing. The packet in transmission counts in
    /// part, on a steady link with framing as a whole; call [`waiting`](Self::waiting) first.
    fn carried_bits(&self, now: Time, link: usize) -> (f64, f64) {
        let (meter, _) = self.meter(link);
        let arrived = meter.offered_bytes as f64 * 8.0;
        let options = &self.link_options[link];
        let waiting = || self.settled(link as u32).1 as f64 * 8.0;
        let left = match (options.framing.is_none(), options.propagation.is_none()) {
            (true, true) => self.backlog(now, link as u32).as_secs_f64() * self.links[link].rate.as_bps() as f64,
            (false, true) => waiting(),
            (_, false) => waiting() + self.untransmitted_bits(now, link),
        };
        (arrived, arrived - meter.dropped_bytes as f64 * 8.0 - left)
    }

    /// Bits of the packet in transmission on a link that varies that it has yet to transmit, without framing.
    fn untransmitted_bits(&self, now: Time, link: usize) -> f64 {
        let store = match &self.links[link].transmitter {
            Transmitter::Fifo(_) | Transmitter::FramedFifo(_) => return 0.0,
            Transmitter::Store(s) => s,
            Transmitter::Shared { medium, member } => self.member(*medium, *member),
        };
        let Some((packet, end)) = store.transmitting() else { return 0.0 };
        let line_bits = self.link_options[link].framing.line_bytes(packet.bytes) as f64 * 8.0;
        // what never ends does not count
        let share = if end < Time::MAX { (store.capacity_bits(now, end) / line_bits).min(1.0) } else { 1.0 };
        share * f64::from(packet.bytes) * 8.0
    }

    /// The counters of a link.
    pub fn link_counts(&mut self, now: Time, link: usize) -> LinkCounts {
        let waiting = self.waiting(now, link as u32);
        LinkCounts { waiting, carried: self.carried_bits(now, link), drops: self.drops(link) }
    }

    /// Drops of a link so far, all classes.
    fn drops(&self, link: usize) -> u64 {
        let (meter, _) = self.meter(link);
        meter.drops[Class::Data as usize] + meter.drops[Class::Ack as usize] + meter.drops[Class::Cross as usize]
    }
}
