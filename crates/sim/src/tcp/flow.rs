//! Both ends of a flow, the packets between them and what is counted about them.

use eddyline_cc::PathFacts;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_units::Time;

use super::aside::AckOptions;
use super::receiver::{Reaction, Receiver};
use super::sender::{Segment, Sender, Wire};
use crate::engine::{Aside, Kind, Layout, Net, Packet};
use crate::record::FlowMeter;

/// What packets of a flow look like on the wire.
#[derive(Debug, Clone, Copy)]
struct Shape {
    flow: u32,
    generation: u16,
    packet: u32,
    header: u32,
    ack_packet: u32,
    data_hop: u32,
    ack_hop: u32,
}

/// The peer of a flow that has none.
const NOBODY: u32 = u32::MAX;

/// A sender, its receiver and the record of both.
#[derive(Debug)]
pub struct Flow {
    sender: Sender,
    pub(super) receiver: Receiver,
    shape: Shape,
    /// The number of the flow that goes the other way on the same connection.
    peer: u32,
    pub meter: FlowMeter,
}

/// Where a flow's packets enter the network, and what follows from its paths.
#[derive(Debug, Clone)]
pub struct Ends {
    data_hop: u32,
    ack_hop: u32,
    facts: PathFacts,
    /// Half the transmission time of a full data packet on the slowest data link.
    pub half_transmission: Time,
}

impl Ends {
    /// Lays out the paths of flows like `spec`.
    pub fn new(network: &Network, spec: &FlowSpec, layout: &mut Layout) -> Self {
        let full = spec.data.iter().map(|l| network.links[*l as usize].transmission_time(spec.packet));
        Self {
            data_hop: layout.path(network, &spec.data, spec.access_data, spec.packet),
            ack_hop: layout.path(network, &spec.ack, spec.access_ack, spec.ack_packet),
            facts: network.path_facts(spec),
            half_transmission: Time::from_ps(full.max().unwrap_or_default().as_ps() / 2),
        }
    }
}

struct Outlet<'a> {
    now: Time,
    shape: &'a Shape,
    net: &'a mut Net,
}

impl Wire for Outlet<'_> {
    #[inline]
    fn segment(&mut self, segment: Segment) {
        let Segment { kind, seq, payload, flags, stamp, aside } = segment;
        let shape = self.shape;
        // data takes along what the same host has to acknowledge
        let aside = if kind == Kind::Data { self.net.load(aside) } else { aside };
        let bytes = if kind == Kind::Data { payload + shape.header } else { shape.ack_packet };
        let packet = Packet {
            seq,
            sent_at: self.now,
            aside,
            waited: Time::ZERO,
            flow: shape.flow,
            bytes,
            extra: payload,
            stamp,
            hop: shape.data_hop,
            generation: shape.generation,
            kind,
            flags,
        };
        self.net.send(self.now, packet);
    }

    fn has_room(&mut self, payload: Option<u64>) -> bool {
        let shape = self.shape;
        let bytes = payload.map_or(shape.ack_packet, |p| p as u32 + shape.header);
        self.net.has_room(self.now, shape.data_hop, shape.flow, bytes)
    }

    fn room_at(&mut self) -> Time {
        self.net.room_at(self.now, self.shape.data_hop, self.shape.flow)
    }
}

impl Flow {
    /// A flow that has not started, the `generation`-th of those called `number`.
    pub fn new(spec: &FlowSpec, ends: &Ends, number: u32, generation: u16, meter: FlowMeter) -> Self {
        let shape = Shape {
            flow: number,
            generation,
            packet: spec.packet,
            header: spec.header,
            ack_packet: spec.ack_packet,
            data_hop: ends.data_hop,
            ack_hop: ends.ack_hop,
        };
        Self {
            sender: Sender::new(spec, spec.controller.build(&ends.facts)),
            receiver: Receiver::new(&spec.tcp),
            shape,
            peer: spec.peer.unwrap_or(NOBODY),
            meter,
        }
    }

    /// The number of the flow that goes the other way on the same connection: what happens to one concerns both.
    #[inline]
    pub fn peer(&self) -> Option<u32> {
        (!self.is_alone()).then_some(self.peer)
    }

    /// No flow goes the other way on the same connection.
    #[inline]
    pub fn is_alone(&self) -> bool {
        self.peer == NOBODY
    }

    /// When [`on_timer`](Self::on_timer) must be called at the latest.
    #[inline]
    pub fn next_timer(&self) -> Time {
        self.sender.next_timer().min(self.receiver.due())
    }

