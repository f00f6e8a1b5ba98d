//! World `quic`: a QUIC stack that others wrote, noq-proto, over the links and queues of world `sim` in virtual time.
//!
//! The stack has no clock, socket or thread of its own: this crate gives it times and datagrams, and draws all that is random in it from
//! the scenario's seed. The same scenario gives the same bytes, as in world `sim`.

mod connection;
mod error;
mod flow;
mod in_transit;
mod packet_sizes;
mod transport;

use std::ops::ControlFlow;

pub use eddyline_quic_host::{CERTIFICATE_BYTES, Crypto, WORLD, kinds};
use eddyline_quic_host::{approximations, controller};
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Transport};
use eddyline_sim::{Options, Outcome, Progress, SortedNetwork, run_over};
pub use error::Error;

/// Runs `network` over QUIC to its end; as [`eddyline_sim::run`].
///
/// # Errors
/// [`Error`].
pub fn run(
    network: &Network,
    options: &Options,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    run_with(network, options, Crypto::null(), observe)
}

/// As [`run`], with packets protected by `crypto`.
///
/// # Errors
/// [`Error`].
pub fn run_with(
    network: &Network,
    options: &Options,
    crypto: Crypto,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    require_quic(network)?;
    let on_the_wire = packet_sizes::on_the_wire(network);
    let sorted = SortedNetwork::of(&on_the_wire);
    let transport = transport::Quic::new(&sorted, crypto);
    let mut outcome = run_over(&sorted, options, &transport, observe)?;
    outcome.result.world = WORLD.to_owned();
    let failures = transport.failures().into_iter().map(|(flow, what)| format!("flow {flow}: {what}"));
    let notes = approximations::of(flows(network)).into_iter().chain(approximations::of_links(network, flows(network)));
    outcome.result.approximations.extend(notes.chain(failures));
    Ok(outcome)
}

/// Makes sure that the stack has what every flow asks for. Every run does so first.
///
/// # Errors
/// [`Error::Unsupported`].
pub fn require_quic(network: &Network) -> Result<(), Error> {
    for flow in flows(network) {
        let unsupported = |reason| Error::Unsupported { flow: flow.name.clone(), reason };
        if flow.transport == Some(Transport::Tcp) {
            return Err(unsupported("it asks for TCP, and all flows have QUIC here".to_owned()));
        }
        controller::check(network, flow, true).map_err(unsupported)?;
    }
    Ok(())
}

fn flows(network: &Network) -> impl Iterator<Item = &Flow> {
    network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow))
}
