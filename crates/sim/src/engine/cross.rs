//! Unresponsive traffic: packets that nobody answers.

use eddyline_path::traffic::{Emission, Source};
use eddyline_scenario::Network;
use eddyline_scenario::network::Traffic;
use eddyline_scenario::result::TrafficResult;
use eddyline_units::Time;

use super::net::Net;
use super::packet::{Aside, Flags, Kind, Packet};
use crate::record::TrafficMeter;

/// One source with the packet that it sends next.
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
    /// The traffic `spec`, known to the packet log as source `number`, on the path that begins at `hop`.
    pub fn new(network: &Network, spec: &Traffic, number: u32, hop: u32) -> Self {
        let trace = spec.trace.as_ref();
        let mut source = Source::new(&spec.model, trace, spec.packet, spec.start, spec.stop, network.seed, &spec.name);
        let upcoming = source.next();
        let meter = TrafficMeter::new(network, spec);
        Self { source, upcoming, number, hop, sent: 0, meter }
    }

    /// When the next packet leaves.
    pub fn next(&self) -> Time {
        self.upcoming.map_or(Time::MAX, |e| e.at)
    }

    /// Sends all packets that leave `now`.
    pub fn emit(&mut self, now: Time, net: &mut Net) {
        while let Some(emission) = self.upcoming.filter(|e| e.at <= now) {
            let packet = Packet {
                seq: 0,
                sent_at: now,
                aside: Aside::default(),
                waited: Time::ZERO,
                flow: self.number,
                bytes: emission.bytes,
                extra: 0,
                stamp: 0.0,
                hop: self.hop,
                generation: 0,
                kind: Kind::Cross,
                flags: Flags::default(),
            };
            net.send(now, packet);
            self.sent += 1;
            self.upcoming = self.source.next();
        }
    }

    /// One of its packets arrived.
    pub fn on_packet(&mut self, now: Time, packet: &Packet) {
        self.meter.arrived(now, packet.bytes, now - packet.sent_at);
    }

    /// What its counters say; `spec` is what it was made from.
    pub fn result(&self, spec: &Traffic, net: &Net) -> TrafficResult {
        self.meter.result(spec, self.sent, net.cross_drops(self.number))
    }
}
