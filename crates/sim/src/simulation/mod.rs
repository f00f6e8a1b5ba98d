//! A scenario in virtual time: the event loop, its sources of events, and the functions that run it.

mod cross_traffic;
mod dynamic_flows;
pub mod ending;
mod error;
mod event_loop;
mod histograms;
mod incremental;
mod measurement;
mod memory;
mod options;
mod paths;
mod probes;
mod run;
mod sampling;
mod scaling;
mod series_recorder;
mod share;
mod sorted_network;
mod stepper;
mod summary;
mod traces;

pub use error::SimError;
pub use event_loop::{OBSERVER_MASK, Simulation, require_tcp};
pub use incremental::Incremental;
pub use measurement::{Measurement, Readings};
pub use options::{Options, Progress};
pub use paths::{FirstHops, Paths};
pub use run::{Execution, Outcome, run_over, run_whole};
pub use sampling::own_visits;
pub use scaling::{PROCESSORS, Scaling};
pub use share::{Ends, Share, flow_origin};
pub use sorted_network::SortedNetwork;
pub use stepper::{Decisions, Stepper};
