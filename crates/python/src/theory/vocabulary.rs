//! Names of link models and window laws, and errors of theory as exceptions.

use eddyline_theory::{LinkModel, TheoryError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{EddylineError, InputError, NoEquilibrium};

/// The link model `integrator`, `ack_clocked` or `joint`.
pub(crate) fn link_model_named(name: &str) -> PyResult<LinkModel> {
    [LinkModel::Integrator, LinkModel::AckClocked, LinkModel::Joint].into_iter().find(|m| m.name() == name).ok_or_else(
        || PyValueError::new_err(format!("link models are integrator, ack_clocked and joint, not {name:?}")),
    )
}

/// The window law: true for `algorithm` (FAST as published), false for `equation` (eq. 2 of the two-way paper).
pub(crate) fn follows_algorithm(law: &str) -> PyResult<bool> {
    match law {
        "equation" => Ok(false),
        "algorithm" => Ok(true),
        other => Err(PyValueError::new_err(format!("window laws are equation and algorithm, not {other:?}"))),
    }
}

/// An `InputError` where the question does not fit the scenario, a `NoEquilibrium` where there is none, else an `EddylineError`.
pub(crate) fn theory_error(e: TheoryError) -> PyErr {
    match e {
        TheoryError::OutOfRange { .. }
        | TheoryError::Length { .. }
        | TheoryError::NoArrivals
        | TheoryError::NoFlow
        | TheoryError::NoModel { .. }
        | TheoryError::Filled { .. }
        | TheoryError::Bursts { .. }
        | TheoryError::UnknownRate { .. }
        | TheoryError::Arrivals { .. }
        | TheoryError::NoDynamics
        | TheoryError::NoPath { .. }
        | TheoryError::OneWay { .. } => InputError::new_err(e.to_string()),
        TheoryError::Overload { .. } | TheoryError::Starved { .. } | TheoryError::Unconstrained { .. } => {
            NoEquilibrium::new_err(e.to_string())
        }
        TheoryError::NotConverged(_) | TheoryError::NoFairRates { .. } | TheoryError::Dynamics(_) => {
            EddylineError::new_err(e.to_string())
        }
    }
}
