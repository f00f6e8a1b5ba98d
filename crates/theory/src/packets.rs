//! The load that a flow's packets put on links.

use eddyline_scenario::network::{Flow, Transport};

use crate::equilibrium::ProblemFlow;

/// Bytes in bits.
pub(crate) fn bits(bytes: u32) -> f64 {
    8.0 * f64::from(bytes)
}

/// Data packets that one acknowledgement covers.
pub(crate) fn ack_ratio(flow: &Flow) -> f64 {
    f64::from(flow.tcp.ack_every.max(1))
}

/// b of the response function: data packets whose acknowledgement grows the window as one does, which is one if bytes are counted
/// (RFC 3465, 2.1; over QUIC RFC 9002, 7.3.3).
pub(crate) fn growth_ratio(flow: &Flow) -> f64 {
    let bytes = flow.tcp.byte_counting.is_some() || flow.transport == Some(Transport::Quic);
    if bytes { 1.0 } else { ack_ratio(flow) }
}

/// P-: bits of acknowledgements for each data packet.
pub(crate) fn ack_bits(flow: &Flow) -> f64 {
    bits(flow.ack_packet) / ack_ratio(flow)
}

/// The flow in the complementarity problem, with `alpha` packets queued.
pub(crate) fn problem_flow(flow: &Flow, alpha: f64) -> ProblemFlow {
    ProblemFlow {
        alpha,
        packet_bits: bits(flow.packet),
        ack_bits: ack_bits(flow),
        data: flow.data.clone(),
        ack: flow.ack.clone(),
    }
}
