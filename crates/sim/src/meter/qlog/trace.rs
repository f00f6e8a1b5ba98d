//! The trace of one flow.

use std::collections::BTreeMap;
use std::io::Write as _;

use eddyline_scenario::network::Flow;
use eddyline_units::Time;
use serde_json::json;

use super::{QLOG_VERSION, QlogSink, SenderState};
use crate::meter::packet_log::{LogEvent, LogRecord, PacketLog};

/// Begins a record (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1e;

/// Bytes that are passed on together.
const PIECE: usize = 32 * 1024;

/// Text that waits to be passed on, and what the next events depend on.
#[derive(Debug)]
pub(super) struct Trace {
    text: Vec<u8>,
    /// Bytes of a packet that are not payload.
    header: u32,
    /// Sequence numbers count bytes, and an acknowledgement's is cumulative.
    numbers_bytes: bool,
    /// Packets sent and received.
    sent: u64,
    received: u64,
    /// Number of the latest packet with each sequence number that is not acknowledged.
    outstanding: BTreeMap<u64, u64>,
    /// Number of the latest SYN.
    syn: Option<u64>,
    /// Losses of data written.
    lost: u64,
    /// The state as last written.
    written: SenderState,
    phase: Option<&'static str>,
}

impl Trace {
    pub(super) fn new(flow: &Flow, numbers_bytes: bool) -> Self {
        let mut trace = Self {
            text: Vec::new(),
            header: flow.header,
            numbers_bytes,
            sent: 0,
            received: 0,
            outstanding: BTreeMap::new(),
            syn: None,
            lost: 0,
            written: SenderState::default(),
            phase: None,
        };
        trace.record(&json!({
            "qlog_version": QLOG_VERSION,
            "qlog_format": "JSON-SEQ",
            "title": flow.name,
            "description": format!("sender of flow {}, controller {}", flow.name, flow.controller.name()),
            "trace": {
                "vantage_point": { "name": flow.name, "type": "client" },
                "common_fields": { "group_id": flow.name, "time_format": "relative", "reference_time": 0 },
            },
        }));
        trace
    }

    pub(super) fn on_packet(&mut self, now: Time, event: LogEvent, record: &LogRecord) {
        let kind = PacketLog::PACKETS[usize::from(record.kind)];
        match (event, kind) {
            (LogEvent::Send, "data" | "syn" | "fin") => self.on_sent(now, record, kind),
            (LogEvent::Receive, "ack" | "syn-ack") => self.on_received(now, record, kind),
            _ => {}
        }
    }

    fn on_sent(&mut self, now: Time, record: &LogRecord, kind: &str) {
        if record.retransmission {
            let previous = if kind == "syn" { self.syn } else { self.outstanding.get(&record.seq).copied() };
            self.on_lost(now, kind, previous);
        }
        let number = self.sent;
        self.sent += 1;
        if kind == "syn" {
            self.syn = Some(number);
        }
        if kind != "syn" && self.numbers_bytes {
            self.outstanding.insert(record.seq, number);
        }
        let header = header(kind, number);
        let payload = if kind == "data" { record.bytes.saturating_sub(self.header) } else { 0 };
        let frame = json!({
            "frame_type": "stream", "stream_id": 0, "offset": record.seq, "length": payload, "fin": kind == "fin",
        });
        let frames = if kind == "syn" || !self.numbers_bytes { json!([]) } else { json!([frame]) };
        let raw = json!({ "length": record.bytes, "payload_length": payload });
        self.event(now, "transport:packet_sent", &json!({ "header": header, "raw": raw, "frames": frames }));
    }

    fn on_received(&mut self, now: Time, record: &LogRecord, kind: &str) {
        let number = self.received;
        self.received += 1;
        let acked = if kind == "ack" { self.take_acknowledged(record.seq) } else { Vec::new() };
        let frames =
            if acked.is_empty() { json!([]) } else { json!([{ "frame_type": "ack", "acked_ranges": ranges(acked) }]) };
        let raw = json!({ "length": record.bytes });
        let data = json!({ "header": header(kind, number), "raw": raw, "frames": frames });
        self.event(now, "transport:packet_received", &data);
    }

    fn on_lost(&mut self, now: Time, kind: &str, number: Option<u64>) {
        self.lost += u64::from(kind == "data");
        let data = match number {
            Some(number) => json!({ "header": header(kind, number) }),
            None => json!({ "header": { "packet_type": "1RTT" } }),
        };
        self.event(now, "recovery:packet_lost", &data);
    }

