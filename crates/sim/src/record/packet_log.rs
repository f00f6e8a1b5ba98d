//! Packet events as columns.

use eddyline_scenario::Network;
use eddyline_units::Time;

use crate::engine::Packet;
use crate::run::{LogSelection, SimError};

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
    /// Place in the network's flows; traffic counts on from there, then tables of arrivals.
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

/// Writes the log while a run goes on.
#[derive(Debug)]
pub struct PacketLogger {
    log: PacketLog,
    only: Only,
    /// Sources from here on are guests, numbered by slot.
    guests: u32,
    /// Table of the guest in each slot.
    class: Vec<u32>,
}

/// Whose packets are logged.
#[derive(Debug, Clone, Copy)]
enum Only {
    All,
    Source(u32),
    Link(u32),
}

impl PacketLogger {
    /// A logger for `selection`.
    ///
    /// # Errors
    /// [`SimError::UnknownEntity`] if nobody is called that.
    pub fn new(network: &Network, selection: &LogSelection) -> Result<Self, SimError> {
        let only = match selection {
            LogSelection::All => Only::All,
            LogSelection::Entity(name) => {
                let flows = network.flows.iter().map(|f| &f.name);
                let traffic = network.traffic.iter().map(|t| &t.name);
                let mut sources = flows.chain(traffic).chain(network.arrivals.iter().map(|a| &a.name));
                let link = network.links.iter().position(|l| l.name == *name);
                match (sources.position(|n| n == name), link) {
                    (Some(i), _) => Only::Source(i as u32),
                    (None, Some(i)) => Only::Link(i as u32),
                    (None, None) => return Err(SimError::UnknownEntity(name.clone())),
                }
            }
        };
        let guests = (network.flows.len() + network.traffic.len()) as u32;
        Ok(Self { log: PacketLog::default(), only, guests, class: Vec::new() })
    }

    /// A flow of table `class` takes `slot`: its packets are logged as the table's.
    pub fn guest(&mut self, slot: u32, class: usize) {
        let slot = slot as usize;
        if self.class.len() <= slot {
            self.class.resize(slot + 1, 0);
        }
        self.class[slot] = class as u32;
    }

    /// Notes an event, if it is asked for.
    pub fn note(&mut self, now: Time, event: LogEvent, packet: &Packet, link: Option<u32>) {
        let source = match packet.flow.checked_sub(self.guests) {
            Some(slot) => self.guests + self.class[slot as usize],
            None => packet.flow,
        };
        let wanted = match self.only {
            Only::All => true,
            Only::Source(s) => source == s,
            Only::Link(l) => link == Some(l),
        };
        if !wanted {
            return;
        }
        let log = &mut self.log;
        log.time_s.push(now.as_secs_f64());
        log.event.push(event as u8);
        log.packet.push(packet.kind as u8);
        log.source.push(source);
        log.link.push(link.unwrap_or(u32::MAX));
        log.seq.push(packet.seq);
        log.bytes.push(packet.bytes);
        log.retransmission.push(packet.flags.retransmission());
    }

    /// The log.
    pub fn finish(self) -> PacketLog {
        self.log
    }
}
