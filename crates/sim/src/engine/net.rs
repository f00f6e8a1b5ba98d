//! What lies between the end points: links, and constant-delay pipes behind them.
//!
//! A pipe is a ring in order of time, so only its head is an event. A drop-tail link knows a packet's departure when it
//! arrives and needs no event of its own; any other link has one per departure.

use std::collections::{HashMap, VecDeque};

use eddyline_path::framing::Framing;
use eddyline_path::link::{FifoLink, Medium, Meter, StoreLink};
use eddyline_path::loss::Loss;
use eddyline_path::queue::{QueueParams, Site};
use eddyline_path::{Class, Packet as _};
use eddyline_scenario::Network;
use eddyline_units::{Rate, Time};

use super::packet::{Kind, Packet};
use super::tournament::Tournament;
use crate::record::{LogEvent, PacketLogger};
use crate::tcp::{Carried, SackBlocks, Store};

/// One link of one path, with what the packets of that path need there.
#[derive(Debug, Clone, Copy)]
struct Hop {
    link: u32,
    pipe: u32,
    /// Transmission time of a packet of `full` bytes.
    full_time: Time,
    full: u32,
    last: bool,
}

#[derive(Debug)]
enum Transmitter {
    Fifo(Box<FifoLink>),
    /// Drop-tail too, where packets take more on the line than their own bytes.
    Framed(Box<FifoLink>),
    Store(Box<StoreLink<Packet>>),
    /// One link of a half-duplex medium, by the places of both.
    Shared {
        medium: u32,
        member: u32,
    },
}

/// A half-duplex medium with the links that share it; its events are those of the first.
#[derive(Debug)]
struct Shared {
    medium: Medium<Packet>,
    links: Vec<u32>,
}

#[derive(Debug)]
struct Link {
    transmitter: Transmitter,
    rate: Rate,
    framing: Framing,
    loss: Loss,
    lost: u64,
}

#[derive(Debug)]
struct Pipe {
    delay: Time,
    ring: VecDeque<(Time, Packet)>,
}

/// Packets over the whole run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    pub sent: u64,
    pub delivered: u64,
    pub dropped: u64,
}

/// Links, pipes and the packets in them.
#[derive(Debug)]
pub struct Net {
    links: Vec<Link>,
    media: Vec<Shared>,
    pipes: Vec<Pipe>,
    hops: Vec<Hop>,
    /// Host of each source of packets, guests as they come.
    hosts: Vec<u32>,
    /// Leaves: transmitters that need events (as many as links, first), then pipes.
    events: Tournament,
    /// Packets of unresponsive traffic that were dropped or lost, by source; grows with the first.
    cross_dropped: Vec<u64>,
    /// What queues have dropped during the present event, with their links; empty between events.
    discarded: Vec<(u32, Packet)>,
    pub count: Count,
    pub sacks: Store<SackBlocks>,
    pub carried: Store<Carried>,
    pub logger: Option<Box<PacketLogger>>,
}

/// Collects hops and pipes while the network is laid out.
#[derive(Debug, Default)]
pub struct Layout {
    hops: Vec<Hop>,
    pipes: Vec<Pipe>,
    pipe_of: HashMap<(u32, Time), u32>,
    path_of: HashMap<(Vec<u32>, Time, u32), u32>,
}

impl Layout {
    /// Lays out a path for packets of `full` bytes with `access` delay at its end; gives its first hop.
    pub fn path(&mut self, network: &Network, links: &[u32], access: Time, full: u32) -> u32 {
        let key = (links.to_vec(), access, full);
        if let Some(first) = self.path_of.get(&key) {
            return *first;
        }
        let first = self.hops.len() as u32;
        for (i, l) in links.iter().enumerate() {
            let link = &network.links[*l as usize];
            let last = i + 1 == links.len();
            let extra = if last { access } else { Time::ZERO };
            let next = self.pipes.len() as u32;
            let pipe = *self.pipe_of.entry((*l, extra)).or_insert(next);
            if pipe == next {
                self.pipes.push(Pipe { delay: link.delay.saturating_add(extra), ring: VecDeque::new() });
            }
            let full_time = link.transmission_time(full);
            self.hops.push(Hop { link: *l, pipe, full_time, full, last });
        }
        self.path_of.insert(key, first);
        first
    }
}

/// A packet reached the end of its path.
#[derive(Debug)]
pub struct Arrival {
    pub packet: Packet,
}

