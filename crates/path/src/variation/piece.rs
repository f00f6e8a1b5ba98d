//! A piece of time in which nothing changes.

use eddyline_units::{Rate, Time};

/// What holds from a moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// The moment.
    pub from: Time,
    /// Rate of transmission; zero while nothing is transmitted.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Time,
    /// Probability of loss, where it is not the link's own.
    pub loss: Option<f64>,
}
