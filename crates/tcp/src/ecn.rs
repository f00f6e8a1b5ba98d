//! The ECN field of the IP header.

/// The ECN field of the IP header (RFC 3168, 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct = 0,
    /// ECT(1): ECN-capable, for low-latency queues (RFC 9331).
    Ect1 = 1,
    /// ECT(0): ECN-capable.
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}
