//! The domains of a run, each with its part of the simulation, seen as the whole network.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eddyline_units::Time;

use super::partition::Partition;
use crate::endpoint::FlowState;
use crate::meter::{BottleneckSampler, WindowEdge};
use crate::network::{Domains, LinkCounts};
use crate::simulation::{Ends, Options, Paths, Readings, Share, Simulation, SortedNetwork, flow_origin};

/// A simulation for each domain of `network`.
pub fn build(
    network: &SortedNetwork<'_>,
    options: &Options,
    paths: &Paths,
    partition: &Partition,
    sampler: Option<&BottleneckSampler>,
) -> Vec<Simulation<'static>> {
    let count = partition.loads.len();
    let domains = Domains {
        of_link: partition.of_link.clone(),
        behind_hop: partition.behind_hops(network, paths),
        origins: (0..network.flows.len() as u32).map(|place| flow_origin(network, place)).collect::<Arc<[_]>>(),
    };
    let mut shares: Vec<Share> = (0..count).map(|_| Share::default()).collect();
    let of = |link: u32| partition.of_link[link as usize] as usize;
    for (flow, place) in network.flows.iter().zip(0..) {
        let (sender, receiver) = (of(flow.data[0]), of(flow.ack[0]));
        if sender == receiver {
            shares[sender].flows.push((place, Ends::Both));
        } else {
            shares[sender].flows.push((place, Ends::Sender));
            shares[receiver].flows.push((place, Ends::Receiver));
        }
    }
    for (traffic, place) in network.traffic.iter().zip(0..) {
        shares[of(traffic.path[0])].traffic.push(place);
    }
    for (probe, place) in network.probes.iter().zip(0..) {
        shares[of(probe.data[0])].probes.push(place);
    }
    if let Some(arrivals) = network.arrivals.first() {
        shares[of(arrivals.flow.data[0])].arrivals = true;
    }
    let part = |(domain, share): (u32, Share)| {
        Simulation::part(network, options, paths, paths.layout.part(&domains, domain), share, sampler)
    };
    (0..).zip(shares).map(part).collect()
}

/// Where the parts of flows and links are.
#[derive(Debug)]
pub struct Places {
    /// Domains and numbers there of each flow's sender and receiver.
    flows: Vec<[(u32, u32); 2]>,
    /// Domain and number there of each link.
    links: Vec<(u32, u32)>,
}

impl Places {
    /// The places of `flows` flows and `links` links in `parts`.
    pub fn new(parts: &[Simulation<'_>], flows: usize, links: usize) -> Self {
        let mut places = Self { flows: vec![[(0, 0); 2]; flows], links: vec![(0, 0); links] };
        for (part, domain) in parts.iter().zip(0..) {
            for ((place, ends), number) in part.share().flows.iter().zip(0..) {
                let [sender, receiver] = &mut places.flows[*place as usize];
                if *ends != Ends::Receiver {
                    *sender = (domain, number);
                }
                if *ends != Ends::Sender {
                    *receiver = (domain, number);
                }
            }
            for (link, number) in part.net().own_links().iter().zip(0..) {
                places.links[*link as usize] = (domain, number);
            }
        }
        places
    }
}

/// All domains, while no thread simulates.
pub struct Whole<'a, 'p> {
    parts: Vec<MutexGuard<'a, Simulation<'static>>>,
    places: &'p Places,
}

impl<'a, 'p> Whole<'a, 'p> {
    pub fn lock(parts: &'a [Mutex<Simulation<'static>>], places: &'p Places) -> Self {
        Self { parts: parts.iter().map(lock).collect(), places }
    }
}

/// The simulation of a domain.
pub fn lock<'a>(part: &'a Mutex<Simulation<'static>>) -> MutexGuard<'a, Simulation<'static>> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Readings for Whole<'_, '_> {
    fn begin_window(&mut self, now: Time) {
        for part in &mut self.parts {
            part.begin_window(now);
        }
        for domain in 0..self.parts.len() {
            let partial = self.parts[domain].count_partial_packets(now, WindowEdge::Begin);
            for (place, bytes) in partial.into_iter().flatten() {
                let [_, (receiver, number)] = self.places.flows[place as usize];
                let flows = self.parts[receiver as usize].flows_mut();
                flows.meter_mut(number as usize).on_partial(WindowEdge::Begin, bytes);
            }
        }
    }

    fn flow(&self, flow: usize) -> (FlowState, f64) {
        let at = |(domain, number): (u32, u32)| (self.parts[domain as usize].flows(), number as usize);
        let [(senders, sender), (receivers, receiver)] = self.places.flows[flow].map(at);
        let delivered_bytes = receivers.state(receiver).delivered_bytes;
        let state = FlowState { delivered_bytes, ..senders.state(sender) };
        (state, receivers.meter(receiver).arrived_bits())
    }

    fn link(&mut self, now: Time, link: usize) -> LinkCounts {
        let (domain, number) = self.places.links[link];
        self.parts[domain as usize].net_mut().link_counts(now, number as usize)
    }
}
