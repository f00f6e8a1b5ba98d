//! World `quic`: a QUIC stack that others wrote, noq-proto, over the links and queues of world `sim` in virtual time.
//!
//! The stack has no clock, socket or thread of its own: this crate gives it times and datagrams, and draws all that is random in it from
//! the scenario's seed. The same scenario gives the same bytes, as in world `sim`.

mod application;
mod approximations;
mod clock;
mod connection;
mod controller;
mod crypto;
mod error;
mod flow;
mod host;
mod in_transit;
mod kinds;
mod observed;
mod settings;
mod transport;

use std::ops::ControlFlow;

use eddyline_scenario::Network;
use eddyline_sim::{Options, Outcome, Progress, SortedNetwork, run_over};
// for its feature alone, see Cargo.toml
use tracing as _;

pub use crypto::{CERTIFICATE_BYTES, Crypto};
pub use error::Error;
pub use kinds::kinds;

/// Name of this world.
pub const WORLD: &str = "quic";

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
    for flow in network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow)) {
        let unsupported = |reason| Error::Unsupported { flow: flow.name.clone(), reason };
        controller::factory(network, flow, &host::Watched::default()).map_err(unsupported)?;
    }
    let sorted = SortedNetwork::of(network);
    let transport = transport::Quic::new(&sorted, crypto);
    let mut outcome = run_over(&sorted, options, &transport, observe)?;
    outcome.result.world = WORLD.to_owned();
    let failures = transport.failures().into_iter().map(|(flow, what)| format!("flow {flow}: {what}"));
    outcome.result.approximations.extend(approximations::of(network).into_iter().chain(failures));
    Ok(outcome)
}
