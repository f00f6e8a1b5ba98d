//! World `sim`: a packet-level simulation in virtual time.
//!
//! Deterministic: the same network and seed give the same bytes, on every platform.
//!
//! Imports go one way: `parallel` uses `simulation`, which uses `endpoint` and `network`, both use `packet`, and `meter` is below all.

mod endpoint;
mod meter;
mod network;
mod packet;
mod parallel;
mod run;
mod simulation;

pub use eddyline_tcp::SegmentFlags;
pub use endpoint::{Endpoint, FlowPath, FlowSetup, FlowState, RecoveryState, Transport};
pub use meter::{FlowMeter, LogEvent, LogSelection, LogSink, PacketLog, QLOG_VERSION, QlogSink};
pub use network::Interruption;
pub use packet::{AckOptions, Metadata, Packet, PacketFlags, PacketKind, PacketSink, PiggybackedAck, SackBlocks};
pub use run::run;
pub use simulation::{
    Decisions, Execution, Incremental, Options, Outcome, PROCESSORS, Progress, Scaling, SimError, SortedNetwork,
    Stepper, require_tcp, run_over,
};
