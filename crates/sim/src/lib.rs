//! World `sim`: the packet-level world in virtual time.
//!
//! Deterministic: the same network and seed give the same bytes, on every platform.

mod engine;
mod record;
mod run;
mod stepper;
mod tcp;

pub use record::{LogEvent, PacketLog};
pub use run::{LogSelection, Options, Outcome, Progress, SimError, run};
pub use stepper::{Decisions, Stepper};
