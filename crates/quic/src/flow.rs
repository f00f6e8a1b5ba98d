//! A flow of a connection as an endpoint of the simulation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eddyline_sim::{Endpoint, FlowMeter, FlowState, Packet, PacketSink, RecoveryState};
use eddyline_units::Time;

use crate::connection::{Connection, Notice};

/// A connection, which the flows of its two directions share.
pub type Shared = Arc<Mutex<Connection>>;

/// What connections could not do, by flow; the first of each kind.
pub type Failures = Arc<Mutex<BTreeMap<String, String>>>;

/// One direction of a connection, or all of one with data one way.
#[derive(Debug)]
pub struct QuicFlow {
    connection: Shared,
    place: usize,
    meter: FlowMeter,
    name: Arc<str>,
    failures: Failures,
}

/// A poisoned lock means that a run panicked, whose state nobody uses.
pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl QuicFlow {
    /// Direction `place` of `connection`.
    pub fn new(connection: Shared, place: usize, meter: FlowMeter, name: Arc<str>, failures: Failures) -> Self {
        Self { connection, place, meter, name, failures }
    }

    fn count(meter: &mut FlowMeter, connection: &mut Connection, place: usize) {
        for notice in connection.notices(place) {
            match notice {
                Notice::Data { waited, .. } if meter.is_complete() => meter.on_late_data(waited),
                Notice::Data { bytes, waited } => meter.on_data(bytes, waited, true),
                Notice::Ack { now, waited } => meter.on_ack(now, waited),
                Notice::Sample(rtt) => meter.on_sample(Some(rtt)),
                Notice::Window { now, packets, base_rtt } => meter.on_sender_change(now, packets, base_rtt),
                Notice::Complete(at) => meter.on_complete(at),
            }
        }
    }
}

impl Endpoint for QuicFlow {
    fn next_timer(&self) -> Time {
        lock(&self.connection).next_timer()
    }

    fn on_timer(&mut self, now: Time, sink: &mut dyn PacketSink) {
        let mut connection = lock(&self.connection);
        connection.on_timer(now, sink);
        Self::count(&mut self.meter, &mut connection, self.place);
    }

    fn on_packet(&mut self, now: Time, packet: &Packet, sink: &mut dyn PacketSink) {
        let mut connection = lock(&self.connection);
        connection.on_packet(now, self.place, packet, sink);
        Self::count(&mut self.meter, &mut connection, self.place);
    }

    fn meter(&self) -> &FlowMeter {
        &self.meter
    }

    fn meter_mut(&mut self) -> &mut FlowMeter {
        Self::count(&mut self.meter, &mut lock(&self.connection), self.place);
        &mut self.meter
    }

    fn state(&self) -> FlowState {
        lock(&self.connection).state(self.place)
    }

    fn failure(&self) -> Option<String> {
        lock(&self.connection).failure(self.place).map(str::to_owned)
    }

    fn recovery(&self) -> RecoveryState {
        lock(&self.connection).recovery(self.place)
    }
}

impl Drop for QuicFlow {
    fn drop(&mut self) {
        let connection = lock(&self.connection);
        let mut failures = lock(&self.failures);
        if let Some(error) = connection.error() {
            failures.entry(self.name.to_string()).or_insert_with(|| format!("the connection was lost: {error}"));
        }
        let late = connection.too_late();
        if late > 0 {
            failures.entry(self.name.to_string()).or_insert_with(|| {
                format!("{late} datagrams arrived after more than 16,384 later ones and count as lost")
            });
        }
    }
}
