//! A loaded scenario.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use eddyline_scenario::{Diagnostics, Format, Input, Network, Vocabulary};
use eddyline_sim::{LogSelection, Options};
use eddyline_theory::population::{PopulationMethod, PopulationOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::custom::{current, met};
use crate::errors::{ScenarioError, guarded, internal};
use crate::run::{self, Run, TheoryRequest};
use crate::theory::{self, MapRequest};

/// Names by place in the network.
#[pyclass(frozen, get_all, module = "eddyline._core")]
#[derive(Debug)]
pub(crate) struct Names {
    /// Flows.
    pub(crate) flows: Vec<String>,
    /// Links.
    pub(crate) links: Vec<String>,
    /// Flows, then traffic, then tables of arrivals: a packet log's sources.
    pub(crate) sources: Vec<String>,
}

impl Names {
    fn of(network: &Network) -> Self {
        let flows: Vec<String> = network.flows.iter().map(|f| f.name.clone()).collect();
        let sources = flows.iter().cloned().chain(network.traffic.iter().map(|t| t.name.clone()));
        let sources = sources.chain(network.arrivals.iter().map(|a| a.name.clone())).collect();
        Self { flows, links: network.links.iter().map(|l| l.name.clone()).collect(), sources }
    }
}

/// A scenario that any world can answer.
#[pyclass(frozen, module = "eddyline._core")]
pub(crate) struct Scenario {
    pub(crate) inner: Arc<eddyline_scenario::Scenario>,
    pub(crate) names: Py<Names>,
}

/// Reads a scenario; every mistake of it comes at once, in a `ScenarioError`.
#[pyfunction]
#[pyo3(signature = (text, format, name, folder = None, overrides = Vec::new()))]
pub(crate) fn load(
    py: Python<'_>,
    text: &str,
    format: &str,
    name: &str,
    folder: Option<PathBuf>,
    overrides: Vec<(String, String)>,
) -> PyResult<Scenario> {
    let format = format_named(format)?;
    let input = Input { text, format, name, folder: folder.as_deref() };
    Scenario::loaded(py, |vocabulary| eddyline_scenario::load_with(vocabulary, &input, &overrides))
}

/// The format of this name.
pub(crate) fn format_named(name: &str) -> PyResult<Format> {
    match name {
        "toml" => Ok(Format::Toml),
        "json" => Ok(Format::Json),
        "dict" => Ok(Format::Dict),
        other => Err(PyValueError::new_err(format!("format is toml, json or dict, not {other:?}"))),
    }
}

/// Reads a scenario file: JSON where its name ends in `.json`, else TOML.
#[pyfunction]
#[pyo3(signature = (path, overrides = Vec::new()))]
pub(crate) fn load_file(py: Python<'_>, path: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Scenario> {
    Scenario::loaded(py, |vocabulary| eddyline_scenario::load_file_with(vocabulary, &path, &overrides))
}

impl Scenario {
    /// Loads with the words that there are, and once more where installed packages had what was missing.
    fn loaded(py: Python<'_>, load: impl Fn(&Vocabulary) -> Loaded) -> PyResult<Self> {
        let load = || guarded(|| Ok(load(&current())));
        let mut loaded = load()?;
        if met(py, &controllers(&loaded))? {
            loaded = load()?;
        }
        match loaded {
            Ok(inner) => {
                let names = Py::new(py, Names::of(&inner.network))?;
                Ok(Self { inner: Arc::new(inner), names })
            }
            Err(diagnostics) => Err(refuse(py, &diagnostics)?),
        }
    }
}

/// A scenario or what is wrong with it.
pub(crate) type Loaded = Result<eddyline_scenario::Scenario, Diagnostics>;

/// The kinds of controllers that a scenario names, each once; of one with mistakes those that nobody knows.
pub(crate) fn controllers(loaded: &Loaded) -> Vec<&str> {
    let kinds: BTreeSet<&str> = match loaded {
        Ok(scenario) => {
            let network = &scenario.network;
            let flows = network.flows.iter().chain(network.arrivals.iter().map(|a| &a.flow));
            flows.map(|f| f.controller.name()).collect()
        }
        Err(diagnostics) => diagnostics.unknown_controllers.iter().map(String::as_str).collect(),
    };
    kinds.into_iter().collect()
}

pub(crate) fn refuse(py: Python<'_>, diagnostics: &Diagnostics) -> PyResult<PyErr> {
    let all = serde_json::to_string(&diagnostics.all).map_err(|e| internal(e.to_string()))?;
    let all = py.import("json")?.call_method1("loads", (all,))?.unbind();
    Ok(ScenarioError::new_err((diagnostics.to_string(), all, diagnostics.unknown_controllers.clone())))
}

#[pymethods]
impl Scenario {
    /// Canonical JSON, defaults filled in, overrides applied.
    #[getter]
    fn canonical(&self) -> &str {
        &self.inner.canonical
    }

    /// SHA-256 of the canonical JSON.
    #[getter]
    fn sha256(&self) -> &str {
        &self.inner.sha256
    }

    /// Title, or the file's name.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.network.title
    }

    /// Seed of all random streams.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.network.seed
    }

    /// Simulated time in seconds.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.inner.network.duration.as_secs_f64()
    }

    /// Names of what is in it.
    #[getter]
    fn names(&self, py: Python<'_>) -> Py<Names> {
        self.names.clone_ref(py)
    }

    /// Worlds that its expectations ask, each once.
    #[getter]
    fn expected_worlds(&self) -> Vec<&'static str> {
        let mut worlds = Vec::new();
        for expectation in &self.inner.expectations {
            if !worlds.contains(&expectation.world.name()) {
                worlds.push(expectation.world.name());
            }
        }
        worlds
    }

    /// Holds its expectations of the run's world against the run: a JSON list of outcomes.
    fn check(&self, run: &Run) -> PyResult<String> {
        guarded(|| {
            let outcomes = eddyline_scenario::check(&self.inner.expectations, run.result());
            serde_json::to_string(&outcomes).map_err(|e| internal(e.to_string()))
        })
    }

    /// A question to theory: `equilibrium`, `fairness` (of the exponent), `stability` or `nyquist` (of the link model and window law), or `population` (by simulation
    /// of flows with so many arrivals, where said). A JSON document.
    #[pyo3(signature = (question, *, link_model = "integrator", law = "equation", exponent = 1.0, flow_level = false, arrivals = None, distribution = false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python method")]
    fn theory(
        &self,
        py: Python<'_>,
        question: &str,
        link_model: &str,
        law: &str,
        exponent: f64,
        flow_level: bool,
        arrivals: Option<u64>,
        distribution: bool,
    ) -> PyResult<String> {
        let method = if flow_level { PopulationMethod::FlowLevel } else { PopulationMethod::Auto };
        let population = PopulationOptions { method, arrivals, distribution, ..PopulationOptions::default() };
        theory::theory(py, self, question, link_model, law, exponent, &population)
    }

    /// Where the flows rest as Vegas flows, with a lower and an upper threshold each in packets queued. A JSON document.
    fn vegas(&self, py: Python<'_>, thresholds: Vec<(f64, f64)>) -> PyResult<String> {
        theory::vegas(py, self, thresholds)
    }

    /// A map over two keys: `x` and `y` are (key, range), `show` is `bottleneck`, `stability` or `throughput`. `progress` is called
    /// some ten times a second with (pieces of work done, their number), and may raise to stop. A JSON document.
    #[pyo3(signature = (x, y, show, *, flow = None, link_model = "ack_clocked", folder = None, progress = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python method")]
    fn theory_map(
        &self,
        py: Python<'_>,
        x: (String, String),
        y: (String, String),
        show: String,
        flow: Option<String>,
        link_model: &str,
        folder: Option<PathBuf>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let request = MapRequest { x, y, show, flow, link_model: link_model.to_owned(), folder };
        theory::map(py, self, request, progress.as_ref())
    }

    /// Asks a world. `log_all` records everybody's packets, `log_of` one flow's, link's or traffic's; `base_rtt_s`
    /// are the flows' beliefs for world `theory`, `dynamics` and `law` the link model and window law of its series; `progress` is called
    /// some ten times a second with (virtual seconds, duration in seconds, events, seconds on the wall), and may raise to
    /// stop the run.
    #[pyo3(signature = (world, *, series = false, log_all = false, log_of = None, base_rtt_s = None, dynamics = None, law = "equation",
        progress = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python method")]
    fn run(
        &self,
        py: Python<'_>,
        world: &str,
        series: bool,
        log_all: bool,
        log_of: Option<String>,
        base_rtt_s: Option<Vec<f64>>,
        dynamics: Option<&str>,
        law: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Run> {
        let packet_log = log_of.map(LogSelection::Entity).or_else(|| log_all.then_some(LogSelection::All));
        let options = Options { series, packet_log, ..Options::default() };
        let theory = TheoryRequest { base_rtt_s: base_rtt_s.as_deref(), dynamics, law };
        run::run(py, self, world, &options, &theory, progress.as_ref())
    }
}
