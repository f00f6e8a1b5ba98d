//! The emulated path in real time: the queues and links of `eddyline-path` between two network devices.

mod captured;
mod datagram;
mod flow_meter;
mod lane;
mod lateness;
mod link;
mod packet;
mod routes;
mod stalls;

pub use captured::Captured;
pub use flow_meter::FlowMeter;
pub use lane::{LaneReport, Shared, empty, run};
pub use lateness::Lateness;
pub use routes::all as routes;
