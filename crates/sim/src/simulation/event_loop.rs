//! The event loop: handles the earliest event, and what follows from it, until the end.

use std::fmt;
use std::ops::ControlFlow;

use eddyline_path::histogram::Histogram;
use eddyline_scenario::Network;
use eddyline_scenario::result::{Counters, RunResult};
use eddyline_scenario::series::Series;
use eddyline_units::Time;

use super::cross_traffic::CrossTraffic;
use super::dynamic_flows::DynamicFlows;
use super::error::SimError;
use super::flow_path::flow_path;
use super::memory;
use super::options::{Options, Progress};
use super::probes::Probes;
use super::series_recorder::SeriesRecorder;
use super::sorted_network::SortedNetwork;
use super::summary;
use crate::endpoint::{DuplexConnection, Flow, FlowSetup, Transport};
use crate::meter::{
    BottleneckSampler, FlowMeter, PacketLog, PacketLogger, Qlog, RttHistogram, SenderState, SharedHistogram, WindowEdge,
};
use crate::network::{EventQueue, Layout, Net};
use crate::packet::{Packet, PacketKind, PacketSink};

/// Mask of the event counts at which the observer is called: every 65,536 events.
pub const OBSERVER_MASK: u64 = (1 << 16) - 1;
/// Mask with which the observer is called after every event.
pub const EVERY_EVENT: u64 = 0;
/// Mask of the event counts at which the memory budget is checked.
const MEMORY_MASK: u64 = (1 << 8) - 1;
/// In runs of more flows, those of a table with `count` above 1 have one histogram of round-trip times together.
const MAX_HISTOGRAMS: usize = 10_000;

/// A scenario in virtual time.
pub struct Simulation<'a> {
    duration: Time,
    warmup: Time,
    net: Net,
    flows: Vec<Flow>,
    cross: Vec<CrossTraffic>,
    probes: Vec<Probes>,
    dynamic: DynamicFlows,
    /// Transport of all flows, if it is not TCP.
    transport: Option<&'a dyn Transport>,
    /// Sources: measurement (window, samples, series), flows, cross traffic, probes, tables of arrivals, dynamic flows.
    timers: EventQueue,
    sampler: Option<BottleneckSampler>,
    recorder: Option<SeriesRecorder>,
    /// There are traces of flows.
    traced: bool,
    /// Payload of a full packet of each flow, if they are traced.
    payloads: Vec<u32>,
    window_open: bool,
    events: u64,
}

