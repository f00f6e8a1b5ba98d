//! The two hosts of a connection.

use std::sync::Arc;

use eddyline_path::random::Stream;
use eddyline_quic_cc::Receipts;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow as FlowSpec;
use noq_proto::congestion::NewRenoConfig;
use noq_proto::{ClientConfig, Endpoint, ServerConfig};

use crate::controller;
use crate::crypto::Crypto;
use crate::host::Host;
use crate::kinds::Factory;
use crate::observed::{Observations, ObservedFactory};
use crate::settings;

/// Two hosts without a connection.
#[derive(Debug)]
pub struct Pair {
    /// Opens the connection and sends the data of its first flow.
    pub client: Host,
    /// The other one.
    pub server: Host,
    /// What the client opens it with.
    pub opening: ClientConfig,
}

/// The hosts of the connection of `spec`, and of the flow that goes the other way on it, if there is one. What is random in them depends
/// on the seed and on `name`.
///
/// `receipts` says whether the receiver's record of arrivals reaches the sender.
///
/// # Panics
/// A controller asks for what the stack cannot do; [`controller::check`] says so.
#[must_use]
pub fn pair(network: &Network, spec: &FlowSpec, name: &str, crypto: &Crypto, receipts: bool) -> Pair {
    let peer = spec.peer.map(|peer| &network.flows[peer as usize]);
    let mut random = Stream::new(network.seed, name, "quic");
    let largest = [Some(spec), peer].into_iter().flatten().map(settings::datagram).max().unwrap_or(0);
    let [client, server] = [(); 2].map(|()| (Arc::<Observations>::default(), Receipts::default()));
    let watched = |spec: &FlowSpec, (seen, records): &(Arc<Observations>, Receipts)| -> Factory {
        let factory = controller::factory(network, spec, receipts.then_some(records));
        ObservedFactory::new(factory.unwrap_or_else(|e| panic!("unchecked: {e}")), Arc::clone(seen))
    };

    let transport = settings::transport(Some(spec), peer, watched(spec, &client));
    let mut opening = ClientConfig::new(Arc::clone(&crypto.client));
    let destination = settings::initial_destination_id(&mut random);
    opening.transport_config(Arc::new(transport)).initial_dst_cid_provider(Arc::new(move || destination));
    let config = settings::endpoint(largest, &mut random);
    let endpoint = Endpoint::new(Arc::new(config), None, false);
    let client = Host::new(endpoint, false, Some(spec), client);

    let factory = peer.map_or_else(|| Arc::new(NewRenoConfig::default()) as Factory, |peer| watched(peer, &server));
    let transport = settings::transport(peer, Some(spec), factory);
    let mut accepting = ServerConfig::new(Arc::clone(&crypto.server), Crypto::token_key());
    accepting.transport_config(Arc::new(transport)).validation_token.sent(0);
    let config = settings::endpoint(largest, &mut random);
    let endpoint = Endpoint::new(Arc::new(config), Some(Arc::new(accepting)), false);
    let server = Host::new(endpoint, true, peer, server);
    Pair { client, server, opening }
}
