//! The network path between two endpoints, sans-I/O: queues, links, loss, corruption and unresponsive traffic.
//!
//! The same code serves virtual and real time: `now` is always an argument.

mod bucket;
pub mod corruption;
pub mod framing;
pub mod histogram;
pub mod link;
pub mod loss;
mod param_error;
pub mod queue;
pub mod random;
pub mod ring;
pub mod traffic;
pub mod variation;

pub use param_error::ParamError;

/// Class of a packet in a link's statistics.
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
    /// Not-ECT: congestion can be signalled by a drop only.
    #[default]
    NotCapable = 0,
    /// ECT(1): the low-latency identifier of RFC 9331.
    Ect1 = 1,
    /// ECT(0).
    Ect0 = 2,
    /// CE: congestion experienced.
    Ce = 3,
}

/// Content of a pure acknowledgement, for queues that filter acknowledgements (RFC 3449, section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Next byte expected.
    pub number: u64,
    /// It has SACK blocks (RFC 2018).
    pub selective: bool,
    /// Its flags; acknowledgements with different flags do not make each other redundant.
    pub flags: u8,
}

/// The packet as links and queues see it: the simulator's handle or a real buffer.
pub trait Packet {
    /// Bytes on the wire.
    fn wire_bytes(&self) -> u32;
    /// Its class.
    fn class(&self) -> Class;
    /// Payload bytes among them.
    fn payload_bytes(&self) -> u32;
    /// Identifier of its flow, different for the two directions: the key of fair queues.
    fn flow(&self) -> u64;
    /// What queues hash to choose one of fewer queues than flows. It may come from the flow's name, so that other flows do not change it.
    fn flow_hash(&self) -> u64 {
        self.flow()
    }
    /// The subscriber's host, for queues that are fair between hosts.
    fn host(&self) -> u32 {
        0
    }
    /// Its ECN field.
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }
    /// Sets its ECN field to [`Ecn::Ce`].
    fn mark(&mut self) {}
    /// Its acknowledgement, if it is a pure acknowledgement.
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        None
    }
}