    /// A time that was asked for has come, or one before it.
    #[inline]
    pub fn on_timer(&mut self, now: Time, net: &mut Net) {
        if self.receiver.due() <= now {
            self.send_ack(now, net);
        }
        if self.sender.next_timer() <= now {
            self.sender.on_timer(now, &mut Outlet { now, shape: &self.shape, net });
            self.meter.sender_changed(now, &self.sender.controller);
        }
    }

    /// A packet reached one of the ends.
    #[inline]
    pub fn on_packet(&mut self, now: Time, packet: &Packet, net: &mut Net) {
        match packet.kind {
            Kind::Ack => {
                let options = net.take_options(packet);
                self.hear(now, packet, options, net);
            }
            Kind::Data => self.on_segment(now, packet, u64::from(packet.extra), net),
            Kind::Fin => self.on_segment(now, packet, 1, net),
            Kind::Syn => self.answer(now, packet, net),
            Kind::SynAck => self.open(now, packet, net),
            Kind::Cross => {}
        }
    }

    fn open(&mut self, now: Time, packet: &Packet, net: &mut Net) {
        let wire = &mut Outlet { now, shape: &self.shape, net };
        let sample = self.sender.on_syn_ack(now, packet, wire);
        self.meter.round_trip(sample);
        self.meter.sender_changed(now, &self.sender.controller);
    }

    /// An acknowledgement reached the sender on data of the other direction.
    #[cold]
    #[inline(never)]
    pub(super) fn hear_on_data(&mut self, now: Time, packet: &Packet, options: AckOptions, net: &mut Net) {
        self.hear(now, packet, options, net);
    }

    #[inline(always)]
    fn hear(&mut self, now: Time, packet: &Packet, options: AckOptions, net: &mut Net) {
        self.meter.ack_arrived(now, packet.waited);
        if let Some(option) = options.marked_bytes {
            self.sender.read_option(option);
        }
        let wire = &mut Outlet { now, shape: &self.shape, net };
        let sample = self.sender.on_ack(now, packet, options.blocks, wire);
        self.meter.round_trip(sample);
        self.meter.sender_changed(now, &self.sender.controller);
        if let Some(at) = self.sender.completed_at {
            self.meter.complete(at);
        }
    }

    /// Data or a FIN reached the receiver.
    #[inline(always)]
    pub(super) fn on_data(&mut self, now: Time, packet: &Packet, len: u64) -> Reaction {
        let reaction = self.receiver.on_segment(now, packet, len, packet.kind == Kind::Fin);
        if packet.kind == Kind::Data {
            self.meter.data_arrived(packet.bytes, packet.waited, reaction.news);
        }
        reaction
    }

    #[inline]
    fn on_segment(&mut self, now: Time, packet: &Packet, len: u64, net: &mut Net) {
        if self.on_data(now, packet, len).ack_now {
            self.send_ack(now, net);
        }
    }

    #[inline]
    fn send_ack(&mut self, now: Time, net: &mut Net) {
        let options = self.receiver.acknowledge();
        self.put_ack(now, options, net);
    }

    /// What the receiver has to say goes by itself although there was data to ride on.
    #[cold]
    #[inline(never)]
    pub(super) fn send_pure_ack(&mut self, now: Time, options: AckOptions, net: &mut Net) {
        self.put_ack(now, options, net);
    }

    #[inline(always)]
    fn put_ack(&mut self, now: Time, options: AckOptions, net: &mut Net) {
        let extra = net.put_options(options);
        let echo = self.receiver.echo();
        let packet = Packet {
            seq: self.receiver.next(),
            sent_at: echo.sent_at,
            aside: Aside::received_at(echo.received_at),
            waited: Time::ZERO,
            flow: self.shape.flow,
            bytes: self.shape.ack_packet + options.wire_bytes(),
            extra,
            stamp: echo.stamp,
            hop: self.shape.ack_hop,
            generation: self.shape.generation,
            kind: Kind::Ack,
            flags: echo.flags,
        };
        net.send(now, packet);
    }

    /// A SYN arrived: a SYN-ACK answers.
    fn answer(&mut self, now: Time, syn: &Packet, net: &mut Net) {
        let packet = Packet {
            seq: 0,
            aside: Aside::received_at(now),
            waited: Time::ZERO,
            bytes: self.shape.ack_packet,
            extra: 0,
            hop: self.shape.ack_hop,
            kind: Kind::SynAck,
            flags: self.receiver.on_syn(syn.flags),
            ..*syn
        };
        net.send(now, packet);
    }

    /// Bytes of a full data packet on the wire.
    pub fn wire_bytes(&self) -> u32 {
        self.shape.packet
    }

    /// The receiving end.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// The sending end.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }
}
