//! The event loop: handles the earliest event, and what follows from it, until the end.

mod after_event;

use std::iter::Zip;
use std::ops::ControlFlow;
use std::{fmt, mem, vec};

use eddyline_scenario::Network;
use eddyline_scenario::network::{Arrivals, Flow as FlowSpec, Transport as Protocol};
use eddyline_scenario::result::{RunResult, TrafficResult};
use eddyline_scenario::series::Series;
use eddyline_units::Time;

use super::cross_traffic::CrossTraffic;
use super::dynamic_flows::DynamicFlows;
use super::ending;
use super::error::SimError;
use super::histograms::Histograms;
use super::measurement::{Measurement, Readings};
use super::memory;
use super::options::{Options, Progress};
use super::paths::{Paths, flow_path};
use super::probes::Probes;
use super::sampling::Sampling;
use super::share::{Ends, Share};
use super::sorted_network::SortedNetwork;
use crate::endpoint::{FlowSetup, FlowState, Flows, OwnedFlows, Transport};
use crate::meter::{BottleneckSampler, FlowMeter, PacketLog, PacketLogger, Qlog, WindowEdge};
use crate::network::{EventQueue, LinkCounts, Net, Plan, TRANSIT};
use crate::packet::{Packet, PacketKind};

/// Mask of the event counts at which the observer is called: every 65,536 events.
pub const OBSERVER_MASK: u64 = (1 << 16) - 1;
/// The same over a transport of others, whose events may take milliseconds each.
pub const TRANSPORT_OBSERVER_MASK: u64 = (1 << 4) - 1;
/// Mask with which the observer is called after every event.
pub const EVERY_EVENT: u64 = 0;
/// So many flows stay in the caches while others have their turn.
const CACHED_FLOWS: usize = 2_000;
/// Mask of the event counts at which the memory budget is checked.
const MEMORY_MASK: u64 = (1 << 8) - 1;

/// A scenario in virtual time.
pub struct Simulation<'a> {
    duration: Time,
    net: Net,
    flows: Flows,
    /// Something is done after events: there are traces, or the flows are more than a cache holds, and what an event touches is loaded
    /// before its turn.
    looks_back: bool,
    cross: Vec<CrossTraffic>,
    probes: Vec<Probes>,
    dynamic: DynamicFlows,
    /// Transport of all flows, if it is not TCP.
    transport: Option<&'a dyn Transport>,
    /// Sources: measurement (window, samples, series), flows, cross traffic, probes, tables of arrivals, dynamic flows.
    timers: EventQueue,
    /// None in a part of a network, which stops for measurements instead.
    measurement: Option<Measurement>,
    sampling: Sampling,
    /// When the whole network is measured next, of which this is a part.
    hold: Time,
    share: Share,
    /// There are traces of flows.
    traced: bool,
    /// Payload of a full packet of each flow, if they are traced.
    payloads: Vec<u32>,
    events: u64,
}

/// What ended a run early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The observer.
    Observer,
    /// The memory budget, at this time.
    Memory(Time),
    /// A measurement of the whole network is due, of which this is a part.
    Measurement,
}

/// Flows with their places in the network and what is here of each.
pub type PlacedFlows = Zip<OwnedFlows, vec::IntoIter<(u32, Ends)>>;

/// The source of measurement timers.
const MEASUREMENT: u32 = 0;

impl<'a> Simulation<'a> {
    /// Lays out `network` at time zero.
    pub fn new(
        network: &SortedNetwork<'_>,
        options: &Options,
        transport: Option<&'a dyn Transport>,
    ) -> Result<Self, SimError> {
        if transport.is_none() {
            require_tcp(network)?;
        }
        let traced = options.qlog.is_some();
        let logger = (traced || options.packet_log.is_some()).then(|| {
            let places = network.flow_places();
            let qlog = options.qlog.clone().map(|sink| Qlog::new(network, places, sink, transport.is_none()));
            let places = (network.source_places(), network.link_places().to_vec());
            let (selection, sink) = (options.packet_log.as_ref(), options.log_sink.clone());
            PacketLogger::new(network, places, selection, sink, qlog).map_err(SimError::UnknownEntity)
        });
        let logger = logger.transpose()?.map(Box::new);
        let paths = Paths::new(network);
        let plan = paths.layout.whole(network);
        let measurement = Measurement::new(network, options)?;
        let mut whole = Self::lay_out(network, options, transport, &paths, plan, Share::whole(network), logger);
        whole.net.delivers_corrupted = transport.is_some_and(Transport::detects_corruption);
        if traced {
            whole.traced = true;
            whole.looks_back = true;
            whole.payloads = network.flows.iter().map(|f| f.packet - f.header).collect();
        }
        whole.measurement = Some(measurement);
        whole.sampling = Sampling::judged(BottleneckSampler::new(network), network, &whole.share, &whole.net);
        whole.schedule_measurement(Time::MAX);
        Ok(whole)
    }

