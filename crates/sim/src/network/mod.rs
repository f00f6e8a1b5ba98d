//! The network between endpoints: links, and constant-delay pipes behind them.
//!
//! A pipe is a ring in order of time, so only its head is an event. A drop-tail link knows a packet's departure when it
//! arrives and needs no event of its own; any other link has one per departure.

mod attachments;
mod domain;
mod event_queue;
mod interruption;
mod layout;
mod nic_queue;
mod pipes;
mod readings;

pub use domain::{Crossing, Domains, TRANSIT};
pub use event_queue::EventQueue;
pub use interruption::Interruption;
pub use layout::{Layout, Plan};
pub use readings::{LinkCounts, WaitingPlace};

use std::sync::Arc;

use eddyline_path::Packet as _;
use eddyline_path::corruption::Corruption;
use eddyline_path::framing::Framing;
use eddyline_path::link::{AckReconstructor, FifoLink, Medium, Origin, Released, Reservations, StoreLink};
use eddyline_path::loss::Loss;
use eddyline_path::variation::{Policer, Propagation};
use eddyline_units::{Rate, Time};

use self::attachments::Attachments;
use self::domain::Border;
use self::pipes::Pipes;
use crate::meter::{LogEvent, LogRecord, PacketLogger};
use crate::packet::{AckOptions, Packet, PacketHead, PacketKind, PacketSink, PiggybackedAck};

/// One link of one path, with what packets of that path need at it.
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
    /// Drop-tail with nothing else.
    Fifo(Box<FifoLink>),
    /// Drop-tail with link-layer framing, a policer, corruption or a log of its packets.
    FramedFifo(Box<FifoLink>),
    Store(Box<StoreLink<Packet>>),
    /// One link of a half-duplex medium, by the indices of both.
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
    loss: Loss,
    lost: u64,
}

/// Options that few links have, separate from what every packet reads.
#[derive(Debug)]
struct LinkOptions {
    framing: Framing,
    /// Source of its departures, or of those of its medium, if they are events; see [`Net::events`].
    departures: u32,
    /// At its far end, with its place among [`Net::reconstructing`].
    reconstructor: Option<Box<(AckReconstructor<Packet>, u32)>>,
    /// In front of its queue.
    policer: Option<Box<Policer>>,
    /// If delay or loss vary; with the constant delay that its pipes have.
    propagation: Option<Box<(Propagation, Time)>>,
    corruption: Option<Box<Corruption>>,
    /// Packets damaged that have reached its far end.
    corrupted: u64,
    /// Senders that wait for room in this NIC queue.
    reservations: Reservations,
}

/// How long drops count against the memory, unless a packet arrives: no network forwards as many packets in it as memory holds.
const DROPS_COUNT_FOR: Time = Time::from_ms(1);

/// Packet counters over the whole run.
#[derive(Debug, Clone, Copy, Default)]
pub struct PacketCounters {
    pub sent: u64,
    pub delivered: u64,
    pub dropped: u64,
}

impl PacketCounters {
    /// Adds those of another part of the network.
    pub fn add(&mut self, other: Self) {
        self.sent += other.sent;
        self.delivered += other.delivered;
        self.dropped += other.dropped;
    }
}

/// Links, pipes and the packets in them.
#[derive(Debug)]
pub struct Net {
    /// Those of its own, then those of other domains from which packets arrive.
    links: Vec<Link>,
    /// Places in the network of the links of its own.
    own_links: Vec<u32>,
    /// In the order of the links.
    link_options: Vec<LinkOptions>,
    media: Vec<Shared>,
    pipes: Pipes,
    /// The last pipe that is not direct from which a packet came.
    last_pipe: u32,
    hops: Vec<Hop>,
    /// Origin of the packets of each source; grows with dynamic flows.
    origins: Vec<Origin>,
    /// If this is a part of a network.
    border: Option<Box<Border>>,
    /// Links with a reconstructor, in the order of their sources of events, which follow those of the pipes.
    reconstructing: Vec<u32>,
    /// Links with events of their own, in the order of their sources of events.
    departing: Vec<u32>,
    /// Sources: links with events of their own, then pipes, then reconstructors.
    events: EventQueue,
    /// Packets of cross traffic that were dropped or lost, by source; grows with the first.
    cross_dropped: Vec<u64>,
    /// Packets that queues have dropped during the current event, with their links; empty between events.
    discarded: Vec<(u32, Packet)>,
    pub counters: PacketCounters,
    /// The packets that the memory allows.
    pub max_packets: u64,
    /// Until when drops count against the memory, unless a packet arrives before, and the counts from which they do.
    drops_until: Time,
    counted_from: PacketCounters,
    /// Drops that counted when the memory was exceeded, if it was.
    pub excess_drops: Option<u64>,
    /// Asked during long bursts.
    pub interruption: Option<Arc<dyn Interruption>>,
    /// It was requested.
    pub is_interrupted: bool,
    attachments: Attachments,
    /// Endpoints of flows get damaged packets too, and find the damage by themselves; else a checksum drops them.
    pub delivers_corrupted: bool,
    pub logger: Option<Box<PacketLogger>>,
}

