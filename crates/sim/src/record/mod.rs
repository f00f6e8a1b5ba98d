//! What a run leaves behind: summaries always, series and packet events when asked for.

mod arrivals_meter;
mod bottleneck;
mod flow_meter;
mod packet_log;
mod recorder;
pub mod summary;
mod traffic_meter;

pub use arrivals_meter::ArrivalsMeter;
pub use bottleneck::BottleneckSampler;
pub use flow_meter::FlowMeter;
pub use packet_log::{LogEvent, PacketLog, PacketLogger};
pub use recorder::{MOST_ROWS, Recorder};
pub use traffic_meter::TrafficMeter;
