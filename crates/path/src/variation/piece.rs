//! A time span with constant conditions.

use eddyline_units::{Rate, Time};

/// Conditions from a time on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// The time.
    pub from: Time,
    /// Rate of transmission; zero while nothing is transmitted.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Time,
    /// Probability of loss, if it overrides the link's.
    pub loss: Option<f64>,
}