impl Net {
    /// The next event and its source.
    #[inline]
    pub fn next_event(&self) -> (Time, u32) {
        self.events.first()
    }

    /// Flow and kind of the packet that is behind the last one of a pipe that is not direct, if its path ends there.
    #[inline]
    pub fn next_arrival(&self) -> Option<(u32, PacketKind)> {
        let packet = self.pipes.first(self.last_pipe)?;
        self.hops[packet.hop as usize].last.then_some((packet.flow, packet.kind))
    }

    /// Packets in the network.
    #[inline]
    pub fn packets(&self) -> u64 {
        self.counters.sent - self.counters.delivered - self.counters.dropped
    }

    /// Whether the memory is or was exceeded, by the packets in the network and those dropped at almost the same time: a window without
    /// bound sends them without end, and their sender keeps a record of them. To be asked now and then.
    pub fn exceeds_memory(&mut self, now: Time) -> bool {
        if now > self.drops_until || self.counters.delivered != self.counted_from.delivered {
            (self.drops_until, self.counted_from) = (now.saturating_add(DROPS_COUNT_FOR), self.counters);
        }
        let dropped = self.counters.dropped - self.counted_from.dropped;
        if self.packets() + dropped > self.max_packets {
            self.excess_drops = self.excess_drops.or(Some(dropped));
        }
        self.excess_drops.is_some()
    }

    /// The places in the network of its links, in order.
    pub fn own_links(&self) -> &[u32] {
        &self.own_links
    }

    /// Packets of source `number` come from `origin` from now on.
    pub fn set_origin(&mut self, number: u32, origin: Origin) {
        let number = number as usize;
        if self.origins.len() <= number {
            self.origins.resize(number + 1, Origin::default());
        }
        self.origins[number] = origin;
    }

    /// A packet joins the queue of its next link.
    // where it is sent, and made once the queue has taken it, so that its fields go straight to the pipe
    #[inline(always)]
    fn enqueue(&mut self, now: Time, head: PacketHead, is_sent: bool, make: impl FnOnce(PacketHead) -> Packet) {
        let hop = self.hops[head.hop as usize];
        let class = head.kind.class();
        let link = &mut self.links[hop.link as usize];
        let Transmitter::Fifo(fifo) = &mut link.transmitter else {
            return self.enqueue_other(now, is_sent, &make(head));
        };
        let time = if head.bytes == hop.full { hop.full_time } else { other_time(link.rate, head.bytes) };
        let Some(leaves) = fifo.offer(now, time, head.bytes, class, head.extra) else {
            return self.drop(now, &make(head), hop.link);
        };
        let lost = link.loss.takes(class);
        let mut packet = make(head);
        packet.waited += leaves.start - now;
        if lost {
            packet.flags.set_lost();
        }
        self.propagate(leaves.end, packet, hop.pipe);
    }

    /// A packet goes on to its next link.
    #[inline(always)]
    fn forward(&mut self, now: Time, packet: &mut Packet) {
        packet.hop += 1;
        self.enqueue(now, packet.head(), false, |_| *packet);
    }

