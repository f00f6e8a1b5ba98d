//! Questions that theory answers about a scenario: a class each, with the options of that question.

use std::sync::Arc;

use eddyline_scenario::{Network, Scenario};
use eddyline_theory::population::{PopulationMethod, PopulationOptions, population};
use eddyline_theory::stability::Options as StabilityOptions;
use eddyline_theory::{
    LinkModel, TheoryError, equilibria_document, fairness_document, nyquist_document, stability_document,
    vegas_document,
};
use pyo3::prelude::*;
use serde::Serialize;

use super::background;
use super::vocabulary::{follows_algorithm, link_model_named, theory_error};
use crate::errors::{guarded, internal};

/// Every equilibrium.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Equilibrium;

#[pymethods]
impl Equilibrium {
    #[new]
    fn new() -> Self {
        Self
    }
}

/// FAST's rates compared with the alpha-fair ones; exponent 1 is proportional fairness.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Fairness {
    exponent: f64,
}

#[pymethods]
impl Fairness {
    #[new]
    #[pyo3(signature = (exponent = 1.0))]
    fn new(exponent: f64) -> Self {
        Self { exponent }
    }
}

/// Local stability of the first equilibrium.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Stability {
    link_model: LinkModel,
    options: StabilityOptions,
}

#[pymethods]
impl Stability {
    #[new]
    #[pyo3(signature = (link_model = "integrator", law = "equation"))]
    fn new(link_model: &str, law: &str) -> PyResult<Self> {
        let (link_model, options) = linearisation(link_model, law)?;
        Ok(Self { link_model, options })
    }
}

/// Nyquist loci about the first equilibrium.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Nyquist {
    link_model: LinkModel,
    options: StabilityOptions,
}

#[pymethods]
impl Nyquist {
    #[new]
    #[pyo3(signature = (link_model = "integrator", law = "equation"))]
    fn new(link_model: &str, law: &str) -> PyResult<Self> {
        let (link_model, options) = linearisation(link_model, law)?;
        Ok(Self { link_model, options })
    }
}

fn linearisation(link_model: &str, law: &str) -> PyResult<(LinkModel, StabilityOptions)> {
    let options = if follows_algorithm(law)? { StabilityOptions::algorithm() } else { StabilityOptions::default() };
    Ok((link_model_named(link_model)?, options))
}

/// The stationary population of flows that arrive and leave. `flow_level` simulates flows even where the Markov chain
/// applies, for so many `arrivals`; `distribution` adds the distributions of the numbers of flows.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Population {
    options: PopulationOptions,
}

#[pymethods]
impl Population {
    #[new]
    #[pyo3(signature = (*, flow_level = false, arrivals = None, distribution = false))]
    fn new(flow_level: bool, arrivals: Option<u64>, distribution: bool) -> Self {
        let method = if flow_level { PopulationMethod::FlowLevel } else { PopulationMethod::Auto };
        Self { options: PopulationOptions { method, arrivals, distribution, ..PopulationOptions::default() } }
    }
}

/// The range of equilibria if all flows were Vegas flows; `thresholds` are one pair a flow, in packets queued.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Vegas {
    thresholds: Vec<(f64, f64)>,
}

#[pymethods]
impl Vegas {
    #[new]
    fn new(thresholds: Vec<(f64, f64)>) -> Self {
        Self { thresholds }
    }
}

/// Any of the questions.
#[derive(FromPyObject)]
pub(crate) enum Question {
    Equilibrium(Equilibrium),
    Fairness(Fairness),
    Stability(Stability),
    Nyquist(Nyquist),
    Population(Population),
    Vegas(Vegas),
}

impl Question {
    fn document(&self, network: &Network) -> PyResult<String> {
        match self {
            Self::Equilibrium(_) => json(equilibria_document(network)),
            Self::Fairness(q) => json(fairness_document(network, q.exponent)),
            Self::Stability(q) => json(stability_document(network, q.link_model, &q.options)),
            Self::Nyquist(q) => json(nyquist_document(network, q.link_model, &q.options)),
            Self::Population(q) => json(population(network, &q.options)),
            Self::Vegas(q) => json(vegas_document(network, &q.thresholds)),
        }
    }
}

fn json(document: Result<impl Serialize, TheoryError>) -> PyResult<String> {
    serde_json::to_string_pretty(&document.map_err(theory_error)?).map_err(|e| internal(e.to_string()))
}

/// The answer as a JSON document.
pub(crate) fn answer(py: Python<'_>, scenario: &Arc<Scenario>, question: Question) -> PyResult<String> {
    let scenario = Arc::clone(scenario);
    py.detach(|| guarded(|| background::run(move || question.document(&scenario.network))))
}
