//! Flows that come and go (draft).
mod chain;
mod duplex;
mod elimination;
mod reduction;
mod space;

pub use chain::{MOST_STATES, Stationary, stationary, truncated};
pub use duplex::{DuplexLoad, Growth, ServiceExtremes};
pub use reduction::balanced_limit;

/// Asymptotic.
pub fn asymptotic(load: &DuplexLoad) -> Option<Stationary> { reduction::asymptotic(load) }
