//! The loop: the earliest event happens, and what follows from it, until the end.

use std::ops::ControlFlow;

use eddyline_path::histogram::Histogram;
use eddyline_scenario::Network;
use eddyline_scenario::result::{Counters, RunResult};
use eddyline_units::{Rate, Time};

use super::net::{Layout, Net};
use super::packet::{Kind, Packet};
use super::tournament::Tournament;
use crate::record::{BottleneckSampler, FlowMeter, PacketLog, Recorder, Series, summary};
use crate::run::{Options, Progress, SimError};
use crate::tcp::Flow;

use super::cross::CrossTraffic;

/// Events between two looks at the observer.
const GLANCE: u64 = 1 << 16;
/// Beyond this many flows percentiles are kept by group.
const MOST_PERCENTILES: usize = 10_000;

/// A scenario in virtual time.
pub struct World<'a> {
    network: &'a Network,
    net: Net,
    flows: Vec<Flow>,
    cross: Vec<CrossTraffic>,
    /// Sources: the clerk (window, samples, series), then flows, then cross traffic.
    timers: Tournament,
    sampler: Option<BottleneckSampler>,
    recorder: Option<Recorder>,
    window_open: bool,
    events: u64,
}

/// The leaf of the clerk.
const CLERK: u32 = 0;

impl<'a> World<'a> {
    /// Lays out `network` at time zero.
    pub fn new(network: &'a Network, options: &Options) -> Result<Self, SimError> {
        let logger = match &options.packet_log {
            Some(selection) => Some(Box::new(crate::record::PacketLogger::new(network, selection)?)),
            None => None,
        };
        let mut layout = Layout::default();
        let percentiles = network.flows.len() <= MOST_PERCENTILES;
        let mut flows = Vec::with_capacity(network.flows.len());
        for (i, spec) in network.flows.iter().enumerate() {
            let data = layout.path(network, &spec.data, spec.access_data, spec.packet);
            let ack = layout.path(network, &spec.ack, spec.access_ack, spec.ack_packet);
            let slowest = spec.data.iter().map(|l| network.links[*l as usize].rate).min().unwrap_or(Rate::MAX);
            let half = Time::from_ps(slowest.transmission_time(spec.packet.into()).as_ps() / 2);
            let window = f64::from(spec.tcp.initial_window);
            let meter = FlowMeter::new(spec.start, window, half, percentiles);
            flows.push(Flow::new(network, i, data, ack, meter));
        }
        let cross: Vec<CrossTraffic> = network
            .traffic
            .iter()
            .zip(flows.len() as u32..)
            .map(|(t, source)| {
                CrossTraffic::new(network, t, source, layout.path(network, &t.path, Time::ZERO, t.packet))
            })
            .collect();
        let net = Net::new(network, layout, options.general_queues, logger);
        let mut timers = Tournament::new(1 + flows.len() + cross.len());
        for (i, flow) in flows.iter().enumerate() {
            timers.set(1 + i as u32, flow.next_timer());
        }
        for (i, source) in cross.iter().enumerate() {
            timers.set((1 + flows.len() + i) as u32, source.next());
        }
        let recorder = options.series.then(|| Recorder::new(network));
        let sampler = BottleneckSampler::new(network);
        let mut world = Self { network, net, flows, cross, timers, sampler, recorder, window_open: false, events: 0 };
        world.rearm_clerk();
        Ok(world)
    }

    /// Runs to the end.
    pub fn run(&mut self, observe: &mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<(), SimError> {
        let end = self.network.duration;
        loop {
            let (packet_at, source) = self.net.next_event();
            let (timer_at, leaf) = self.timers.first();
            let now = packet_at.min(timer_at);
            if now > end {
                break;
            }
            // the clerk's looks are no events: recording must not change what is counted
            self.events += u64::from(packet_at <= timer_at || leaf != CLERK);
            if packet_at <= timer_at {
                if let Some(arrival) = self.net.happen(now, source) {
                    self.deliver(now, &arrival.packet);
                }
            } else if leaf == CLERK {
                self.clerk(now);
            } else {
                self.timer(now, leaf);
            }
            if self.events.is_multiple_of(GLANCE) {
                let progress = Progress { now, duration: end, events: self.events };
                if observe(progress).is_break() {
                    return Err(SimError::Interrupted);
                }
            }
        }
        Ok(())
    }

    /// The timer of a flow, or of cross traffic.
    #[inline]
    fn timer(&mut self, now: Time, leaf: u32) {
        let index = leaf as usize - 1;
        let next = match self.flows.get_mut(index) {
            Some(flow) => {
                flow.on_timer(now, &mut self.net);
                flow.next_timer()
            }
            None => {
                let source = &mut self.cross[index - self.flows.len()];
                source.emit(now, &mut self.net);
                source.next()
            }
        };
        self.timers.set(leaf, next);
    }

    #[inline]
    fn deliver(&mut self, now: Time, packet: &Packet) {
        if packet.kind == Kind::Cross {
            return;
        }
        let flow = &mut self.flows[packet.flow as usize];
        flow.on_packet(now, packet, &mut self.net);
        // A timer that moved back stays where it is and finds nothing to do when it comes: one entry a flow, lazily.
        let wanted = flow.next_timer();
        let leaf = 1 + packet.flow;
        if wanted < self.timers.get(leaf) {
            self.timers.set(leaf, wanted);
        }
    }

    /// Opens the summary window, samples, records.
    fn clerk(&mut self, now: Time) {
        if !self.window_open && now >= self.network.warmup {
            self.window_open = true;
            self.net.begin_window(now);
            for flow in &mut self.flows {
                let delivered = flow.receiver().delivered();
                flow.meter.begin_window(now, delivered);
            }
        }
        if let Some(s) = self.sampler.as_mut().filter(|s| s.next() <= now) {
            s.sample(now, &self.net);
        }
        if let Some(r) = self.recorder.as_mut().filter(|r| r.next() <= now) {
            r.tick(now, &self.flows, &mut self.net);
        }
        self.rearm_clerk();
    }

    fn rearm_clerk(&mut self) {
        let window = if self.window_open { Time::MAX } else { self.network.warmup };
        let sample = self.sampler.as_ref().map_or(Time::MAX, BottleneckSampler::next);
        let tick = self.recorder.as_ref().map_or(Time::MAX, Recorder::next);
        self.timers.set(CLERK, window.min(sample).min(tick));
    }

    /// Closes the books.
    pub fn finish(mut self) -> Result<(RunResult, Option<Series>, Option<PacketLog>), SimError> {
        let in_flight = self.net.in_flight();
        self.net.close(self.network.duration);
        let count = self.net.count;
        if count.sent != count.delivered + count.dropped + in_flight {
            return Err(SimError::NotConserved(format!("{count:?}, {in_flight} in flight")));
        }
        let counters = Counters {
            events: Some(self.events),
            packets_sent: Some(count.sent),
            packets_delivered: Some(count.delivered),
            packets_dropped: Some(count.dropped),
            packets_in_flight: Some(in_flight),
            data_packets_delivered: Some(self.flows.iter().map(|f| f.meter.arrived_packets()).sum()),
        };
        let group_histograms: Vec<Histogram> = Vec::new();
        let log = self.net.logger.take().map(|l| l.finish());
        let result = summary::summarise(summary::Ending {
            network: self.network,
            flows: self.flows,
            net: &self.net,
            sampler: self.sampler.as_ref(),
            counters,
            group_histograms,
        });
        Ok((result, self.recorder.map(Recorder::finish), log))
    }
}
