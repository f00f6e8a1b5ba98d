//! Traces of flows: their form, and that they agree with the result.

use crate::scenarios;

use std::sync::{Arc, Mutex};

use eddyline_sim::{LogEvent, LogSelection, Options, Outcome, PacketLog, QLOG_VERSION, QlogSink};
use scenarios::{flow, head, network, outcome};
use serde_json::Value;

/// Traces in memory, and the size of the largest piece.
#[derive(Debug, Default)]
struct Memory(Mutex<(Vec<Vec<u8>>, usize)>);

impl QlogSink for Memory {
    fn append(&self, flow: usize, text: &[u8]) {
        let (traces, largest) = &mut *self.0.lock().unwrap();
        if traces.len() <= flow {
            traces.resize(flow + 1, Vec::new());
        }
        traces[flow].extend_from_slice(text);
        *largest = text.len().max(*largest);
    }
}

/// The outcome of a scenario, its traces and the largest piece.
fn traced(text: &str) -> (Outcome, Vec<Vec<u8>>, usize) {
    let sink = Arc::new(Memory::default());
    let options = Options { packet_log: Some(LogSelection::All), qlog: Some(sink.clone()), ..Options::default() };
    let outcome = outcome(&network(text), &options);
    let (traces, largest) = std::mem::take(&mut *sink.0.lock().unwrap());
    (outcome, traces, largest)
}

/// The records of a JSON text sequence.
fn records(trace: &[u8]) -> Vec<Value> {
    let parts = trace.split(|&b| b == 0x1e);
    let read = |part: &[u8]| serde_json::from_slice(part).unwrap_or_else(|e| panic!("{e}: {part:?}"));
    parts.filter(|part| !part.is_empty()).map(read).collect()
}

fn count(events: &[Value], name: &str) -> u64 {
    events.iter().filter(|e| e["name"] == name).count() as u64
}

/// Losses of data, FIN included.
fn lost(events: &[Value]) -> u64 {
    let lost = events.iter().filter(|e| e["name"] == "recovery:packet_lost");
    lost.filter(|e| e["data"]["header"]["packet_type"] == "1RTT").count() as u64
}

/// Rows of the packet log of one source.
fn logged(log: &PacketLog, event: LogEvent, packets: &[&str], source: u32) -> u64 {
    let rows = (0..log.time_s.len()).filter(|&i| log.event[i] == event as u8 && log.source[i] == source);
    rows.filter(|&i| packets.contains(&PacketLog::PACKETS[usize::from(log.packet[i])])).count() as u64
}

fn link(name: &str, rate: &str, delay: &str, limit: u32) -> String {
    let queue = format!("{{ kind = \"droptail\", limit = \"{limit} packets\" }}");
    format!("[[link]]\nname = \"{name}\"\nrate = \"{rate}\"\ndelay = \"{delay}\"\nqueue = {queue}\n")
}

/// Two flows with losses over a link of 10 Mbit/s, with and without SACK.
fn lossy(sack: bool) -> String {
    head(20.0, 5.0, 1)
        + &link("f", "10 Mbit/s", "20 ms", 20)
        + &link("b", "10 Mbit/s", "20 ms", 1000)
        + &flow("x", "kind = \"newreno\"", "f", "b", &format!("tcp = {{ sack = {sack} }}"))
        + &flow("y", "kind = \"cubic\"", "f", "b", "size = \"5 MB\"")
}

#[test]
fn traces_agree_with_the_result_and_the_packet_log() {
    for sack in [true, false] {
        let (outcome, traces, _) = traced(&lossy(sack));
        let log = outcome.log.as_ref().unwrap();
        for (i, result) in outcome.result.flows.iter().enumerate() {
            let events = records(&traces[i]);
            let sent = count(&events, "transport:packet_sent");
            assert_eq!(sent, logged(log, LogEvent::Send, &["data", "syn", "fin"], i as u32), "sent");
            let received = count(&events, "transport:packet_received");
            assert_eq!(received, logged(log, LogEvent::Receive, &["ack", "syn-ack"], i as u32), "received");
            let retransmits = result.retransmits.unwrap();
            assert!(retransmits > 10);
            assert_eq!(lost(&events), retransmits, "sack = {sack}: lost");
        }
    }
}

