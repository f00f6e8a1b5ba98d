//! Dynamic flows: their number, their transfer times, and which links are saturated.
//!
//! Arrivals are Poisson, and the flows present have the rates of equilibrium at any time: transfers are long
//! compared with a round trip. [`population`] answers for a scenario. Behind it, [`DuplexLoad`] is the model of
//! Section 6 of the two-way paper, [`stationary`] its Markov chain solved with a bound of the truncation error, and
//! [`simulate`] the simulation flow by flow for any network and any distribution of sizes. Model, equations and proofs:
//! `docs/theory/population.md`.

mod chain;
mod distribution;
mod duplex;
mod elimination;
mod flow_level;
mod fluid_limit;
mod reduction;
mod scenario;
mod sharing;
mod space;

pub use chain::{MAX_STATES, Marginals, stationary, truncated, with_marginals};
pub use distribution::Stationary;
pub use duplex::{DuplexLoad, Growth, ServiceExtremes};
pub use flow_level::{Estimate, FlowClass, Simulated, simulate};
pub use reduction::{asymptotic, balanced_limit};
pub use scenario::{Population, PopulationMethod, PopulationOptions, population};
