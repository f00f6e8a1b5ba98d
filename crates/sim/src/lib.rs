//! World `sim`: the packet-level world in virtual time.
//!
//! Deterministic: the same network and seed give the same bytes, on every platform.

pub mod record;
mod run;

pub use run::{LogSelection, Options, Outcome, Progress, SimError, run};
