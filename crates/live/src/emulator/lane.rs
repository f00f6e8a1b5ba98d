//! A thread of the emulator: it reads packets of one host or both, carries them over its links, and writes them to the other host.
//!
//! Queues and links work on logical times: a transmission begins when the one before it ended, however late this thread
//! notices. So lateness delays single packets and does not add up.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use eddyline_path::Packet as _;
use eddyline_path::traffic::{Emission, Source};
use eddyline_scenario::Network;
use eddyline_scenario::series::{LINK, Quantity, Series};
use eddyline_units::Time;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use super::captured::Captured;
use super::datagram::Content;
use super::flow_meter::FlowMeter;
use super::lateness::Lateness;
use super::link::{LiveLink, is_data};
use super::packet::{Header, LivePacket};
use super::routes::{self, Route};
use super::stalls::Stalls;
use crate::clock::{Clock, duration};
use crate::host::Host;
use crate::placement::Placement;
use crate::quic::is_quic;

/// Packets read in a row before those that are due are delivered.
const BATCH: usize = 64;
/// Largest packet of IPv4.
const MAX_PACKET: usize = 65_535;
/// Longest sleep: how soon a thread notices that the run is abandoned.
const MAX_SLEEP: Time = Time::from_ms(100);

/// What all threads share.
#[derive(Debug)]
pub struct Shared {
    /// The scenario.
    pub network: Arc<Network>,
    /// Where things are.
    pub placement: Placement,
    /// The routes.
    pub routes: Vec<Route>,
    /// The two hosts.
    pub hosts: [Host; 2],
    /// The time.
    pub clock: Clock,
    /// Spacing of the series, if they are wanted.
    pub series: Option<Time>,
    /// Packets at each link, the one in transmission included.
    pub held: Vec<AtomicU32>,
    /// Keep headers of packets.
    pub capture: bool,
    /// Carry all packets, whatever they are, over the path of the first flow.
    pub any_packet: bool,
    /// The run is abandoned.
    pub stopped: AtomicBool,
}

/// Links that have nothing to transmit.
#[must_use]
pub fn empty(network: &Network) -> Vec<AtomicU32> {
    network.links.iter().map(|_| AtomicU32::new(0)).collect()
}

/// What a thread has measured.
#[derive(Debug)]
pub struct LaneReport {
    /// Its links.
    pub links: Vec<LiveLink>,
    /// All flows, as far as this thread has seen them.
    pub flows: Vec<FlowMeter>,
    /// Series of its links.
    pub series: Series,
    /// How late it was.
    pub lateness: Lateness,
    /// For how long it got no processor, since the warm-up.
    pub stalled: std::time::Duration,
    /// Packets by fate.
    pub packets: PacketCounts,
    /// Headers of packets at the hosts, if they are wanted.
    pub captured: Captured,
}

/// Packets of a thread over the whole run.
#[derive(Debug, Clone, Copy, Default)]
pub struct PacketCounts {
    /// Read from a host, or made.
    pub sent: u64,
    /// Written to a host, or at the end of their path.
    pub delivered: u64,
    /// Dropped by queues or lost on wires.
    pub dropped: u64,
    /// Data packets among those delivered.
    pub data: u64,
    /// Packets that belong to no flow.
    pub foreign: u64,
    /// Packets that a host did not accept.
    pub refused: u64,
}

/// A thread's state.
struct Lane<'a> {
    shared: &'a Shared,
    links: Vec<LiveLink>,
    place: HashMap<u32, usize>,
    /// Packets behind their last link, by time of delivery.
    access: Vec<(Time, LivePacket)>,
    sources: Vec<(usize, Source, Option<Emission>)>,
    flows: Vec<FlowMeter>,
    half_transmission: Vec<Time>,
    acked: Vec<[u64; 2]>,
    series: Series,
    tick: Time,
    before: Vec<[u64; 3]>,
    window_begun: bool,
    lateness: Lateness,
    stalls: Stalls,
    packets: PacketCounts,
    captured: Captured,
    pool: Vec<Vec<u8>>,
}

