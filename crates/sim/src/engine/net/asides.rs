//! What packets take along that few of them have: options of acknowledgements, and acknowledgements that ride on data.

use super::super::packet::{Aside, Kind, Packet};
use super::Net;
use crate::tcp::{AckOptions, Carried};

impl Net {
    /// A packet arrived for a flow that has left.
    pub fn ignore(&mut self, packet: &Packet) {
        self.forget_cargo(packet);
    }

    pub(super) fn forget_cargo(&mut self, packet: &Packet) {
        let _: AckOptions = self.take_options(packet);
        let _: Option<Carried> = self.take_carried(packet);
    }

    /// Keeps the options of an acknowledgement on its way; gives what stands for them in the packet.
    #[inline]
    pub fn put_options(&mut self, options: AckOptions) -> u32 {
        if options.is_empty() {
            return Packet::NO_OPTIONS;
        }
        let place = self.options.put(options);
        if options.blocks.is_some() { place } else { place | Packet::NOT_SELECTIVE }
    }

    /// The options of an acknowledgement, which is on its way no more.
    #[inline]
    pub fn take_options(&mut self, packet: &Packet) -> AckOptions {
        if packet.kind != Kind::Ack || packet.extra == Packet::NO_OPTIONS {
            return AckOptions::default();
        }
        self.options.take(packet.extra & !Packet::NOT_SELECTIVE)
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
