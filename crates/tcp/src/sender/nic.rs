//! A sender whose own NIC queue is full: it keeps the packet, and either waits or reduces its window.
//!
//! `cwr` is the behaviour of Linux up to 3.5: a refused packet stays at the head of the send queue, the window is reduced as for
//! a congestion mark, once per window, and the next acknowledgement triggers a retry. `backpressure` is that of later versions (TCP
//! small queues): the sender hands over no more than fits, and the queue notifies it of room.

use crate::config::LocalCongestion;

/// A sender's state about its NIC queue.
#[derive(Debug, Clone, Copy)]
pub struct NicQueue {
    reduces_window: bool,
    /// `nxt` when a refusal last reduced the window.
    reduced_at: Option<u64>,
    refusals: u64,
}

impl NicQueue {
    /// `None` if the sender does not detect a full queue.
    pub fn new(local: LocalCongestion) -> Option<Self> {
        (local != LocalCongestion::Drop).then_some(Self {
            reduces_window: local == LocalCongestion::Cwr,
            reduced_at: None,
            refusals: 0,
        })
    }

    /// Whether the last reduction is still in progress, with everything below `una` acknowledged.
    pub fn is_reducing(&self, una: u64) -> bool {
        self.reduced_at.is_some_and(|at| una <= at)
    }

    /// Whether the window has been reduced since the packet `seq` was sent.
    pub fn has_reduced_since(&self, seq: u64) -> bool {
        self.reduced_at.is_some_and(|at| seq < at)
    }

    /// Whether a refusal reduces the window; otherwise the sender waits for room.
    pub fn reduces_window(&self) -> bool {
        self.reduces_window
    }

    /// The queue refused a packet; returns whether the window must be reduced. `open`: no loss episode is in progress.
    pub fn on_refusal(&mut self, una: u64, nxt: u64, open: bool) -> bool {
        self.refusals += 1;
        let reduces = self.reduces_window && open && !self.is_reducing(una);
        if reduces {
            self.reduced_at = Some(nxt);
        }
        reduces
    }

    /// Packets that were refused.
    pub fn refusals(&self) -> u64 {
        self.refusals
    }
}
