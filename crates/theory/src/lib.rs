//! World `theory`: mathematical models of congestion control.
//!
//! [`equilibrium`] computes the equilibrium of FAST flows on any network of two-way paths; [`closed_form`] has the
//! formulas of the papers for one duplex link as the bottleneck. [`fluid`] integrates the fluid model over time,
//! [`stability`] analyses it about an equilibrium. [`population`] treats flows that arrive and leave. [`filter_bias`] and
//! [`smoothed_jitter`] compute the bias of VFAST's filter on noisy samples, [`late_samples`] how often its retransmission
//! timer expires on them. [`buffer`] sizes the buffers of an asymmetric link, [`sawtooth`] is that of DCTCP, [`response`]
//! has response functions of loss-based senders. [`run`] gives the result that all worlds share.
//!
//! Nothing here reads a clock, opens a file or starts a thread. Floating point is + - * /, square root and functions of
//! libm in a fixed order, so numbers are the same on every platform, with three exceptions. Clarabel computes the optimum
//! behind [`proportional_fair`]; Newton's method then determines the last digits wherever the result says `polished`.
//! Clarabel also solves the linear programs by which [`equilibrium`] proves that there is none, with a margin of 1e-6.
//! faer computes eigenvalues: as starting points for the roots of [`stability`], which Newton's method then determines,
//! and, for three and more queues, as the margins and Nyquist loci themselves.

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
pub use world::{run, run_beside_dynamics, run_with_base_rtt};
