//! What lies between two endpoints, sans-I/O: queues, links, loss and unresponsive traffic.
//!
//! The same code serves virtual and real time: `now` always comes in as an argument.

mod bucket;
pub mod framing;
pub mod histogram;
pub mod link;
pub mod loss;
mod param_error;
pub mod queue;
pub mod random;
pub mod traffic;
pub mod variation;

pub use param_error::ParamError;

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

/// The ECN field of a packet (RFC 3168, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Ecn {
    /// Not-ECT: congestion can be told by a drop only.
    #[default]
    NotCapable = 0,
    /// ECT(1): the low-latency identifier of RFC 9331.
    Ect1 = 1,
    /// ECT(0).
    Ect0 = 2,
    /// CE: congestion experienced.
    Ce = 3,
}

/// What a pure acknowledgement says, for queues that thin out acknowledgements (RFC 3449, section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Next byte expected.
    pub number: u64,
    /// It reports ranges beyond that (RFC 2018).
    pub selective: bool,
    /// Its flags towards the sender; two acknowledgements that differ here stand for different things.
    pub flags: u8,
}

/// What a link and its queue ask of a packet; the simulator's handle and a real buffer both answer.
pub trait Packet {
    /// Bytes on the wire.
    fn wire_bytes(&self) -> u32;
    /// Whose it is.
    fn class(&self) -> Class;
    /// Payload bytes among them.
    fn payload_bytes(&self) -> u32;
    /// Which conversation it belongs to, each direction apart: what a fair queue hashes.
    fn flow(&self) -> u64;
    /// The subscriber's host at one end of the conversation, for queues that are fair to hosts.
    fn host(&self) -> u32 {
        0
    }
    /// Its ECN field.
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }
    /// Sets its ECN field to [`Ecn::Ce`].
    fn mark(&mut self) {}
    /// What it acknowledges, if it does nothing else.
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        None
    }
}
