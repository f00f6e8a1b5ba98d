//! The end of a run: what its parts have counted, put together, and whether packets are conserved.

use std::collections::BTreeMap;
use std::iter::Peekable;

use eddyline_scenario::result::{Counters, RunResult};

use super::error::SimError;
use super::event_loop::{PlacedFlows, Simulation};
use super::share::Ends;
use super::sorted_network::SortedNetwork;
use super::summary::{self, Ending};
use crate::endpoint::Flow;
use crate::meter::{BottleneckSampler, WindowEdge};
use crate::network::{Net, PacketCounters};

/// The result of `network`, whose parts these are.
///
/// # Errors
/// [`SimError::NotConserved`].
pub fn finish(
    network: &SortedNetwork<'_>,
    parts: &mut [Simulation<'_>],
    sampler: Option<&BottleneckSampler>,
) -> Result<RunResult, SimError> {
    let now = network.duration;
    let mut partial: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let found: Vec<_> = parts.iter_mut().map(|part| part.count_partial_packets(now, WindowEdge::End)).collect();
    for stage in 0..2 {
        for (place, bytes) in found.iter().flat_map(|packets| &packets[stage]) {
            partial.entry(*place).or_default().push(*bytes);
        }
    }
    let (mut in_flight, mut sum, mut events) = (0, PacketCounters::default(), 0);
    for part in &mut *parts {
        in_flight += part.net().in_flight();
        part.net_mut().close(now);
        sum.add(part.net().counters);
        events += part.events();
    }
    if sum.sent != sum.delivered + sum.dropped + in_flight {
        return Err(SimError::NotConserved(format!("{sum:?}, {in_flight} in flight")));
    }
    let received = parts.iter().map(|part| part.flows().arrived_packets());
    let data_packets = received.sum::<u64>() + parts.iter().map(|part| part.dynamic().data_packets()).sum::<u64>();
    let counters = Counters {
        events: Some(events),
        packets_sent: Some(sum.sent),
        packets_delivered: Some(sum.delivered),
        packets_dropped: Some(sum.dropped),
        packets_in_flight: Some(in_flight),
        data_packets_delivered: Some(data_packets),
    };
    let arrivals = parts.iter().flat_map(|part| part.dynamic().results(network, now)).collect();
    let traffic = by_place(parts, |part| (part.share().traffic.clone(), part.traffic_results(network)));
    let probes = by_place(parts, |part| (part.share().probes.clone(), part.take_probes()));
    let flows = JoinedFlows::new(parts, partial);
    let mut nets: Vec<Option<(&Net, usize)>> = vec![None; network.links.len()];
    for part in &*parts {
        let net = part.net();
        for (index, place) in net.own_links().iter().enumerate() {
            nets[*place as usize] = Some((net, index));
        }
    }
    let links = nets.into_iter().flatten().collect();
    let mut result = summary::summarise(Ending { network, flows, links, probes, sampler, arrivals, traffic, counters });
    network.restore(&mut result);
    Ok(result)
}

/// All flows in the order of the network, both ends of each: one after the other, so that they are not held twice.
struct JoinedFlows {
    /// Those left of each part, with their places.
    parts: Vec<Peekable<PlacedFlows>>,
    /// Bytes that have arrived of packets that are arriving, by place of the flow.
    partial: BTreeMap<u32, Vec<f64>>,
    next: u32,
}

impl JoinedFlows {
    fn new(parts: &mut [Simulation<'_>], partial: BTreeMap<u32, Vec<f64>>) -> Self {
        let parts = parts.iter_mut().map(|part| part.take_flows().peekable());
        Self { parts: parts.collect(), partial, next: 0 }
    }
}

impl Iterator for JoinedFlows {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        let (mut sender, mut receiver) = (None, None);
        for part in &mut self.parts {
            match part.next_if(|(_, (place, _))| *place == self.next) {
                Some((flow, (_, Ends::Receiver))) => receiver = Some(flow),
                Some((flow, _)) => sender = Some(flow),
                None => {}
            }
        }
        let mut flow: Flow = sender?;
        if let Some(receiver) = receiver {
            flow.join(receiver);
        }
        for bytes in self.partial.remove(&self.next).into_iter().flatten() {
            flow.meter_mut().on_partial(WindowEdge::End, bytes);
        }
        self.next += 1;
        Some(flow)
    }
}

/// What the parts have, in the order of the network.
fn by_place<'a, T>(
    parts: &mut [Simulation<'a>],
    mut of_part: impl FnMut(&mut Simulation<'a>) -> (Vec<u32>, Vec<T>),
) -> Vec<T> {
    let mut all: Vec<(u32, T)> = Vec::new();
    for part in parts {
        let (places, items) = of_part(part);
        all.extend(places.into_iter().zip(items));
    }
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, item)| item).collect()
}
