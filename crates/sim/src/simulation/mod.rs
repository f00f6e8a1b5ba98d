//! A scenario in virtual time: the event loop with everything in it, and the ways to run it.

mod cross_traffic;
mod dynamic_flows;
mod event_loop;
mod flow_path;
mod run;
mod series_recorder;
mod stepper;
mod summary;

pub use run::{Options, Outcome, Progress, SimError, run, run_over};
pub use stepper::{Decisions, Stepper};
