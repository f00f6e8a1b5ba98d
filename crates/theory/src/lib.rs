//! World `theory`: what the equations say.
//!
//! [`equilibrium`] finds where FAST flows settle on any network of two-way paths, [`closed_form`] holds the formulas of the
//! papers where one duplex link is the bottleneck, [`stability`] tells whether flows stay where they settle, and [`run`] turns
//! the answer into the result that all worlds share. Nothing here asks for the time, opens a file or starts a
//! thread. Floating point is + - * / and square root, with `libm` for the rest, so the numbers are the same on every platform.

mod approximations;
pub mod closed_form;
pub mod equilibrium;
mod error;
mod linear;
mod sparse;
pub mod stability;
mod world;

pub use equilibrium::{Equilibria, Equilibrium};
pub use error::TheoryError;
pub use world::{equilibria, mean_rate, modelled_flows, run, run_with_base_rtt};
