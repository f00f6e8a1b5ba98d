//! A TCP flow: sender and receiver, their segments as packets, and the flow's counters.

use std::mem::offset_of;
use std::ops::Range;
use std::slice;

use eddyline_cc::Controller as _;
use eddyline_tcp::{
    AccEcnOption, Acknowledgement, DataSegment, Reaction, Receiver, SackBlocks, Segment, SegmentFlags, SegmentKind,
    SegmentSink, Sender,
};
use eddyline_units::Time;
use prefetch_index::prefetch_index;

use super::{FlowSetup, FlowState, RecoveryState, tcp_config};
use crate::meter::FlowMeter;
use crate::packet::{AckOptions, Metadata, Packet, PacketFlags, PacketHead, PacketKind, PacketSink, PiggybackedAck};

const _: () = assert!(SegmentFlags::MASK & PacketFlags::from_header(0xff).header() == SegmentFlags::MASK);

/// The constant fields of a flow's packets.
#[derive(Debug, Clone, Copy)]
struct PacketTemplate {
    flow: u32,
    generation: u16,
    packet: u32,
    header: u32,
    ack_packet: u32,
    data_hop: u32,
    ack_hop: u32,
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// [`TcpFlow::peer`] of a flow without one.
const NO_PEER: u32 = u32::MAX;

const _: () = assert!(size_of::<TcpFlow>() <= 1088, "each of a million flows has one");

/// A sender, its receiver and the counters of both.
// in an order that puts together what an event touches
#[derive(Debug)]
#[repr(C, align(64))]
pub struct TcpFlow {
    meter: FlowMeter,
    template: PacketTemplate,
    /// Number of the flow with the other direction of the same connection.
    peer: u32,
    receiver: Receiver,
    sender: Sender,
}

/// The bytes of a flow that the arrival of data usually touches.
const TOUCHED_BY_DATA: Range<usize> = FlowMeter::TOUCHED_BY_DATA..offset_of!(TcpFlow, receiver) + Receiver::TOUCHED_TO;
/// As [`TOUCHED_BY_DATA`], for an acknowledgement with what it lets the sender send.
const TOUCHED_BY_ACKS: [Range<usize>; 2] = [
    FlowMeter::TOUCHED_BY_ACKS..TOUCHED_BY_DATA.end,
    offset_of!(TcpFlow, sender) + Sender::TOUCHED.start..offset_of!(TcpFlow, sender) + Sender::TOUCHED.end,
];

/// Turns a sender's segments into packets.
struct DataPackets<'a, S> {
    now: Time,
    template: &'a PacketTemplate,
    sink: &'a mut S,
}

impl<S: PacketSink> SegmentSink for DataPackets<'_, S> {
    #[inline(always)]
    fn send(&mut self, segment: Segment) {
        let Segment { kind, seq, payload, flags, stamp, ack_ratio } = segment;
        let template = self.template;
        let (kind, bytes) = match kind {
            SegmentKind::Data => (PacketKind::Data, payload + template.header),
            SegmentKind::Syn => (PacketKind::Syn, template.ack_packet),
            SegmentKind::Fin => (PacketKind::Fin, template.ack_packet),
        };
        let head = PacketHead { hop: template.data_hop, bytes, extra: payload, kind };
        let sent_at = self.now;
        self.sink.send_with(self.now, head, |head| Packet {
            seq,
            sent_at,
            metadata: Metadata::ack_ratio(ack_ratio),
            waited: Time::ZERO,
            flow: template.flow,
            bytes: head.bytes,
            extra: head.extra,
            stamp,
            hop: head.hop,
            generation: template.generation,
            kind: head.kind,
            flags: PacketFlags::from_header(flags.bits()),
        });
    }

    #[inline]
    fn is_full(&mut self) -> bool {
        self.sink.is_full()
    }

    fn has_room(&mut self, payload: Option<u64>) -> bool {
        let template = self.template;
        let bytes = payload.map_or(template.ack_packet, |p| p as u32 + template.header);
        self.sink.has_room(self.now, template.data_hop, template.flow, bytes)
    }

    fn room_at(&mut self) -> Time {
        self.sink.room_at(self.now, self.template.data_hop, self.template.flow)
    }
}

