//! The loop: the earliest event happens, and what follows from it, until the end.

use std::ops::ControlFlow;

use eddyline_scenario::Network;
use eddyline_scenario::result::{Counters, RunResult};
use eddyline_scenario::series::Series;
use eddyline_units::Time;

use super::guests::Guests;
use super::net::{Layout, Net};
use super::packet::{Kind, Packet};
use super::tournament::Tournament;
use crate::record::{BottleneckSampler, FlowMeter, PacketLog, Recorder, summary};
use crate::run::{Options, Progress, SimError};
use crate::tcp::{Ends, Flow, Pair};

use super::cross::CrossTraffic;

/// How often the observer is asked: at event counts that have none of these bits.
pub const SELDOM: u64 = (1 << 16) - 1;
/// After every event.
pub const ALWAYS: u64 = 0;
/// Beyond this many flows no percentiles of round-trip times are kept: neither theirs nor those of their groups.
const MOST_PERCENTILES: usize = 10_000;

/// A scenario in virtual time.
pub struct World {
    duration: Time,
    warmup: Time,
    net: Net,
    flows: Vec<Flow>,
    cross: Vec<CrossTraffic>,
    guests: Guests,
    /// Sources: the clerk (window, samples, series), flows, cross traffic, tables of arrivals, guests.
    timers: Tournament,
    sampler: Option<BottleneckSampler>,
    recorder: Option<Recorder>,
    window_open: bool,
    events: u64,
}

/// The leaf of the clerk.
const CLERK: u32 = 0;

impl World {
    /// Lays out `network` at time zero.
    pub fn new(network: &Network, options: &Options) -> Result<Self, SimError> {
        let logger = match &options.packet_log {
            Some(selection) => Some(Box::new(crate::record::PacketLogger::new(network, selection)?)),
            None => None,
        };
        let mut layout = Layout::default();
        let percentiles = network.flows.len() <= MOST_PERCENTILES;
        let mut flows = Vec::with_capacity(network.flows.len());
        for (i, spec) in network.flows.iter().enumerate() {
            let ends = Ends::new(network, spec, &mut layout);
            let window = f64::from(spec.tcp.initial_window);
            let meter = FlowMeter::new(spec.start, window, ends.half_transmission, percentiles);
            flows.push(Flow::new(spec, &ends, i as u32, 0, meter));
        }
        let cross: Vec<CrossTraffic> = network
            .traffic
            .iter()
            .zip(flows.len() as u32..)
            .map(|(t, source)| {
                CrossTraffic::new(network, t, source, layout.path(network, &t.path, Time::ZERO, t.packet))
            })
            .collect();
        let guests = Guests::new(network, &mut layout, (flows.len() + cross.len()) as u32);
        let net = Net::new(network, layout, options.general_queues, logger);
        let mut timers = Tournament::new(1 + flows.len() + cross.len() + guests.classes());
        for (i, flow) in flows.iter().enumerate() {
            timers.set(1 + i as u32, flow.next_timer());
        }
        for (i, source) in cross.iter().enumerate() {
            timers.set((1 + flows.len() + i) as u32, source.next());
        }
        for class in 0..guests.classes() {
            timers.set((1 + flows.len() + cross.len() + class) as u32, guests.next(class));
        }
        let recorder = options.series.then(|| Recorder::new(network)).transpose()?;
        let sampler = BottleneckSampler::new(network);
        let mut world = Self {
            duration: network.duration,
            warmup: network.warmup,
            net,
            flows,
            cross,
            guests,
            timers,
            sampler,
            recorder,
            window_open: false,
            events: 0,
        };
        world.rearm_clerk();
        Ok(world)
    }

