//! qlog 0.3: one trace per flow, as seen by the sender, in JSON text sequences (RFC 7464).
//!
//! Schema: draft-ietf-quic-qlog-main-schema-02 and draft-ietf-quic-qlog-quic-events-02, the version that qvis reads. Packets come
//! from where the packet log takes them, the rest from the state of a flow after each of its events. A trace is passed on in
//! pieces, so that memory does not grow with the length of a run.

mod trace;

use std::fmt;
use std::sync::Arc;

use eddyline_scenario::Network;
use eddyline_units::Time;

use super::packet_log::{LogEvent, LogRecord};
use trace::Trace;

/// Version of the schema.
pub const QLOG_VERSION: &str = "0.3";

/// Where traces go.
pub trait QlogSink: fmt::Debug + Send + Sync {
    /// Appends to the trace of a flow, by its place in the file.
    fn append(&self, flow: usize, text: &[u8]);
}

/// What a sender knows after an event.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SenderState {
    /// Congestion window in bytes of payload.
    pub window: u64,
    /// Payload in flight in bytes.
    pub in_flight: u64,
    /// Packets in flight.
    pub packets_in_flight: u64,
    /// The smoothed round-trip time.
    pub smoothed_rtt: Option<Time>,
    /// The last round-trip sample.
    pub latest_rtt: Option<Time>,
    /// Window at which slow start ends, in bytes; the maximum of the type before the first loss.
    pub slow_start_threshold: Option<u64>,
    /// Bits a second.
    pub pacing_rate: Option<u64>,
    /// Loss recovery is under way.
    pub in_recovery: bool,
    /// Everything below this sequence number is acknowledged, if packets are numbered by their data.
    pub acknowledged: Option<u64>,
    /// Packets declared lost.
    pub lost: u64,
}

/// Writes the traces of a run.
#[derive(Debug)]
pub struct Qlog {
    sink: Arc<dyn QlogSink>,
    traces: Vec<Trace>,
    /// Places in the file of the flows.
    places: Vec<u32>,
}

impl Qlog {
    /// Begins a trace for each flow of `network`, whose places in the file are `places`; dynamic flows and cross traffic have none. `numbers_bytes` says that sequence numbers
    /// count bytes and an acknowledgement's is cumulative, as TCP's.
    pub fn new(network: &Network, places: &[u32], sink: Arc<dyn QlogSink>, numbers_bytes: bool) -> Self {
        let traces = network.flows.iter().map(|flow| Trace::new(flow, numbers_bytes)).collect();
        Self { sink, traces, places: places.to_vec() }
    }

    /// A packet was sent or received, among other things.
    pub fn on_packet(&mut self, now: Time, event: LogEvent, record: &LogRecord) {
        let flow = record.source as usize;
        if let Some(trace) = self.traces.get_mut(flow) {
            trace.on_packet(now, event, record);
            trace.pass_on(self.places[flow] as usize, &*self.sink);
        }
    }

    /// An event of a flow was handled.
    pub fn on_state(&mut self, now: Time, flow: usize, state: &SenderState) {
        if let Some(trace) = self.traces.get_mut(flow) {
            trace.on_state(now, state);
            trace.pass_on(self.places[flow] as usize, &*self.sink);
        }
    }

    /// Passes on what is left.
    pub fn finish(mut self) {
        for (trace, place) in self.traces.iter_mut().zip(&self.places) {
            trace.finish(*place as usize, &*self.sink);
        }
    }
}
