//! A scenario in virtual time: the event loop, its sources of events, and the functions that run it.

mod cross_traffic;
mod dynamic_flows;
mod error;
mod event_loop;
mod flow_path;
mod incremental;
mod memory;
mod options;
mod probes;
mod run;
mod series_recorder;
mod sorted_network;
mod stepper;
mod summary;

pub use error::SimError;
pub use incremental::Incremental;
pub use options::{Options, Progress};
pub use run::{Outcome, run, run_over};
pub use sorted_network::SortedNetwork;
pub use stepper::{Decisions, Stepper};
