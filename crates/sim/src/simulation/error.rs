//! Errors of a run.

use thiserror::Error;

/// Maximum number of rows of all series together: some two gigabytes.
pub const MAX_ROWS: u128 = 100_000_000;

/// Errors of a run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SimError {
    /// The observer stopped the run.
    #[error("interrupted")]
    Interrupted,
    /// No flow, link, traffic, probe or table of arrivals has this name.
    #[error("no flow, link, traffic, probe or table of arrivals is called {0:?}")]
    UnknownEntity(String),
    /// The packets in the network exceed [`Options::memory`](super::Options::memory).
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// The series would have more rows than a run may record; the number is in millions.
    #[error("the series would have {0} million rows; at most {max} million", max = MAX_ROWS / 1_000_000)]
    TooManyRows(u128),
    /// The controller is part of another world.
    #[error("controller {controller:?} is part of world {world}: world sim does not have it")]
    OtherWorld {
        /// Its kind.
        controller: String,
        /// The world that has it.
        world: &'static str,
    },
    /// The flow asks for QUIC.
    #[error("flow {0:?} asks for QUIC: world sim has TCP only")]
    NoQuic(String),
    /// Packets appeared or vanished: a defect of the simulator.
    #[error("internal error: packets not conserved: {0}")]
    NotConserved(String),
}