    /// As [`enqueue`](Self::enqueue), for links other than plain drop-tail ones and for runs with a log.
    #[cold]
    #[inline(never)]
    fn enqueue_other(&mut self, now: Time, is_sent: bool, packet: &Packet) {
        if let (true, Some(log)) = (is_sent, &mut self.logger) {
            log.log(now, LogEvent::Send, record(packet, &self.attachments), None);
        }
        let mut packet = *packet;
        let hop = self.hops[packet.hop as usize];
        if self.polices(now, &packet, hop.link) {
            return self.drop(now, &packet, hop.link);
        }
        let link = &mut self.links[hop.link as usize];
        let transit = || self.border.as_ref().and_then(|border| border.origin(packet.flow));
        let source = self.origins.get(packet.flow as usize).copied().or_else(transit).unwrap_or_default();
        let origin = packet.origin(source);
        let discarded = &mut self.discarded;
        let taken = match &mut link.transmitter {
            Transmitter::Fifo(fifo) | Transmitter::FramedFifo(fifo) => {
                let line = self.link_options[hop.link as usize].framing.line_bytes(packet.bytes);
                let time = if packet.bytes == hop.full { hop.full_time } else { link.rate.transmission_time(line) };
                let (class, payload) = (packet.class(), packet.payload());
                let Some(leaves) = fifo.offer_framed(now, time, packet.bytes, line, class, payload) else {
                    return self.drop(now, &packet, hop.link);
                };
                packet.waited += leaves.start - now;
                if link.loss.takes(class) {
                    packet.flags.set_lost();
                } else {
                    self.corrupt(&mut packet, hop.link);
                }
                self.log(now, LogEvent::Enqueue, &packet, hop.link);
                return self.propagate(leaves.end, packet, hop.pipe);
            }
            Transmitter::Store(store) => {
                let taken = store.offer(now, origin, packet, &mut |p| discarded.push((hop.link, p)));
                self.events.set(self.link_options[hop.link as usize].departures, store.due());
                taken
            }
            Transmitter::Shared { medium, member } => {
                let Shared { medium, links } = &mut self.media[*medium as usize];
                let mut dropped = |m: usize, p| discarded.push((links[m], p));
                let taken = medium.offer(now, *member as usize, origin, packet, &mut dropped);
                self.events.set(self.link_options[links[0] as usize].departures, medium.due());
                taken
            }
        };
        if taken {
            self.log(now, LogEvent::Enqueue, &packet, hop.link);
        }
        self.drop_discarded(now);
    }

    /// Damages a packet, if `link` damages it.
    fn corrupt(&mut self, packet: &mut Packet, link: u32) {
        if let Some(corruption) = &mut self.link_options[link as usize].corruption
            && corruption.damages()
        {
            packet.flags.set_corrupted();
        }
    }

    /// Whether the policer of `link` drops a packet.
    fn polices(&mut self, now: Time, packet: &Packet, link: u32) -> bool {
        let Some(policer) = &mut self.link_options[link as usize].policer else { return false };
        if policer.admits(now, packet.bytes) {
            return false;
        }
        let (bytes, class) = (packet.bytes, packet.class());
        match &mut self.links[link as usize].transmitter {
            Transmitter::Fifo(fifo) | Transmitter::FramedFifo(fifo) => fifo.refuse(bytes, class),
            Transmitter::Store(store) => store.refuse(bytes, class),
            Transmitter::Shared { medium, member } => {
                self.media[*medium as usize].medium.members_mut()[*member as usize].refuse(bytes, class);
            }
        }
        true
    }

    /// Counts what queues have just dropped.
    fn drop_discarded(&mut self, now: Time) {
        while let Some((link, packet)) = self.discarded.pop() {
            self.drop(now, &packet, link);
        }
    }

    #[inline(never)]
    fn log(&mut self, now: Time, event: LogEvent, packet: &Packet, link: u32) {
        if let Some(log) = &mut self.logger {
            log.log(now, event, record(packet, &self.attachments), Some(link));
        }
    }

    #[cold]
    fn drop(&mut self, now: Time, packet: &Packet, link: u32) {
        self.count_drop(packet);
        self.log(now, LogEvent::Drop, packet, link);
        self.attachments.release(packet);
    }

    fn count_drop(&mut self, packet: &Packet) {
        self.counters.dropped += 1;
        if packet.kind == PacketKind::Cross {
            let source = packet.flow as usize;
            if self.cross_dropped.len() <= source {
                self.cross_dropped.resize(source + 1, 0);
            }
            self.cross_dropped[source] += 1;
        }
    }

    /// A packet arrived whose flow has left.
    pub fn discard(&mut self, packet: &Packet) {
        self.attachments.release(packet);
    }

    /// Packets of cross-traffic source `number` that were dropped or lost.
    pub fn cross_drops(&self, number: u32) -> u64 {
        self.cross_dropped.get(number as usize).copied().unwrap_or(0)
    }

    /// A packet leaves its link at `departure` and enters the pipe behind it.
    #[inline(always)]
    fn propagate(&mut self, departure: Time, packet: Packet, pipe: u32) {
        if let Some(at) = self.pipes.push(pipe, departure, packet) {
            self.schedule(pipe, at);
        }
    }

