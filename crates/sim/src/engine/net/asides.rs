//! What packets take along that few of them have: SACK blocks, and acknowledgements that ride on data.

use super::super::packet::{Aside, Kind, Packet};
use super::Net;
use crate::tcp::{Carried, SackBlocks};

impl Net {
    /// A packet arrived for a flow that has left.
    pub fn ignore(&mut self, packet: &Packet) {
        self.forget_sack(packet);
    }

    pub(super) fn forget_sack(&mut self, packet: &Packet) {
        let _: Option<SackBlocks> = self.take_blocks(packet);
        let _: Option<Carried> = self.take_carried(packet);
    }

    /// The SACK blocks of an acknowledgement, which is on its way no more.
    #[inline]
    pub fn take_blocks(&mut self, packet: &Packet) -> Option<SackBlocks> {
        (packet.kind == Kind::Ack && packet.extra != Packet::NO_SACK).then(|| self.sacks.take(packet.extra))
    }

    /// A data packet leaves: it takes along what stands ready.
    #[inline]
    pub fn load(&mut self, aside: Aside) -> Aside {
        if self.loading.is_some() { self.load_up(aside) } else { aside }
    }

    #[cold]
    fn load_up(&mut self, aside: Aside) -> Aside {
        match self.loading.take() {
            Some(carried) => aside.carrying(self.carried.put(carried)),
            None => aside,
        }
    }

    /// The acknowledgement that a data packet carries, which is on its way no more.
    pub fn take_carried(&mut self, packet: &Packet) -> Option<Carried> {
        let place = packet.aside.carried().filter(|_| packet.kind == Kind::Data)?;
        Some(self.carried.take(place))
    }
}
