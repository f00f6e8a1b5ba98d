//! Traces of this world have the form and fields of world `sim`'s.

use crate::networks;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use eddyline_sim::{Options, Outcome, QlogSink};
use networks::{bottleneck, network};
use serde_json::Value;

#[derive(Debug, Default)]
struct Memory(Mutex<Vec<u8>>);

impl QlogSink for Memory {
    fn append(&self, _flow: usize, text: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(text);
    }
}

/// Outcome and events of a scenario with one flow, in world `quic` or `sim`.
fn traced(controller: &str, quic: bool) -> (Outcome, Vec<Value>) {
    traced_with(controller, "1240 B", quic)
}

/// The same, with the scenario's size of packets.
fn traced_with(controller: &str, packet: &str, quic: bool) -> (Outcome, Vec<Value>) {
    let network = network(&bottleneck(20.0, controller, 20, &format!("packet = \"{packet}\"")));
    let sink = Arc::new(Memory::default());
    let options = Options { qlog: Some(sink.clone()), ..Options::default() };
    let observe = &mut |_| ControlFlow::Continue(());
    let outcome = if quic {
        eddyline_quic::run(&network, &options, observe).unwrap_or_else(|e| panic!("{e}"))
    } else {
        eddyline_sim::run(&network, &options, observe).unwrap_or_else(|e| panic!("{e}"))
    };
    let text = std::mem::take(&mut *sink.0.lock().unwrap());
    let parts = text.split(|&b| b == 0x1e).filter(|part| !part.is_empty());
    (outcome, parts.map(|part| serde_json::from_slice(part).unwrap()).collect())
}

/// Names of events, with those of the metrics among their fields.
fn names(events: &[Value]) -> BTreeSet<String> {
    let name = |event: &Value| event["name"].as_str().map(str::to_owned);
    let metrics = events.iter().filter(|e| e["name"] == "recovery:metrics_updated");
    let fields = metrics.flat_map(|e| e["data"].as_object().unwrap().keys().cloned());
    events.iter().filter_map(name).chain(fields).collect()
}

#[test]
fn both_worlds_write_the_same_events_and_metrics() {
    for controller in ["kind = \"newreno\"", "kind = \"fast\", alpha = \"30 packets\""] {
        let ((_, quic), (_, sim)) = (traced(controller, true), traced(controller, false));
        assert_eq!(names(&quic), names(&sim), "{controller}");
    }
}

#[test]
fn losses_are_those_of_the_result() {
    for controller in ["kind = \"newreno\"", "kind = \"noq-cubic\""] {
        let (outcome, events) = traced(controller, true);
        let lost = events.iter().filter(|e| e["name"] == "recovery:packet_lost").count() as u64;
        assert_eq!(Some(lost), outcome.result.flows[0].retransmits, "{controller}");
        assert!(lost > 10);
    }
}

/// RFC 9002, 5.3: the first sample, then an eighth of each later one. Receivers acknowledge every packet at once, so no delay is
/// subtracted, and while nothing queues the samples of the trace are all there are: one a packet. The first is the handshake's, of two
/// datagrams of 1,240 bytes over 10 Mbit/s and 40 ms, and is no sample of data.
#[test]
fn the_smoothed_rtt_is_that_of_the_samples() {
    let (_, events) = traced("kind = \"newreno\"", true);
    let (mut sample, mut smoothed, mut checked) = (2.0 * 0.992 + 40.0, None::<f64>, 0);
    let metrics = events.iter().filter(|e| e["name"] == "recovery:metrics_updated").map(|e| &e["data"]);
    for data in metrics.take_while(|data| data["bytes_in_flight"].as_u64() < Some(40_000)) {
        let Some(got) = data["smoothed_rtt"].as_f64() else { continue };
        sample = data["latest_rtt"].as_f64().unwrap_or(sample);
        assert!(checked > 0 || data["latest_rtt"].is_null(), "{data}");
        let want = smoothed.map_or(sample, |before| before + (sample - before) / 8.0);
        assert!((got - want).abs() < 1e-4, "{data}: {want}");
        (smoothed, checked) = (Some(got), checked + 1);
    }
    assert!(checked > 10, "{checked}");
}

/// Windows are in bytes of QUIC's own packets: ten of 1,200 bytes at first, whatever the scenario's size.
#[test]
fn windows_are_in_bytes_of_the_stack() {
    for packet in ["576 B", "1240 B"] {
        let (_, events) = traced_with("kind = \"newreno\"", packet, true);
        let first = events.iter().find_map(|e| e["data"]["congestion_window"].as_u64());
        assert_eq!(first, Some(12_000), "{packet}");
    }
}
