//! A connection: two hosts, the directions in which data goes, and how datagrams become packets.

use std::ops::ControlFlow;

use eddyline_cc::{Controller as _, ControllerParams, EcnResponse};
use eddyline_path::Ecn;
use eddyline_quic_host::{ClientConfig, Datagram, EcnCodepoint, Host, Pair, clock, settings};
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_sim::{FlowPath, FlowState, Metadata, Packet, PacketFlags, PacketKind, PacketSink, RecoveryState};
use eddyline_units::Time;

use crate::in_transit::InTransit;

/// Datagrams that a host sends before it asks whether the network takes more.
const BURST: u32 = 1024;

/// Something that the meter of a flow must know.
#[derive(Debug, Clone, Copy)]
pub enum Notice {
    /// A data packet arrived.
    Data { bytes: u32, waited: Time },
    /// An acknowledgement arrived.
    Ack { now: Time, waited: Time },
    /// The sender took a round-trip sample.
    Sample(Time),
    /// The window, in packets, may have changed.
    Window { now: Time, packets: f64, base_rtt: Option<Time> },
    /// Everything is acknowledged.
    Complete(Time),
}

/// A flow: data one way, acknowledgements the other.
#[derive(Debug)]
pub struct Direction {
    number: u32,
    generation: u16,
    data_hop: u32,
    ack_hop: u32,
    /// Bytes of every packet on the wire beyond the datagram.
    header: u32,
    /// Largest datagram.
    datagram: u32,
    /// ECN field of packets that the stack wants to be marked.
    ecn: Ecn,
    start: Time,
    completed_at: Option<Time>,
    samples: u64,
    /// For the meter, in order.
    notices: Vec<Notice>,
}

impl Direction {
    /// The direction of `spec`, whose packets are numbered so.
    pub fn new(spec: &FlowSpec, path: &FlowPath, number: u32, generation: u16) -> Self {
        Self {
            number,
            generation,
            data_hop: path.data_hop,
            ack_hop: path.ack_hop,
            header: spec.header,
            datagram: settings::datagram(spec).into(),
            ecn: if spec.tcp.ecn { ecn_field(spec, path) } else { Ecn::NotCapable },
            start: spec.start,
            completed_at: None,
            samples: 0,
            notices: Vec::new(),
        }
    }

    /// The packet of a datagram that goes this way with data, or the other way with acknowledgements.
    fn packet(&self, now: Time, (number, datagram): (u64, &Datagram<'_>), kind: PacketKind) -> Packet {
        let reverse = matches!(kind, PacketKind::Ack | PacketKind::SynAck);
        let mut flags = PacketFlags::default();
        if datagram.ecn.is_some() {
            flags.set_ecn(self.ecn);
        }
        let bytes = datagram.content.len() as u32;
        Packet {
            seq: number,
            sent_at: now,
            metadata: Metadata::default(),
            waited: Time::ZERO,
            flow: self.number,
            bytes: bytes + self.header,
            extra: if kind == PacketKind::Data { bytes } else { Packet::OPAQUE },
            stamp: 0.0,
            hop: if reverse { self.ack_hop } else { self.data_hop },
            generation: self.generation,
            kind,
            flags,
        }
    }
}

/// The ECN field of packets that may be marked. A registered controller is not made for it, which could leave traces: it has its say once
/// the stack has made it.
fn ecn_field(spec: &FlowSpec, path: &FlowPath) -> Ecn {
    if matches!(*spec.controller, ControllerParams::Custom(_)) {
        return Ecn::Ect0;
    }
    match spec.controller.build(&path.facts).ecn_response() {
        EcnResponse::LowLatency => Ecn::Ect1,
        EcnResponse::AsLoss | EcnResponse::ByShare => Ecn::Ect0,
    }
}

/// The host that opens the connection.
pub const CLIENT: usize = 0;
/// The other one.
pub const SERVER: usize = 1;

/// Two hosts.
#[derive(Debug)]
pub struct Connection {
    hosts: [Host; 2],
    /// Datagrams of each host on their way to the other.
    in_transit: [InTransit; 2],
    /// Data from the host of the same place to the other, where there are any.
    directions: [Option<Direction>; 2],
    /// Opens the connection; none once it has.
    client: Option<ClientConfig>,
    closed: bool,
    /// When each host's timers are due.
    timers: [Time; 2],
}

impl Connection {
    /// A connection without data.
    pub fn new(Pair { client, server, opening }: Pair) -> Self {
        Self {
            hosts: [client, server],
            in_transit: Default::default(),
            directions: [None, None],
            client: Some(opening),
            closed: false,
            timers: [Time::MAX; 2],
        }
    }

