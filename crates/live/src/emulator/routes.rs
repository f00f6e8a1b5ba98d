//! Routes: the links that packets of a flow or of cross traffic cross, and where they end.

use eddyline_scenario::Network;
use eddyline_units::Time;

use crate::placement::Placement;

/// Sizes of a flow's packets on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Bytes of a data packet that are not payload.
    pub header: u32,
    /// Bytes of an acknowledgement or control packet.
    pub ack: u32,
}

/// A route in one direction.
#[derive(Debug, Clone)]
pub struct Route {
    /// Links crossed, in order.
    pub links: Vec<u32>,
    /// Delay behind the last link.
    pub access: Time,
    /// Host that it ends at.
    pub host: usize,
    /// Place of the subscriber's host.
    pub subscriber: u32,
    /// Sizes of its packets.
    pub sizes: Sizes,
}

/// Route of a flow's data, or of its acknowledgements.
#[must_use]
pub const fn of_flow(flow: usize, data: bool) -> usize {
    2 * flow + !data as usize
}

/// The routes of all flows, data and acknowledgements in turn, then those of cross traffic.
#[must_use]
pub fn all(network: &Network, placement: &Placement) -> Vec<Route> {
    let of_flows = network.flows.iter().zip(&placement.sender).flat_map(|(flow, sender)| {
        let sizes = Sizes { header: flow.header, ack: flow.ack_packet };
        let data = Route {
            links: flow.data.to_vec(),
            access: flow.access_data,
            host: 1 - sender,
            subscriber: flow.host,
            sizes,
        };
        let ack =
            Route { links: flow.ack.to_vec(), access: flow.access_ack, host: *sender, subscriber: flow.host, sizes };
        [data, ack]
    });
    let of_traffic = network.traffic.iter().map(|t| Route {
        links: t.path.to_vec(),
        access: Time::ZERO,
        host: 0,
        subscriber: t.host,
        sizes: Sizes::default(),
    });
    of_flows.chain(of_traffic).collect()
}
