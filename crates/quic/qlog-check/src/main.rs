//! Reads traces with an independent reader and counts their events by type; fails at an event that the reader does not know.
//!
//!     eddyline run FILE --world quic --qlog traces
//!     cargo run --manifest-path crates/quic/qlog-check/Cargo.toml -- traces/*.sqlog
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::process::ExitCode;

use qlog::events::{Event, EventData};
use qlog::reader::{Event as Record, QlogSeqReader};

/// Marks the beginning of a record (RFC 7464).
const RECORD: u8 = 0x1e;

fn main() -> ExitCode {
    let mut files = std::env::args().skip(1).peekable();
    if files.peek().is_none() {
        eprintln!("error: no traces given");
        return ExitCode::from(2);
    }
    let mut code = ExitCode::SUCCESS;
    for file in files {
        match check(&file) {
            Ok(summary) => println!("{file}: {summary}"),
            Err(error) => {
                eprintln!("error: {file}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// What a trace has.
fn check(file: &str) -> Result<String, String> {
    let text = fs::read(file).map_err(|e| e.to_string())?;
    // the first one is the header
    let records = text.iter().filter(|&&byte| byte == RECORD).count().saturating_sub(1);
    let reader = QlogSeqReader::new(Box::new(Cursor::new(text))).map_err(|e| e.to_string())?;
    let version = format!("qlog {}, {}", reader.qlog.qlog_version, reader.qlog.qlog_format);
    let mut counts = BTreeMap::<&str, usize>::new();
    let (mut read, mut latest) = (0, 0.0);
    for record in reader {
        let Record::Qlog(event) = record else { return Err(format!("event {read} is of no type that is known")) };
        if event.time < latest {
            return Err(format!("event {read} at {} ms follows one at {latest} ms", event.time));
        }
        latest = event.time;
        read += 1;
        *counts.entry(name(&event)?).or_default() += 1;
    }
    if read != records {
        return Err(format!("{read} of {records} events were read"));
    }
    let counts: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    Ok(format!("{version}, {read} events: {}", counts.join(", ")))
}

/// The event's type, if it is one of those that traces have.
fn name(event: &Event) -> Result<&'static str, String> {
    match &event.data {
        EventData::PacketSent(_) => Ok("packet_sent"),
        EventData::PacketReceived(_) => Ok("packet_received"),
        EventData::PacketsAcked(_) => Ok("packets_acked"),
        EventData::PacketLost(_) => Ok("packet_lost"),
        EventData::CongestionStateUpdated(_) => Ok("congestion_state_updated"),
        EventData::MetricsUpdated(_) => Ok("metrics_updated"),
        other => Err(format!("{other:?} has no place in a trace")),
    }
}