    /// The first packet of `pipe` arrives at `at`.
    // a function of its own: pipes are rarely empty
    #[inline(never)]
    fn schedule(&mut self, pipe: u32, at: Time) {
        if self.border.as_ref().is_some_and(|border| border.is_exit(pipe, self.pipes.len())) {
            return;
        }
        self.events.set(self.departing.len() as u32 + pipe, at);
    }

    /// Handles the event of `source`; returns whether a packet has reached the end of its path. If so, it is `packet` then.
    // the caller's packet, because a value returned is copied twice
    #[inline(always)]
    pub fn handle_event(&mut self, now: Time, source: u32, packet: &mut Packet) -> bool {
        let departing = self.departing.len() as u32;
        if source < departing {
            self.departure(now, source);
            return false;
        }
        let pipe = source - departing;
        if pipe as usize >= self.pipes.len() {
            self.release(now, pipe - self.pipes.len() as u32);
            return false;
        }
        let (next, direct) = self.pipes.pop(pipe, packet);
        self.events.set(source, next);
        if !direct || packet.flags.impaired() {
            return self.arrive(now, pipe, packet);
        }
        self.counters.delivered += 1;
        true
    }

    /// A packet is at the end of `pipe`, which is not direct, or is lost or damaged; returns whether it has reached the end of its path.
    #[inline(never)]
    fn arrive(&mut self, now: Time, pipe: u32, packet: &mut Packet) -> bool {
        self.last_pipe = pipe;
        let hop = self.hops[packet.hop as usize];
        if packet.flags.impaired()
            && let Some(arrives) = self.arrive_impaired(now, packet, &hop)
        {
            return arrives;
        }
        if !hop.last {
            self.forward(now, packet);
            return false;
        }
        self.counters.delivered += 1;
        if let Some(log) = &mut self.logger {
            log.log(now, LogEvent::Receive, record(packet, &self.attachments), None);
        }
        true
    }

    /// A lost or damaged packet is at the end of a pipe; returns whether it goes to an endpoint that checks contents by itself, or
    /// none if it goes on to another link.
    #[cold]
    #[inline(never)]
    fn arrive_impaired(&mut self, now: Time, packet: &mut Packet, hop: &Hop) -> Option<bool> {
        if packet.flags.lost() {
            self.lose(now, packet, hop.link);
            return Some(false);
        }
        self.link_options[hop.link as usize].corrupted += u64::from(packet.flags.take_corrupted_here());
        if !hop.last {
            return None;
        }
        self.count_drop(packet);
        if let Some(log) = &mut self.logger {
            log.log(now, LogEvent::Corrupted, record(packet, &self.attachments), None);
        }
        if self.delivers_corrupted && packet.kind != PacketKind::Cross {
            return Some(true);
        }
        self.attachments.release(packet);
        Some(false)
    }

    #[cold]
    fn lose(&mut self, now: Time, packet: &Packet, link: u32) {
        self.count_drop(packet);
        self.links[link as usize].lost += 1;
        self.log(now, LogEvent::Lost, packet, link);
        self.attachments.release(packet);
    }

    /// A transmission of a link with its own events, or of a medium's, ends.
    fn departure(&mut self, now: Time, source: u32) {
        let index = self.departing[source as usize];
        let discarded = &mut self.discarded;
        let left = match &mut self.links[index as usize].transmitter {
            Transmitter::Fifo(_) | Transmitter::FramedFifo(_) => return,
            Transmitter::Store(store) => {
                let left = store.advance(now, &mut |p| discarded.push((index, p)));
                self.events.set(source, store.due());
                left.map(|(packet, waited)| (index, packet, waited))
            }
            Transmitter::Shared { medium, .. } => {
                let Shared { medium, links } = &mut self.media[*medium as usize];
                let left = medium.advance(now, &mut |m, p| discarded.push((links[m], p)));
                self.events.set(source, medium.due());
                left.map(|(member, packet, waited)| (links[member], packet, waited))
            }
        };
        if let Some((link, mut packet, waited)) = left {
            packet.waited += waited;
            let varying = self.link_options[link as usize].propagation.as_mut().and_then(|p| p.0.loses(now));
            if varying.unwrap_or_else(|| self.links[link as usize].loss.takes(packet.class())) {
                packet.flags.set_lost();
            } else {
                self.corrupt(&mut packet, link);
            }
            self.leave(now, packet, link);
        }
        self.drop_discarded(now);
    }

