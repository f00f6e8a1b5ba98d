//! Counters of flows, arrivals, cross traffic and bottlenecks, and the packet log.

mod arrivals;
mod bottleneck;
mod flow;
mod packet_log;
mod traffic;

pub use arrivals::ArrivalsMeter;
pub use bottleneck::BottleneckSampler;
pub use flow::{FlowMeter, FlowRecord, Mean};
pub use packet_log::{LogEvent, LogRecord, LogSelection, PacketLog, PacketLogger};
pub use traffic::TrafficMeter;
