//! What lies between two endpoints, sans-I/O: queues, links, loss and unresponsive traffic.
//!
//! The same code serves virtual and real time: `now` always comes in as an argument.

pub mod histogram;
pub mod link;
pub mod loss;
pub mod queue;
pub mod random;
pub mod traffic;

/// What a packet is to a link's statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// A data packet of a flow.
    Data = 0,
    /// An acknowledgement, SYN, SYN-ACK or FIN.
    Ack = 1,
    /// Unresponsive cross traffic.
    Cross = 2,
}

/// What a link and its queue ask of a packet; the simulator's handle and a real buffer both answer.
pub trait Packet {
    /// Bytes on the wire.
    fn wire_bytes(&self) -> u32;
    /// Whose it is.
    fn class(&self) -> Class;
    /// Payload bytes among them.
    fn payload_bytes(&self) -> u32;
}
