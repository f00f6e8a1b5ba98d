//! The sizes of packets over QUIC, which may differ from those in the scenario.

use std::sync::Arc;

use eddyline_quic_host::settings;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, FlowTable};

/// `network` with the sizes that packets of its flows have on the wire: data packets as [`settings::datagram`], acknowledgements of one
/// range. What is measured against the size of a packet, such as bottlenecks, ACK compression and windows in bytes, goes by these.
pub fn on_the_wire(network: &Network) -> Network {
    let mut network = network.clone();
    let mut last: Option<(Arc<FlowTable>, Arc<FlowTable>)> = None;
    for flow in network.flows.iter_mut().chain(network.arrivals.iter_mut().map(|a| &mut a.flow)) {
        // the flows of one table follow each other, and keep one table
        let known = last.take().filter(|(of_file, _)| Arc::ptr_eq(of_file, &flow.table));
        let (of_file, resized) = known.unwrap_or_else(|| (Arc::clone(&flow.table), Arc::new(resized(flow))));
        flow.table = Arc::clone(&resized);
        last = Some((of_file, resized));
    }
    network
}

fn resized(flow: &Flow) -> FlowTable {
    FlowTable {
        packet: u32::from(settings::datagram(flow)) + flow.header,
        ack_packet: settings::ack(flow) + flow.header,
        ..(*flow.table).clone()
    }
}