impl Net {
    /// The network's links, idle, with the paths that `layout` holds.
    pub fn new(network: &Network, layout: Layout, general_queues: bool, logger: Option<Box<PacketLogger>>) -> Self {
        let shared =
            |m: &eddyline_scenario::network::Medium| Shared { medium: Medium::new(m.turnaround), links: Vec::new() };
        let mut media: Vec<Shared> = network.media.iter().map(shared).collect();
        let links = network.links.iter().zip(0..).map(|(l, index)| {
            let meter = Meter::new(network.warmup, network.duration);
            let store = |meter| {
                let site = Site { rate: l.rate, seed: network.seed, name: &l.name };
                StoreLink::new(&l.queue, &site, l.framing, meter)
            };
            let transmitter = match (l.medium, l.queue) {
                (Some(medium), _) => {
                    let shared = &mut media[medium as usize];
                    shared.links.push(index);
                    Transmitter::Shared { medium, member: shared.medium.join(store(meter)) as u32 }
                }
                (None, QueueParams::DropTail(p)) if !general_queues => {
                    let fifo = Box::new(FifoLink::new(p.limit, meter));
                    if l.framing.is_none() { Transmitter::Fifo(fifo) } else { Transmitter::Framed(fifo) }
                }
                (None, _) => Transmitter::Store(Box::new(store(meter))),
            };
            let loss = Loss::new(l.loss, network.seed, &l.name);
            Link { transmitter, rate: l.rate, framing: l.framing, loss, lost: 0 }
        });
        let links: Vec<Link> = links.collect();
        let sources = network.flows.iter().map(|f| f.host).chain(network.traffic.iter().map(|t| t.host));
        let events = Tournament::new(links.len() + layout.pipes.len());
        Self {
            links,
            media,
            pipes: layout.pipes,
            hops: layout.hops,
            hosts: sources.collect(),
            events,
            cross_dropped: Vec::new(),
            discarded: Vec::new(),
            count: Count::default(),
            sacks: Store::default(),
            carried: Store::default(),
            logger,
        }
    }

    /// The next event and its source.
    #[inline]
    pub fn next_event(&self) -> (Time, u32) {
        self.events.first()
    }

    /// A packet leaves its source.
    #[inline]
    pub fn send(&mut self, now: Time, packet: Packet) {
        self.count.sent += 1;
        if let Some(log) = &mut self.logger {
            log.note(now, LogEvent::Send, &packet, None);
        }
        self.offer(now, packet);
    }

    /// The packets of source `number` are those of `host` from now on.
    pub fn house(&mut self, number: u32, host: u32) {
        let number = number as usize;
        if self.hosts.len() <= number {
            self.hosts.resize(number + 1, 0);
        }
        self.hosts[number] = host;
    }

    /// A packet joins the queue of its next link.
    #[inline]
    fn offer(&mut self, now: Time, mut packet: Packet) {
        let hop = self.hops[packet.hop as usize];
        let link = &mut self.links[hop.link as usize];
        match &mut link.transmitter {
            Transmitter::Fifo(fifo) => {
                let time = if packet.bytes == hop.full {
                    hop.full_time
                } else {
                    link.rate.transmission_time(packet.bytes.into())
                };
                let Some(leaves) = fifo.offer(now, time, packet.bytes, packet.class(), packet.payload()) else {
                    self.drop(now, &packet, hop.link);
                    return;
                };
                packet.waited += leaves.start - now;
                if link.loss.takes(packet.class()) {
                    packet.flags.set_lost();
                }
                self.note(now, LogEvent::Enqueue, &packet, hop.link);
                self.fly(leaves.end, packet, hop.pipe);
            }
            _ => self.offer_elsewhere(now, packet, hop),
        }
    }

    /// The same for links that are no plain drop-tail ones; apart, so that those stay short.
    #[inline(never)]
    fn offer_elsewhere(&mut self, now: Time, mut packet: Packet, hop: Hop) {
        let link = &mut self.links[hop.link as usize];
        let host = self.hosts.get(packet.flow as usize).copied().unwrap_or(0);
        let discarded = &mut self.discarded;
        let taken = match &mut link.transmitter {
            Transmitter::Fifo(_) => return,
            Transmitter::Framed(fifo) => {
                let line = link.framing.line_bytes(packet.bytes);
                let time = if packet.bytes == hop.full { hop.full_time } else { link.rate.transmission_time(line) };
                let (class, payload) = (packet.class(), packet.payload());
                let Some(leaves) = fifo.offer_framed(now, time, packet.bytes, line, class, payload) else {
                    return self.drop(now, &packet, hop.link);
                };
                packet.waited += leaves.start - now;
                if link.loss.takes(class) {
                    packet.flags.set_lost();
                }
                self.note(now, LogEvent::Enqueue, &packet, hop.link);
                return self.fly(leaves.end, packet, hop.pipe);
            }
            Transmitter::Store(store) => {
                let taken = store.offer(now, host, packet, &mut |p| discarded.push((hop.link, p)));
                self.events.set(hop.link, store.due());
                taken
            }
            Transmitter::Shared { medium, member } => {
                let Shared { medium, links } = &mut self.media[*medium as usize];
                let mut dropped = |m: usize, p| discarded.push((links[m], p));
                let taken = medium.offer(now, *member as usize, host, packet, &mut dropped);
                self.events.set(links[0], medium.due());
                taken
            }
        };
        if taken {
            self.note(now, LogEvent::Enqueue, &packet, hop.link);
        }
        self.drop_discarded(now);
    }

