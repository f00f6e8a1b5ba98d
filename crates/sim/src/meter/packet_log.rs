//! Packet events as columns, kept to the end of a run or passed on in pieces while it goes on.

use std::fmt;
use std::sync::Arc;

use eddyline_scenario::Network;
use eddyline_units::Time;

use super::qlog::Qlog;
use crate::packet::SackBlocks;

/// Whose packets to log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogSelection {
    /// All packets.
    All,
    /// Those of one flow, link, traffic or table of arrivals, by name.
    Entity(String),
}

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
    Corrupted,
}

impl LogEvent {
    /// Names, in the order of the discriminants.
    pub const NAMES: [&'static str; 6] = ["send", "enqueue", "drop", "lost", "receive", "corrupted"];
}

/// Columns of equal length, one row per event, in order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PacketLog {
    /// Seconds.
    pub time_s: Vec<f64>,
    /// Index into [`LogEvent::NAMES`].
    pub event: Vec<u8>,
    /// `data`, `syn`, `syn-ack`, `ack`, `fin` or `cross`: index into [`PacketLog::PACKETS`].
    pub packet: Vec<u8>,
    /// Index into the network's flows, continued by its traffic, its probes and its tables of arrivals.
    pub source: Vec<u32>,
    /// Index into the network's links, or `u32::MAX` at an endpoint.
    pub link: Vec<u32>,
    /// First payload byte of data, cumulative acknowledgement of an ACK; the datagram's number in world `quic`.
    pub seq: Vec<u64>,
    /// Bytes on the wire.
    pub bytes: Vec<u32>,
    /// The data packet is a retransmission.
    pub retransmission: Vec<bool>,
    /// Flags of the header and the ECN field, as [`SegmentFlags::bits`](crate::SegmentFlags::bits).
    pub header_flags: Vec<u8>,
    /// SACK blocks of acknowledgements, each with its row; an empty block ends the list.
    pub sack: Vec<(usize, SackBlocks)>,
}

impl PacketLog {
    /// Kinds of packets, in the order of the `packet` column's values.
    pub const PACKETS: [&'static str; 6] = ["data", "syn", "syn-ack", "ack", "fin", "cross"];

    /// Rows of the pieces that a [`LogSink`] gets: 2 MB, whatever the length of the run.
    pub const PIECE: usize = 1 << 16;

    /// Adds the rows of a later piece.
    pub fn append(&mut self, later: &Self) {
        let rows = self.time_s.len();
        self.time_s.extend_from_slice(&later.time_s);
        self.event.extend_from_slice(&later.event);
        self.packet.extend_from_slice(&later.packet);
        self.source.extend_from_slice(&later.source);
        self.link.extend_from_slice(&later.link);
        self.seq.extend_from_slice(&later.seq);
        self.bytes.extend_from_slice(&later.bytes);
        self.retransmission.extend_from_slice(&later.retransmission);
        self.header_flags.extend_from_slice(&later.header_flags);
        self.sack.extend(later.sack.iter().map(|&(row, blocks)| (rows + row, blocks)));
    }

    /// Removes all rows and keeps their memory for the next ones.
    fn clear(&mut self) {
        self.time_s.clear();
        self.event.clear();
        self.packet.clear();
        self.source.clear();
        self.link.clear();
        self.seq.clear();
        self.bytes.clear();
        self.retransmission.clear();
        self.header_flags.clear();
        self.sack.clear();
    }
}

/// Where packet events go that are not to be kept.
pub trait LogSink: fmt::Debug + Send + Sync {
    /// The next rows: [`PacketLog::PIECE`] of them, at the end of the run as many as are left, of which there is at least one.
    fn append(&self, rows: &PacketLog);
}

/// A packet as it is logged.
#[derive(Debug, Clone, Copy)]
pub struct LogRecord {
    /// Index into [`PacketLog::PACKETS`].
    pub kind: u8,
    /// Number of its source; those of dynamic flows count slots.
    pub source: u32,
    /// First payload byte of data, cumulative acknowledgement of an ACK; the datagram's number in world `quic`.
    pub seq: u64,
    /// Bytes on the wire.
    pub bytes: u32,
    /// It is a retransmission.
    pub retransmission: bool,
    /// Flags of the header and the ECN field.
    pub header_flags: u8,
    /// SACK blocks of an acknowledgement.
    pub sack: Option<SackBlocks>,
}

/// Writes the log and the traces of flows during a run.
#[derive(Debug)]
pub struct PacketLogger {
    log: PacketLog,
    only: Only,
    sink: Option<Arc<dyn LogSink>>,
    /// Places in the file of sources and links.
    places: (Vec<u32>, Vec<u32>),
    qlog: Option<Qlog>,
    /// Sources from here on are dynamic flows, numbered by slot.
    first_dynamic: u32,
    /// Table of arrivals of the flow in each slot.
    class: Vec<u32>,
}

/// Whose packets are logged.
#[derive(Debug, Clone, Copy)]
enum Only {
    None,
    All,
    Source(u32),
    Link(u32),
}

impl PacketLogger {
    /// A logger for `selection`, which it passes on to `sink` if there is one, and for traces where they are wanted. `places` are those in
    /// the file, of sources and of links.
    ///
    /// # Errors
    /// The name, if no flow, link, traffic or table of arrivals has it.
    pub fn new(
        network: &Network,
        places: (Vec<u32>, Vec<u32>),
        selection: Option<&LogSelection>,
        sink: Option<Arc<dyn LogSink>>,
        qlog: Option<Qlog>,
    ) -> Result<Self, String> {
        let only = match selection {
            None => Only::None,
            Some(LogSelection::All) => Only::All,
            Some(LogSelection::Entity(name)) => {
                let flows = network.flows.iter().map(|f| &f.name);
                let traffic = network.traffic.iter().map(|t| &t.name);
                let others = network.probes.iter().map(|p| &p.name).chain(network.arrivals.iter().map(|a| &a.name));
                let mut sources = flows.chain(traffic).chain(others);
                let link = network.links.iter().position(|l| l.name == *name);
                match (sources.position(|n| n == name), link) {
                    (Some(i), _) => Only::Source(i as u32),
                    (None, Some(i)) => Only::Link(i as u32),
                    (None, None) => return Err(name.clone()),
                }
            }
        };
        let first_dynamic = (network.flows.len() + network.traffic.len() + network.probes.len()) as u32;
        Ok(Self { log: PacketLog::default(), only, sink, places, qlog, first_dynamic, class: Vec::new() })
    }

