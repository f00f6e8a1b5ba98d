//! ACK filtering: an arriving acknowledgement removes earlier ones of its connection that it makes redundant.
//!
//! In one FIFO with data an acknowledgement that removes its predecessor and joins the tail could be removed in turn
//! for ever before it reaches the head. So by default the connection's packets move up into the places that became
//! free.

use std::collections::{BTreeMap, VecDeque};

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::properties::{DelayBound, Describe, Properties};
use super::redundant_acks::{AckFilterRule, redundant};
use crate::{Acknowledgement, Packet};

/// Where an acknowledgement waits that has removed others.
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
    /// How much may wait besides the packet in transmission, after filtering.
    #[serde(default)]
    pub limit: Limit,
    /// Which acknowledgements go.
    #[serde(default)]
    pub rule: AckFilterRule,
    /// Where the one stays that removed them.
    #[serde(default)]
    pub place: AckPlace,
}

impl Describe for AckFilterParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Limit), ..Properties::BUFFER };
}

/// A connection direction that has packets waiting.
#[derive(Debug, Default)]
struct Conversation {
    /// Places of its packets, counted from the first packet ever.
    places: VecDeque<u64>,
    /// Number of its acknowledgement that left last.
    left: Option<u64>,
}

/// A drop-tail queue that filters.
#[derive(Debug)]
pub struct AckFilter<P> {
    params: AckFilterParams,
    /// What waits; removed packets leave holes.
    line: VecDeque<Option<P>>,
    /// Place of the first in line.
    first: u64,
    conversations: BTreeMap<u64, Conversation>,
    all: Backlog,
    /// Used again and again.
    redundant: Vec<usize>,
}

impl<P: Packet> AckFilter<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &AckFilterParams, _: &LinkContext<'_>) -> Self {
        Self {
            params: *params,
            line: VecDeque::new(),
            first: 0,
            conversations: BTreeMap::new(),
            all: Backlog::EMPTY,
            redundant: Vec::new(),
        }
    }

    /// Finds what `new` of `flow` makes redundant; gives what waits without it.
    fn find(&mut self, flow: u64, new: Acknowledgement) -> Backlog {
        let Some(conversation) = self.conversations.get(&flow) else { return self.all };
        let at = |place: &u64| self.line[(place - self.first) as usize].as_ref();
        let says = conversation.places.iter().map(|place| at(place).and_then(P::acknowledgement));
        redundant(self.params.rule, says, conversation.left, new, &mut self.redundant);
        let mut rest = self.all;
        for packet in self.redundant.iter().filter_map(|nth| at(&conversation.places[*nth])) {
            rest.remove(u64::from(packet.wire_bytes()));
        }
        rest
    }

    /// Removes what was found; gives the place in the line for the one that made it redundant.
    fn remove(&mut self, flow: u64, dropped: &mut dyn FnMut(P)) -> Option<u64> {
        let lowest = *self.redundant.first()?;
        let Conversation { places, .. } = self.conversations.get_mut(&flow)?;
        let (line, first) = (&mut self.line, self.first);
        for nth in self.redundant.drain(..) {
            if let Some(packet) = line[(places[nth] - first) as usize].take() {
                self.all.remove(u64::from(packet.wire_bytes()));
                dropped(packet);
            }
        }
        if self.params.place == AckPlace::Tail {
            places.retain(|place| line[(place - first) as usize].is_some());
            return None;
        }
        // those kept behind the first hole move up, in order
        let mut hole = lowest;
        for nth in lowest..places.len() {
            let (from, to) = ((places[nth] - first) as usize, (places[hole] - first) as usize);
            if line[from].is_some() {
                line.swap(from, to);
                hole += 1;
            }
        }
        let place = places[hole];
        places.truncate(hole);
        Some(place)
    }

    /// Holes at the head of the line are gone.
    fn trim(&mut self) {
        while let Some(None) = self.line.front() {
            self.line.pop_front();
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
                self.line[(place - self.first) as usize] = Some(packet);
                place
            }
            None => {
                self.line.push_back(Some(packet));
                self.first + self.line.len() as u64 - 1
            }
        };
        self.all.add(size);
        self.conversations.entry(flow).or_default().places.push_back(place);
        self.trim();
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.trim();
        let packet = self.line.pop_front()??;
        self.first += 1;
        self.all.remove(u64::from(packet.wire_bytes()));
        let flow = packet.flow();
        if let Some(conversation) = self.conversations.get_mut(&flow) {
            conversation.places.pop_front();
            conversation.left = packet.acknowledgement().map(|a| a.number).or(conversation.left);
            if conversation.places.is_empty() {
                self.conversations.remove(&flow);
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
        self.line.drain(..).flatten().for_each(taken);
        self.conversations.clear();
        self.all = Backlog::EMPTY;
    }
}
