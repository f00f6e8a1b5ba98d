//! A loaded scenario, and everything that can be asked of it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use eddyline_scenario::result::RunResult;
use eddyline_scenario::{Copies, Input, Vocabulary};
use eddyline_units::Time;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors::{guarded, internal, scenario_error};
use crate::load::{Loaded, format_named, load_with_installed};
use crate::names::Names;
use crate::options::WorldOptions;
use crate::run::{self, Run};
use crate::theory::{self, Map, Question};

/// A valid scenario.
#[pyclass(frozen, module = "eddyline._core")]
pub(crate) struct Scenario {
    pub(crate) inner: Arc<eddyline_scenario::Scenario>,
    /// Made when they are asked for: most runs need none, and there is one for each flow.
    names: PyOnceLock<Py<Names>>,
}

/// Reads a scenario from text; of files with a copy, given with their paths, the copy is read. A `ScenarioError` has all validation
/// errors.
#[pyfunction]
#[pyo3(signature = (text, format, name, folder = None, overrides = Vec::new(), copies = HashMap::new()))]
#[pyo3(text_signature = "(text, format, name, folder=None, overrides=(), copies={})")]
pub(crate) fn load(
    py: Python<'_>,
    text: &str,
    format: &str,
    name: &str,
    folder: Option<PathBuf>,
    overrides: Vec<(String, String)>,
    copies: HashMap<PathBuf, PathBuf>,
) -> PyResult<Scenario> {
    let format = format_named(format)?;
    let input = Input { text, format, name, folder: folder.as_deref() };
    let files = Copies(copies);
    Scenario::loaded(py, |vocabulary| eddyline_scenario::load_from(vocabulary, &input, &overrides, &files))
}

/// Reads a scenario file: JSON where its name ends in `.json`, else TOML.
#[pyfunction]
#[pyo3(signature = (path, overrides = Vec::new()), text_signature = "(path, overrides=())")]
pub(crate) fn load_file(py: Python<'_>, path: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Scenario> {
    Scenario::loaded(py, |vocabulary| eddyline_scenario::load_file_with(vocabulary, &path, &overrides))
}

impl Scenario {
    fn loaded(py: Python<'_>, load: impl Fn(&Vocabulary) -> Loaded) -> PyResult<Self> {
        match load_with_installed(py, load)? {
            Ok(inner) => Ok(Self { inner: Arc::new(inner), names: PyOnceLock::new() }),
            Err(diagnostics) => Err(scenario_error(py, &diagnostics)?),
        }
    }
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

    /// Names of flows, links and sources.
    #[getter]
    pub(crate) fn names(&self, py: Python<'_>) -> PyResult<Py<Names>> {
        let names = self.names.get_or_try_init(py, || Py::new(py, Names::of(&self.inner.network)))?;
        Ok(names.clone_ref(py))
    }

    /// Worlds that its expectations refer to, each once.
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

    /// What a link can carry in bit/s, outages included: the mean from each time in seconds to the next. Empty if there is no such link.
    fn capacity(&self, link: &str, times: Vec<f64>) -> Vec<f64> {
        let Some(link) = self.inner.network.links.iter().find(|l| l.name == link) else { return Vec::new() };
        let spans = times.windows(2).map(|t| (Time::from_secs_f64(t[0]), Time::from_secs_f64(t[1])));
        spans.map(|(from, to)| link.capacity_bits(from, to) / (to - from).as_secs_f64()).collect()
    }

    /// Checks the expectations of the run's world against the run. A JSON list of outcomes.
    fn check(&self, run: &Run) -> PyResult<String> {
        guarded(|| {
            let outcomes = eddyline_scenario::check(&self.inner.expectations, run.result());
            serde_json::to_string(&outcomes).map_err(|e| internal(e.to_string()))
        })
    }

    /// The same for a result that was made elsewhere, given as its JSON document.
    fn check_document(&self, result: &str) -> PyResult<String> {
        guarded(|| {
            let result: RunResult = serde_json::from_str(result).map_err(|e| internal(e.to_string()))?;
            let outcomes = eddyline_scenario::check(&self.inner.expectations, &result);
            serde_json::to_string(&outcomes).map_err(|e| internal(e.to_string()))
        })
    }

    /// Answers a question of theory. A JSON document.
    fn theory(&self, py: Python<'_>, question: Question) -> PyResult<String> {
        theory::answer(py, &self.inner, question)
    }

    /// Computes a map over two keys. `progress` is called some ten times a second with (jobs done, number of jobs); an exception
    /// raised in it stops the work. A JSON document.
    #[pyo3(signature = (map, *, progress = None))]
    fn map(&self, py: Python<'_>, map: Map, progress: Option<Py<PyAny>>) -> PyResult<String> {
        theory::draw(py, &self.inner, map, progress.as_ref())
    }

    /// Runs it in the world that the options are for. `progress` is called at the start, then some ten times a second, with
    /// (virtual seconds, duration in seconds, events, wall seconds); an exception raised in it stops the run.
    #[pyo3(signature = (options, *, progress = None))]
    fn run(slf: &Bound<'_, Self>, options: WorldOptions, progress: Option<Py<PyAny>>) -> PyResult<Run> {
        run::run(slf.py(), slf.clone().unbind(), &options, progress.as_ref())
    }
}
