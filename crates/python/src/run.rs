//! Running a scenario: the interpreter free meanwhile, Ctrl-C heard, the cost measured.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use eddyline_scenario::Network;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{Quantity, Series};
use eddyline_sim::{LogEvent, PacketLog};
use eddyline_sim::{Options, Progress, SimError};
use eddyline_theory::fluid::{BaseRtts, DynamicsOptions};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns;
use crate::custom;
use crate::errors::{InputError, guarded, internal};
use crate::scenario::{Names, Scenario};
use crate::theory::{self, algorithm, named};

/// From one look at signals, and call of the caller's progress, to the next.
pub(crate) const BETWEEN_CALLS: Duration = Duration::from_millis(100);

/// What a world answered.
#[pyclass(frozen, module = "eddyline._core")]
pub(crate) struct Run {
    result: RunResult,
    json: String,
    series: Option<Series>,
    log: Option<PacketLog>,
    names: Py<Names>,
}

/// A world's answer before it is rendered.
struct Answer {
    result: RunResult,
    series: Option<Series>,
    log: Option<PacketLog>,
}

/// Asks `world`.
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    world: &str,
    options: &Options,
    theory: &TheoryRequest<'_>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Run> {
    let network = &scenario.inner.network;
    let (cpu, wall) = (ThreadTime::now(), Instant::now());
    let answer = py.detach(|| {
        let mut listener = Listener::new(progress, wall);
        guarded(|| match world {
            "sim" => simulate(network, options, &mut listener),
            "theory" => theorise(network, theory, &mut listener),
            other => Err(PyValueError::new_err(format!("there is no world {other:?} here"))),
        })
    })?;
    let mut result = answer.result;
    result.cost.cpu_s = cpu.elapsed().as_secs_f64();
    result.cost.wall_s = wall.elapsed().as_secs_f64();
    let json = serde_json::to_string_pretty(&result).map_err(|e| internal(e.to_string()))?;
    Ok(Run { result, json, series: answer.series, log: answer.log, names: scenario.names.clone_ref(py) })
}

fn simulate(network: &Network, options: &Options, listener: &mut Listener<'_>) -> PyResult<Answer> {
    let mut observe = |p: Progress| {
        if custom::failed() {
            return ControlFlow::Break(());
        }
        listener.hear(p.now.as_secs_f64(), p.duration.as_secs_f64(), p.events)
    };
    custom::begin();
    let outcome = eddyline_sim::run(network, options, &mut observe);
    if let Some(e) = custom::take().or(listener.raised.take()) {
        return Err(e);
    }
    let outcome = outcome.map_err(|e| refused(e, network))?;
    Ok(Answer { result: outcome.result, series: outcome.series, log: outcome.log })
}

/// Why a simulation gave nothing, as an exception.
pub(crate) fn refused(error: SimError, network: &Network) -> PyErr {
    match error {
        SimError::UnknownEntity(_) => InputError::new_err((error.to_string(), names_hint(network))),
        SimError::TooManyRows(_) => {
            InputError::new_err((error.to_string(), "set a longer record.interval, or ask for no series".to_owned()))
        }
        SimError::Interrupted | SimError::NotConserved(_) => internal(error.to_string()),
    }
}

/// Whose packets can be logged.
fn names_hint(network: &Network) -> String {
    let flows = network.flows.iter().map(|f| &f.name);
    let traffic = network.traffic.iter().map(|t| &t.name);
    let names = flows.chain(traffic).chain(network.links.iter().map(|l| &l.name));
    let names: Vec<String> = names.take(20).map(|name| format!("{name:?}")).collect();
    format!("names are {}", names.join(", "))
}

/// Who hears how far a run is: signals first (Ctrl-C raises), then the caller's callback.
struct Listener<'a> {
    callback: Option<&'a Py<PyAny>>,
    began: Instant,
    heard: Instant,
    /// What either of them raised.
    raised: Option<PyErr>,
}

impl<'a> Listener<'a> {
    fn new(callback: Option<&'a Py<PyAny>>, began: Instant) -> Self {
        Self { callback, began, heard: began, raised: None }
    }