#[test]
fn every_packet_is_acknowledged_or_lost_once() {
    for sack in [true, false] {
        let (_, traces, _) = traced(&lossy(sack));
        // the second flow has a size, so that all its packets are acknowledged at its end
        let events = records(&traces[1]);
        let mut sent = Vec::new();
        let mut gone = Vec::new();
        for event in &events {
            let data = &event["data"];
            let number = &data["header"]["packet_number"];
            match event["name"].as_str() {
                Some("transport:packet_sent") if data["header"]["packet_type"] == "1RTT" => {
                    sent.push(number.as_u64().unwrap());
                }
                Some("recovery:packet_lost") if data["header"]["packet_type"] == "1RTT" => {
                    gone.push(number.as_u64().unwrap())
                }
                Some("transport:packet_received") => {
                    for range in data["frames"][0]["acked_ranges"].as_array().into_iter().flatten() {
                        gone.extend(range[0].as_u64().unwrap()..=range[1].as_u64().unwrap());
                    }
                }
                _ => {}
            }
        }
        gone.sort_unstable();
        assert_eq!(gone, sent, "sack = {sack}");
    }
}

#[test]
fn metrics_and_states_are_those_of_the_sender() {
    let (outcome, traces, _) = traced(&lossy(true));
    let events = records(&traces[0]);
    let header = &events[0];
    assert_eq!(header["qlog_version"], QLOG_VERSION);
    assert_eq!(header["qlog_format"], "JSON-SEQ");
    assert_eq!(header["trace"]["vantage_point"]["type"], "client");
    let times: Vec<f64> = events[1..].iter().map(|e| e["time"].as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "in order of time, in milliseconds");
    assert!((19_000.0..20_000.0).contains(times.last().unwrap()));
    let states: Vec<_> = events
        .iter()
        .filter(|e| e["name"] == "recovery:congestion_state_updated")
        .map(|e| e["data"]["new"].as_str().unwrap())
        .collect();
    assert_eq!(states[..2], ["slow_start", "recovery"]);
    assert!(states.contains(&"congestion_avoidance"));
    // the mean of the window over time is that of the result
    let (mut window, mut since, mut sum) = (0.0, 0.0, 0.0);
    for event in events.iter().filter(|e| e["name"] == "recovery:metrics_updated") {
        let Some(bytes) = event["data"]["congestion_window"].as_f64() else { continue };
        let at = event["time"].as_f64().unwrap() / 1e3;
        sum += window * (at.max(5.0) - f64::max(since, 5.0));
        (window, since) = (bytes / 1000.0, at);
    }
    sum += window * (20.0 - since);
    let mean = outcome.result.flows[0].window_packets.mean.unwrap();
    assert!((sum / 15.0 - mean).abs() < 0.01 * mean, "{} packets, the result has {mean}", sum / 15.0);
    for name in ["bytes_in_flight", "smoothed_rtt", "latest_rtt", "ssthresh", "packets_in_flight"] {
        assert!(events.iter().any(|e| e["data"][name].is_number()), "{name}");
    }
}

#[test]
fn traces_are_the_same_every_time_and_change_nothing() {
    let (first, second) = (traced(&lossy(true)), traced(&lossy(true)));
    assert_eq!(first.1, second.1);
    let plain = outcome(&network(&lossy(true)), &Options::default());
    assert_eq!(first.0.result.flows, plain.result.flows);
}

#[test]
fn a_trace_comes_in_small_pieces() {
    let (_, traces, largest) = traced(&lossy(true));
    assert!(traces[0].len() > 1_000_000, "{} bytes", traces[0].len());
    assert!(largest < 64 * 1024, "{largest} bytes");
}

#[test]
fn both_directions_of_a_connection_are_traced() {
    let text = head(10.0, 1.0, 1)
        + &link("f", "10 Mbit/s", "20 ms", 20)
        + &link("b", "10 Mbit/s", "20 ms", 20)
        + &flow("x", "kind = \"newreno\"", "f", "b", "piggyback = \"y\"\ndelayed_ack = true")
        + &flow("y", "kind = \"newreno\"", "b", "f", "delayed_ack = true\nstart = \"0.3 s\"");
    let (outcome, traces, _) = traced(&text);
    assert_eq!(traces.len(), outcome.result.flows.len());
    for (trace, flow) in traces.iter().zip(&outcome.result.flows) {
        let events = records(trace);
        assert_eq!(lost(&events), flow.retransmits.unwrap());
        let acked = events.iter().filter(|e| e["name"] == "transport:packets_acked");
        let numbers: usize = acked.map(|e| e["data"]["packet_numbers"].as_array().unwrap().len()).sum();
        assert!(numbers > 1000, "{numbers} packets acknowledged by data of the other direction");
    }
}
