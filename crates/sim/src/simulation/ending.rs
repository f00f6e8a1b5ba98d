//! The end of a run: what its parts have counted, put together, and whether packets are conserved.

use eddyline_scenario::result::{Counters, RunResult};

use super::error::SimError;
use super::event_loop::Simulation;
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
    let partial: Vec<_> = parts.iter_mut().map(|part| part.count_partial_packets(now, WindowEdge::End)).collect();
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
    let mut flows = join_flows(network, parts);
    for stage in 0..2 {
        for (place, bytes) in partial.iter().flat_map(|packets| &packets[stage]) {
            flows[*place as usize].meter_mut().on_partial(WindowEdge::End, *bytes);
        }
    }
    let data_packets = flows.iter().map(|f| f.meter().arrived_packets()).sum::<u64>();
    let dynamic_packets = parts.iter().map(|part| part.dynamic().data_packets()).sum::<u64>();
    let counters = Counters {
        events: Some(events),
        packets_sent: Some(sum.sent),
        packets_delivered: Some(sum.delivered),
        packets_dropped: Some(sum.dropped),
        packets_in_flight: Some(in_flight),
        data_packets_delivered: Some(data_packets + dynamic_packets),
    };
    let arrivals = parts.iter().flat_map(|part| part.dynamic().results(network, now)).collect();
    let traffic = by_place(parts, |part| (part.share().traffic.clone(), part.traffic_results(network)));
    let probes = by_place(parts, |part| (part.share().probes.clone(), part.take_probes()));
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

/// All flows in the order of the network: both ends of each.
fn join_flows(network: &SortedNetwork<'_>, parts: &mut [Simulation<'_>]) -> Vec<Flow> {
    let mut flows: Vec<Option<Flow>> = Vec::new();
    flows.resize_with(network.flows.len(), || None);
    let mut receivers = Vec::new();
    for part in parts {
        let (taken, ends) = part.take_flows();
        for (flow, (place, ends)) in taken.into_iter().zip(ends) {
            if ends == Ends::Receiver {
                receivers.push((place, flow));
            } else {
                flows[place as usize] = Some(flow);
            }
        }
    }
    for (place, receiver) in receivers {
        if let Some(flow) = &mut flows[place as usize] {
            flow.join(receiver);
        }
    }
    flows.into_iter().flatten().collect()
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
