//! Packet events as columns.

/// What happened to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum LogEvent {
    Send,
    Enqueue,
    Drop,
    Lost,
    Receive,
}

impl LogEvent {
    /// Names, in the order of the discriminants.
    pub const NAMES: [&'static str; 5] = ["send", "enqueue", "drop", "lost", "receive"];
}

/// Columns of equal length, one row per event, in order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PacketLog {
    /// Seconds.
    pub time_s: Vec<f64>,
    /// Place in [`LogEvent::NAMES`].
    pub event: Vec<u8>,
    /// `data`, `syn`, `syn-ack`, `ack`, `fin` or `cross`: place in [`PacketLog::PACKETS`].
    pub packet: Vec<u8>,
    /// Place in the network's flows; traffic counts on from there.
    pub source: Vec<u32>,
    /// Place in the network's links, or `u32::MAX` at an end point.
    pub link: Vec<u32>,
    /// First payload byte of data, cumulative acknowledgement of an ACK.
    pub seq: Vec<u64>,
    /// Bytes on the wire.
    pub bytes: Vec<u32>,
    /// The data packet is a retransmission.
    pub retransmission: Vec<bool>,
}

impl PacketLog {
    /// Kinds of packets, in the order of the `packet` column's values.
    pub const PACKETS: [&'static str; 6] = ["data", "syn", "syn-ack", "ack", "fin", "cross"];
}
