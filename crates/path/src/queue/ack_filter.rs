//! ACK filtering: an arriving acknowledgement removes earlier ones of its connection that it makes redundant.
//!
//! In a FIFO shared with data, an acknowledgement that removes its predecessor and joins the tail could itself be removed, again and
//! again, so that none reaches the head. So by default the connection's packets move up into the places that became free.

use std::collections::{BTreeMap, VecDeque};

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::properties::{DelayBound, Describe, Properties};
use super::redundant_acks::{AckFilterRule, redundant};
use crate::{Acknowledgement, Packet};

/// Position of an acknowledgement that has removed others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AckPlace {
    /// The connection's packets move up, in their order, into the places that became free; it takes the last of them.
    #[default]
    Freed,
    /// At the end of the queue.
    Tail,
}

/// Parameters of `ack_filter`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckFilterParams {
    /// Limit of the queue after filtering, without the packet in transmission.
    #[serde(default)]
    pub limit: Limit,
    /// Which acknowledgements are removed.
    #[serde(default)]
    pub rule: AckFilterRule,
    /// Position of the acknowledgement that removed them.
    #[serde(default)]
    pub place: AckPlace,
}

impl Describe for AckFilterParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Limit), ..Properties::BUFFER };
}

/// One direction of a connection with packets in the queue.
#[derive(Debug, Default)]
struct Conversation {
    /// Positions of its packets, counted from the first packet of the run.
    places: VecDeque<u64>,
    /// Acknowledgement number of the last one sent.
    left: Option<u64>,
}

/// A drop-tail queue that filters.
#[derive(Debug)]
pub struct AckFilter<P> {
    params: AckFilterParams,
    /// The queue; removed packets leave holes.
    slots: VecDeque<Option<P>>,
    /// Position of the head.
    first: u64,
    flows: BTreeMap<u64, Conversation>,
    all: Backlog,
    /// Scratch space.
    redundant: Vec<usize>,
}

impl<P: Packet> AckFilter<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &AckFilterParams, _: &LinkContext<'_>) -> Self {
        Self {
            params: *params,
            slots: VecDeque::new(),
            first: 0,
            flows: BTreeMap::new(),
            all: Backlog::EMPTY,
            redundant: Vec::new(),
        }
    }

    /// Finds packets that `new` of `flow` makes redundant; returns the backlog without them.
    fn find(&mut self, flow: u64, new: Acknowledgement) -> Backlog {
        let Some(waiting) = self.flows.get(&flow) else { return self.all };
        let at = |place: &u64| self.slots[(place - self.first) as usize].as_ref();
        let says = waiting.places.iter().map(|place| at(place).and_then(P::acknowledgement));
        redundant(self.params.rule, says, waiting.left, new, &mut self.redundant);
        let mut rest = self.all;
        for packet in self.redundant.iter().filter_map(|nth| at(&waiting.places[*nth])) {
            rest.remove(u64::from(packet.wire_bytes()));
        }
        rest
    }

    /// Removes the packets found; returns the position for the acknowledgement that made them redundant.
    fn remove(&mut self, flow: u64, dropped: &mut dyn FnMut(P)) -> Option<u64> {
        let lowest = *self.redundant.first()?;
        let Conversation { places, .. } = self.flows.get_mut(&flow)?;
        let (slots, first) = (&mut self.slots, self.first);
        for nth in self.redundant.drain(..) {
            if let Some(packet) = slots[(places[nth] - first) as usize].take() {
                self.all.remove(u64::from(packet.wire_bytes()));
                dropped(packet);
            }
        }
        if self.params.place == AckPlace::Tail {
            places.retain(|place| slots[(place - first) as usize].is_some());
            return None;
        }
        // those kept behind the first hole move up, in order
        let mut hole = lowest;
        for nth in lowest..places.len() {
            let (from, to) = ((places[nth] - first) as usize, (places[hole] - first) as usize);
            if slots[from].is_some() {
                slots.swap(from, to);
                hole += 1;
            }
        }
        let place = places[hole];
        places.truncate(hole);
        Some(place)
    }

    /// Removes holes at the head.
    fn trim(&mut self) {
        while let Some(None) = self.slots.front() {
            self.slots.pop_front();
            self.first += 1;
        }
    }
}

impl<P: Packet> Discipline<P> for AckFilter<P> {
    const PASSES_WHEN_IDLE: bool = true;

    fn enqueue(&mut self, _now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let (flow, size) = (packet.flow(), u64::from(packet.wire_bytes()));
        self.redundant.clear();
        let rest = packet.acknowledgement().map_or(self.all, |new| self.find(flow, new));
        if !self.params.limit.admits(&rest, size) {
            return Err(packet);
        }
        let place = match self.remove(flow, dropped) {
            Some(place) => {
                self.slots[(place - self.first) as usize] = Some(packet);
                place
            }
            None => {
                self.slots.push_back(Some(packet));
                self.first + self.slots.len() as u64 - 1
            }
        };
        self.all.add(size);
        self.flows.entry(flow).or_default().places.push_back(place);
        self.trim();
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.trim();
        let packet = self.slots.pop_front()??;
        self.first += 1;
        self.all.remove(u64::from(packet.wire_bytes()));
        let flow = packet.flow();
        if let Some(waiting) = self.flows.get_mut(&flow) {
            waiting.places.pop_front();
            waiting.left = packet.acknowledgement().map(|a| a.number).or(waiting.left);
            if waiting.places.is_empty() {
                self.flows.remove(&flow);
            }
        }
        Some(packet)
    }

    fn packets(&self) -> u64 {
        self.all.packets
    }

    fn bytes(&self) -> u64 {
        self.all.bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.slots.drain(..).flatten().for_each(taken);
        self.flows.clear();
        self.all = Backlog::EMPTY;
    }
}
