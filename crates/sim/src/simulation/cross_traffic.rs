//! Cross traffic: packets without acknowledgements.

use eddyline_path::traffic::{Emission, Source};
use eddyline_scenario::Network;
use eddyline_scenario::network::Traffic;
use eddyline_scenario::result::TrafficResult;
use eddyline_units::Time;

use crate::meter::{TrafficMeter, WindowEdge};
use crate::network::Net;
use crate::packet::{Metadata, Packet, PacketFlags, PacketKind, PacketSink as _};

/// One source with its next packet.
#[derive(Debug)]
pub struct CrossTraffic {
    source: Source,
    upcoming: Option<Emission>,
    number: u32,
    hop: u32,
    sent: u64,
    meter: TrafficMeter,
}

impl CrossTraffic {
    /// The traffic `spec` as source `number`, on the path that begins at `hop`.
    pub fn new(network: &Network, spec: &Traffic, number: u32, hop: u32) -> Self {
        let trace = spec.trace.as_ref();
        let mut source = Source::new(&spec.model, trace, spec.packet, spec.start, spec.stop, network.seed, &spec.name);
        let upcoming = source.next();
        let meter = TrafficMeter::new(network, spec);
        Self { source, upcoming, number, hop, sent: 0, meter }
    }

    /// When the next packet is sent.
    pub fn next(&self) -> Time {
        self.upcoming.map_or(Time::MAX, |e| e.at)
    }

    /// Sends all packets that are due.
    pub fn emit(&mut self, now: Time, net: &mut Net) {
        while let Some(emission) = self.upcoming.filter(|e| e.at <= now) {
            let packet = Packet {
                seq: 0,
                sent_at: now,
                metadata: Metadata::default(),
                waited: Time::ZERO,
                flow: self.number,
                bytes: emission.bytes,
                extra: 0,
                stamp: 0.0,
                hop: self.hop,
                generation: 0,
                kind: PacketKind::Cross,
                flags: PacketFlags::default(),
            };
            net.send(now, packet);
            self.sent += 1;
            self.upcoming = self.source.next();
        }
    }

    /// One of its packets arrived.
    pub fn on_packet(&mut self, now: Time, packet: &Packet) {
        self.meter.on_packet(now, packet.bytes, now - packet.sent_at);
    }

    /// At an end of the window, `bytes` of one of its packets have arrived.
    pub fn on_partial(&mut self, edge: WindowEdge, bytes: f64) {
        self.meter.on_partial(edge, bytes);
    }

    /// The result of `spec`.
    pub fn result(&self, spec: &Traffic, net: &Net) -> TrafficResult {
        self.meter.result(spec, self.sent, net.cross_drops(self.number))
    }
}