    /// What has `share` and `plan` of `network`, at time zero, over TCP; keeps the waits at its links at the times of `sampler`.
    pub fn part(
        network: &SortedNetwork<'_>,
        options: &Options,
        paths: &Paths,
        plan: Plan,
        share: Share,
        sampler: Option<&BottleneckSampler>,
    ) -> Simulation<'static> {
        let mut part = Simulation::lay_out(network, options, None, paths, plan, share, None);
        part.sampling = Sampling::kept(sampler, network, &part.share, &part.net);
        part.schedule_measurement(Time::MAX);
        part
    }

    fn lay_out(
        network: &Network,
        options: &Options,
        transport: Option<&'a dyn Transport>,
        paths: &Paths,
        plan: Plan,
        share: Share,
        logger: Option<Box<PacketLogger>>,
    ) -> Self {
        let histograms = Histograms::new(network);
        let mut flows = Flows::with_capacity(share.flows.len(), transport);
        for ((place, ends), number) in share.flows.iter().zip(0..) {
            let spec = &network.flows[*place as usize];
            let path = flow_path(network, spec, paths.flows[*place as usize]);
            let window = f64::from(spec.tcp.initial_window);
            let meter = FlowMeter::new(spec.start, window, path.half_transmission, histograms.of_flow(*place as usize));
            // a sender that is elsewhere does not start here
            let idle = (*ends == Ends::Receiver).then(|| FlowSpec { start: Time::MAX, ..spec.clone() });
            let spec = idle.as_ref().unwrap_or(spec);
            let setup = FlowSetup { spec, path: &path, number, generation: 0, arrival: None, meter };
            flows.push(setup, transport);
        }
        let traffic = share.traffic.iter().zip(flows.len() as u32..);
        let cross = traffic.map(|(place, source)| {
            let place = *place as usize;
            CrossTraffic::new(network, &network.traffic[place], source, paths.traffic[place])
        });
        let cross: Vec<CrossTraffic> = cross.collect();
        let first_probe = flows.len() + cross.len();
        let probes = share.probes.iter().zip(first_probe as u32..);
        let probes = probes.map(|(place, source)| {
            let place = *place as usize;
            Probes::new(network, &network.probes[place], source, paths.probes[place])
        });
        let probes: Vec<Probes> = probes.collect();
        let first_class = first_probe + probes.len();
        let tables: &[Arrivals] = if share.arrivals { &network.arrivals } else { &[] };
        let dynamic = DynamicFlows::new(network, tables, &paths.arrivals, first_class as u32);
        let mut net = Net::new(network, plan, share.origins(network), options.general_queues, logger);
        net.max_packets = memory::max_packets(options.memory, transport.is_some());
        net.interruption.clone_from(&options.interruption);
        let mut timers = EventQueue::new(1 + first_class + dynamic.classes());
        for i in 0..flows.len() {
            timers.set(1 + i as u32, flows.next_timer(i));
        }
        for (i, source) in cross.iter().enumerate() {
            timers.set((1 + flows.len() + i) as u32, source.next());
        }
        for (i, source) in probes.iter().enumerate() {
            timers.set((1 + first_probe + i) as u32, source.next());
        }
        for class in 0..dynamic.classes() {
            timers.set((1 + first_class + class) as u32, dynamic.next_arrival(class));
        }
        Self {
            duration: network.duration,
            net,
            looks_back: flows.len() > CACHED_FLOWS,
            flows,
            cross,
            probes,
            dynamic,
            transport,
            timers,
            measurement: None,
            sampling: Sampling::Off,
            hold: Time::MAX,
            share,
            traced: false,
            payloads: Vec::new(),
            events: 0,
        }
    }

    /// Runs until no event is left up to `end`, until the memory budget is exceeded, or until `observe` stops it. `observe` is called whenever the event count has no
    /// bit of `observer_mask` set. A later call continues the run.
    pub fn run(
        &mut self,
        end: Time,
        observer_mask: u64,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> ControlFlow<Stop> {
        // one copy of the loop: with two the compiler no longer inlines what an event needs, which costs each packet more than a look
        // at whether there are traces
        let mut packet = Packet::default();
        loop {
            let (packet_at, packet_source) = self.net.next_event();
            let (timer_at, timer_source) = self.timers.first();
            let now = packet_at.min(timer_at);
            if now > end {
                break;
            }
            if packet_at <= timer_at {
                self.events += 1;
                if self.net.handle_event(now, packet_source, &mut packet) {
                    self.deliver(now, &packet);
                    if self.looks_back {
                        self.after_arrival(now, packet.flow);
                    }
                } else if self.looks_back {
                    self.load_next_arrival();
                }
            } else if timer_source == MEASUREMENT {
                // not counted as an event, so that recording does not change the count
                self.measure(now)?;
            } else {
                self.events += 1;
                self.on_timer(now, timer_source);
                if self.looks_back {
                    self.after_timer(now, timer_source);
                }
            }
            if self.events & observer_mask & MEMORY_MASK == 0 {
                self.check_memory(now)?;
                if self.events & observer_mask == 0
                    && observe(Progress { now, duration: self.duration, events: self.events }).is_break()
                {
                    return ControlFlow::Break(Stop::Observer);
                }
            }
        }
        self.check_memory(end)
    }

    fn check_memory(&mut self, now: Time) -> ControlFlow<Stop> {
        if self.net.is_interrupted {
            return ControlFlow::Break(Stop::Observer);
        }
        if self.net.exceeds_memory(now) { ControlFlow::Break(Stop::Memory(now)) } else { ControlFlow::Continue(()) }
    }

    /// Why a simulation of `network` stopped, as an error.
    pub fn error(&mut self, stop: Stop, network: &Network) -> SimError {
        match stop {
            Stop::Observer | Stop::Measurement => SimError::Interrupted,
            Stop::Memory(now) => {
                let of_stack = self.transport.is_some();
                SimError::OutOfMemory(memory::report(network, &mut self.net, &self.flows, of_stack, now))
            }
        }
    }

    /// The timer of a flow, or of another source.
    #[inline]
    fn on_timer(&mut self, now: Time, source: u32) {
        let index = source as usize - 1;
        let Some(flow) = self.flows.one_way_tcp(index) else {
            return self.on_other_timer(now, source, index);
        };
        flow.on_timer(now, &mut self.net);
        self.timers.set(source, flow.next_timer());
    }

    /// The timer of a duplex connection or another transport, of cross traffic, probes, a table of arrivals or a dynamic flow.
    fn on_other_timer(&mut self, now: Time, source: u32, index: usize) {
        let Some(index) = index.checked_sub(self.flows.len()) else {
            return self.on_other_flow_timer(now, index);
        };
        if let Some(traffic) = self.cross.get_mut(index) {
            traffic.emit(now, &mut self.net);
            return self.timers.set(source, traffic.next());
        }
        let index = index - self.cross.len();
        if let Some(probes) = self.probes.get_mut(index) {
            probes.on_timer(now, &mut self.net);
            return self.timers.set(source, probes.next());
        }
        let index = index - self.probes.len();
        if index < self.dynamic.classes() {
            let slot = self.dynamic.arrive(now, index, &mut self.net, self.transport);
            self.timers.set(source, self.dynamic.next_arrival(index));
            let flow = self.first_dynamic() + slot;
            self.timers.grow(flow as usize + 1);
            return self.on_dynamic_timer(now, flow, slot);
        }
        self.on_dynamic_timer(now, source, (index - self.dynamic.classes()) as u32);
    }

    fn on_dynamic_timer(&mut self, now: Time, source: u32, slot: u32) {
        let flow = self.dynamic.flow(slot);
        flow.on_timer(now, &mut self.net);
        self.timers.set(source, flow.next_timer());
    }

    /// The source of the dynamic flow in the first slot.
    fn first_dynamic(&self) -> u32 {
        (1 + self.flows.len() + self.cross.len() + self.probes.len() + self.dynamic.classes()) as u32
    }

    #[inline]
    fn deliver(&mut self, now: Time, packet: &Packet) {
        let Some(flow) = self.flows.one_way_tcp(packet.flow as usize) else {
            return self.deliver_other(now, packet);
        };
        flow.on_packet(now, packet, &mut self.net);
        // data concerns the receiver only, whose timer rarely runs
        let wanted = if packet.kind == PacketKind::Data { flow.ack_due() } else { flow.next_timer() };
        if wanted < Time::MAX {
            self.advance_timer(1 + packet.flow, wanted);
        }
    }

    /// A timer that moved back stays in the queue and finds nothing to do when it comes: one entry per source, lazily updated.
    #[inline(always)]
    fn advance_timer(&mut self, source: u32, wanted: Time) {
        if wanted < self.timers.get(source) {
            self.timers.set(source, wanted);
        }
    }

    #[inline(never)]
    fn deliver_cross(&mut self, now: Time, packet: &Packet) {
        let index = packet.flow as usize - self.flows.len();
        if let Some(source) = self.cross.get_mut(index) {
            source.on_packet(now, packet);
        } else if let Some(probes) = self.probes.get_mut(index - self.cross.len()) {
            probes.on_packet(now, packet, &mut self.net);
            let wanted = probes.next();
            self.advance_timer(1 + packet.flow, wanted);
        }
    }

    /// A packet of a duplex connection, of another transport, of a dynamic flow, of cross traffic or of probes.
    #[inline(never)]
    fn deliver_other(&mut self, now: Time, packet: &Packet) {
        if packet.kind == PacketKind::Cross {
            return self.deliver_cross(now, packet);
        }
        let index = packet.flow as usize;
        if index < self.flows.len() {
            self.flows.on_packet(now, packet, &mut self.net);
            return self.advance_timers(index);
        }
        let Some(slot) = self.dynamic.slot_of(packet) else {
            self.dynamic.on_late_packet(packet);
            return self.net.discard(packet);
        };
        let flow = self.dynamic.flow(slot);
        flow.on_packet(now, packet, &mut self.net);
        let wanted = flow.next_timer();
        let source = self.first_dynamic() + slot;
        if self.dynamic.remove_if_completed(now, slot) {
            self.timers.set(source, Time::MAX);
        } else {
            self.advance_timer(source, wanted);
        }
    }

    #[cold]
    fn on_other_flow_timer(&mut self, now: Time, index: usize) {
        self.flows.on_timer(now, index, &mut self.net);
        // this timer has expired, so it may also move back
        self.timers.set(1 + index as u32, self.flows.next_timer(index));
        self.advance_timers(index);
    }

    /// An event of one flow may concern the other direction of its connection too.
    fn advance_timers(&mut self, index: usize) {
        for i in [Some(index), self.flows.peer(index)].into_iter().flatten() {
            self.advance_timer(1 + i as u32, self.flows.next_timer(i));
        }
    }

    /// Makes the measurements that are due.
    fn measure(&mut self, now: Time) -> ControlFlow<Stop> {
        if self.sampling.next() <= now {
            self.sampling.sample(now, &self.net);
        }
        if let Some(mut measurement) = self.measurement.take() {
            measurement.measure(now, self);
            self.measurement = Some(measurement);
        }
        if now == self.hold {
            return ControlFlow::Break(Stop::Measurement);
        }
        self.schedule_measurement(self.hold);
        ControlFlow::Continue(())
    }

    /// Also stops for a measurement of the whole network at `hold`.
    pub fn schedule_measurement(&mut self, hold: Time) {
        self.hold = hold;
        let own = self.measurement.as_ref().map_or(Time::MAX, Measurement::next);
        self.timers.set(MEASUREMENT, own.min(self.sampling.next()).min(hold));
    }

    /// When the next event is due.
    pub fn next_event(&self) -> Time {
        self.net.next_event().0.min(self.timers.first().0)
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The network between the endpoints.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// As [`net`](Self::net).
    pub fn net_mut(&mut self) -> &mut Net {
        &mut self.net
    }

    /// The network between the endpoints, and what is here of the whole.
    pub fn net_and_share(&mut self) -> (&mut Net, &Share) {
        (&mut self.net, &self.share)
    }

    /// What it has of the network.
    pub fn share(&self) -> &Share {
        &self.share
    }

    /// The flows of the network, in order.
    pub fn flows(&self) -> &Flows {
        &self.flows
    }

    /// As [`flows`](Self::flows).
    pub fn flows_mut(&mut self) -> &mut Flows {
        &mut self.flows
    }

    /// Takes out the flows, with what is here of each.
    pub fn take_flows(&mut self) -> PlacedFlows {
        mem::take(&mut self.flows).into_iter().zip(mem::take(&mut self.share.flows))
    }

    /// Takes out the probes.
    pub fn take_probes(&mut self) -> Vec<Probes> {
        mem::take(&mut self.probes)
    }

    /// The dynamic flows.
    pub fn dynamic(&self) -> &DynamicFlows {
        &self.dynamic
    }

    /// The results of its cross traffic.
    pub fn traffic_results(&self, network: &Network) -> Vec<TrafficResult> {
        let specs = self.share.traffic.iter().map(|place| &network.traffic[*place as usize]);
        self.cross.iter().zip(specs).map(|(source, spec)| source.result(spec, &self.net)).collect()
    }

    /// Takes out the samples kept since the last call: the waits at its own links, sample after sample.
    pub fn take_samples(&mut self) -> Vec<Time> {
        self.sampling.take_kept()
    }

    /// The series so far, if they are recorded.
    pub fn series(&self) -> Option<&Series> {
        self.measurement.as_ref().and_then(Measurement::series)
    }

    /// Packet events since the last call, if they are logged and no sink gets them.
    pub fn take_log(&mut self) -> Option<PacketLog> {
        self.net.logger.as_mut().and_then(|logger| logger.take())
    }

    /// The summary window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.net.begin_window(now);
        for flow in 0..self.flows.len() {
            let delivered = self.flows.state(flow).delivered_bytes;
            self.flows.meter_mut(flow).begin_window(now, delivered);
        }
    }

    /// Counts what has arrived, at an end of the window, of packets of cross traffic that are arriving; returns what has arrived of
    /// packets of flows: places in the network and bytes, those in pipes, and those still on links.
    pub fn count_partial_packets(&mut self, now: Time, edge: WindowEdge) -> [Vec<(u32, f64)>; 2] {
        self.net.partial_packets(now).map(|packets| {
            let mut of_flows = Vec::new();
            for (source, bytes) in packets {
                if let Some(traffic) = self.cross.get_mut((source as usize).wrapping_sub(self.flows.len())) {
                    traffic.on_partial(edge, bytes);
                } else if source < self.flows.len() as u32 || source >= TRANSIT {
                    of_flows.push((self.share.place_of_flow(source), bytes));
                }
            }
            of_flows
        })
    }

    /// Ends the simulation of `network`, the one that it was made from, and checks that packets are conserved.
    pub fn finish(
        mut self,
        network: &SortedNetwork<'_>,
    ) -> Result<(RunResult, Option<Series>, Option<PacketLog>), SimError> {
        let series = self.measurement.take().and_then(Measurement::finish);
        let sampler = mem::replace(&mut self.sampling, Sampling::Off).into_sampler();
        let mut parts = [self];
        let result = ending::finish(network, &mut parts, sampler.as_ref())?;
        let [whole] = parts;
        let log = whole.net.logger.and_then(|logger| logger.finish());
        Ok((result, series, log))
    }
}

