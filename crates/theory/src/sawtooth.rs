//! The saw-tooth of AIMD senders with ECN marking at one threshold: DCTCP, and Reno for comparison.
//!
//! Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, sections 3.3 and 3.4: N synchronised flows, one
//! bottleneck that marks what arrives at
//! more than K packets, the same round-trip time for all. Windows and queues are in packets.

use crate::error::TheoryError;

/// The decrease of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// DCTCP: half of the share of packets marked.
    ByShare,
    /// Reno: half of the window.
    Half,
}

/// The saw-tooth of some flows at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sawtooth {
    /// W*: a flow's window at which the queue reaches the threshold, `(C RTT + K) / N`.
    pub window: f64,
    /// Share of packets marked: the root of `alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* + 1)^2`, about `sqrt(2 / W*)`; one for
    /// [`Cut::Half`].
    pub alpha: f64,
    /// Amplitude of all windows together, and of a queue that never empties: `N (W* + 1) alpha / 2`, about `sqrt(2 N (C RTT + K)) / 2`.
    pub amplitude: f64,
    /// Round trips from one decrease to the next: the decrease of the window in packets.
    pub period_round_trips: f64,
    /// Longest queue, `K + N`.
    pub queue_max: f64,
    /// Shortest queue, zero where the link becomes idle.
    pub queue_min: f64,
    /// Share of the link in use: one unless it becomes idle.
    pub utilisation: f64,
    /// Packets that the link could send from one cut to the next.
    pub period_packets: f64,
}

/// The decrease of each controller.
pub const NAMED: [(&str, Cut); 3] = [("dctcp", Cut::ByShare), ("reno", Cut::Half), ("newreno", Cut::Half)];

/// The saw-tooth of `flows` on a path that holds `pipe` packets (C RTT without queueing), at a `threshold` of so many waiting.
///
/// # Errors
/// [`TheoryError::OutOfRange`] where there is no flow or no path, the threshold is below zero, or a flow's window is below one packet.
pub fn sawtooth(cut: Cut, flows: f64, pipe: f64, threshold: f64) -> Result<Sawtooth, TheoryError> {
    let window = (pipe + threshold) / flows;
    let wrong = [
        ("the number of flows", flows, flows >= 1.0 && flows.is_finite(), "at least 1 and finite"),
        ("packets on the path", pipe, pipe > 0.0 && pipe.is_finite(), "above 0 and finite"),
        ("the threshold", threshold, threshold >= 0.0 && threshold.is_finite(), "at least 0 and finite"),
        ("a flow's window at the threshold", window, window >= 1.0, "at least 1 packet"),
    ];
    if let Some((what, value, _, allowed)) = wrong.into_iter().find(|(_, _, right, _)| !right) {
        return Err(TheoryError::OutOfRange { what: what.to_owned(), value, allowed });
    }
    let alpha = match cut {
        Cut::ByShare => share(window),
        Cut::Half => 1.0,
    };
    let (top, given_up) = (flows * (window + 1.0), (window + 1.0) * alpha / 2.0);
    let (amplitude, bottom) = (flows * given_up, top - flows * given_up);
    // a round trip adds a packet to each window, and with a window of all flows w takes the time of max(w, pipe) packets
    let dry = (pipe - bottom).max(0.0);
    let wet = bottom + dry;
    let sent = (top * top - bottom * bottom) / 2.0 / flows;
    let period_packets = (dry * pipe + (top * top - wet * wet) / 2.0) / flows;
    Ok(Sawtooth {
        window,
        alpha,
        amplitude,
        period_round_trips: given_up,
        queue_max: threshold + flows,
        queue_min: (bottom - pipe).max(0.0),
        utilisation: if dry > 0.0 { sent / period_packets } else { 1.0 },
        period_packets,
    })
}

/// The share of packets marked in a saw-tooth about a window of at least one: Newton's steps, from above a convex function's root.
fn share(window: f64) -> f64 {
    let right = (2.0 * window + 1.0) / ((window + 1.0) * (window + 1.0));
    let mut alpha = 1.0;
    for _ in 0..40 {
        let excess = alpha * alpha * (1.0 - alpha / 4.0) - right;
        alpha -= excess / (2.0 * alpha - 0.75 * alpha * alpha);
    }
    alpha
}

/// Minimum threshold at which DCTCP leaves no link idle, whatever the number of flows: `0.17 C RTT` (Alizadeh,
/// Javanmard and Prabhakar,
/// "Analysis of DCTCP", SIGMETRICS 2011). The paper of 2010 has 1/7, by the approximate alpha.
#[must_use]
pub fn min_threshold(pipe: f64) -> f64 {
    0.17 * pipe
}
