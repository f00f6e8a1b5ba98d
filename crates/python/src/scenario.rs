//! A loaded scenario.

use std::path::PathBuf;
use std::sync::Arc;

use eddyline_scenario::Network;
use eddyline_sim::{LogSelection, Options};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{ScenarioError, guarded};
use crate::pending::{self as scenario, Diagnostics, Format, Input};
use crate::run::{self, Run};

/// Names by place in the network.
#[derive(Debug)]
pub(crate) struct Names {
    /// Flows.
    pub(crate) flows: Vec<String>,
    /// Links.
    pub(crate) links: Vec<String>,
    /// Flows, then traffic: a packet log's sources.
    pub(crate) sources: Vec<String>,
}

impl Names {
    fn of(network: &Network) -> Self {
        let flows: Vec<String> = network.flows.iter().map(|f| f.name.clone()).collect();
        let sources = flows.iter().cloned().chain(network.traffic.iter().map(|t| t.name.clone())).collect();
        Self { flows, links: network.links.iter().map(|l| l.name.clone()).collect(), sources }
    }
}

/// A scenario that any world can answer.
#[pyclass(frozen, module = "eddyline._core")]
pub(crate) struct Scenario {
    pub(crate) inner: scenario::Scenario,
    pub(crate) names: Arc<Names>,
}

/// Reads a scenario; every mistake of it comes at once, in a `ScenarioError`.
#[pyfunction]
#[pyo3(signature = (text, format, name, folder = None, overrides = Vec::new()))]
pub(crate) fn load(
    text: &str,
    format: &str,
    name: &str,
    folder: Option<PathBuf>,
    overrides: Vec<(String, String)>,
) -> PyResult<Scenario> {
    let format = match format {
        "toml" => Format::Toml,
        "json" => Format::Json,
        "dict" => Format::Dict,
        other => return Err(PyValueError::new_err(format!("format is toml, json or dict, not {other:?}"))),
    };
    guarded(|| {
        let input = Input { text, format, name, folder: folder.as_deref() };
        let inner = scenario::load(&input, &overrides).map_err(|d| refuse(&d))?;
        let names = Arc::new(Names::of(&inner.network));
        Ok(Scenario { inner, names })
    })
}

fn refuse(diagnostics: &Diagnostics) -> PyErr {
    ScenarioError::new_err(diagnostics.to_string())
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

    /// Names of the flows.
    #[getter]
    fn flows(&self) -> Vec<String> {
        self.names.flows.clone()
    }

    /// Names of the links.
    #[getter]
    fn links(&self) -> Vec<String> {
        self.names.links.clone()
    }

    /// Names of flows and traffic: a packet log's sources.
    #[getter]
    fn sources(&self) -> Vec<String> {
        self.names.sources.clone()
    }

    /// Asks a world. `log_all` records everybody's packets, `log_of` one flow's, link's or traffic's; `progress` is called
    /// some ten times a second with (virtual seconds, duration in seconds, events, seconds on the wall), and may raise to
    /// stop the run.
    #[pyo3(signature = (world, *, series = false, log_all = false, log_of = None, progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        world: &str,
        series: bool,
        log_all: bool,
        log_of: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Run> {
        let packet_log = log_of.map(LogSelection::Entity).or_else(|| log_all.then_some(LogSelection::All));
        let options = Options { series, packet_log, ..Options::default() };
        run::run(py, self, world, &options, progress.as_ref())
    }
}
