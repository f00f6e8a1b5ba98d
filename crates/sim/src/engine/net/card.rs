//! What a sender may know of the first link of its path, its own network card.

use eddyline_path::link::{FifoLink, Reservations};
use eddyline_units::Time;

use super::{Net, Transmitter};

impl Net {
    fn card(&mut self, hop: u32) -> Option<(&mut FifoLink, &mut Reservations)> {
        let link = self.hops[hop as usize].link as usize;
        match &mut self.links[link].transmitter {
            Transmitter::Fifo(fifo) | Transmitter::Apart(fifo) => Some((fifo, &mut self.odd[link].reservations)),
            Transmitter::Store(_) | Transmitter::Shared { .. } => None,
        }
    }

    /// Whether the link of `hop` would take in a packet of `bytes` from source `who` now.
    pub fn has_room(&mut self, now: Time, hop: u32, who: u32, bytes: u32) -> bool {
        self.card(hop).is_none_or(|(fifo, reservations)| reservations.admit(now, who, fifo, bytes))
    }

    /// When source `who`, just refused, may try again.
    pub fn room_at(&mut self, now: Time, hop: u32, who: u32) -> Time {
        self.card(hop).map_or(now, |(fifo, reservations)| reservations.reserve(now, who, fifo))
    }
}