/// Serves the links of lane `number` until the end of the run.
///
/// # Errors
/// A host's device fails.
pub fn run(shared: &Shared, number: usize) -> std::io::Result<LaneReport> {
    let mut lane = Lane::new(shared, number);
    let inputs: Vec<usize> = if shared.placement.lanes == 1 { vec![0, 1] } else { vec![number] };
    let mut buffer = vec![0; MAX_PACKET];
    let end = shared.network.duration;
    loop {
        let now = shared.clock.now();
        lane.run_until(now.min(end));
        if now >= end || shared.stopped.load(Ordering::Relaxed) {
            break;
        }
        let mut idle = true;
        for host in &inputs {
            for _ in 0..BATCH {
                let read = match shared.hosts[*host].device.recv(&mut buffer) {
                    Ok(read) => read,
                    Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => break,
                    Err(e) => return Err(e),
                };
                idle = false;
                let now = shared.clock.now().min(end);
                lane.run_until(now);
                lane.take(now, *host, &buffer[..read]);
            }
        }
        lane.publish();
        lane.stalls.look();
        if idle {
            wait(shared, &inputs, lane.next().min(end));
        }
    }
    Ok(lane.finish(end))
}

/// Waits for a packet of a host, or until `until`.
fn wait(shared: &Shared, inputs: &[usize], until: Time) {
    let span = shared.clock.until(until).min(duration(MAX_SLEEP));
    if span.is_zero() {
        return;
    }
    let mut fds: Vec<PollFd<'_>> =
        inputs.iter().map(|h| PollFd::new(shared.hosts[*h].device.as_fd(), PollFlags::POLLIN)).collect();
    // a signal ends the wait early, which does no harm
    let _ = ppoll(&mut fds, Some(TimeSpec::from_duration(span)), None);
}

impl<'a> Lane<'a> {
    fn new(shared: &'a Shared, number: usize) -> Self {
        let (network, placement) = (&*shared.network, &shared.placement);
        let links: Vec<LiveLink> = (0..network.links.len())
            .filter(|l| placement.lane[*l] == number)
            .map(|l| LiveLink::new(network, l))
            .collect();
        let place = links.iter().enumerate().map(|(i, l)| (l.index as u32, i)).collect();
        let first = 2 * network.flows.len();
        let own = network.traffic.iter().enumerate().filter(|(_, t)| placement.lane[t.path[0] as usize] == number);
        let sources = own.map(|(i, t)| {
            let mut source = Source::new(&t.model, t.trace.as_ref(), t.packet, t.start, t.stop, network.seed, &t.name);
            let head = source.next();
            (first + i, source, head)
        });
        let half = |f: &eddyline_scenario::network::Flow| {
            let (from, to) = (network.warmup, network.duration);
            let full = f.data.iter().map(|l| network.links[*l as usize].min_transmission_time(f.packet, from, to));
            Time::from_ps(full.max().unwrap_or(Time::ZERO).as_ps() / 2)
        };
        Self {
            shared,
            before: vec![[0; 3]; links.len()],
            sources: sources.collect(),
            links,
            place,
            access: Vec::new(),
            flows: vec![FlowMeter::default(); network.flows.len()],
            half_transmission: network.flows.iter().map(half).collect(),
            acked: vec![[0; 2]; network.flows.len()],
            series: Series::default(),
            tick: shared.series.unwrap_or(Time::MAX),
            window_begun: false,
            lateness: Lateness::default(),
            stalls: Stalls::of_this_thread(),
            packets: PacketCounts::default(),
            captured: Captured::default(),
            pool: Vec::new(),
        }
    }

    /// Tells other threads how many packets its links have.
    fn publish(&self) {
        for link in &self.links {
            self.shared.held[link.index].store(link.transmitting(), Ordering::Relaxed);
        }
    }

    /// When something is due.
    fn next(&self) -> Time {
        let links = self.links.iter().map(|l| l.due().min(l.arrival())).min().unwrap_or(Time::MAX);
        let access = self.access.first().map_or(Time::MAX, |(at, _)| *at);
        let traffic = self.sources.iter().filter_map(|(_, _, head)| head.as_ref().map(|h| h.at)).min();
        let window = if self.window_begun { Time::MAX } else { self.shared.network.warmup };
        links.min(access).min(traffic.unwrap_or(Time::MAX)).min(self.tick).min(window)
    }