    /// Virtual time and where it ends, in seconds, and events or steps so far; heard some ten times a second.
    fn hear(&mut self, now: f64, duration: f64, events: u64) -> ControlFlow<()> {
        if self.heard.elapsed() < BETWEEN_CALLS {
            return ControlFlow::Continue(());
        }
        self.heard = Instant::now();
        let told = Python::attach(|py| {
            py.check_signals()?;
            let wall = self.began.elapsed().as_secs_f64();
            self.callback.map_or(Ok(()), |f| f.call1(py, (now, duration, events, wall)).map(drop))
        });
        self.raised = told.err();
        if self.raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// What world `theory` is asked besides the equilibrium.
pub(crate) struct TheoryRequest<'a> {
    /// The flows' beliefs about their base round-trip times, in seconds.
    pub(crate) base_rtt_s: Option<&'a [f64]>,
    /// The link model of the dynamics whose series are wanted.
    pub(crate) dynamics: Option<&'a str>,
    /// Their window law: `equation` or `algorithm`.
    pub(crate) law: &'a str,
}

fn theorise(network: &Network, asked: &TheoryRequest<'_>, listener: &mut Listener<'_>) -> PyResult<Answer> {
    let answer = match asked.base_rtt_s {
        Some(beliefs) => eddyline_theory::run_with_base_rtt(network, beliefs),
        None => eddyline_theory::run(network),
    };
    let mut result = answer.map_err(theory::refused)?;
    let Some(model) = asked.dynamics else {
        return Ok(Answer { result, series: None, log: None });
    };
    let base = if algorithm(asked.law)? { DynamicsOptions::algorithm() } else { DynamicsOptions::default() };
    let mut options = DynamicsOptions { link_model: named(model)?, ..base };
    if let Some(beliefs) = asked.base_rtt_s {
        options.base_rtt = BaseRtts::Given(beliefs.to_vec());
    }
    let (duration, mut steps) = (network.duration.as_secs_f64(), 0);
    let followed = eddyline_theory::dynamics_observed(network, &options, &mut |now| {
        steps += 1;
        listener.hear(now, duration, steps)
    });
    if let Some(e) = listener.raised.take() {
        return Err(e);
    }
    let followed = followed.map_err(theory::refused)?;
    result
        .approximations
        .extend(followed.notes.into_iter().filter(|n| !result.approximations.contains(n)).collect::<Vec<_>>());
    Ok(Answer { result, series: Some(followed.series), log: None })
}

impl Run {
    pub(crate) fn result(&self) -> &RunResult {
        &self.result
    }
}

#[pymethods]
impl Run {
    /// Which world answered.
    #[getter]
    fn world(&self) -> &str {
        &self.result.world
    }

    /// The result document.
    #[getter]
    fn json(&self) -> &str {
        &self.json
    }

    /// What the world could not honour of the file.
    #[getter]
    fn approximations(&self) -> Vec<String> {
        self.result.approximations.clone()
    }

    /// Names of what is in it.
    #[getter]
    fn names(&self, py: Python<'_>) -> Py<Names> {
        self.names.clone_ref(py)
    }

    /// Columns of the series as bytes, or None where none were recorded.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.series.as_ref().map(|s| columns::series(py, s)).transpose()
    }

    /// Columns of the packet log as bytes, or None where none was recorded.
    fn log<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.log.as_ref().map(|l| columns::log(py, l)).transpose()
    }

    /// Writes the packet log as readable text; false where none was recorded.
    fn write_log(&self, py: Python<'_>, path: &str) -> PyResult<bool> {
        let Some(log) = &self.log else { return Ok(false) };
        py.detach(|| columns::write_log(path, log, self.names.get()))
            .map_err(|e| PyOSError::new_err(format!("{path}: {e}")))?;
        Ok(true)
    }

    /// Names of the series' quantities, in the order of their numbers.
    #[classattr]
    const QUANTITIES: [&'static str; Quantity::NAMES.len()] = Quantity::NAMES;

    /// Names of the packet log's events, in the order of their numbers.
    #[classattr]
    const EVENTS: [&'static str; LogEvent::NAMES.len()] = LogEvent::NAMES;

    /// Names of the packet log's packets, in the order of their numbers.
    #[classattr]
    const PACKETS: [&'static str; PacketLog::PACKETS.len()] = PacketLog::PACKETS;
}
