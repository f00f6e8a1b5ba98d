//! The paths of a flow, laid out in the network.

use eddyline_scenario::Network;
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_units::Time;

use crate::endpoint::FlowPath;
use crate::network::Layout;

/// Lays out the paths of flows like `spec`.
pub fn flow_path(network: &Network, spec: &FlowSpec, layout: &mut Layout) -> FlowPath {
    let full = spec.data.iter().map(|l| network.links[*l as usize].transmission_time(spec.packet));
    FlowPath {
        data_hop: layout.path(network, &spec.data, spec.access_data, spec.packet),
        ack_hop: layout.path(network, &spec.ack, spec.access_ack, spec.ack_packet),
        facts: network.path_facts(spec),
        half_transmission: Time::from_ps(full.max().unwrap_or_default().as_ps() / 2),
    }
}
