//! The send sequence space (RFC 9293, 3.3.1).

/// The sequence numbers that delimit what is outstanding.
#[derive(Debug, Clone, Copy)]
pub struct SendSequence {
    /// Everything below is acknowledged (SND.UNA).
    pub una: u64,
    /// The next new number (SND.NXT).
    pub nxt: u64,
    /// Bytes of a full segment.
    pub mss: u32,
    /// Bytes that may be outstanding (SND.WND).
    pub receive_window: u64,
}

impl SendSequence {
    /// Nothing sent yet.
    pub fn new(mss: u32, receive_window: Option<u64>) -> Self {
        Self { una: 0, nxt: 0, mss, receive_window: receive_window.unwrap_or(u64::MAX) }
    }

    /// Bytes sent and not cumulatively acknowledged (FlightSize of RFC 5681).
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.nxt - self.una
    }

    /// Nothing is outstanding.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.una == self.nxt
    }

    /// Whether the receive window has room for `len` new bytes.
    #[inline]
    pub fn has_receive_window(&self, len: u64) -> bool {
        self.nxt + len - self.una <= self.receive_window
    }

    /// The end of the first outstanding segment.
    pub fn first_end(&self) -> u64 {
        (self.una + u64::from(self.mss)).min(self.nxt)
    }
}

/// The sender's counters before an acknowledgement was processed.
#[derive(Debug, Clone, Copy)]
pub struct PriorState {
    /// `una`.
    pub una: u64,
    /// Bytes acknowledged, cumulatively and selectively.
    pub acknowledged: u64,
    /// Bytes that duplicate acknowledgements represent, without SACK.
    pub duplicate_bytes: u64,
    /// Bytes ever marked lost.
    pub lost: u64,
    /// No loss episode, nothing selectively acknowledged.
    pub in_order: bool,
}
