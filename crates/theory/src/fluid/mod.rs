//! Fluid dynamics of FAST flows: eq. 1 to 3 of the two-way paper with all delays, on any network.
//!
//! [`dynamics`] turns a network into delay differential equations, integrates them with [`dde`], and returns series in
//! the columns of the result format with the state at the end; [`perturbed`] starts from an equilibrium and perturbs it.
//! There are two link models; `docs/theory/dynamics.md` derives and compares them.

mod breaking_points;
pub mod dde;
mod discontinuities;
mod model;
mod options;
mod plan;
mod run;
mod steady_state;

pub use options::{BaseRtts, DynamicsOptions, Filter, Gain, Sending};
pub use run::{Dynamics, FlowEnd, LinkEnd, dynamics, dynamics_observed, perturbed};
pub use steady_state::Perturbation;