    /// Runs until nothing happens before `end` any more, or `observe` stops it; `glances` says how often that is asked. It
    /// may be called again, and goes on where it was.
    pub fn run(
        &mut self,
        end: Time,
        glances: u64,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
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
            if self.events & glances == 0 {
                observe(Progress { now, duration: self.duration, events: self.events })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The timer of a flow, or of whoever comes after.
    #[inline]
    fn timer(&mut self, now: Time, leaf: u32) {
        let index = leaf as usize - 1;
        let Some(flow) = self.flows.get_mut(index).filter(|f| f.is_alone()) else {
            return self.other_timer(now, leaf, index);
        };
        flow.on_timer(now, &mut self.net);
        self.timers.set(leaf, flow.next_timer());
    }

    /// The timer of a flow with a peer, of cross traffic, of a table of arrivals or of a guest.
    fn other_timer(&mut self, now: Time, leaf: u32, index: usize) {
        let Some(index) = index.checked_sub(self.flows.len()) else {
            return self.paired_timer(now, index);
        };
        if let Some(source) = self.cross.get_mut(index) {
            source.emit(now, &mut self.net);
            return self.timers.set(leaf, source.next());
        }
        let index = index - self.cross.len();
        if index < self.guests.classes() {
            let slot = self.guests.arrive(now, index, &mut self.net);
            self.timers.set(leaf, self.guests.next(index));
            let guest = self.first_guest() + slot;
            self.timers.grow(guest as usize + 1);
            return self.guest_timer(now, guest, slot);
        }
        self.guest_timer(now, leaf, (index - self.guests.classes()) as u32);
    }

    fn guest_timer(&mut self, now: Time, leaf: u32, slot: u32) {
        let flow = self.guests.flow(slot);
        flow.on_timer(now, &mut self.net);
        self.timers.set(leaf, flow.next_timer());
    }

    /// The leaf of the first guest.
    fn first_guest(&self) -> u32 {
        (1 + self.flows.len() + self.cross.len() + self.guests.classes()) as u32
    }

    #[inline]
    fn deliver(&mut self, now: Time, packet: &Packet) {
        if packet.kind == Kind::Cross {
            return self.deliver_cross(now, packet);
        }
        let Some(flow) = self.flows.get_mut(packet.flow as usize).filter(|f| f.is_alone()) else {
            return self.deliver_elsewhere(now, packet);
        };
        flow.on_packet(now, packet, &mut self.net);
        // A timer that moved back stays where it is and finds nothing to do when it comes: one entry a flow, lazily.
        let wanted = flow.next_timer();
        let leaf = 1 + packet.flow;
        if wanted < self.timers.get(leaf) {
            self.timers.set(leaf, wanted);
        }
    }

    #[inline(never)]
    fn deliver_cross(&mut self, now: Time, packet: &Packet) {
        if let Some(source) = self.cross.get_mut(packet.flow as usize - self.flows.len()) {
            source.on_packet(now, packet);
        }
    }

    /// Two flows of one connection.
    fn pair(flows: &mut [Flow], index: usize) -> Option<Pair<'_>> {
        let peer = flows[index].peer()? as usize;
        let [this, peer] = flows.get_disjoint_mut([index, peer]).ok()?;
        Some(Pair { this, peer })
    }

    /// A packet of a flow with a peer: data of either may leave at once, and both may have to wait for something else.
    fn deliver_to_pair(&mut self, now: Time, packet: &Packet) {
        let index = packet.flow as usize;
        let Some(mut pair) = Self::pair(&mut self.flows, index) else { return };
        pair.on_packet(now, packet, &mut self.net);
        self.rearm_pair(index);
    }

    #[cold]
    fn paired_timer(&mut self, now: Time, index: usize) {
        let Some(mut pair) = Self::pair(&mut self.flows, index) else { return };
        pair.on_timer(now, &mut self.net);
        // forward too: this one was due
        self.timers.set(1 + index as u32, self.flows[index].next_timer());
        self.rearm_pair(index);
    }

    fn rearm_pair(&mut self, index: usize) {
        let peer = self.flows[index].peer().map(|p| p as usize);
        for i in [Some(index), peer].into_iter().flatten() {
            let (leaf, wanted) = (1 + i as u32, self.flows[i].next_timer());
            if wanted < self.timers.get(leaf) {
                self.timers.set(leaf, wanted);
            }
        }
    }

    /// A packet of a flow with a peer, or of a guest.
    #[inline(never)]
    fn deliver_elsewhere(&mut self, now: Time, packet: &Packet) {
        if (packet.flow as usize) < self.flows.len() {
            return self.deliver_to_pair(now, packet);
        }
        let Some(slot) = self.guests.slot_of(packet) else {
            return self.net.ignore(packet);
        };
        let flow = self.guests.flow(slot);
        flow.on_packet(now, packet, &mut self.net);
        let wanted = flow.next_timer();
        let leaf = self.first_guest() + slot;
        if self.guests.depart_if_done(now, slot) {
            self.timers.set(leaf, Time::MAX);
        } else if wanted < self.timers.get(leaf) {
            self.timers.set(leaf, wanted);
        }
    }

    /// Opens the summary window, samples, records.
    fn clerk(&mut self, now: Time) {
        if !self.window_open && now >= self.warmup {
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
        let window = if self.window_open { Time::MAX } else { self.warmup };
        let sample = self.sampler.as_ref().map_or(Time::MAX, BottleneckSampler::next);
        let tick = self.recorder.as_ref().map_or(Time::MAX, Recorder::next);
        self.timers.set(CLERK, window.min(sample).min(tick));
    }

    /// The flows of the network, in order.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Closes the books of `network`, the one that this is of.
    pub fn finish(mut self, network: &Network) -> Result<(RunResult, Option<Series>, Option<PacketLog>), SimError> {
        let in_flight = self.net.in_flight();
        self.net.close(self.duration);
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
            data_packets_delivered: Some(
                self.flows.iter().map(|f| f.meter.arrived_packets()).sum::<u64>() + self.guests.data_packets(),
            ),
        };
        let arrivals = self.guests.results(network, self.duration);
        let cross = self.cross.iter().zip(&network.traffic);
        let traffic = cross.map(|(source, spec)| source.result(spec, &self.net)).collect();
        let log = self.net.logger.take().map(|l| l.finish());
        let result = summary::summarise(summary::Ending {
            network,
            flows: self.flows,
            net: &self.net,
            sampler: self.sampler.as_ref(),
            arrivals,
            traffic,
            counters,
        });
        Ok((result, self.recorder.map(Recorder::finish), log))
    }
}
