//! World `theory`: what the equations say.
//!
//! [`equilibrium`] finds where FAST flows settle on any network of two-way paths, [`closed_form`] holds the formulas of
//! the papers where one duplex link is the bottleneck, [`fluid`] follows flows on their way there, [`stability`] says
//! whether they stay, [`population`] lets flows come and go, [`filter_bias`] and [`smoothed_jitter`] say what VFAST makes
//! of scattered samples, [`late_samples`] when its timer expires on them, [`buffer`] sizes the buffers of an asymmetric
//! link, [`sawtooth`] is that of DCTCP, and [`run`] turns the answer into the result that all worlds share.
//!
//! Nothing here asks for the time, opens a file or starts a thread. Floating point is + - * / and square root, and
//! functions of libm, so the numbers are the same on every platform, but for what two libraries compute in an order of
//! their own: clarabel's optimum behind [`proportional_fair`], which is polished here wherever the answer says
//! `polished`; its linear programs by which [`equilibrium`] proves that there is none, with a margin of 1e-6; and faer's
//! eigenvalues, from which the roots of [`stability`] start and end on the exact function, but which the margins and
//! Nyquist curves of three and more queues have as they are.

mod ack_streams;
mod approximations;
pub mod buffer;
pub mod closed_form;
mod document;
pub mod equilibrium;
mod error;
pub mod fairness;
mod fast;
pub mod filter_bias;
pub mod fluid;
pub mod late_samples;
mod linear;
mod link_model;
pub mod map;
mod model;
mod packets;
pub mod population;
pub mod response;
mod results;
pub mod sawtooth;
pub mod smoothed_jitter;
mod sparse;
pub mod stability;
mod world;

pub use document::{
    EquilibriaDocument, FairnessDocument, NyquistCurve, NyquistDocument, StabilityDocument, VegasDocument,
    equilibria_document, fairness_document, nyquist_document, stability_document, vegas_document,
};
pub use equilibrium::{Equilibria, Equilibrium};
pub use error::{TheoryError, Which};
pub use fairness::{EXPONENTS, FairRates, FairnessMetrics, alpha_fair, fairness_metrics, proportional_fair};
pub use fast::WindowLaw;
pub use fluid::{Dynamics, DynamicsOptions, dynamics, dynamics_observed};
pub use link_model::LinkModel;
pub use model::{equilibria, mean_rate, modelled_flows};
pub use world::{run, run_with_base_rtt};