/// What ended a run early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The observer.
    Observer,
    /// The memory budget, at this time.
    Memory(Time),
}

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
            require_own_controllers(network)?;
        }
        let traced = options.qlog.is_some();
        let logger = (traced || options.packet_log.is_some()).then(|| {
            let places = network.flow_places();
            let qlog = options.qlog.clone().map(|sink| Qlog::new(network, places, sink, transport.is_none()));
            let places = (network.source_places(), network.link_places().to_vec());
            PacketLogger::new(network, places, options.packet_log.as_ref(), qlog).map_err(SimError::UnknownEntity)
        });
        let logger = logger.transpose()?.map(Box::new);
        let mut layout = Layout::default();
        let mut flows = Vec::with_capacity(network.flows.len());
        for ((spec, number), histogram) in network.flows.iter().zip(0..).zip(histograms(network)) {
            let path = flow_path(network, spec, &mut layout);
            let window = f64::from(spec.tcp.initial_window);
            let meter = FlowMeter::new(spec.start, window, path.half_transmission, histogram);
            let setup = FlowSetup { spec, path: &path, number, generation: 0, arrival: None, meter };
            flows.push(Flow::new(setup, transport));
        }
        let cross: Vec<CrossTraffic> = network
            .traffic
            .iter()
            .zip(flows.len() as u32..)
            .map(|(t, source)| {
                CrossTraffic::new(network, t, source, layout.path(network, &t.path, Time::ZERO, t.packet))
            })
            .collect();
        let first_probe = flows.len() + cross.len();
        let probes = network.probes.iter().zip(first_probe as u32..);
        let probes: Vec<Probes> = probes.map(|(p, source)| Probes::new(network, p, source, &mut layout)).collect();
        let first_class = first_probe + probes.len();
        let dynamic = DynamicFlows::new(network, &mut layout, first_class as u32);
        let mut net = Net::new(network, layout, options.general_queues, logger);
        net.max_packets = memory::max_packets(options.memory);
        net.delivers_corrupted = transport.is_some_and(Transport::detects_corruption);
        let mut timers = EventQueue::new(1 + first_class + dynamic.classes());
        for (i, flow) in flows.iter().enumerate() {
            timers.set(1 + i as u32, flow.next_timer());
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
        let recorder = options.series.then(|| SeriesRecorder::new(network)).transpose()?;
        let sampler = BottleneckSampler::new(network);
        let mut simulation = Self {
            duration: network.duration,
            warmup: network.warmup,
            net,
            flows,
            cross,
            probes,
            dynamic,
            transport,
            timers,
            sampler,
            recorder,
            traced,
            payloads: if traced { network.flows.iter().map(|f| f.packet - f.header).collect() } else { Vec::new() },
            window_open: false,
            events: 0,
        };
        simulation.schedule_measurement();
        Ok(simulation)
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
                    if self.traced {
                        self.trace(now, packet.flow as usize);
                    }
                }
            } else if timer_source == MEASUREMENT {
                // not counted as an event, so that recording does not change the count
                self.measure(now);
            } else {
                self.events += 1;
                self.on_timer(now, timer_source);
                if self.traced {
                    self.trace(now, timer_source as usize - 1);
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

    fn check_memory(&self, now: Time) -> ControlFlow<Stop> {
        if self.net.is_full() { ControlFlow::Break(Stop::Memory(now)) } else { ControlFlow::Continue(()) }
    }

    /// Why a simulation of `network` stopped, as an error.
    pub fn error(&mut self, stop: Stop, network: &Network) -> SimError {
        match stop {
            Stop::Observer => SimError::Interrupted,
            Stop::Memory(now) => SimError::OutOfMemory(memory::report(network, &mut self.net, &self.flows, now)),
        }
    }

    /// Writes what an event of a flow has changed, for both directions of its connection. Other sources are not traced.
    #[cold]
    fn trace(&mut self, now: Time, index: usize) {
        let Some(peer) = self.flows.get(index).map(Flow::peer) else { return };
        for i in [Some(index), peer.map(|p| p as usize)].into_iter().flatten() {
            let state = sender_state(&self.flows[i], self.payloads[i]);
            if let Some(qlog) = self.net.logger.as_mut().and_then(|logger| logger.qlog()) {
                qlog.on_state(now, i, &state);
            }
        }
    }

    /// The timer of a flow, or of another source.
    #[inline]
    fn on_timer(&mut self, now: Time, source: u32) {
        let index = source as usize - 1;
        let Some(Flow::Tcp(flow)) = self.flows.get_mut(index) else {
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
        if packet.kind == PacketKind::Cross {
            return self.deliver_cross(now, packet);
        }
        let Some(Flow::Tcp(flow)) = self.flows.get_mut(packet.flow as usize) else {
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
    #[inline]
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

    /// A packet of a duplex connection, of another transport or of a dynamic flow.
    #[inline(never)]
    fn deliver_other(&mut self, now: Time, packet: &Packet) {
        let index = packet.flow as usize;
        if index < self.flows.len() {
            if let Some(mut connection) = Self::duplex(&mut self.flows, index) {
                connection.on_packet(now, packet, &mut self.net);
            } else {
                self.flows[index].on_packet(now, packet, &mut self.net);
            }
            return self.advance_timers(index);
        }
        let Some(slot) = self.dynamic.slot_of(packet) else {
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
        if let Some(mut connection) = Self::duplex(&mut self.flows, index) {
            connection.on_timer(now, &mut self.net);
        } else {
            self.flows[index].on_timer(now, &mut self.net);
        }
        // this timer has expired, so it may also move back
        self.timers.set(1 + index as u32, self.flows[index].next_timer());
        self.advance_timers(index);
    }

    /// Both flows of a duplex connection.
    fn duplex(flows: &mut [Flow], index: usize) -> Option<DuplexConnection<'_>> {
        let peer = flows[index].peer()? as usize;
        match flows.get_disjoint_mut([index, peer]).ok()? {
            [Flow::DuplexTcp(flow), Flow::DuplexTcp(peer)] => Some(DuplexConnection { flow, peer }),
            _ => None,
        }
    }

    /// An event of one flow may concern the other direction of its connection too.
    fn advance_timers(&mut self, index: usize) {
        let peer = self.flows[index].peer().map(|p| p as usize);
        for i in [Some(index), peer].into_iter().flatten() {
            self.advance_timer(1 + i as u32, self.flows[i].next_timer());
        }
    }

    /// Opens the summary window, samples bottlenecks, records series.
    fn measure(&mut self, now: Time) {
        if !self.window_open && now >= self.warmup {
            self.window_open = true;
            self.net.begin_window(now);
            for flow in &mut self.flows {
                let delivered = flow.state().delivered_bytes;
                flow.meter_mut().begin_window(now, delivered);
            }
            self.count_partial_packets(now, WindowEdge::Begin);
        }
        if let Some(s) = self.sampler.as_mut().filter(|s| s.next() <= now) {
            s.sample(|link| self.net.backlog(now, link));
        }
        if let Some(r) = self.recorder.as_mut().filter(|r| r.next() <= now) {
            r.record(now, &self.flows, &mut self.net);
        }
        self.schedule_measurement();
    }

    /// Counts what has arrived, at an end of the window, of packets that are arriving.
    fn count_partial_packets(&mut self, now: Time, edge: WindowEdge) {
        for (source, bytes) in self.net.partial_packets(now) {
            let source = source as usize;
            if let Some(flow) = self.flows.get_mut(source) {
                flow.meter_mut().on_partial(edge, bytes);
            } else if let Some(traffic) = self.cross.get_mut(source - self.flows.len()) {
                traffic.on_partial(edge, bytes);
            }
        }
    }

    fn schedule_measurement(&mut self) {
        let window = if self.window_open { Time::MAX } else { self.warmup };
        let sample = self.sampler.as_ref().map_or(Time::MAX, BottleneckSampler::next);
        let tick = self.recorder.as_ref().map_or(Time::MAX, SeriesRecorder::next);
        self.timers.set(MEASUREMENT, window.min(sample).min(tick));
    }

    /// The flows of the network, in order.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// The series so far, if they are recorded.
    pub fn series(&self) -> Option<&Series> {
        self.recorder.as_ref().map(SeriesRecorder::so_far)
    }

    /// Packet events since the last call, if they are logged.
    pub fn take_log(&mut self) -> Option<PacketLog> {
        self.net.logger.as_mut().map(|logger| logger.take())
    }

    /// Ends the simulation of `network`, the one that it was made from, and checks that packets are conserved.
    pub fn finish(
        mut self,
        network: &SortedNetwork<'_>,
    ) -> Result<(RunResult, Option<Series>, Option<PacketLog>), SimError> {
        self.count_partial_packets(self.duration, WindowEdge::End);
        let in_flight = self.net.in_flight();
        self.net.close(self.duration);
        let counters = self.net.counters;
        if counters.sent != counters.delivered + counters.dropped + in_flight {
            return Err(SimError::NotConserved(format!("{counters:?}, {in_flight} in flight")));
        }
        let data_packets = self.flows.iter().map(|f| f.meter().arrived_packets()).sum::<u64>();
        let counters = Counters {
            events: Some(self.events),
            packets_sent: Some(counters.sent),
            packets_delivered: Some(counters.delivered),
            packets_dropped: Some(counters.dropped),
            packets_in_flight: Some(in_flight),
            data_packets_delivered: Some(data_packets + self.dynamic.data_packets()),
        };
        let arrivals = self.dynamic.results(network, self.duration);
        let cross = self.cross.iter().zip(&network.traffic);
        let traffic = cross.map(|(source, spec)| source.result(spec, &self.net)).collect();
        let log = self.net.logger.take().and_then(|l| l.finish());
        let mut result = summary::summarise(summary::Ending {
            network,
            flows: self.flows,
            net: &self.net,
            probes: self.probes,
            sampler: self.sampler.as_ref(),
            arrivals,
            traffic,
            counters,
        });
        network.restore(&mut result);
        Ok((result, self.recorder.map(SeriesRecorder::finish), log))
    }
}

/// TCP has the controllers that are not part of another transport.
fn require_own_controllers(network: &Network) -> Result<(), SimError> {
    let flows = network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow));
    for controller in flows.map(|f| &f.controller) {
        if let Some(world) = controller.only_in() {
            return Err(SimError::OtherWorld { controller: controller.name().to_owned(), world });
        }
    }
    Ok(())
}

/// What a trace shows of a sender whose full packets have this payload.
fn sender_state(flow: &Flow, payload: u32) -> SenderState {
    let (state, recovery) = (flow.state(), flow.recovery());
    let bytes = |packets: f64| (packets * f64::from(payload)) as u64;
    SenderState {
        window: bytes(state.cwnd_packets),
        in_flight: bytes(state.in_flight_packets),
        packets_in_flight: state.in_flight_packets.round() as u64,
        smoothed_rtt: state.srtt,
        latest_rtt: state.last_rtt,
        slow_start_threshold: recovery.slow_start_threshold.map(bytes),
        pacing_rate: state.pacing_bps.map(|rate| rate as u64),
        in_recovery: recovery.in_progress,
        acknowledged: recovery.acknowledged,
        lost: state.retransmits,
    }
}

/// Where the round-trip samples of each flow are counted.
fn histograms(network: &Network) -> Vec<RttHistogram> {
    let mut histograms = vec![RttHistogram::Own(Histogram::default()); network.flows.len()];
    if network.flows.len() > MAX_HISTOGRAMS {
        for g in &network.groups {
            histograms[g.first..g.first + g.count].fill(RttHistogram::Shared(SharedHistogram::default()));
        }
    }
    histograms
}

impl fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("events", &self.events)
            .field("flows", &self.flows.len())
            .finish_non_exhaustive()
    }
}
