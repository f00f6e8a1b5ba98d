//! A transport other than TCP through the `Transport` trait: stop-and-wait datagrams.

use crate::scenarios;

use std::ops::ControlFlow;

use eddyline_sim::{
    Endpoint, FlowMeter, FlowSetup, FlowState, Metadata, Options, Packet, PacketFlags, PacketKind, PacketSink,
    SortedNetwork, Transport, run_over,
};
use eddyline_units::Time;

/// Retransmission timeout.
const TIMEOUT: Time = Time::from_ms(500);

/// Sends one packet at a time and the next when it is acknowledged.
#[derive(Debug)]
struct StopAndWait {
    packet: u32,
    header: u32,
    ack_packet: u32,
    hops: [u32; 2],
    number: u32,
    generation: u16,
    /// Packets to send.
    size: u64,
    timer: Time,
    seq: u64,
    received: u64,
    retransmits: u64,
    rtt: Option<Time>,
    completed_at: Option<Time>,
    meter: FlowMeter,
}

impl StopAndWait {
    fn packet(&self, now: Time, kind: PacketKind, seq: u64) -> Packet {
        let data = kind == PacketKind::Data;
        Packet {
            seq,
            sent_at: now,
            metadata: Metadata::default(),
            waited: Time::ZERO,
            flow: self.number,
            bytes: if data { self.packet } else { self.ack_packet },
            extra: if data { self.packet - self.header } else { Packet::NO_OPTIONS },
            stamp: 0.0,
            hop: self.hops[usize::from(!data)],
            generation: self.generation,
            kind,
            flags: PacketFlags::default(),
        }
    }
}

impl Endpoint for StopAndWait {
    fn next_timer(&self) -> Time {
        self.timer
    }

    fn on_timer(&mut self, now: Time, sink: &mut dyn PacketSink) {
        if self.timer > now {
            return;
        }
        self.retransmits += u64::from(self.rtt.is_some());
        self.timer = now + TIMEOUT;
        sink.send(now, self.packet(now, PacketKind::Data, self.seq));
    }

    fn on_packet(&mut self, now: Time, packet: &Packet, sink: &mut dyn PacketSink) {
        if packet.kind == PacketKind::Data {
            let new_data = packet.seq == self.received;
            self.received += u64::from(new_data);
            self.meter.on_data(packet.bytes, packet.waited, new_data);
            let mut ack = self.packet(now, PacketKind::Ack, packet.seq);
            ack.sent_at = packet.sent_at;
            return sink.send(now, ack);
        }
        self.meter.on_ack(now, packet.waited);
        if packet.seq != self.seq {
            return;
        }
        self.rtt = Some(now - packet.sent_at);
        self.meter.on_sample(self.rtt);
        self.seq += 1;
        if self.seq == self.size {
            self.timer = Time::MAX;
            self.completed_at = Some(now);
            self.meter.on_complete(now);
        } else {
            self.timer = now + TIMEOUT;
            sink.send(now, self.packet(now, PacketKind::Data, self.seq));
        }
    }

    fn meter(&self) -> &FlowMeter {
        &self.meter
    }

    fn meter_mut(&mut self) -> &mut FlowMeter {
        &mut self.meter
    }

    fn state(&self) -> FlowState {
        FlowState {
            cwnd_packets: 1.0,
            last_rtt: self.rtt,
            delivered_bytes: self.received * u64::from(self.packet - self.header),
            retransmits: self.retransmits,
            completed_at: self.completed_at,
            ..FlowState::default()
        }
    }
}

/// The transport.
struct Datagrams;

impl Transport for Datagrams {
    fn endpoint(&self, setup: FlowSetup<'_>) -> Box<dyn Endpoint> {
        let FlowSetup { spec, path, number, generation, meter, arrival: _ } = setup;
        Box::new(StopAndWait {
            packet: spec.packet,
            header: spec.header,
            ack_packet: spec.ack_packet,
            hops: [path.data_hop, path.ack_hop],
            number,
            generation,
            size: spec.size.map_or(u64::MAX, |bytes| bytes.div_ceil(u64::from(spec.mss()))),
            timer: spec.start,
            seq: 0,
            received: 0,
            retransmits: 0,
            rtt: None,
            completed_at: None,
            meter,
        })
    }
}

fn simulate(text: &str) -> eddyline_sim::Outcome {
    let options = Options { series: true, ..Options::default() };
    let network = scenarios::network(text);
    run_over(&SortedNetwork::of(&network), &options, &Datagrams, &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// One packet per round trip, for static and dynamic flows and with cross traffic; packets are conserved.
#[test]
fn one_packet_per_round_trip() {
    let text = scenarios::head(10.0, 0.0, 1)
        + "record = { interval = \"1 s\" }\n"
        + &scenarios::duplex(10e6, 10e6, 0.1)
        + &scenarios::flow("datagrams", "kind = \"reno\"", "f", "b", "tcp = { initial_window = 1 }")
        + "[[arrivals]]\nname = \"files\"\nrate = \"2 /s\"\nsize = { kind = \"fixed\", size = \"5 kB\" }\n\
           controller = { kind = \"reno\" }\ndata = [\"b\"]\nack = [\"f\"]\npacket = \"1040 B\"\n\
           [[traffic]]\nname = \"cbr\"\npath = [\"b\"]\nmodel = { kind = \"cbr\", rate = \"1 Mbit/s\" }\n";
    let outcome = simulate(&text);
    let flow = &outcome.result.flows[0];
    // 100 ms, 832 us for the packet, 32 us for its acknowledgement, and waits behind other packets
    let rtt = flow.rtt_s.mean.expect("samples");
    assert!((0.100_864..0.103).contains(&rtt), "{rtt}");
    scenarios::near(flow.packets_per_s.expect("a rate"), 1.0 / rtt, 0.02, "packets per second");
    assert_eq!(flow.window_packets.max, Some(1.0));
    let arrivals = &outcome.result.arrivals[0];
    assert!(arrivals.completed >= Some(10), "{arrivals:?}");
    // five packets of 1,000 bytes take five round trips
    let mean = arrivals.completion_s.mean.expect("completions");
    assert!((0.504..0.53).contains(&mean), "{mean}");
    assert!(outcome.series.is_some());
}

/// Lost packets are retransmitted after the timeout, and the transfer completes.
#[test]
fn losses_are_repaired() {
    let text = scenarios::head(200.0, 0.0, 1)
        + "[[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nloss = 0.2\n"
        + "[[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n"
        + &scenarios::flow("datagrams", "kind = \"reno\"", "f", "b", "size = \"200 kB\"");
    let flow = &simulate(&text).result.flows[0];
    assert_eq!(flow.delivered_bytes, Some(200_000));
    assert!(flow.retransmits > Some(20) && flow.completed_at_s.is_some(), "{flow:?}");
}