impl TcpFlow {
    /// A flow that has not started.
    pub fn new(setup: FlowSetup<'_>) -> Self {
        let FlowSetup { spec, path, number, generation, meter, arrival: _ } = setup;
        let config = tcp_config::config(spec);
        Self {
            sender: Sender::new(&config, &tcp_config::transfer(spec), spec.controller.build(&path.facts)),
            receiver: Receiver::new(&config),
            template: PacketTemplate {
                flow: number,
                generation,
                packet: spec.packet,
                header: spec.header,
                ack_packet: spec.ack_packet,
                data_hop: path.data_hop,
                ack_hop: path.ack_hop,
            },
            peer: spec.peer.unwrap_or(NO_PEER),
            meter,
        }
    }

    /// Prefetches into the cache what the arrival of a packet of `kind` will touch.
    #[inline]
    pub fn prefetch(&self, kind: PacketKind) {
        if kind == PacketKind::Data {
            self.prefetch_bytes(TOUCHED_BY_DATA);
        } else {
            TOUCHED_BY_ACKS.into_iter().for_each(|bytes| self.prefetch_bytes(bytes));
        }
    }

    #[inline(always)]
    fn prefetch_bytes(&self, bytes: Range<usize>) {
        // a place beside a field is as good as an element of an array: what is prefetched need not exist
        let words = slice::from_ref(&self.peer);
        for at in bytes.clone().step_by(LINE).chain([bytes.end - 1]) {
            prefetch_index(words, (at / size_of::<u32>()).wrapping_sub(offset_of!(Self, peer) / size_of::<u32>()));
        }
    }

    /// Number of the flow with the other direction of the same connection.
    #[inline]
    pub fn peer(&self) -> Option<u32> {
        (self.peer != NO_PEER).then_some(self.peer)
    }

    /// The flow's counters.
    pub fn meter(&self) -> &FlowMeter {
        &self.meter
    }

    /// As [`meter`](Self::meter).
    pub fn meter_mut(&mut self) -> &mut FlowMeter {
        &mut self.meter
    }

    /// Takes over the receiver of `other`, which was in another domain, with what it has counted.
    pub fn join(&mut self, other: Self) {
        self.receiver = other.receiver;
        self.meter.join(&other.meter);
    }

    /// The state of both endpoints.
    pub fn state(&self) -> FlowState {
        let sender = &self.sender;
        let counters = sender.counters();
        let wire_bits = f64::from(self.template.packet) * 8.0;
        let pacing = sender.pacing_interval().filter(|interval| *interval > Time::ZERO);
        FlowState {
            cwnd_packets: sender.window_packets(),
            in_flight_packets: sender.in_flight_packets(),
            last_rtt: sender.last_rtt(),
            srtt: sender.srtt(),
            pacing_bps: pacing.map(|interval| wire_bits / interval.as_secs_f64()),
            delivered_bytes: self.receiver.delivered(),
            retransmits: counters.retransmits,
            timeouts: counters.timeouts,
            completed_at: sender.completed_at(),
            nic_refusals: counters.nic_refusals,
            delivered_ce: counters.delivered_ce,
        }
    }

    /// Why the sender's controller has failed, if it has.
    pub fn failure(&self) -> Option<String> {
        self.sender.controller().failure().map(str::to_owned)
    }

    /// The state of the sender's loss recovery.
    pub fn recovery(&self) -> RecoveryState {
        RecoveryState {
            slow_start_threshold: self.sender.controller().slow_start_threshold(),
            in_progress: self.sender.in_recovery(),
            acknowledged: Some(self.sender.acknowledged()),
        }
    }

    /// When [`on_timer`](Self::on_timer) is due.
    #[inline]
    pub fn next_timer(&self) -> Time {
        self.sender.next_timer().min(self.receiver.due())
    }

    /// When the receiver's acknowledgement is due, or [`Time::MAX`].
    #[inline]
    pub fn ack_due(&self) -> Time {
        self.receiver.due()
    }

    /// Handles the timers that are due, if any.
    // a part of the event loop, where most events are of flows
    #[inline(always)]
    pub fn on_timer(&mut self, now: Time, sink: &mut impl PacketSink) {
        if self.receiver.due() <= now {
            self.send_ack(now, sink);
        }
        if self.sender.on_timer(now, &mut DataPackets { now, template: &self.template, sink }) {
            self.measure_window(now);
        }
    }

    /// As [`on_timer`](Self::on_timer), as a function of its own.
    #[inline(never)]
    pub fn run_timers(&mut self, now: Time, sink: &mut impl PacketSink) {
        self.on_timer(now, sink);
    }

