//! Nyquist loci about the first equilibrium.

use eddyline_scenario::Network;
use serde::Serialize;

use crate::error::TheoryError;
use crate::link_model::LinkModel;
use crate::model::equilibria;
use crate::stability::{Characteristic, Locus, OperatingPoint, Options, loci};

/// The eigenvalues of the loop along the imaginary axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NyquistDocument {
    /// `integrator`, `ack_clocked` or `joint`.
    pub link_model: &'static str,
    /// One for each link with a queue.
    pub loci: Vec<NyquistCurve>,
}

/// One eigenvalue as a function of frequency.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NyquistCurve {
    /// Frequencies, ascending.
    pub omega_rad_s: Vec<f64>,
    /// Real part.
    pub re: Vec<f64>,
    /// Imaginary part.
    pub im: Vec<f64>,
}

/// The Nyquist loci of `network` about its first equilibrium, with the settings of its stability document.
///
/// # Errors
/// [`TheoryError`] where there is no equilibrium.
pub fn nyquist_document(
    network: &Network,
    model: LinkModel,
    options: &Options,
) -> Result<NyquistDocument, TheoryError> {
    let solved = equilibria(network)?;
    let Some(at) = solved.found.first().filter(|_| solved.converged) else {
        return Err(TheoryError::NotConverged("too large, so there is nothing to linearise about".to_owned()));
    };
    let point = OperatingPoint::new(network, at, options.period, options.filter)?.with_law(options.law);
    let curve = |locus: Locus| NyquistCurve {
        re: locus.value.iter().map(|v| v.re).collect(),
        im: locus.value.iter().map(|v| v.im).collect(),
        omega_rad_s: locus.omega,
    };
    let loci = loci(&Characteristic::new(&point, model)).into_iter().map(curve).collect();
    Ok(NyquistDocument { link_model: model.name(), loci })
}
