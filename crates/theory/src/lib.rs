//! World `theory`: what the equations say.

use eddyline_scenario::Network;
use eddyline_scenario::result::RunResult;
use thiserror::Error;

/// Why theory gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TheoryError {
    /// The solver stopped short of its tolerance.
    #[error("the equilibrium solver did not converge: residual {0}")]
    NotConverged(String),
}

/// The equilibrium of `network` in the result type; what theory cannot know is `None`.
///
/// # Errors
/// [`TheoryError`].
pub fn run(network: &Network) -> Result<RunResult, TheoryError> {
    let _ = network;
    Err(TheoryError::NotConverged("not solved".to_owned()))
}
