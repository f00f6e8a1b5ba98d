//! The controller of a flow: one of the stack's, or one of ours behind the stack's trait.

use std::sync::Arc;

use eddyline_cc::PathFacts;
use eddyline_quic_cc::{Config, Receipts, noq};
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow as FlowSpec;
use eddyline_units::Time;

use crate::clock;
use crate::kinds::{self, Factory};
use crate::settings;

/// Bytes of a QUIC packet with an acknowledgement of one range: short header with an 8-byte connection ID, and tag.
const ACK_DATAGRAM: u32 = 35;

/// Makes sure that the stack can do what the controller of `spec` asks for. `receipts` says whether the receiver's record of arrivals
/// reaches the sender.
///
/// # Errors
/// It cannot; the reason.
pub fn check(network: &Network, spec: &FlowSpec, receipts: bool) -> Result<(), String> {
    factory(network, spec, receipts.then_some(&Receipts::default())).map(drop)
}

/// Makes the controllers of `spec`.
///
/// # Errors
/// The stack cannot do what the parameters ask for; the reason.
pub(crate) fn factory(network: &Network, spec: &FlowSpec, receipts: Option<&Receipts>) -> Result<Factory, String> {
    let datagram = settings::datagram(spec);
    let initial = u64::from(spec.tcp.initial_window) * u64::from(datagram);
    if let Some(factory) = kinds::factory(spec.controller.name(), initial) {
        return Ok(factory);
    }
    let facts = PathFacts {
        mss: datagram.into(),
        packet_bytes: u32::from(datagram) + spec.header,
        ack_bytes: ACK_DATAGRAM + spec.header,
        // RFC 9002, 7.3.1: by the bytes acknowledged
        byte_counting: Some(spec.tcp.byte_counting.map_or(f64::INFINITY, f64::from)),
        paced: true,
        ..network.path_facts(spec)
    };
    let config = Config::new((*spec.controller).clone()).path_facts(facts).epoch(clock::instant(Time::ZERO));
    let config = match receipts {
        Some(receipts) => config.receipts(receipts.clone()),
        None => config,
    };
    noq::Factory::new(config).map(|factory| -> Factory { Arc::new(factory) }).map_err(|e| e.to_string())
}
