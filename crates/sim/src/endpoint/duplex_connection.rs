//! A TCP connection with data both ways: each host has the sender of one flow and the receiver of the other, and
//! acknowledgements are piggybacked on data.

use eddyline_units::Time;

use super::TcpFlow;
use crate::packet::{AckOptions, Packet, PacketKind, PacketSink, PiggybackedAck};

/// The flow that an event concerns, and the one of the other direction.
#[derive(Debug)]
pub struct DuplexConnection<'a> {
    pub flow: &'a mut TcpFlow,
    pub peer: &'a mut TcpFlow,
}

/// Attaches an acknowledgement to the next data packet that is sent.
struct Piggyback<'a, S> {
    sink: &'a mut S,
    ack: Option<PiggybackedAck>,
}

impl<S: PacketSink> PacketSink for Piggyback<'_, S> {
    fn send(&mut self, now: Time, mut packet: Packet) {
        if packet.kind == PacketKind::Data
            && let Some(ack) = self.ack.take()
        {
            packet.metadata = packet.metadata.with_ack(self.sink.attach_ack(ack));
        }
        self.sink.send(now, packet);
    }

    fn is_full(&mut self) -> bool {
        self.sink.is_full()
    }

    fn attach_options(&mut self, options: AckOptions) -> u32 {
        self.sink.attach_options(options)
    }

    fn detach_options(&mut self, packet: &Packet) -> AckOptions {
        self.sink.detach_options(packet)
    }

    fn attach_ack(&mut self, ack: PiggybackedAck) -> u32 {
        self.sink.attach_ack(ack)
    }

    fn detach_ack(&mut self, packet: &Packet) -> Option<PiggybackedAck> {
        self.sink.detach_ack(packet)
    }

    fn has_room(&mut self, now: Time, hop: u32, flow: u32, bytes: u32) -> bool {
        self.sink.has_room(now, hop, flow, bytes)
    }

    fn room_at(&mut self, now: Time, hop: u32, flow: u32) -> Time {
        self.sink.room_at(now, hop, flow)
    }
}

impl DuplexConnection<'_> {
    /// A packet of the flow arrived at one of its endpoints.
    pub fn on_packet(&mut self, now: Time, packet: &Packet, sink: &mut impl PacketSink) {
        match packet.kind {
            PacketKind::Data => {
                let piggybacked = sink.detach_ack(packet);
                self.on_data(now, packet, piggybacked, sink);
            }
            PacketKind::Fin => self.on_data(now, packet, None, sink),
            PacketKind::Ack | PacketKind::SynAck => {
                self.with_peer_ack(sink, |flow, sink| flow.take_packet(now, packet, sink));
            }
            PacketKind::Syn | PacketKind::Cross => self.flow.take_packet(now, packet, sink),
        }
    }

    /// Handles the flow's timers that are due, if any.
    pub fn on_timer(&mut self, now: Time, sink: &mut impl PacketSink) {
        self.with_peer_ack(sink, |flow, sink| flow.run_timers(now, sink));
    }

    /// Runs the flow's sender; the data that it sends carries pending acknowledgements of the receiver on its host, the peer's.
    fn with_peer_ack<S: PacketSink>(&mut self, sink: &mut S, run: impl FnOnce(&mut TcpFlow, &mut Piggyback<'_, S>)) {
        let ack = self.peer.pending_ack();
        let mut piggyback = Piggyback { sink, ack };
        run(self.flow, &mut piggyback);
        if piggyback.ack.is_none() {
            self.peer.on_piggybacked();
        }
    }

    /// Data or a FIN arrived at the host of the peer's sender. The acknowledgement that it carries may allow data, which then
    /// carries the acknowledgement of this packet; otherwise, if that is due at once, it is sent by itself.
    fn on_data(&mut self, now: Time, packet: &Packet, piggybacked: Option<PiggybackedAck>, sink: &mut impl PacketSink) {
        let ack_now = self.flow.receive_data(now, packet).ack_now;
        let due = ack_now.then(|| self.flow.acknowledge());
        let ack = match &due {
            Some((ack, _)) => Some(*ack),
            None => self.flow.pending_ack(),
        };
        let mut piggyback = Piggyback { sink, ack };
        if let Some(ack) = piggybacked {
            self.peer.receive_piggybacked(now, &ack, packet.waited, &mut piggyback);
        }
        let carried = piggyback.ack.is_none();
        match due {
            Some((_, options)) if !carried => self.flow.send_pure_ack(now, options, piggyback.sink),
            Some(_) => {}
            None if carried => self.flow.on_piggybacked(),
            None => {}
        }
    }
}