impl Readings for Simulation<'_> {
    fn begin_window(&mut self, now: Time) {
        Simulation::begin_window(self, now);
        for (place, bytes) in self.count_partial_packets(now, WindowEdge::Begin).into_iter().flatten() {
            self.flows.meter_mut(place as usize).on_partial(WindowEdge::Begin, bytes);
        }
    }

    fn flow(&self, flow: usize) -> (FlowState, f64) {
        (self.flows.state(flow), self.flows.meter(flow).arrived_bits())
    }

    fn link(&mut self, now: Time, link: usize) -> LinkCounts {
        self.net.link_counts(now, link)
    }
}

/// Makes sure that all flows have TCP, and controllers that are not part of another transport. Every run does so first.
///
/// # Errors
/// [`SimError::OtherWorld`], [`SimError::NoQuic`].
pub fn require_tcp(network: &Network) -> Result<(), SimError> {
    for flow in network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow)) {
        if let Some(world) = flow.controller.only_in() {
            return Err(SimError::OtherWorld { controller: flow.controller.name().to_owned(), world });
        }
        if flow.transport == Some(Protocol::Quic) {
            return Err(SimError::NoQuic(flow.name.clone()));
        }
    }
    Ok(())
}

impl fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("events", &self.events)
            .field("flows", &self.flows.len())
            .finish_non_exhaustive()
    }
}
