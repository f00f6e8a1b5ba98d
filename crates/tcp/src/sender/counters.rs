//! What a sender has counted.

/// Counters of a connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counters {
    /// Segments retransmitted.
    pub retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Packets that the NIC queue refused; `None` if the sender does not detect that.
    pub nic_refusals: Option<u64>,
    /// Packets reported as CE-marked by accurate ECN; none without it.
    pub delivered_ce: Option<f64>,
}
