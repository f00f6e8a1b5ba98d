//! Dynamic flows, which arrive, transfer and depart. The state of a flow that left is reused, so that memory grows with the number
//! of flows present, not with the number that ever arrived.

use eddyline_path::link::Origin;
use eddyline_path::random::name_hash;
use eddyline_path::traffic::Transfers;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Arrivals, Flow as FlowSpec};
use eddyline_scenario::result::ArrivalsResult;
use eddyline_units::Time;

use super::paths::{FirstHops, flow_path};
use crate::endpoint::{Flow, FlowPath, FlowSetup, Transport};
use crate::meter::{ArrivalsMeter, FlowMeter, RttHistogram};
use crate::network::Net;
use crate::packet::{Packet, PacketKind};

/// One table of arrivals.
#[derive(Debug)]
struct Class {
    transfers: Transfers,
    next: (Time, u64),
    /// Hash of its name; each of its flows has the hash that follows its predecessor's.
    hash: u64,
    /// Flows that have arrived.
    arrived: u64,
    /// The flows of the table; start and size are those of the latest.
    spec: FlowSpec,
    path: FlowPath,
    meter: ArrivalsMeter,
    /// The first failure of a controller in a flow that has left.
    failure: Option<String>,
}

/// The state of one flow, reused by later flows.
#[derive(Debug)]
struct Slot {
    flow: Flow,
    class: u32,
    /// Counts the flows that used this slot, to recognise packets of an earlier one.
    generation: u16,
    size: u64,
}

/// All tables of arrivals and the flows that are present.
#[derive(Debug)]
pub struct DynamicFlows {
    classes: Vec<Class>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Number of the flow in the first slot among the sources of packets.
    base: u32,
    /// Data packets received by flows that have left, or for them.
    departed_packets: u64,
}

impl DynamicFlows {
    /// No flow present. The paths of each table begin at its `hops`; flows are numbered from `base` on.
    pub fn new(network: &Network, tables: &[Arrivals], hops: &[FirstHops], base: u32) -> Self {
        let class = |(a, hops): (&Arrivals, &FirstHops)| {
            let mut transfers = Transfers::new(a.rate_per_s, &a.size, a.listed.as_ref(), network.seed, &a.name);
            let next = transfers.next();
            Class {
                transfers,
                next,
                hash: name_hash(&a.name),
                arrived: 0,
                spec: a.flow.clone(),
                path: flow_path(network, &a.flow, *hops),
                meter: ArrivalsMeter::new(network.warmup, network.duration),
                failure: None,
            }
        };
        Self {
            classes: tables.iter().zip(hops).map(class).collect(),
            slots: Vec::new(),
            free: Vec::new(),
            base,
            departed_packets: 0,
        }
    }

    /// When the next flow of table `class` arrives.
    pub fn next_arrival(&self, class: usize) -> Time {
        self.classes[class].next.0
    }

    /// Number of tables.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// A flow of table `class` arrives; returns its slot.
    pub fn arrive(&mut self, now: Time, class: usize, net: &mut Net, transport: Option<&dyn Transport>) -> u32 {
        let table = &mut self.classes[class];
        let (_, size) = table.next;
        table.next = table.transfers.next();
        table.meter.on_arrival(now);
        table.spec.start = now;
        table.spec.size = Some(size);
        let (slot, generation) = match self.free.pop() {
            Some(slot) => (slot, self.slots[slot as usize].generation.wrapping_add(1)),
            None => (self.slots.len() as u32, 0),
        };
        let number = self.base + slot;
        net.set_origin(number, Origin { host: table.spec.host, hash: table.hash.wrapping_add(table.arrived) });
        if let Some(log) = &mut net.logger {
            log.set_class(slot, class);
        }
        let window = f64::from(table.spec.tcp.initial_window);
        let meter = FlowMeter::new(now, window, table.path.half_transmission, RttHistogram::None);
        let setup =
            FlowSetup { spec: &table.spec, path: &table.path, number, generation, arrival: Some(table.arrived), meter };
        table.arrived += 1;
        let entry = Slot { flow: Flow::new(setup, transport), class: class as u32, generation, size };
        match self.slots.get_mut(slot as usize) {
            Some(old) => *old = entry,
            None => self.slots.push(entry),
        }
        slot
    }

    /// The flow in `slot`.
    pub fn flow(&mut self, slot: u32) -> &mut Flow {
        &mut self.slots[slot as usize].flow
    }

    /// The slot of a packet's flow, unless that flow has left.
    #[inline]
    pub fn slot_of(&self, packet: &Packet) -> Option<u32> {
        let slot = packet.flow - self.base;
        (self.slots[slot as usize].generation == packet.generation).then_some(slot)
    }

    /// Removes the flow in `slot` if it has completed; returns whether it did.
    #[inline]
    pub fn remove_if_completed(&mut self, now: Time, slot: u32) -> bool {
        let entry = &mut self.slots[slot as usize];
        let state = entry.flow.state();
        if state.completed_at.is_none() {
            return false;
        }
        let meter = entry.flow.meter();
        let time = now.saturating_sub(meter.start());
        self.departed_packets += meter.arrived_packets();
        let class = &mut self.classes[entry.class as usize];
        if class.failure.is_none() {
            class.failure = entry.flow.failure();
        }
        class.meter.on_completion(now, entry.size, time, state.retransmits, state.timeouts);
        // packets still in the network are of another generation
        entry.generation = entry.generation.wrapping_add(1);
        self.free.push(slot);
        true
    }

    /// A packet arrived whose flow has left: a needless retransmission where it is data.
    pub fn on_late_packet(&mut self, packet: &Packet) {
        self.departed_packets += u64::from(packet.kind == PacketKind::Data && !packet.flags.corrupted());
    }

    /// Data packets received by all dynamic flows, present and departed.
    pub fn data_packets(&self) -> u64 {
        self.departed_packets + self.present().map(|s| s.flow.meter().arrived_packets()).sum::<u64>()
    }

    /// Slots of flows that are present.
    fn present(&self) -> impl Iterator<Item = &Slot> {
        let mut present = vec![true; self.slots.len()];
        for slot in &self.free {
            present[*slot as usize] = false;
        }
        self.slots.iter().zip(present).filter_map(|(slot, present)| present.then_some(slot))
    }

    /// The results of the tables.
    pub fn results(&self, network: &Network, now: Time) -> Vec<ArrivalsResult> {
        // the slot of a flow that has left still has its state
        let failure = |class: usize| {
            let flows = self.slots.iter().filter(|slot| slot.class as usize == class);
            self.classes[class].failure.clone().or_else(|| flows.filter_map(|slot| slot.flow.failure()).next())
        };
        let present = |class| {
            self.present().filter(move |slot| slot.class as usize == class).map(|slot| slot.flow.meter().start())
        };
        let result = |(i, (c, a)): (usize, (&Class, &Arrivals))| ArrivalsResult {
            failure: failure(i),
            ..c.meter.result(now, &a.name, a.flow.controller.name(), present(i))
        };
        self.classes.iter().zip(&network.arrivals).enumerate().map(result).collect()
    }
}