    /// Does all that is due by `now`, in order of time.
    fn run_until(&mut self, now: Time) {
        let mut at = self.next();
        self.stalls.late(now.saturating_sub(at));
        while at <= now {
            self.step(at);
            at = self.next();
        }
    }

    /// Does one thing that is due at `at`.
    fn step(&mut self, at: Time) {
        if !self.window_begun && self.shared.network.warmup <= at {
            self.window_begun = true;
            self.stalls.begin();
            self.links.iter_mut().for_each(|l| l.begin_window(at));
        } else if let Some(l) = self.links.iter().position(|l| l.arrival() <= at) {
            if let Some(packet) = self.links[l].arrived() {
                self.cross(at, packet);
            }
        } else if self.access.first().is_some_and(|(time, _)| *time <= at) {
            let (_, packet) = self.access.remove(0);
            self.deliver(at, packet);
        } else if let Some(l) = self.links.iter().position(|l| l.due() <= at) {
            let (packets, pool) = (&mut self.packets, &mut self.pool);
            self.links[l].advance(at, &mut |p| discard(packets, pool, p));
        } else if let Some(s) = self.sources.iter().position(|(_, _, head)| head.as_ref().is_some_and(|h| h.at <= at)) {
            self.emit(s);
        } else {
            self.record(at);
        }
    }

    /// A packet of cross traffic is due.
    fn emit(&mut self, s: usize) {
        let (route, source, head) = &mut self.sources[s];
        let Some(emission) = head.take() else { return };
        *head = source.next();
        let route = *route as u32;
        let subscriber = self.shared.routes[route as usize].subscriber;
        self.packets.sent += 1;
        self.offer(emission.at, LivePacket::cross(emission.bytes, (route, subscriber)));
    }

    /// A packet is read from a host.
    fn take(&mut self, now: Time, host: usize, bytes: &[u8]) {
        if self.shared.any_packet {
            return self.take_any(now, host, bytes);
        }
        let Some((flow, from_sender, content)) = self.classify(host, bytes) else {
            self.packets.foreign += 1;
            return;
        };
        let route = routes::of_flow(flow, from_sender);
        let Route { subscriber, sizes, .. } = self.shared.routes[route];
        let mut kept = self.pool.pop().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(bytes);
        self.packets.sent += 1;
        if self.shared.capture {
            self.captured.add(host, now, bytes);
        }
        let place = (route as u32, subscriber);
        let packet = match content {
            Content::Tcp(header) => {
                let acked = self.acknowledged(flow, from_sender, &header);
                LivePacket::of_flow(kept, &header, sizes, place, acked)
            }
            Content::Quic(datagram) => LivePacket::of_datagram(kept, &datagram, sizes, place, from_sender),
        };
        self.offer(now, packet);
    }

    /// A packet of any program, with the size that it has.
    fn take_any(&mut self, now: Time, host: usize, bytes: &[u8]) {
        let route = routes::of_flow(0, self.shared.placement.sender[0] == host);
        let subscriber = self.shared.routes[route].subscriber;
        self.packets.sent += 1;
        self.offer(now, LivePacket::of_program(bytes, (route as u32, subscriber)));
    }

    /// The flow that a packet from `host` belongs to, and whether it comes from the flow's sender.
    fn classify(&self, host: usize, bytes: &[u8]) -> Option<(usize, bool, Content)> {
        let content = Content::read(bytes)?;
        let (source, destination) = content.addresses();
        let flow = eddyline_capture::flow_of(source)?;
        let sender = *self.shared.placement.sender.get(flow)?;
        let own = content.is_quic() == is_quic(&self.shared.network.flows[flow]);
        (own && source == destination).then_some((flow, sender == host, content))
    }

    /// The acknowledgement number without wrap-around, from an arbitrary origin.
    fn acknowledged(&mut self, flow: usize, data: bool, header: &Header) -> u64 {
        let seen = &mut self.acked[flow][usize::from(data)];
        if *seen == 0 {
            // far from zero, so that it may also go back
            *seen = (1 << 33) + u64::from(header.acknowledgement);
        }
        let step = header.acknowledgement.wrapping_sub(*seen as u32).cast_signed();
        let number = seen.saturating_add_signed(i64::from(step));
        *seen = number.max(*seen);
        number
    }

