//! A packet log as captures that other programs read.

use std::io;
use std::path::Path;

use eddyline_capture::{Capture, Kind, Segment};
use eddyline_scenario::Network;
use eddyline_scenario::sides::Sides;
use eddyline_sim::{LogEvent, PacketLog, SegmentFlags};
use eddyline_units::Time;

/// What the two hosts would see on their interfaces; only packets of flows have headers to show.
#[derive(Debug)]
pub(crate) struct Captures {
    capture: Capture,
    flows: Vec<Headers>,
}

/// What the headers of a flow's packets depend on.
#[derive(Debug)]
struct Headers {
    sender: usize,
    header: u32,
    mss: u32,
    window: Option<u64>,
    selective: bool,
}

impl Captures {
    /// Files in `folder` without packets yet.
    pub(crate) fn create(folder: &Path, network: &Network) -> io::Result<Self> {
        let flows = network.flows.iter().zip(Sides::of(network).senders);
        let headers = flows.map(|(flow, sender)| Headers {
            sender,
            header: flow.header,
            mss: flow.mss(),
            window: flow.receive_window,
            selective: flow.tcp.sack,
        });
        Ok(Self { capture: Capture::create(folder)?, flows: headers.collect() })
    }

    /// Writes what the next rows say.
    pub(crate) fn append(&mut self, log: &PacketLog) -> io::Result<()> {
        let mut sack = log.sack.iter().peekable();
        for i in 0..log.time_s.len() {
            let blocks = sack.next_if(|(row, _)| *row == i).map(|(_, blocks)| *blocks);
            let damaged = log.event[i] == LogEvent::Corrupted as u8;
            let sent = match log.event[i] {
                event if event == LogEvent::Send as u8 => true,
                event if event == LogEvent::Receive as u8 || damaged => false,
                _ => continue,
            };
            let flow = log.source[i] as usize;
            let (Some(headers), Some(kind), u32::MAX) = (self.flows.get(flow), kind(log.packet[i]), log.link[i]) else {
                continue;
            };
            let sender = headers.sender;
            let flags = SegmentFlags::from_bits(log.header_flags[i]);
            let segment = Segment {
                kind,
                flow,
                sender,
                sequence: log.seq[i],
                payload: if kind == Kind::Data { log.bytes[i].saturating_sub(headers.header) } else { 0 },
                mss: headers.mss,
                window: headers.window,
                ecn: flags.ecn() as u8,
                ace: flags.ace(),
                selective: headers.selective,
                damaged,
                sack: blocks.unwrap_or_default(),
            };
            let (bytes, length) = segment.headers();
            let host = if kind.is_from_sender() == sent { sender } else { 1 - sender };
            let at = Time::from_ps((log.time_s[i] * 1e9).round() as u64 * 1_000);
            self.capture.packet(host, at, &bytes, length)?;
        }
        Ok(())
    }

    /// Writes what is still buffered.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.capture.finish()
    }
}

/// The kind of a packet of a flow, from its place in [`PacketLog::PACKETS`].
fn kind(code: u8) -> Option<Kind> {
    Some(match PacketLog::PACKETS[usize::from(code)] {
        "data" => Kind::Data,
        "syn" => Kind::Syn,
        "syn-ack" => Kind::SynAck,
        "ack" => Kind::Ack,
        "fin" => Kind::Fin,
        _ => return None,
    })
}