    /// Counts what queues have just dropped.
    fn drop_discarded(&mut self, now: Time) {
        while let Some((link, packet)) = self.discarded.pop() {
            self.drop(now, &packet, link);
        }
    }

    #[inline]
    fn note(&mut self, now: Time, event: LogEvent, packet: &Packet, link: u32) {
        if let Some(log) = &mut self.logger {
            log.note(now, event, packet, Some(link));
        }
    }

    #[cold]
    fn drop(&mut self, now: Time, packet: &Packet, link: u32) {
        self.count_drop(packet);
        self.note(now, LogEvent::Drop, packet, link);
        self.forget_sack(packet);
    }

    fn count_drop(&mut self, packet: &Packet) {
        self.count.dropped += 1;
        if packet.kind == Kind::Cross {
            let source = packet.flow as usize;
            if self.cross_dropped.len() <= source {
                self.cross_dropped.resize(source + 1, 0);
            }
            self.cross_dropped[source] += 1;
        }
    }

    /// Packets of unresponsive source `number` that were dropped or lost.
    pub fn cross_drops(&self, number: u32) -> u64 {
        self.cross_dropped.get(number as usize).copied().unwrap_or(0)
    }

    /// A packet arrived for a flow that has left.
    pub fn ignore(&mut self, packet: &Packet) {
        self.forget_sack(packet);
    }

    fn forget_sack(&mut self, packet: &Packet) {
        let _: Option<SackBlocks> = self.take_blocks(packet);
        let _: Option<Carried> = self.take_carried(packet);
    }

    /// The SACK blocks of an acknowledgement, which is on its way no more.
    #[inline]
    pub fn take_blocks(&mut self, packet: &Packet) -> Option<SackBlocks> {
        (packet.kind == Kind::Ack && packet.extra != Packet::NO_SACK).then(|| self.sacks.take(packet.extra))
    }

    /// The acknowledgement that a data packet carries, which is on its way no more.
    pub fn take_carried(&mut self, packet: &Packet) -> Option<Carried> {
        let place = packet.aside.carried().filter(|_| packet.kind == Kind::Data)?;
        Some(self.carried.take(place))
    }

    /// A packet leaves its link at `departure` and enters the pipe behind it.
    #[inline]
    fn fly(&mut self, departure: Time, packet: Packet, pipe: u32) {
        let place = &mut self.pipes[pipe as usize];
        let at = departure.saturating_add(place.delay);
        if place.ring.is_empty() {
            self.events.set(self.links.len() as u32 + pipe, at);
        }
        place.ring.push_back((at, packet));
    }

    /// The event of `source` happens; gives the packet that reached the end of its path, if one did.
    #[inline]
    pub fn happen(&mut self, now: Time, source: u32) -> Option<Arrival> {
        let links = self.links.len() as u32;
        if source < links {
            self.departure(now, source);
            return None;
        }
        let pipe = &mut self.pipes[(source - links) as usize];
        let (_, mut packet) = pipe.ring.pop_front()?;
        let next = pipe.ring.front().map_or(Time::MAX, |(at, _)| *at);
        self.events.set(source, next);
        let hop = self.hops[packet.hop as usize];
        if packet.flags.lost() {
            self.lose(now, &packet, hop.link);
            return None;
        }
        if !hop.last {
            packet.hop += 1;
            self.offer(now, packet);
            return None;
        }
        self.count.delivered += 1;
        self.note_receive(now, &packet);
        Some(Arrival { packet })
    }

    #[inline]
    fn note_receive(&mut self, now: Time, packet: &Packet) {
        if let Some(log) = &mut self.logger {
            log.note(now, LogEvent::Receive, packet, None);
        }
    }

    #[cold]
    fn lose(&mut self, now: Time, packet: &Packet, link: u32) {
        self.count_drop(packet);
        self.links[link as usize].lost += 1;
        self.note(now, LogEvent::Lost, packet, link);
        self.forget_sack(packet);
    }