    /// As [`on_packet`](Self::on_packet), as a function of its own.
    #[inline(never)]
    pub fn take_packet(&mut self, now: Time, packet: &Packet, sink: &mut impl PacketSink) {
        self.on_packet(now, packet, sink);
    }

    /// A packet arrived at one of the endpoints.
    // a part of the event loop, as above
    #[inline(always)]
    pub fn on_packet(&mut self, now: Time, packet: &Packet, sink: &mut impl PacketSink) {
        // two comparisons: a jump by a table takes longer
        if packet.kind == PacketKind::Data {
            if self.receive(now, packet, false).ack_now {
                self.send_ack(now, sink);
            }
        } else if packet.kind == PacketKind::Ack {
            let blocks = if packet.has_options() { self.take_options(&sink.detach_options(packet)) } else { None };
            let ack = Acknowledgement {
                number: packet.seq,
                sent_at: packet.sent_at,
                received_at: packet.metadata.time(),
                stamp: packet.stamp,
                flags: SegmentFlags::from_bits(packet.flags.header()),
                piggybacked: false,
            };
            self.receive_ack(now, ack, packet.waited, blocks.as_ref(), sink);
        } else {
            self.on_control(now, packet, sink);
        }
    }

    /// A SYN, a SYN-ACK or a FIN arrived.
    #[cold]
    #[inline(never)]
    fn on_control(&mut self, now: Time, packet: &Packet, sink: &mut impl PacketSink) {
        match packet.kind {
            PacketKind::Fin => {
                if self.receive_data(now, packet).ack_now {
                    self.send_ack(now, sink);
                }
            }
            PacketKind::Syn => self.send_syn_ack(now, packet, sink),
            PacketKind::SynAck => self.open(now, packet, sink),
            PacketKind::Data | PacketKind::Ack | PacketKind::Cross => {}
        }
    }

    #[inline]
    fn measure_window(&mut self, now: Time) {
        let decisions = self.sender.decisions();
        self.meter.on_sender_change(now, decisions.window, decisions.base_rtt);
    }

    fn open(&mut self, now: Time, packet: &Packet, sink: &mut impl PacketSink) {
        let flags = SegmentFlags::from_bits(packet.flags.header());
        let packets = &mut DataPackets { now, template: &self.template, sink };
        let sample = self.sender.on_syn_ack(now, packet.sent_at, flags, packets);
        self.meter.on_sample(sample);
        self.measure_window(now);
    }

    /// An acknowledgement arrived on a data packet of the other direction.
    #[cold]
    #[inline(never)]
    pub(super) fn receive_piggybacked(
        &mut self,
        now: Time,
        ack: &PiggybackedAck,
        waited: Time,
        sink: &mut impl PacketSink,
    ) {
        let segment = Acknowledgement {
            number: ack.number,
            sent_at: ack.sent_at,
            received_at: ack.received_at,
            stamp: ack.stamp,
            flags: SegmentFlags::from_bits(ack.flags.header()),
            piggybacked: true,
        };
        let blocks = self.take_options(&ack.options);
        self.receive_ack(now, segment, waited, blocks.as_ref(), sink);
    }

    /// Gives the sender an acknowledgement's AccECN option; returns its SACK blocks.
    #[cold]
    #[inline(never)]
    fn take_options(&mut self, options: &AckOptions) -> Option<SackBlocks> {
        if let Some([ect0, ce, ect1, fields]) = options.accecn {
            self.sender.set_accecn_option(AccEcnOption { ect0, ce, ect1, fields: fields as u8 });
        }
        options.blocks
    }

    #[inline(always)]
    fn receive_ack(
        &mut self,
        now: Time,
        ack: Acknowledgement,
        waited: Time,
        blocks: Option<&SackBlocks>,
        sink: &mut impl PacketSink,
    ) {
        self.meter.on_ack(now, waited);
        let packets = &mut DataPackets { now, template: &self.template, sink };
        let sample = self.sender.on_ack(now, ack, blocks, packets);
        self.meter.on_sample(sample);
        self.measure_window(now);
        if let Some(at) = self.sender.completed_at() {
            self.meter.on_complete(at);
        }
    }

    /// Data or a FIN arrived at the receiver.
    pub(super) fn receive_data(&mut self, now: Time, packet: &Packet) -> Reaction {
        self.receive(now, packet, packet.kind == PacketKind::Fin)
    }

