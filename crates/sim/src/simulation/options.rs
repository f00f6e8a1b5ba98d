//! Options of a run, and its progress.

use std::sync::Arc;

use eddyline_units::Time;

use crate::meter::{LogSelection, LogSink, QlogSink};
use crate::network::Interruption;

/// Options of a run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Record series at the scenario's `record.interval`.
    pub series: bool,
    /// Record these packet events.
    pub packet_log: Option<LogSelection>,
    /// Pass the packet events on while the run goes on, so that its length does not matter to memory; the outcome has none of them then.
    pub log_sink: Option<Arc<dyn LogSink>>,
    /// Write a qlog trace of each flow.
    pub qlog: Option<Arc<dyn QlogSink>>,
    /// Simulate every queue with an event per departure, also where the departure is known at arrival. Slower, same
    /// results; for tests.
    pub general_queues: bool,
    /// Bytes that the packets in the network may take, at 256 bytes each. Default: any number.
    pub memory: Option<u64>,
    /// Ends the run also in the middle of an event that sends very many packets; the observer is called between events. Asked on the
    /// thread that simulates. Default: nothing does.
    pub interruption: Option<Arc<dyn Interruption>>,
    /// Threads to run on, where that pays. Same results. Default: one, which simulates a large network part after part.
    pub threads: usize,
    /// Divide every network that can be divided, also where it does not pay; for tests.
    pub divide_always: bool,
    /// Count what more processors than there are would do; see [`Execution::scaling`](super::Execution::scaling).
    pub measure_scaling: bool,
}

/// Progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Current virtual time.
    pub now: Time,
    /// Virtual time of the end.
    pub duration: Time,
    /// Events so far.
    pub events: u64,
}