    /// A packet arrives at the next link of its route.
    fn offer(&mut self, now: Time, packet: LivePacket) {
        let link = self.shared.routes[packet.route as usize].links[packet.hop as usize];
        let (packets, pool) = (&mut self.packets, &mut self.pool);
        self.links[self.place[&link]].offer(now, packet, &mut |p| discard(packets, pool, p));
    }

    /// A packet has crossed a link.
    fn cross(&mut self, now: Time, mut packet: LivePacket) {
        packet.hop += 1;
        let route = &self.shared.routes[packet.route as usize];
        if (packet.hop as usize) < route.links.len() {
            self.offer(now, packet);
        } else if route.access > Time::ZERO {
            let at = now.saturating_add(route.access);
            let place = self.access.partition_point(|(earlier, _)| *earlier <= at);
            self.access.insert(place, (at, packet));
        } else {
            self.deliver(now, packet);
        }
    }

    /// A packet is at the end of its route.
    fn deliver(&mut self, at: Time, packet: LivePacket) {
        self.packets.delivered += 1;
        let flow = packet.route as usize / 2;
        if packet.bytes.is_empty() {
            return;
        }
        let counts = self.window_begun;
        if routes::of_flow(flow, true) == packet.route as usize {
            if is_data(&packet) {
                self.packets.data += 1;
                let size = (packet.wire_bytes(), packet.sequence, packet.payload_bytes());
                self.flows[flow].data(counts, packet.waited, size);
            }
        } else if packet.acknowledges {
            self.flows[flow].acknowledgement(counts, at, packet.waited, self.half_transmission[flow]);
        }
        let host = self.shared.routes[packet.route as usize].host;
        if self.shared.capture {
            // before the kernel has it, and answers
            self.captured.add(host, self.shared.clock.now(), &packet.bytes);
        }
        if self.shared.hosts[host].device.send(&packet.bytes).is_err() {
            self.packets.refused += 1;
        }
        let now = self.shared.clock.now();
        self.lateness.add(now.saturating_sub(at));
        self.pool.push(packet.bytes);
    }

    /// A tick of the series.
    fn record(&mut self, at: Time) {
        let Some(interval) = self.shared.series else { return };
        self.tick = at + interval;
        let (time, span) = (at.as_secs_f64(), interval.as_secs_f64());
        for (link, before) in self.links.iter().zip(&mut self.before) {
            let (packets, bytes) = link.waiting();
            let now = [link.meter().offered_bytes, link.departed_bytes, link.drops()];
            let since = |i: usize| (now[i] - before[i]) as f64;
            let mut row = |q, v| self.series.push(time, LINK, link.index as u32, q, v);
            row(Quantity::QueuePackets, packets as f64);
            row(Quantity::QueueBytes, bytes as f64);
            row(Quantity::ArrivalBps, since(0) * 8.0 / span);
            row(Quantity::DepartureBps, since(1) * 8.0 / span);
            row(Quantity::Drops, since(2));
            *before = now;
        }
    }

    fn finish(mut self, end: Time) -> LaneReport {
        let held = self.links.iter().map(LiveLink::held).sum::<u64>() + self.access.len() as u64;
        debug_assert_eq!(
            self.packets.sent,
            self.packets.delivered + self.packets.dropped + held,
            "packets are conserved"
        );
        self.links.iter_mut().for_each(|l| l.close(end));
        LaneReport {
            links: self.links,
            flows: self.flows,
            series: self.series,
            lateness: self.lateness,
            stalled: self.stalls.total(),
            packets: self.packets,
            captured: self.captured,
        }
    }
}

/// A packet is dropped or lost.
fn discard(packets: &mut PacketCounts, pool: &mut Vec<Vec<u8>>, packet: LivePacket) {
    packets.dropped += 1;
    if !packet.bytes.is_empty() {
        pool.push(packet.bytes);
    }
}