    /// A packet's transmission on `link` has ended.
    fn leave(&mut self, now: Time, packet: Packet, link: u32) {
        let pipe = self.hops[packet.hop as usize].pipe;
        let first_reconstructor = (self.departing.len() + self.pipes.len()) as u32;
        let Some(reconstructor) =
            self.link_options[link as usize].reconstructor.as_mut().filter(|_| !packet.flags.impaired())
        else {
            return self.propagate_varying(now, packet, pipe, link);
        };
        let (reconstructor, index) = &mut **reconstructor;
        let passes = reconstructor.take(now, packet);
        self.events.set(first_reconstructor + *index, reconstructor.due());
        if let Some(packet) = passes {
            self.propagate_varying(now, packet, pipe, link);
        }
    }

    /// As [`propagate`](Self::propagate), from a link whose delay may vary.
    fn propagate_varying(&mut self, departure: Time, packet: Packet, pipe: u32, link: u32) {
        let Some(propagation) = &mut self.link_options[link as usize].propagation else {
            return self.propagate(departure, packet, pipe);
        };
        let (propagation, known) = &mut **propagation;
        // the pipe's delay beyond the link's is the access behind it
        let access = self.pipes.delay(pipe).saturating_sub(*known);
        let at = propagation.arrival(departure).saturating_add(access);
        if self.pipes.insert(pipe, at, packet) {
            self.events.set(self.departing.len() as u32 + pipe, at);
        }
    }

    /// A reconstructor releases a packet.
    #[cold]
    fn release(&mut self, now: Time, index: u32) {
        let link = self.reconstructing[index as usize];
        let Some(reconstructor) = &mut self.link_options[link as usize].reconstructor else { return };
        let (reconstructor, _) = &mut **reconstructor;
        let released = reconstructor.release(now);
        self.events.set((self.departing.len() + self.pipes.len()) as u32 + index, reconstructor.due());
        let packet = match released {
            Some(Released::Original(packet)) => packet,
            Some(Released::Created(packet)) => {
                self.counters.sent += 1;
                self.log(now, LogEvent::Send, &packet, link);
                packet
            }
            None => return,
        };
        self.propagate_varying(now, packet, self.hops[packet.hop as usize].pipe, link);
    }
}

impl PacketSink for Net {
    #[inline(always)]
    fn send(&mut self, now: Time, packet: Packet) {
        self.send_with(now, packet.head(), |_| packet);
    }

    #[inline(always)]
    fn send_with(&mut self, now: Time, head: PacketHead, make: impl FnOnce(PacketHead) -> Packet) {
        self.counters.sent += 1;
        self.enqueue(now, head, true, make);
    }

    #[cold]
    fn is_full(&mut self) -> bool {
        self.is_interrupted |= self.interruption.as_ref().is_some_and(|i| i.is_requested());
        self.is_interrupted || self.exceeds_memory(self.drops_until) // no time passes
    }

    #[inline]
    fn attach_options(&mut self, options: AckOptions) -> u32 {
        self.attachments.attach_options(options)
    }

    #[inline]
    fn detach_options(&mut self, packet: &Packet) -> AckOptions {
        self.attachments.detach_options(packet)
    }

    fn attach_ack(&mut self, ack: PiggybackedAck) -> u32 {
        self.attachments.attach_ack(ack)
    }

    fn detach_ack(&mut self, packet: &Packet) -> Option<PiggybackedAck> {
        self.attachments.detach_ack(packet)
    }

    fn has_room(&mut self, now: Time, hop: u32, flow: u32, bytes: u32) -> bool {
        self.nic_queue(hop).is_none_or(|(fifo, reservations)| reservations.admit(now, flow, fifo, bytes))
    }

    fn room_at(&mut self, now: Time, hop: u32, flow: u32) -> Time {
        self.nic_queue(hop).map_or(now, |(fifo, reservations)| reservations.reserve(now, flow, fifo))
    }
}

/// How long a packet takes that is not a full one.
#[inline(never)]
fn other_time(rate: Rate, bytes: u32) -> Time {
    rate.transmission_time(bytes.into())
}

/// A packet as the log records it.
fn record(packet: &Packet, attachments: &Attachments) -> LogRecord {
    LogRecord {
        kind: packet.kind as u8,
        source: packet.flow,
        seq: packet.seq,
        bytes: packet.bytes,
        // an acknowledgement has the flag of the packet that it answers
        retransmission: packet.flags.retransmission() && packet.kind.is_from_sender(),
        header_flags: packet.flags.header(),
        sack: attachments.sack_of(packet),
    }
}
