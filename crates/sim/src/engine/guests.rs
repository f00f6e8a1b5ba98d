//! Flows that arrive, transfer and leave. Their state is used again by those who come after: memory follows the number
//! present, not the number that ever came.

use eddyline_path::traffic::Transfers;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_scenario::result::ArrivalsResult;
use eddyline_units::Time;

use super::net::{Layout, Net};
use super::packet::Packet;
use crate::record::{ArrivalsMeter, FlowMeter};
use crate::tcp::{Ends, Flow};

/// One table of arrivals.
#[derive(Debug)]
struct Class {
    transfers: Transfers,
    upcoming: (Time, u64),
    /// What its flows are like; start and size are those of the latest.
    spec: FlowSpec,
    ends: Ends,
    meter: ArrivalsMeter,
}

/// One flow's place.
#[derive(Debug)]
struct Slot {
    flow: Flow,
    class: u32,
    /// Counts the flows that had this place: packets of an earlier one are nobody's.
    generation: u16,
    size: u64,
}

/// All tables of arrivals and the flows that are present.
#[derive(Debug)]
pub struct Guests {
    classes: Vec<Class>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// The first guest's number among the sources of packets.
    base: u32,
    /// Data packets that those who left had received.
    pub departed_packets: u64,
}

impl Guests {
    /// Nobody yet. Guests' packets are numbered from `base` on.
    pub fn new(network: &Network, layout: &mut Layout, base: u32) -> Self {
        let class = |a: &eddyline_scenario::network::Arrivals| {
            let mut transfers = Transfers::new(a.rate_per_s, &a.size, a.listed.as_ref(), network.seed, &a.name);
            let upcoming = transfers.next();
            Class {
                transfers,
                upcoming,
                spec: a.flow.clone(),
                ends: Ends::new(network, &a.flow, layout),
                meter: ArrivalsMeter::new(network.warmup, network.duration),
            }
        };
        Self {
            classes: network.arrivals.iter().map(class).collect(),
            slots: Vec::new(),
            free: Vec::new(),
            base,
            departed_packets: 0,
        }
    }

    /// When the next flow of table `class` arrives.
    pub fn next(&self, class: usize) -> Time {
        self.classes[class].upcoming.0
    }

    /// Number of tables.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// A flow of table `class` arrives; gives its slot.
    pub fn arrive(&mut self, now: Time, class: usize, net: &mut Net) -> u32 {
        let table = &mut self.classes[class];
        let (_, size) = table.upcoming;
        table.upcoming = table.transfers.next();
        table.meter.arrived(now);
        table.spec.start = now;
        table.spec.size = Some(size);
        let (slot, generation) = match self.free.pop() {
            Some(slot) => (slot, self.slots[slot as usize].generation.wrapping_add(1)),
            None => (self.slots.len() as u32, 0),
        };
        let number = self.base + slot;
        net.house(number, table.spec.host);
        if let Some(log) = &mut net.logger {
            log.guest(slot, class);
        }
        let meter = FlowMeter::new(now, f64::from(table.spec.tcp.initial_window), table.ends.half_transmission, false);
        let flow = Flow::new(&table.spec, &table.ends, number, generation, meter);
        let place = Slot { flow, class: class as u32, generation, size };
        match self.slots.get_mut(slot as usize) {
            Some(old) => *old = place,
            None => self.slots.push(place),
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

    /// If the flow in `slot` has completed it leaves; gives whether it did.
    #[inline]
    pub fn depart_if_done(&mut self, now: Time, slot: u32) -> bool {
        let place = &mut self.slots[slot as usize];
        let sender = place.flow.sender();
        if sender.completed_at.is_none() {
            return false;
        }
        let started = now.saturating_sub(place.flow.meter.start());
        let class = &mut self.classes[place.class as usize];
        class.meter.completed(now, place.size, started, sender.retransmits, sender.timeouts);
        self.departed_packets += place.flow.meter.arrived_packets();
        // packets still on their way find another generation
        place.generation = place.generation.wrapping_add(1);
        self.free.push(slot);
        true
    }

    /// Data packets received by all guests, present and gone.
    pub fn data_packets(&self) -> u64 {
        let gone: Vec<bool> = self.free.iter().fold(vec![false; self.slots.len()], |mut g, s| {
            g[*s as usize] = true;
            g
        });
        let present = self.slots.iter().zip(gone).filter(|(_, gone)| !gone);
        self.departed_packets + present.map(|(s, _)| s.flow.meter.arrived_packets()).sum::<u64>()
    }

    /// What the tables' counters say.
    pub fn results(&self, network: &Network, now: Time) -> Vec<ArrivalsResult> {
        self.classes
            .iter()
            .zip(&network.arrivals)
            .map(|(c, a)| c.meter.result(now, &a.name, a.flow.controller.name()))
            .collect()
    }
}