    /// A transmission of a link with its own events, or of a medium's, ends.
    fn departure(&mut self, now: Time, index: u32) {
        let discarded = &mut self.discarded;
        let left = match &mut self.links[index as usize].transmitter {
            Transmitter::Fifo(_) | Transmitter::Framed(_) => return,
            Transmitter::Store(store) => {
                let left = store.advance(now, &mut |p| discarded.push((index, p)));
                self.events.set(index, store.due());
                left.map(|(packet, waited)| (index, packet, waited))
            }
            Transmitter::Shared { medium, .. } => {
                let Shared { medium, links } = &mut self.media[*medium as usize];
                let left = medium.advance(now, &mut |m, p| discarded.push((links[m], p)));
                self.events.set(index, medium.due());
                left.map(|(member, packet, waited)| (links[member], packet, waited))
            }
        };
        if let Some((link, mut packet, waited)) = left {
            packet.waited += waited;
            if self.links[link as usize].loss.takes(packet.class()) {
                packet.flags.set_lost();
            }
            let pipe = self.hops[packet.hop as usize].pipe;
            self.fly(now, packet, pipe);
        }
        self.drop_discarded(now);
    }

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
            if let Transmitter::Fifo(f) | Transmitter::Framed(f) = &mut link.transmitter {
                f.begin_window(now);
            }
        }
        self.stores().for_each(|s| s.begin_window(now));
    }

    /// The run ends.
    pub fn close(&mut self, now: Time) {
        self.stores().for_each(|s| s.close(now));
    }

    /// Packets in queues, on the wire and in pipes.
    pub fn in_flight(&self) -> u64 {
        let held = self.links.iter().map(|l| match &l.transmitter {
            Transmitter::Store(s) => s.held(),
            _ => 0,
        });
        let shared = self.media.iter().flat_map(|m| m.medium.members()).map(StoreLink::held);
        let flying = self.pipes.iter().map(|p| p.ring.len() as u64);
        held.sum::<u64>() + shared.sum::<u64>() + flying.sum::<u64>()
    }

    /// A link that shares a medium.
    fn member(&self, medium: u32, member: u32) -> &StoreLink<Packet> {
        &self.media[medium as usize].medium.members()[member as usize]
    }

    /// How long a packet that arrives at `link` now would wait, were the link's medium its own.
    pub fn backlog(&self, now: Time, link: u32) -> Time {
        match &self.links[link as usize].transmitter {
            Transmitter::Fifo(f) | Transmitter::Framed(f) => f.backlog(now),
            Transmitter::Store(s) => s.backlog(now),
            Transmitter::Shared { medium, member } => self.member(*medium, *member).backlog(now),
        }
    }

    /// Packets and bytes waiting at `link` now.
    pub fn waiting(&mut self, now: Time, link: u32) -> (u64, u64) {
        if let Transmitter::Fifo(f) | Transmitter::Framed(f) = &mut self.links[link as usize].transmitter {
            f.settle(now);
        }
        self.settled(link)
    }

    /// Packets and bytes waiting at `link` when it was last settled.
    fn settled(&self, link: u32) -> (u64, u64) {
        match &self.links[link as usize].transmitter {
            Transmitter::Fifo(f) | Transmitter::Framed(f) => f.waiting(),
            Transmitter::Store(s) => s.waiting(),
            Transmitter::Shared { medium, member } => self.member(*medium, *member).waiting(),
        }
    }

    /// Counters of a link, and how many packets its loss took.
    pub fn meter(&self, link: usize) -> (&Meter, u64) {
        let l = &self.links[link];
        let meter = match &l.transmitter {
            Transmitter::Fifo(f) | Transmitter::Framed(f) => f.meter(),
            Transmitter::Store(s) => s.meter(),
            Transmitter::Shared { medium, member } => self.member(*medium, *member).meter(),
        };
        (meter, l.lost)
    }

    /// Bits that arrived at `link` so far, and bits that it has put on the wire, in packets' own bytes. The packet in
    /// transmission counts in part, with framing whole; settle the link first.
    pub fn carried_bits(&self, now: Time, link: usize) -> (f64, f64) {
        let (meter, _) = self.meter(link);
        let arrived = meter.offered_bytes as f64 * 8.0;
        let waiting = if self.links[link].framing.is_none() {
            self.backlog(now, link as u32).as_secs_f64() * self.links[link].rate.as_bps() as f64
        } else {
            self.settled(link as u32).1 as f64 * 8.0
        };
        (arrived, arrived - meter.dropped_bytes as f64 * 8.0 - waiting)
    }

    /// Drops of a link so far, all classes.
    pub fn drops(&self, link: usize) -> u64 {
        let (meter, _) = self.meter(link);
        meter.drops[Class::Data as usize] + meter.drops[Class::Ack as usize] + meter.drops[Class::Cross as usize]
    }
}
