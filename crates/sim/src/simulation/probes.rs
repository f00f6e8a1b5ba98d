//! Latency probes: connections of three round trips each, TCP handshake, TLS 1.3 handshake and a small request
//! (draft-ietf-ippm-responsiveness, section 5.2: foreign probes).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use eddyline_path::variation::JitterParams;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Link, PROBE_SYN, Probe};
use eddyline_scenario::result::ProbeResult;
use eddyline_units::Time;

use super::paths::FirstHops;
use crate::meter::ProbesMeter;
use crate::network::Net;
use crate::packet::{Metadata, Packet, PacketFlags, PacketKind, PacketSink as _};

/// Initial retransmission timeout (RFC 6298, section 2), doubled with each retransmission.
const TIMEOUT: Time = Time::SECOND;
/// A connection is given up when the last of this many retransmissions of a message times out.
const MAX_RETRANSMITS: u32 = 6;
/// Round trips of a connection.
const STAGES: u64 = 3;

/// Starts of connections in the summary window over which the time on an idle path that varies is averaged: so many, and beyond that
/// one in this time, which is less than most round trips.
const IDLE_STARTS: std::ops::RangeInclusive<u128> = 10_000..=200_000;
const IDLE_EVERY: Time = Time::from_ms(2);
/// The golden ratio's part below one, of 2^32: its multiples are spread evenly and meet no period of a link again and again.
const GOLDEN: u32 = 2_654_435_769;

/// A connection that is open.
#[derive(Debug, Clone, Copy)]
struct Connection {
    stage: u64,
    /// When the request of this stage was sent for the first time.
    began: Time,
    retransmits: u32,
    /// When it is sent again.
    timeout: Time,
}

/// The mean time of a request and its response over connections that begin in the summary window, without other packets: over those that
/// end in the run, if there are such. Outages are waited out; most of them end before the request is sent, because the handshakes wait
/// first. `None` on a path that never transmits.
fn idle_time(network: &Network, spec: &Probe) -> Option<Time> {
    let of = |links: &[u32]| links.iter().map(|l| &network.links[*l as usize]).collect::<Vec<&Link>>();
    let (there, back) = (of(&spec.data), of(&spec.ack));
    let round_trip = |bytes: [u32; 2], start| travel(&[(&there, bytes[0]), (&back, bytes[1])], start);
    let (syn, message) = ([PROBE_SYN as u32; 2], [spec.request, spec.response]);
    let (from, to) = (network.warmup, network.duration);
    let steady = there.iter().chain(&back).all(|link| link.variation.conditions.is_none());
    let window = u128::from(to.saturating_sub(from).as_ps());
    let several = (window / u128::from(IDLE_EVERY.as_ps())).clamp(*IDLE_STARTS.start(), *IDLE_STARTS.end());
    let starts = if steady { 1 } else { several as u32 };
    // one in each part of the window, somewhere in it
    let start = |i: u32| {
        let place = (u128::from(i) << 32) + u128::from(i.wrapping_mul(GOLDEN));
        from + Time::from_ps((window * place / (u128::from(starts) << 32)) as u64)
    };
    let request = |i| {
        let tls = round_trip(syn, start(i))?;
        let http = round_trip(message, tls)?;
        round_trip(message, http).map(|end| (end, u128::from((end - http).as_ps())))
    };
    let all: Vec<(Time, u128)> = (0..starts).filter_map(request).collect();
    // what comes after the run is no part of it, but for a window that is shorter than a connection
    let any = all.iter().any(|(end, _)| *end <= to);
    let times: Vec<u128> = all.iter().filter(|(end, _)| !any || *end <= to).map(|(_, time)| *time).collect();
    let mean = times.iter().sum::<u128>().checked_div(times.len() as u128)?;
    Some(Time::from_ps(u64::try_from(mean).unwrap_or(u64::MAX)))
}

/// When the last of packets of these sizes arrives, which are sent one after the other, the first at `start`; `None` if one is never
/// transmitted. Jitter is its mean.
fn travel(packets: &[(&[&Link], u32)], start: Time) -> Option<Time> {
    let mut now = start;
    for (link, bytes) in packets.iter().flat_map(|(links, bytes)| links.iter().map(move |link| (link, *bytes))) {
        let time = link.transmission_time_at(bytes, now);
        if time == Time::MAX {
            return None;
        }
        now = now.saturating_add(time);
        let delay = link.variation.conditions.as_ref().map_or(link.delay, |c| c.delay(now));
        let jitter = link.variation.jitter.as_ref().map_or(0.0, JitterParams::mean_s);
        now = now.saturating_add(delay).saturating_add(Time::from_secs_f64(jitter));
    }
    Some(now)
}

