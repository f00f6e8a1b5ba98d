//! Eddyline for JavaScript: scenarios, world `sim` and world `theory`. A thin layer over the other crates.
//!
//! Numbers that JavaScript reads as documents come as JSON that Rust wrote, so that a result has the same bytes as one of the command
//! line; series and packets come as typed arrays.

mod check;
mod edit;
mod errors;
mod files;
mod flow_events;
mod load;
mod packets;
mod register;
mod run;
mod scenario;
mod simulation;
mod theory;
mod typescript;

pub use check::check;
pub use edit::{edit, edited};
pub use register::{register, schema};
pub use run::Run;
pub use scenario::Scenario;
pub use simulation::Simulation;
pub use theory::{response, theory_run};

use wasm_bindgen::prelude::wasm_bindgen;

/// Version of this software.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
