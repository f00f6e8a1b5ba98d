//! Makes the connections of a scenario's flows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use eddyline_path::random::Stream;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_sim::{Endpoint, FlowSetup, Transport};
use noq_proto::congestion::NewRenoConfig;
use noq_proto::{ClientConfig, ServerConfig};

use crate::connection::{CLIENT, Connection, Direction, SERVER};
use crate::controller;
use crate::crypto::Crypto;
use crate::flow::{Failures, QuicFlow, Shared, lock};
use crate::host::{Host, Watched};
use crate::kinds::Factory;
use crate::observed::ObservedFactory;
use crate::settings;

/// Connections over QUIC.
#[derive(Debug)]
pub struct Quic<'a> {
    network: &'a Network,
    crypto: Crypto,
    failures: Failures,
    /// Connections of two flows, the first of which has been made, by the number of the second.
    halves: Mutex<BTreeMap<u32, Shared>>,
}

impl<'a> Quic<'a> {
    /// The flows of `network`, protected by `crypto`.
    pub fn new(network: &'a Network, crypto: Crypto) -> Self {
        Self { network, crypto, failures: Failures::default(), halves: Mutex::default() }
    }

    /// What connections that are gone could not do, by flow.
    pub fn failures(&self) -> BTreeMap<String, String> {
        lock(&self.failures).clone()
    }

    /// The factory of the controllers of `spec`.
    fn controller(&self, spec: &FlowSpec, watched: &Watched) -> Factory {
        let factory =
            controller::factory(self.network, spec, watched).unwrap_or_else(|_| unreachable!("checked before the run"));
        ObservedFactory::new(factory, Arc::clone(&watched.seen))
    }

    /// The connection of a flow, and of the one that goes the other way on it, which adds its direction later.
    fn connection(&self, setup: &FlowSetup<'_>) -> Connection {
        let FlowSetup { spec, path, number, generation, arrival, .. } = setup;
        let peer = spec.peer.map(|peer| &self.network.flows[peer as usize]);
        // a flow keeps its stream when others are added
        let entity = arrival.map_or_else(|| spec.name.clone(), |number| format!("{} {number}", spec.name));
        let mut random = Stream::new(self.network.seed, &entity, "quic");
        let largest = [Some(*spec), peer].into_iter().flatten().map(settings::datagram).max().unwrap_or(0);
        let (client_watched, server_watched) = (Watched::default(), Watched::default());

        let factory = self.controller(spec, &client_watched);
        let transport = settings::transport(Some(spec), peer, factory);
        let mut client_config = ClientConfig::new(Arc::clone(&self.crypto.client));
        let destination = settings::first_destination(&mut random);
        client_config.transport_config(Arc::new(transport)).initial_dst_cid_provider(Arc::new(move || destination));
        let config = settings::endpoint(largest, &mut random);
        let endpoint = noq_proto::Endpoint::new(Arc::new(config), None, false);
        let client = Host::new(endpoint, false, Some(spec), client_watched);

        let factory = match peer {
            Some(peer) => self.controller(peer, &server_watched),
            None => Arc::new(NewRenoConfig::default()),
        };
        let transport = settings::transport(peer, Some(spec), factory);
        let mut server_config = ServerConfig::new(Arc::clone(&self.crypto.server), Crypto::token_key());
        server_config.transport_config(Arc::new(transport)).validation_token.sent(0);
        let config = settings::endpoint(largest, &mut random);
        let endpoint = noq_proto::Endpoint::new(Arc::new(config), Some(Arc::new(server_config)), false);
        let server = Host::new(endpoint, true, peer, server_watched);

        let mut connection = Connection::new([client, server], client_config);
        connection.add(CLIENT, Direction::new(spec, path, *number, *generation));
        connection
    }

    /// The connection of a flow, and its place in it.
    fn place(&self, setup: &FlowSetup<'_>) -> (Shared, usize) {
        if let Some(shared) = lock(&self.halves).remove(&setup.number) {
            let direction = Direction::new(setup.spec, setup.path, setup.number, setup.generation);
            lock(&shared).add(SERVER, direction);
            return (shared, SERVER);
        }
        let shared = Arc::new(Mutex::new(self.connection(setup)));
        if let Some(peer) = setup.spec.peer {
            lock(&self.halves).insert(peer, Arc::clone(&shared));
        }
        (shared, CLIENT)
    }
}

impl Transport for Quic<'_> {
    fn detects_corruption(&self) -> bool {
        true
    }

    fn endpoint(&self, setup: FlowSetup<'_>) -> Box<dyn Endpoint> {
        let (connection, place) = self.place(&setup);
        let name = setup.spec.name.as_str().into();
        Box::new(QuicFlow::new(connection, place, setup.meter, name, Arc::clone(&self.failures)))
    }
}
