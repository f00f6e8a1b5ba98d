//! What traces show of flows.

use crate::endpoint::{FlowState, RecoveryState};
use crate::meter::SenderState;

/// What a trace shows of a sender whose full packets have this payload.
pub fn sender_state(state: &FlowState, recovery: &RecoveryState, payload: u32) -> SenderState {
    let bytes = |packets: f64| (packets * f64::from(payload)) as u64;
    SenderState {
        window: bytes(state.cwnd_packets),
        in_flight: bytes(state.in_flight_packets),
        packets_in_flight: state.in_flight_packets.round() as u64,
        smoothed_rtt: state.srtt,
        latest_rtt: state.last_rtt,
        slow_start_threshold: recovery.slow_start_threshold.map(bytes),
        pacing_rate: state.pacing_bps.map(|rate| rate as u64),
        in_recovery: recovery.in_progress,
        acknowledged: recovery.acknowledged,
        lost: state.retransmits,
    }
}
