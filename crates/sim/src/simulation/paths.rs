//! The paths of all sources of packets, laid out in the network.

use std::sync::Arc;

use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow as FlowSpec, FlowTable, Probe};
use eddyline_units::Time;

use crate::endpoint::FlowPath;
use crate::network::Layout;

/// First hops of the two paths of a source: of data or requests, and of acknowledgements or responses.
pub type FirstHops = [u32; 2];

/// The layout of all paths, and where each begins, by the places of their sources in the network.
#[derive(Debug)]
pub struct Paths {
    pub layout: Layout,
    pub flows: Vec<FirstHops>,
    pub traffic: Vec<u32>,
    pub probes: Vec<FirstHops>,
    pub arrivals: Vec<FirstHops>,
}

impl Paths {
    /// The paths of `network`.
    pub fn new(network: &Network) -> Self {
        let mut layout = Layout::default();
        let of_flow = |layout: &mut Layout, flow: &FlowSpec| {
            let data = layout.path(network, &flow.data, flow.access_data, flow.packet);
            [data, layout.path(network, &flow.ack, flow.access_ack, flow.ack_packet)]
        };
        let of_probe = |layout: &mut Layout, probe: &Probe| {
            let requests = layout.path(network, &probe.data, Time::ZERO, probe.request);
            [requests, layout.path(network, &probe.ack, Time::ZERO, probe.response)]
        };
        let mut last: Option<(&Arc<FlowTable>, FirstHops)> = None;
        let flows = network.flows.iter().map(|flow| {
            // the flows of one table follow each other
            let known = last.filter(|(table, _)| Arc::ptr_eq(table, &flow.table)).map(|(_, hops)| hops);
            let hops = known.unwrap_or_else(|| of_flow(&mut layout, flow));
            last = Some((&flow.table, hops));
            hops
        });
        let flows = flows.collect();
        let traffic = network.traffic.iter().map(|t| layout.path(network, &t.path, Time::ZERO, t.packet)).collect();
        let probes = network.probes.iter().map(|p| of_probe(&mut layout, p)).collect();
        let arrivals = network.arrivals.iter().map(|a| of_flow(&mut layout, &a.flow)).collect();
        Self { layout, flows, traffic, probes, arrivals }
    }
}

/// The paths of flows like `spec`, which begin at `hops`.
pub fn flow_path(network: &Network, spec: &FlowSpec, hops: FirstHops) -> FlowPath {
    let full = spec
        .data
        .iter()
        .map(|l| network.links[*l as usize].min_transmission_time(spec.packet, network.warmup, network.duration));
    FlowPath {
        data_hop: hops[0],
        ack_hop: hops[1],
        facts: network.path_facts(spec),
        half_transmission: Time::from_ps(full.max().unwrap_or_default().as_ps() / 2),
    }
}
