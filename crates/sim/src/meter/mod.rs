//! Counters of flows, arrivals, cross traffic and bottlenecks, the packet log and qlog traces.

mod arrivals;
mod bottleneck;
mod flow;
mod packet_log;
mod probes;
mod qlog;
mod rtt_histogram;
mod traffic;

pub use arrivals::ArrivalsMeter;
pub use bottleneck::{BottleneckSampler, Bottlenecks, Direction, SampleTimes, Visit};
pub use flow::{FlowMeter, FlowRecord, Mean};
pub use packet_log::{LogEvent, LogRecord, LogSelection, LogSink, PacketLog, PacketLogger};
pub use probes::{ProbesMeter, TRIM, per_minute};
pub use qlog::{QLOG_VERSION, Qlog, QlogSink, SenderState};
pub use rtt_histogram::{RttHistogram, SharedHistogram};
pub use traffic::TrafficMeter;

/// An end of the summary window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowEdge {
    /// Its beginning.
    Begin,
    /// Its end, which is that of the run.
    End,
}
