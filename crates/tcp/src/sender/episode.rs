//! Loss episodes.

/// Whether a loss is being repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Episode {
    /// No loss is known.
    None,
    /// Fast recovery, until all that was outstanding at its start is acknowledged.
    Recovery,
    /// After a retransmission timeout, likewise.
    AfterTimeout,
}
