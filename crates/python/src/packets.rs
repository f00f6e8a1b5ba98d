//! A packet log as captures that other programs read.

use std::io;
use std::path::Path;

use eddyline_capture::{Capture, Kind, Segment};
use eddyline_scenario::Network;
use eddyline_scenario::sides::Sides;
use eddyline_sim::{LogEvent, PacketLog};
use eddyline_units::Time;

/// Writes what the two hosts would have seen on their interfaces; only packets of flows have headers to show.
pub(crate) fn write_pcap(folder: &Path, log: &PacketLog, network: &Network) -> io::Result<()> {
    let senders = Sides::of(network).senders;
    let mut capture = Capture::create(folder)?;
    for i in 0..log.time_s.len() {
        let sent = match log.event[i] {
            event if event == LogEvent::Send as u8 => true,
            event if event == LogEvent::Receive as u8 => false,
            _ => continue,
        };
        let flow = log.source[i] as usize;
        let (Some(spec), Some(kind), u32::MAX) = (network.flows.get(flow), kind(log.packet[i]), log.link[i]) else {
            continue;
        };
        let segment = Segment {
            kind,
            flow,
            sender: senders[flow],
            sequence: log.seq[i],
            payload: if kind == Kind::Data { log.bytes[i].saturating_sub(spec.header) } else { 0 },
            mss: spec.mss(),
            window: spec.receive_window,
        };
        let (headers, length) = segment.headers();
        let host = if kind.is_from_sender() == sent { senders[flow] } else { 1 - senders[flow] };
        capture.packet(host, Time::from_ps((log.time_s[i] * 1e9).round() as u64 * 1_000), &headers, length)?;
    }
    capture.finish()
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