/// The probes of one table.
#[derive(Debug)]
pub struct Probes {
    number: u32,
    /// First hops of requests and responses.
    hops: [u32; 2],
    /// Bytes of requests and responses of TLS and HTTP.
    sizes: [u32; 2],
    /// Time of a request on the idle path.
    idle: Option<Time>,
    every: Time,
    from: Time,
    next: Time,
    connections: u64,
    open: BTreeMap<u64, Connection>,
    /// Timeouts with the connections they are of; those that no longer hold are skipped.
    timeouts: BinaryHeap<Reverse<(Time, u64)>>,
    meter: ProbesMeter,
}

impl Probes {
    /// The probes `spec` as source `number`, whose paths begin at `hops`.
    pub fn new(network: &Network, spec: &Probe, number: u32, hops: FirstHops) -> Self {
        Self {
            number,
            hops,
            sizes: [spec.request, spec.response],
            idle: idle_time(network, spec),
            every: spec.every,
            from: network.warmup,
            next: spec.start,
            connections: 0,
            open: BTreeMap::new(),
            timeouts: BinaryHeap::new(),
            meter: ProbesMeter::default(),
        }
    }

    /// When the next connection starts or a message is sent again.
    pub fn next(&self) -> Time {
        self.timeouts.peek().map_or(self.next, |Reverse((at, _))| self.next.min(*at))
    }

    /// Starts the connection and sends again the messages that are due.
    pub fn on_timer(&mut self, now: Time, net: &mut Net) {
        if self.next <= now {
            let id = self.connections;
            self.connections += 1;
            self.next += self.every;
            self.meter.started += 1;
            self.request(now, id, Connection { stage: 0, began: now, retransmits: 0, timeout: now }, net);
        }
        while let Some(Reverse((at, id))) = self.timeouts.peek().copied().filter(|Reverse((at, _))| *at <= now) {
            self.timeouts.pop();
            let Some(connection) = self.open.get(&id).copied().filter(|c| c.timeout == at) else { continue };
            if connection.retransmits == MAX_RETRANSMITS {
                self.open.remove(&id);
                self.meter.given_up += 1;
                continue;
            }
            self.meter.retransmits += 1;
            self.request(now, id, Connection { retransmits: connection.retransmits + 1, ..connection }, net);
        }
    }

    /// Sends the request of a connection's stage.
    fn request(&mut self, now: Time, id: u64, mut connection: Connection, net: &mut Net) {
        connection.timeout = now + TIMEOUT * (1 << connection.retransmits);
        self.timeouts.push(Reverse((connection.timeout, id)));
        self.open.insert(id, connection);
        self.send(now, id * STAGES + connection.stage, 0, connection.retransmits > 0, net);
    }

    /// Sends a request (`way` 0) or response (1); `exchange` numbers the round trips of all connections.
    fn send(&self, now: Time, exchange: u64, way: usize, again: bool, net: &mut Net) {
        let handshake = exchange.is_multiple_of(STAGES);
        let mut flags = PacketFlags::default();
        flags.set_retransmission(again);
        let packet = Packet {
            seq: 2 * exchange + way as u64,
            sent_at: now,
            metadata: Metadata::default(),
            waited: Time::ZERO,
            flow: self.number,
            bytes: if handshake { PROBE_SYN as u32 } else { self.sizes[way] },
            extra: (exchange / STAGES) as u32,
            stamp: 0.0,
            hop: self.hops[way],
            generation: 0,
            kind: PacketKind::Cross,
            flags,
        };
        net.send(now, packet);
    }

    /// One of its packets arrived.
    pub fn on_packet(&mut self, now: Time, packet: &Packet, net: &mut Net) {
        let exchange = packet.seq / 2;
        if packet.seq.is_multiple_of(2) {
            return self.send(now, exchange, 1, packet.flags.retransmission(), net);
        }
        let (id, stage) = (exchange / STAGES, exchange % STAGES);
        let Some(connection) = self.open.get(&id).copied().filter(|c| c.stage == stage) else { return };
        if now > self.from {
            self.meter.on_round_trip(stage as usize, now - connection.began);
        }
        if stage + 1 == STAGES {
            self.open.remove(&id);
            self.meter.completed += 1;
        } else {
            self.request(now, id, Connection { stage: stage + 1, began: now, retransmits: 0, timeout: now }, net);
        }
    }

    /// The result of `spec`, where the flows that share a link have this trimmed mean of their round-trip times.
    pub fn result(&mut self, spec: &Probe, loaded_s: Option<f64>) -> ProbeResult {
        let waiting = self.open.values().filter(|c| c.retransmits > 0).count() as u64;
        self.meter.result(&spec.name, waiting, self.idle, loaded_s)
    }
}
