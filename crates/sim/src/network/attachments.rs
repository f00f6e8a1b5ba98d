//! Fields that few packets carry, kept beside them while they are in the network.

use crate::packet::{AckOptions, Packet, PacketKind, PiggybackedAck, SackBlocks};

/// Values by handle; handles are reused.
#[derive(Debug)]
struct Slab<T> {
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Slab<T> {
    fn insert(&mut self, value: T) -> u32 {
        if let Some(handle) = self.free.pop() {
            self.slots[handle as usize] = value;
            return handle;
        }
        self.slots.push(value);
        self.slots.len() as u32 - 1
    }

    fn remove(&mut self, handle: u32) -> T {
        self.free.push(handle);
        self.slots[handle as usize]
    }
}

/// Options of acknowledgements, and acknowledgements that data packets carry.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    options: Slab<AckOptions>,
    acks: Slab<PiggybackedAck>,
}

impl Attachments {
    /// Frees what a packet carries that will not arrive.
    pub fn release(&mut self, packet: &Packet) {
        let _: AckOptions = self.detach_options(packet);
        let _: Option<PiggybackedAck> = self.detach_ack(packet);
    }

    /// Keeps the options of an acknowledgement; returns the value of its `extra`.
    #[inline]
    pub fn attach_options(&mut self, options: AckOptions) -> u32 {
        if options.is_empty() {
            return Packet::NO_OPTIONS;
        }
        let handle = self.options.insert(options);
        if options.blocks.is_some() { handle } else { handle | Packet::NOT_SELECTIVE }
    }

    /// Removes the options of an acknowledgement.
    #[inline]
    pub fn detach_options(&mut self, packet: &Packet) -> AckOptions {
        if !packet.has_options() {
            return AckOptions::default();
        }
        self.options.remove(packet.extra & !Packet::NOT_SELECTIVE)
    }

    /// The SACK blocks of an acknowledgement.
    pub fn sack_of(&self, packet: &Packet) -> Option<SackBlocks> {
        packet.has_options().then(|| self.options.slots[(packet.extra & !Packet::NOT_SELECTIVE) as usize])?.blocks
    }

    /// Keeps an acknowledgement for a data packet to carry; returns its handle.
    pub fn attach_ack(&mut self, ack: PiggybackedAck) -> u32 {
        self.acks.insert(ack)
    }

    /// Removes the acknowledgement that a data packet carries.
    pub fn detach_ack(&mut self, packet: &Packet) -> Option<PiggybackedAck> {
        let handle = packet.metadata.ack().filter(|_| packet.kind == PacketKind::Data)?;
        Some(self.acks.remove(handle))
    }
}
