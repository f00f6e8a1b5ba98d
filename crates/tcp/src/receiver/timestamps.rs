//! Timestamps, the receiver's side: which segment's time of transmission an acknowledgement echoes (RFC 7323, 4.3).

use eddyline_units::Time;

/// The timestamp to echo.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timestamps {
    /// Time of transmission of the segment that is echoed (TS.Recent).
    recent: Time,
    /// Cumulative number of the last acknowledgement (Last.ACK.sent).
    acknowledged: u64,
}

impl Timestamps {
    /// Whether the segment at `seq`, sent at `sent_at`, is echoed from now on: the first of those that one acknowledgement
    /// covers, and none beyond a gap.
    pub fn is_echoed(&mut self, seq: u64, sent_at: Time) -> bool {
        let is_echoed = seq <= self.acknowledged && sent_at >= self.recent;
        if is_echoed {
            self.recent = sent_at;
        }
        is_echoed
    }

    /// An acknowledgement of all below `next` is sent.
    pub fn on_acknowledgement(&mut self, next: u64) {
        self.acknowledged = next;
    }
}
