//! Makes the connections of a scenario's flows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use eddyline_quic_host::{Crypto, pair};
use eddyline_scenario::Network;
use eddyline_sim::{Endpoint, FlowSetup, Transport};

use crate::connection::{CLIENT, Connection, Direction, SERVER};
use crate::flow::{Failures, QuicFlow, Shared, lock};

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

    /// The connection of a flow, and of the one that goes the other way on it, which adds its direction later.
    fn connection(&self, setup: &FlowSetup<'_>) -> Connection {
        let FlowSetup { spec, path, number, generation, arrival, .. } = setup;
        // a flow keeps its random numbers when others are added
        let entity = arrival.map_or_else(|| spec.name.clone(), |number| format!("{} {number}", spec.name));
        let mut connection = Connection::new(pair(self.network, spec, &entity, &self.crypto, true));
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
