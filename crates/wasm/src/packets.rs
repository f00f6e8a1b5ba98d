//! The way of packets over links, from the packet log: when each arrived at the queue, when it left the link, and how.

use std::collections::VecDeque;

use eddyline_scenario::Network;
use eddyline_sim::{LogEvent, PacketLog};
use js_sys::{Float64Array, Object, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;

use crate::flow_events::{FlowEvent, FlowEvents};
use crate::run::put;

/// How a packet left a link. JavaScript has the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Fate {
    /// It arrived at the link's other end.
    Carried = 0,
    /// The queue dropped it.
    Dropped = 1,
    /// It was lost or damaged on the wire.
    Lost = 2,
}

/// A packet in a link.
#[derive(Debug, Clone, Copy)]
struct Pending {
    packet: u8,
    seq: u64,
    retransmission: bool,
    since: f64,
    recorded: bool,
}

/// A source's packets in one link, in order of arrival.
type Queue = VecDeque<Pending>;

/// Columns of recorded packets.
#[derive(Debug, Default)]
struct Columns {
    link: Vec<u32>,
    source: Vec<u32>,
    packet: Vec<u8>,
    retransmission: Vec<u8>,
    fate: Vec<u8>,
    begin_s: Vec<f64>,
    end_s: Vec<f64>,
}

/// Where a flow's round trip ends.
#[derive(Debug, Clone, Copy, Default)]
struct Round {
    sent: u64,
    end: u64,
}

/// Follows packets through links.
#[derive(Debug)]
pub(crate) struct Packets {
    /// Links of data and of acknowledgements, by source.
    paths: Vec<[Vec<u32>; 2]>,
    links: usize,
    /// One in so many packets is recorded, by link.
    spacing: Vec<u32>,
    seen: Vec<u32>,
    /// By source and link.
    pending: Vec<Queue>,
    rounds: Vec<Round>,
    columns: Columns,
}

const DATA: usize = 0;
const ACK: usize = 1;

/// Acknowledgements and SYN-ACKs cross the links of acknowledgements.
fn direction(packet: u8) -> usize {
    if matches!(PacketLog::PACKETS.get(usize::from(packet)), Some(&("ack" | "syn-ack"))) { ACK } else { DATA }
}

impl Packets {
    /// Records at most `limit` packets of each link at its rate.
    pub(crate) fn new(network: &Network, limit: u32) -> Self {
        let both = |data: &[u32], ack: &[u32]| [data.to_vec(), ack.to_vec()];
        let flows = network.flows.iter().map(|f| both(&f.data, &f.ack));
        let traffic = network.traffic.iter().map(|t| both(&t.path, &[]));
        let probes = network.probes.iter().map(|_| both(&[], &[]));
        let arrivals = network.arrivals.iter().map(|a| both(&a.flow.data, &a.flow.ack));
        let paths: Vec<_> = flows.chain(traffic).chain(probes).chain(arrivals).collect();
        let links = network.links.len();
        let full = network.flows.iter().map(|f| f.packet).max().unwrap_or(1500).max(1);
        let spacing = network.links.iter().map(|l| {
            let packets = l.rate.as_bps() as f64 * network.duration.as_secs_f64() / 8.0 / f64::from(full);
            (packets / f64::from(limit)).ceil().clamp(1.0, f64::from(u32::MAX)) as u32
        });
        Self {
            spacing: spacing.collect(),
            seen: vec![0; links],
            pending: vec![Queue::new(); links * paths.len()],
            rounds: vec![Round::default(); network.flows.len()],
            columns: Columns::default(),
            links,
            paths,
        }
    }

    pub(crate) fn spacing(&self) -> &[u32] {
        &self.spacing
    }