    /// Data from the host at `place` to the other. The connection opens when the first direction starts.
    pub fn add(&mut self, place: usize, direction: Direction) {
        self.timers[CLIENT] = self.timers[CLIENT].min(direction.start);
        self.directions[place] = Some(direction);
    }

    /// When [`on_timer`](Self::on_timer) is due, or [`Time::MAX`].
    pub fn next_timer(&self) -> Time {
        self.timers[CLIENT].min(self.timers[SERVER])
    }

    /// Handles what is due.
    pub fn on_timer(&mut self, now: Time, sink: &mut dyn PacketSink) {
        for host in [CLIENT, SERVER] {
            if now < self.timers[host] {
                continue;
            }
            if let Some(config) = self.client.take() {
                self.hosts[host].connect(now, config);
            }
            self.hosts[host].on_timer(now);
            self.run(now, host, sink);
        }
    }

    /// A packet of direction `place` arrived.
    pub fn on_packet(&mut self, now: Time, place: usize, packet: &Packet, sink: &mut dyn PacketSink) {
        let reverse = matches!(packet.kind, PacketKind::Ack | PacketKind::SynAck);
        let from = if reverse { 1 - place } else { place };
        let to = 1 - from;
        let corrupted = packet.flags.corrupted();
        self.notice(
            place,
            match packet.kind {
                _ if corrupted => None,
                PacketKind::Data => Some(Notice::Data { bytes: packet.bytes, waited: packet.waited }),
                PacketKind::Ack => Some(Notice::Ack { now, waited: packet.waited }),
                _ => None,
            },
        );
        let Some(mut content) = self.in_transit[from].take(packet.seq) else { return };
        if corrupted {
            content.damage(packet.seq);
        }
        let ecn = match packet.flags.ecn() {
            Ecn::NotCapable => None,
            // the stack knows ECT(0) only, and takes another for an error of the path
            Ecn::Ect0 | Ecn::Ect1 => Some(EcnCodepoint::Ect0),
            Ecn::Ce => Some(EcnCodepoint::Ce),
        };
        if let Some(tag) = content.tag.filter(|_| !corrupted) {
            self.hosts[from].receipts.record(tag, clock::instant(now), ecn == Some(EcnCodepoint::Ce));
        }
        let content = content.datagram;
        let directions = &self.directions;
        // data may carry an acknowledgement of the other direction
        let both = packet.kind == PacketKind::Data && directions[to].is_some();
        let before = if both { self.hosts[to].acknowledgements() } else { 0 };
        let sent = &mut self.in_transit[to];
        self.hosts[to].receive(now, content, ecn, &mut |d| send((directions, sent), to, now, &d, sink));
        if both && self.hosts[to].acknowledgements() != before {
            self.notice(to, Some(Notice::Ack { now, waited: packet.waited }));
        }
        self.run(now, to, sink);
    }

