//! QUIC connections over UDP sockets: the stack of world `quic`, with the same controllers, in real time.

mod endpoint;
mod socket;

pub use endpoint::{receive, send};

use eddyline_quic_host::controller;
use eddyline_scenario::Network;
use eddyline_scenario::network::{Flow, Transport};

use crate::error::LiveError;

/// Whether a flow asks for QUIC.
#[must_use]
pub fn is_quic(flow: &Flow) -> bool {
    flow.transport == Some(Transport::Quic)
}

/// Makes sure that the stack can do what a flow's controller asks for.
///
/// # Errors
/// It cannot.
pub fn check(network: &Network, flow: &Flow) -> Result<(), LiveError> {
    if flow.controller.delay_options().is_some_and(|o| o.delay.is_one_way()) {
        return Err(LiveError::Unsupported {
            what: format!("one-way delays over QUIC, which carries no times of arrival (flow {})", flow.name),
            hint: "this world has one-way delays over TCP, world quic has them over QUIC",
        });
    }
    let refused = |reason| LiveError::Input(format!("flow {}: QUIC in world kernel: {reason}", flow.name));
    controller::check(network, flow, false).map_err(refused)
}