    /// Reads the next rows of the log.
    pub(crate) fn read(&mut self, log: &PacketLog, events: &mut FlowEvents) {
        for i in 0..log.time_s.len() {
            let (now, source, link) = (log.time_s[i], log.source[i] as usize, log.link[i]);
            let row = Pending {
                packet: log.packet[i],
                seq: log.seq[i],
                retransmission: log.retransmission[i],
                since: now,
                recorded: false,
            };
            let Some(path) = self.paths.get(source).map(|p| &p[direction(row.packet)]) else { continue };
            let Some(event) = LogEvent::NAMES.get(usize::from(log.event[i])) else { continue };
            match *event {
                "send" if link == u32::MAX && row.packet == 0 => {
                    if let Some(round) = self.rounds.get_mut(source) {
                        round.sent = round.sent.max(row.seq + 1);
                    }
                }
                "enqueue" => {
                    let before = path.iter().position(|l| *l == link).and_then(|p| p.checked_sub(1)).map(|p| path[p]);
                    if let Some(before) = before {
                        self.leave(now, source, before, &row, Fate::Carried);
                    }
                    self.enter(source, link, row);
                }
                "receive" | "corrupted" => {
                    let fate = if *event == "receive" { Fate::Carried } else { Fate::Lost };
                    if let Some(last) = path.last().copied() {
                        self.leave(now, source, last, &row, fate);
                    }
                    if fate == Fate::Carried && direction(row.packet) == ACK {
                        self.end_round(now, source, row.seq, events);
                    }
                }
                "drop" | "lost" => {
                    let fate = if *event == "drop" { Fate::Dropped } else { Fate::Lost };
                    self.leave(now, source, link, &row, fate);
                    if source < self.rounds.len() {
                        let event = if direction(row.packet) == ACK { FlowEvent::AckLoss } else { FlowEvent::Loss };
                        events.push(now, source, event, link);
                    }
                }
                _ => {}
            }
        }
    }

    fn enter(&mut self, source: usize, link: u32, mut row: Pending) {
        let index = link as usize;
        row.recorded = self.seen[index].is_multiple_of(self.spacing[index]);
        self.seen[index] = self.seen[index].wrapping_add(1);
        self.pending[source * self.links + index].push_back(row);
    }

    /// A packet leaves a link; a drop on arrival was never in it.
    fn leave(&mut self, now: f64, source: usize, link: u32, row: &Pending, fate: Fate) {
        let Some(queue) = self.pending.get_mut(source * self.links + link as usize) else { return };
        let same = |p: &Pending| (p.packet, p.seq, p.retransmission) == (row.packet, row.seq, row.retransmission);
        let place = queue.iter().position(same);
        let was = place.and_then(|place| queue.remove(place));
        if fate != Fate::Carried || was.is_some_and(|p| p.recorded) {
            let c = &mut self.columns;
            c.link.push(link);
            c.source.push(source as u32);
            c.packet.push(row.packet);
            c.retransmission.push(u8::from(row.retransmission));
            c.fate.push(fate as u8);
            c.begin_s.push(was.map_or(now, |p| p.since));
            c.end_s.push(now);
        }
    }

    fn end_round(&mut self, now: f64, source: usize, acknowledged: u64, events: &mut FlowEvents) {
        let Some(round) = self.rounds.get_mut(source) else { return };
        if acknowledged > round.end {
            round.end = round.sent;
            events.push(now, source, FlowEvent::Round, 0);
        }
    }

    /// The packets since the last call, as typed arrays.
    pub(crate) fn take(&mut self) -> Result<JsValue, JsValue> {
        let c = std::mem::take(&mut self.columns);
        let object = Object::new();
        put(&object, "link", &Uint32Array::from(&*c.link))?;
        put(&object, "source", &Uint32Array::from(&*c.source))?;
        put(&object, "packet", &Uint8Array::from(&*c.packet))?;
        put(&object, "retransmission", &Uint8Array::from(&*c.retransmission))?;
        put(&object, "fate", &Uint8Array::from(&*c.fate))?;
        put(&object, "beginS", &Float64Array::from(&*c.begin_s))?;
        put(&object, "endS", &Float64Array::from(&*c.end_s))?;
        Ok(object.into())
    }
}
