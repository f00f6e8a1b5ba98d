//! Where endpoints send packets.

use eddyline_units::Time;

use super::{AckOptions, Packet, PacketKind, PiggybackedAck};

/// What the network has to know of a packet before it takes it.
#[derive(Debug, Clone, Copy)]
pub struct PacketHead {
    /// As [`Packet::hop`].
    pub hop: u32,
    /// As [`Packet::bytes`].
    pub bytes: u32,
    /// As [`Packet::extra`].
    pub extra: u32,
    /// As [`Packet::kind`].
    pub kind: PacketKind,
}

/// The output of an endpoint: the first hop of its packets' path.
///
/// Fields that few packets have are kept beside them: the endpoint attaches them when it sends and detaches them when the packet
/// arrives.
pub trait PacketSink {
    /// Sends a packet.
    fn send(&mut self, now: Time, packet: Packet);

    /// As [`send`](Self::send), of a packet with this head, which has not waited yet. It is made where the network keeps it.
    #[inline(always)]
    fn send_with(&mut self, now: Time, head: PacketHead, make: impl FnOnce(PacketHead) -> Packet)
    where
        Self: Sized,
    {
        self.send(now, make(head));
    }

    /// Whether the network holds as many packets as its memory allows, or the run was interrupted: it ends soon, nothing more should
    /// be sent.
    fn is_full(&mut self) -> bool;

    /// Attaches the options of an acknowledgement; returns the value of its [`Packet::extra`].
    fn attach_options(&mut self, options: AckOptions) -> u32;

    /// Detaches the options of an acknowledgement that arrived.
    fn detach_options(&mut self, packet: &Packet) -> AckOptions;

    /// Attaches a piggybacked acknowledgement; returns the handle for [`Metadata::with_ack`](super::Metadata::with_ack).
    fn attach_ack(&mut self, ack: PiggybackedAck) -> u32;

    /// Detaches the acknowledgement that a data packet carries.
    fn detach_ack(&mut self, packet: &Packet) -> Option<PiggybackedAck>;

    /// Whether the NIC queue at `hop` has room for a packet of `bytes` of `flow`.
    fn has_room(&mut self, now: Time, hop: u32, flow: u32, bytes: u32) -> bool;

    /// When `flow`, just refused at `hop`, may try again.
    fn room_at(&mut self, now: Time, hop: u32, flow: u32) -> Time;
}