    pub(super) fn on_state(&mut self, now: Time, state: &SenderState) {
        // losses of transports that do not retransmit a packet under its old number
        while self.lost < state.lost {
            self.on_lost(now, "data", None);
        }
        // what data packets of the other direction acknowledged
        if let Some(number) = state.acknowledged {
            let acked = self.take_acknowledged(number);
            if !acked.is_empty() {
                self.event(now, "transport:packets_acked", &json!({ "packet_numbers": acked }));
            }
        }
        self.write_phase(now, state);
        self.write_metrics(now, state);
    }

    fn write_phase(&mut self, now: Time, state: &SenderState) {
        let phase = match state.slow_start_threshold {
            _ if state.in_recovery => Some("recovery"),
            Some(threshold) if state.window < threshold => Some("slow_start"),
            Some(_) => Some("congestion_avoidance"),
            // controllers without a threshold have no such phases
            None => self.phase.map(|_| "congestion_avoidance"),
        };
        if phase != self.phase {
            let data = match self.phase {
                Some(old) => json!({ "old": old, "new": phase }),
                None => json!({ "new": phase }),
            };
            self.phase = phase;
            self.event(now, "recovery:congestion_state_updated", &data);
        }
    }

    /// The metrics that have changed.
    fn write_metrics(&mut self, now: Time, state: &SenderState) {
        let (old, ms) = (self.written, |t: Time| t.as_secs_f64() * 1e3);
        let mut data = serde_json::Map::new();
        let mut put = |changed: bool, key: &str, value: serde_json::Value| {
            if changed {
                data.insert(key.to_owned(), value);
            }
        };
        put(state.window != old.window, "congestion_window", state.window.into());
        put(state.in_flight != old.in_flight, "bytes_in_flight", state.in_flight.into());
        put(state.packets_in_flight != old.packets_in_flight, "packets_in_flight", state.packets_in_flight.into());
        put(state.smoothed_rtt != old.smoothed_rtt, "smoothed_rtt", state.smoothed_rtt.map(ms).into());
        put(state.latest_rtt != old.latest_rtt, "latest_rtt", state.latest_rtt.map(ms).into());
        let threshold = state.slow_start_threshold.filter(|&t| t < u64::MAX);
        put(state.slow_start_threshold != old.slow_start_threshold, "ssthresh", threshold.into());
        put(state.pacing_rate != old.pacing_rate, "pacing_rate", state.pacing_rate.into());
        // a value that is no longer known is left out
        data.retain(|_, value| !value.is_null());
        self.written = *state;
        if !data.is_empty() {
            self.event(now, "recovery:metrics_updated", &data.into());
        }
    }

    /// Numbers of the packets below `sequence`, which leave the list.
    fn take_acknowledged(&mut self, sequence: u64) -> Vec<u64> {
        let mut acked = Vec::new();
        while let Some(entry) = self.outstanding.first_entry().filter(|e| *e.key() < sequence) {
            acked.push(entry.remove());
        }
        acked.sort_unstable();
        acked
    }

    fn event(&mut self, now: Time, name: &str, data: &serde_json::Value) {
        // nanoseconds, exactly
        let ns = now.as_ps() / 1000;
        self.text.push(RECORD_SEPARATOR);
        let (ms, rest) = (ns / 1_000_000, ns % 1_000_000);
        let _ = writeln!(self.text, r#"{{"time":{ms}.{rest:06},"name":"{name}","data":{data}}}"#);
    }

    fn record(&mut self, value: &serde_json::Value) {
        self.text.push(RECORD_SEPARATOR);
        let _ = writeln!(self.text, "{value}");
    }

    /// Passes on what has gathered, once it is worth it.
    pub(super) fn pass_on(&mut self, flow: usize, sink: &dyn QlogSink) {
        if self.text.len() >= PIECE {
            self.finish(flow, sink);
        }
    }

    pub(super) fn finish(&mut self, flow: usize, sink: &dyn QlogSink) {
        sink.append(flow, &self.text);
        self.text.clear();
    }
}

/// qlog has QUIC's types of packets only.
fn header(kind: &str, number: u64) -> serde_json::Value {
    let packet_type = if kind.starts_with("syn") { "initial" } else { "1RTT" };
    json!({ "packet_type": packet_type, "packet_number": number })
}

/// Runs of consecutive numbers, in ascending order, as `[first, last]`.
fn ranges(numbers: Vec<u64>) -> Vec<[u64; 2]> {
    let mut ranges: Vec<[u64; 2]> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => ranges.push([number, number]),
        }
    }
    ranges
}
