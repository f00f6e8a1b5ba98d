//! The first link of a path as its sender's NIC queue.

use eddyline_path::link::{FifoLink, Reservations};

use super::{Net, Transmitter};

impl Net {
    /// The drop-tail queue at `hop` with the senders that wait for room in it; none if it is another discipline.
    pub(super) fn nic_queue(&mut self, hop: u32) -> Option<(&mut FifoLink, &mut Reservations)> {
        let link = self.hops[hop as usize].link as usize;
        match &mut self.links[link].transmitter {
            Transmitter::Fifo(fifo) | Transmitter::FramedFifo(fifo) => {
                Some((fifo, &mut self.link_options[link].reservations))
            }
            Transmitter::Store(_) | Transmitter::Shared { .. } => None,
        }
    }
}