    #[inline(always)]
    fn receive(&mut self, now: Time, packet: &Packet, fin: bool) -> Reaction {
        let reaction = self.receiver.on_segment(
            now,
            DataSegment {
                seq: packet.seq,
                payload: if fin { 0 } else { packet.extra },
                fin,
                sent_at: packet.sent_at,
                stamp: packet.stamp,
                flags: SegmentFlags::from_bits(packet.flags.header()),
                ack_ratio: packet.metadata.ratio(),
            },
        );
        if !fin {
            if !reaction.new_data && self.receiver.is_closed() {
                self.meter.on_late_data(packet.waited);
            } else {
                self.meter.on_data(packet.bytes, packet.waited, reaction.new_data);
            }
        }
        reaction
    }

    #[inline(always)]
    fn send_ack(&mut self, now: Time, sink: &mut impl PacketSink) {
        if self.receiver.acknowledge_without_options() {
            return self.send_ack_with(now, (Packet::NO_OPTIONS, 0), sink);
        }
        let options = self.receiver.acknowledge();
        self.send_pure_ack(now, options, sink);
    }

    /// Sends an acknowledgement that may have options, not on a data packet.
    #[cold]
    #[inline(never)]
    pub(super) fn send_pure_ack(&mut self, now: Time, options: eddyline_tcp::AckOptions, sink: &mut impl PacketSink) {
        let options_handle = sink.attach_options(packet_options(options));
        self.send_ack_with(now, (options_handle, options.wire_bytes()), sink);
    }

    /// Sends an acknowledgement with this handle of its options, which take so many bytes more than those that each has.
    #[inline(always)]
    fn send_ack_with(&mut self, now: Time, (options_handle, option_bytes): (u32, u32), sink: &mut impl PacketSink) {
        let Self { receiver, template, .. } = self;
        let bytes = template.ack_packet + option_bytes;
        let head = PacketHead { hop: template.ack_hop, bytes, extra: options_handle, kind: PacketKind::Ack };
        sink.send_with(now, head, |head| {
            let echo = receiver.echo();
            Packet {
                seq: receiver.next(),
                sent_at: echo.sent_at,
                metadata: Metadata::received_at(echo.received_at),
                waited: Time::ZERO,
                flow: template.flow,
                bytes: head.bytes,
                extra: head.extra,
                stamp: echo.stamp,
                hop: head.hop,
                generation: template.generation,
                kind: head.kind,
                flags: PacketFlags::from_header(echo.flags.bits()),
            }
        });
    }

    /// A SYN arrived: sends the SYN-ACK.
    fn send_syn_ack(&mut self, now: Time, syn: &Packet, sink: &mut impl PacketSink) {
        let flags = self.receiver.on_syn(now, syn.sent_at, SegmentFlags::from_bits(syn.flags.header()));
        let packet = Packet {
            seq: 0,
            metadata: Metadata::received_at(now),
            waited: Time::ZERO,
            bytes: self.template.ack_packet,
            extra: 0,
            hop: self.template.ack_hop,
            kind: PacketKind::SynAck,
            flags: PacketFlags::from_header(flags.bits()),
            ..*syn
        };
        sink.send(now, packet);
    }

    /// The acknowledgement that a data packet of the other direction can carry now, if segments wait for one.
    pub(super) fn pending_ack(&mut self) -> Option<PiggybackedAck> {
        self.receiver.has_pending().then(|| {
            let options = self.receiver.ack_options();
            self.piggybacked(options)
        })
    }

    /// A data packet carried the acknowledgement of the segments that waited, if any did.
    pub(super) fn on_piggybacked(&mut self) {
        if self.receiver.has_pending() {
            self.receiver.acknowledge();
        }
    }

    /// The acknowledgement that must be sent now, for a data packet to carry, and its options.
    pub(super) fn acknowledge(&mut self) -> (PiggybackedAck, eddyline_tcp::AckOptions) {
        let options = self.receiver.acknowledge();
        (self.piggybacked(options), options)
    }

    fn piggybacked(&self, options: eddyline_tcp::AckOptions) -> PiggybackedAck {
        let echo = self.receiver.echo();
        PiggybackedAck {
            number: self.receiver.next(),
            sent_at: echo.sent_at,
            received_at: echo.received_at,
            stamp: echo.stamp,
            flags: PacketFlags::from_header(echo.flags.bits()),
            options: packet_options(options),
        }
    }
}

fn packet_options(options: eddyline_tcp::AckOptions) -> AckOptions {
    AckOptions { blocks: options.blocks, accecn: options.accecn.map(|o| [o.ect0, o.ce, o.ect1, o.fields.into()]) }
}
