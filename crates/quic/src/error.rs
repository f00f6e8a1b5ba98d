//! Errors of a run.

use eddyline_sim::SimError;
use thiserror::Error;

/// Errors of a run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// As in world `sim`.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The stack cannot do what a flow asks for.
    #[error("flow {flow:?}: world quic: {reason}")]
    Unsupported {
        /// Its name.
        flow: String,
        /// What, and why.
        reason: String,
    },
}
