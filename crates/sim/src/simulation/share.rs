//! What one simulation has of a network: all of it, or what belongs to one of its domains.

use eddyline_path::link::Origin;
use eddyline_path::random::name_hash;
use eddyline_scenario::Network;

use crate::network::TRANSIT;

/// Which endpoints of a flow are in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    Both,
    Sender,
    Receiver,
}

/// A share of a network, by places in it. The places are in order; what is here has the numbers 0, 1, ...
#[derive(Debug, Default)]
pub struct Share {
    pub flows: Vec<(u32, Ends)>,
    pub traffic: Vec<u32>,
    pub probes: Vec<u32>,
    /// All tables of arrivals, or none.
    pub arrivals: bool,
}

impl Share {
    /// All of `network`.
    pub fn whole(network: &Network) -> Self {
        Self {
            flows: (0..network.flows.len() as u32).map(|place| (place, Ends::Both)).collect(),
            traffic: (0..network.traffic.len() as u32).collect(),
            probes: (0..network.probes.len() as u32).collect(),
            arrivals: true,
        }
    }

    /// Origin of the packets of each source but dynamic flows.
    pub fn origins(&self, network: &Network) -> Vec<Origin> {
        let flows = self.flows.iter().map(|(place, _)| flow_origin(network, *place));
        let traffic = self.traffic.iter().map(|place| &network.traffic[*place as usize]);
        let probes = self.probes.iter().map(|place| &network.probes[*place as usize]);
        let traffic = traffic.map(|t| origin(&t.name, t.host));
        flows.chain(traffic).chain(probes.map(|p| origin(&p.name, p.host))).collect()
    }

    /// The place in the network of the flow that has number `flow` here.
    pub fn place_of_flow(&self, flow: u32) -> u32 {
        self.flows.get(flow as usize).map_or(flow & !TRANSIT, |(place, _)| *place)
    }

    /// The number here of the flow that has this place in the network.
    pub fn number_of_flow(&self, place: u32) -> u32 {
        let number = self.flows.binary_search_by_key(&place, |(place, _)| *place);
        number.map_or(place | TRANSIT, |number| number as u32)
    }
}

/// Origin of the packets of the flow at `place`.
pub fn flow_origin(network: &Network, place: u32) -> Origin {
    let flow = &network.flows[place as usize];
    origin(&flow.name, flow.host)
}

fn origin(name: &str, host: u32) -> Origin {
    Origin { host, hash: name_hash(name) }
}