    fn run(&mut self, now: Time, host: usize, sink: &mut dyn PacketSink) {
        if let Some(direction) = &mut self.directions[host]
            && direction.ecn == Ecn::Ect0
            && self.hosts[host].seen.is_low_latency()
        {
            direction.ecn = Ecn::Ect1;
        }
        let (directions, sent) = (&self.directions, &mut self.in_transit[host]);
        let mut burst = 0u32;
        let completed = self.hosts[host].run(now, &mut |d| {
            send((directions, sent), host, now, &d, sink);
            burst += 1;
            // one acknowledgement may open a window larger than all memory
            if burst.is_multiple_of(BURST) && sink.is_full() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.timers[host] = self.hosts[host].next_timer(now);
        if let Some(direction) = &mut self.directions[host] {
            let seen = &self.hosts[host].seen;
            let (rtt, samples) = seen.sample();
            if samples != direction.samples {
                direction.samples = samples;
                direction.notices.push(Notice::Sample(clock::duration(rtt)));
            }
            let packets = seen.window_packets(f64::from(direction.datagram));
            direction.notices.push(Notice::Window { now, packets, base_rtt: seen.base_rtt() });
            if completed {
                direction.completed_at = Some(now);
                direction.notices.push(Notice::Complete(now));
            }
        }
        if completed && !self.closed && is_complete(&self.directions) {
            // the client closes; it knows at once, as if its application had been told
            self.closed = true;
            self.hosts[CLIENT].close(now);
            self.run(now, CLIENT, sink);
        }
    }

    fn notice(&mut self, place: usize, notice: Option<Notice>) {
        if let Some((direction, notice)) = self.directions[place].as_mut().zip(notice) {
            direction.notices.push(notice);
        }
    }

    /// Takes what the meter of direction `place` must know.
    pub fn notices(&mut self, place: usize) -> impl Iterator<Item = Notice> + '_ {
        self.directions[place].as_mut().into_iter().flat_map(|d| d.notices.drain(..))
    }

    /// The state of direction `place`.
    pub fn state(&self, place: usize) -> FlowState {
        let Some(direction) = &self.directions[place] else { return FlowState::default() };
        let seen = &self.hosts[place].seen;
        let datagram = f64::from(direction.datagram);
        let wire = f64::from(direction.datagram + direction.header) / datagram;
        FlowState {
            cwnd_packets: seen.window_packets(datagram),
            in_flight_packets: seen.in_flight() as f64 / datagram,
            last_rtt: seen.data_sample().map(clock::duration),
            srtt: seen.smoothed().map(clock::duration),
            pacing_bps: seen.pacing_rate().map(|rate| rate as f64 * 8.0 * wire),
            delivered_bytes: self.hosts[1 - place].delivered(),
            retransmits: seen.lost_packets(),
            timeouts: seen.persistent_congestion(),
            completed_at: direction.completed_at,
            nic_refusals: None,
            delivered_ce: None,
        }
    }

    /// Why the controller of direction `place` has failed, if it has.
    pub fn failure(&self, place: usize) -> Option<&str> {
        self.hosts[place].seen.failure()
    }

    /// The state of loss recovery of direction `place`.
    pub fn recovery(&self, place: usize) -> RecoveryState {
        let Some(direction) = &self.directions[place] else { return RecoveryState::default() };
        let seen = &self.hosts[place].seen;
        RecoveryState {
            slow_start_threshold: seen.slow_start_threshold(direction.datagram.into()),
            in_progress: seen.in_recovery(),
            acknowledged: None,
        }
    }

    /// Why the connection was lost, if it was. After the client has closed it there is no error: a late packet may then
    /// reach a host that has forgotten the connection and resets it.
    pub fn error(&self) -> Option<&str> {
        // the host that gave up first has the cause: the other one may learn of it by a reset only
        self.hosts
            .iter()
            .filter_map(Host::failure)
            .min_by_key(|(at, _)| *at)
            .map(|(_, error)| error)
            .filter(|_| !self.closed)
    }

    /// Datagrams that arrived too late to be told from lost ones.
    pub fn too_late(&self) -> u64 {
        self.in_transit.iter().map(InTransit::too_late).sum()
    }
}

/// All data is acknowledged: the connection closes.
fn is_complete(directions: &[Option<Direction>; 2]) -> bool {
    directions.iter().flatten().all(|direction| direction.completed_at.is_some())
}

/// Sends a datagram of `host`, whose content is kept in `sent`.
fn send(
    (directions, sent): (&[Option<Direction>; 2], &mut InTransit),
    host: usize,
    now: Time,
    datagram: &Datagram<'_>,
    sink: &mut dyn PacketSink,
) {
    let number = sent.insert(datagram.content, datagram.tag);
    let numbered = (number, datagram);
    let (own, other) = (directions[host].as_ref(), directions[1 - host].as_ref());
    let packet = match (own, other) {
        (Some(own), _) if datagram.data => own.packet(now, numbered, PacketKind::Data),
        // the client opens and closes the connection, also where it acknowledges the other side's data
        (Some(own), _) if host == CLIENT && datagram.handshake => own.packet(now, numbered, PacketKind::Syn),
        (Some(own), _) if host == CLIENT && is_complete(directions) => own.packet(now, numbered, PacketKind::Fin),
        (_, Some(other)) => {
            let kind = if datagram.handshake { PacketKind::SynAck } else { PacketKind::Ack };
            other.packet(now, numbered, kind)
        }
        (Some(own), None) => own.packet(now, numbered, PacketKind::Fin),
        (None, None) => return,
    };
    sink.send(now, packet);
}
