//! Packet events as columns.

use eddyline_scenario::Network;
use eddyline_units::Time;

use super::qlog::Qlog;

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

/// A packet as it is logged.
#[derive(Debug, Clone, Copy)]
pub struct LogRecord {
    /// Index into [`PacketLog::PACKETS`].
    pub kind: u8,
    /// Number of its source; those of dynamic flows count slots.
    pub source: u32,
    /// First payload byte of data, cumulative acknowledgement of an ACK.
    pub seq: u64,
    /// Bytes on the wire.
    pub bytes: u32,
    /// It is a retransmission.
    pub retransmission: bool,
}

/// Writes the log and the traces of flows during a run.
#[derive(Debug)]
pub struct PacketLogger {
    log: PacketLog,
    only: Only,
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
    /// A logger for `selection`, and for traces where they are wanted. `places` are those in the file, of sources and of links.
    ///
    /// # Errors
    /// The name, if no flow, link, traffic or table of arrivals has it.
    pub fn new(
        network: &Network,
        places: (Vec<u32>, Vec<u32>),
        selection: Option<&LogSelection>,
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
        Ok(Self { log: PacketLog::default(), only, places, qlog, first_dynamic, class: Vec::new() })
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
    }

    /// The rows since the last call.
    pub fn take(&mut self) -> PacketLog {
        std::mem::take(&mut self.log)
    }

    /// The traces, if there are any.
    pub fn qlog(&mut self) -> Option<&mut Qlog> {
        self.qlog.as_mut()
    }

    /// The log; none if none was wanted.
    pub fn finish(self) -> Option<PacketLog> {
        if let Some(qlog) = self.qlog {
            qlog.finish();
        }
        (!matches!(self.only, Only::None)).then_some(self.log)
    }
}
