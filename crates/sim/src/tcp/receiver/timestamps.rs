//! Timestamps, the receiver's half: which packet's time of sending an acknowledgement echoes (RFC 7323, 4.3).

use eddyline_units::Time;

/// What is to be echoed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timestamps {
    /// Time of sending of the packet that is echoed (TS.Recent).
    recent: Time,
    /// Cumulative number of the last acknowledgement (Last.ACK.sent).
    acknowledged: u64,
}

impl Timestamps {
    /// Whether the segment at `seq`, sent at `sent_at`, is echoed from now on: of those that one acknowledgement stands for
    /// the first, and none that leaves a gap behind.
    pub fn takes(&mut self, seq: u64, sent_at: Time) -> bool {
        let takes = seq <= self.acknowledged && sent_at >= self.recent;
        if takes {
            self.recent = sent_at;
        }
        takes
    }

    /// An acknowledgement of all below `next` leaves.
    pub fn on_acknowledgement(&mut self, next: u64) {
        self.acknowledged = next;
    }
}