    /// A flow of table `class` takes `slot`: its packets are logged as the table's.
    pub fn set_class(&mut self, slot: u32, class: usize) {
        let slot = slot as usize;
        if self.class.len() <= slot {
            self.class.resize(slot + 1, 0);
        }
        self.class[slot] = class as u32;
    }

    /// Logs an event, if it is selected.
    pub fn log(&mut self, now: Time, event: LogEvent, record: LogRecord, link: Option<u32>) {
        if let Some(qlog) = &mut self.qlog {
            qlog.on_packet(now, event, &record);
        }
        let source = match record.source.checked_sub(self.first_dynamic) {
            Some(slot) => self.first_dynamic + self.class[slot as usize],
            None => record.source,
        };
        let selected = match self.only {
            Only::None => false,
            Only::All => true,
            Only::Source(s) => source == s,
            Only::Link(l) => link == Some(l),
        };
        if !selected {
            return;
        }
        let log = &mut self.log;
        log.time_s.push(now.as_secs_f64());
        log.event.push(event as u8);
        log.packet.push(record.kind);
        log.source.push(self.places.0[source as usize]);
        log.link.push(link.map_or(u32::MAX, |l| self.places.1[l as usize]));
        log.seq.push(record.seq);
        log.bytes.push(record.bytes);
        log.retransmission.push(record.retransmission);
        log.header_flags.push(record.header_flags);
        if let Some(blocks) = record.sack {
            log.sack.push((log.time_s.len() - 1, blocks));
        }
        if log.time_s.len() == PacketLog::PIECE {
            self.pass_on();
        }
    }

    /// Gives the rows to the sink, if there is one.
    fn pass_on(&mut self) {
        if let Some(sink) = &self.sink {
            sink.append(&self.log);
            self.log.clear();
        }
    }

    /// The rows since the last call; none if a sink gets them.
    pub fn take(&mut self) -> Option<PacketLog> {
        self.sink.is_none().then(|| std::mem::take(&mut self.log))
    }

    /// The traces, if there are any.
    pub fn qlog(&mut self) -> Option<&mut Qlog> {
        self.qlog.as_mut()
    }

    /// The log; none if none was wanted, or if a sink has it.
    pub fn finish(mut self) -> Option<PacketLog> {
        if let Some(qlog) = self.qlog.take() {
            qlog.finish();
        }
        if !self.log.time_s.is_empty() {
            self.pass_on();
        }
        (self.sink.is_none() && !matches!(self.only, Only::None)).then_some(self.log)
    }
}
