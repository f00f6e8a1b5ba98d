//! Losses found between acknowledgements, of which controllers of one's own are told with the next one.

use crate::controller::Ack;

/// Packets found lost since the last acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LostBetween(f64);

impl LostBetween {
    /// Adds packets.
    pub fn add(&mut self, packets: f64) {
        self.0 += packets;
    }

    /// `ack` with the packets that were found lost before it.
    pub fn told_with(&mut self, ack: &Ack) -> Ack {
        Ack { lost: ack.lost + std::mem::take(&mut self.0), ..*ack }
    }
}
