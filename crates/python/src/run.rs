//! Running a scenario in a world: without the interpreter, interruptible by Ctrl-C, its cost measured.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};
use eddyline_scenario::Network;
use eddyline_scenario::network::Transport;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::series::{Quantity, Series};
use eddyline_sim::{Execution, Interruption, LogEvent, Options, Outcome, PacketLog, Progress, SimError};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns;
use crate::custom;
use crate::document;
use crate::errors::{EddylineError, InputError, guarded, internal};
use crate::names::Names;
use crate::observer::{Observer, Reached};
use crate::options::{SimOptions, TheoryOptions, WorldOptions};
use crate::packet_files::about;
use crate::packet_text::PacketText;
use crate::scenario::Scenario;
use crate::theory::theory_error;

/// The result of a run.
#[pyclass(frozen, module = "eddyline._core")]
pub(crate) struct Run {
    result: RunResult,
    series: Option<Series>,
    log: Option<PacketLog>,
    execution: Execution,
    scenario: Py<Scenario>,
}

/// What a world returns.
struct Output {
    result: RunResult,
    series: Option<Series>,
    log: Option<PacketLog>,
    execution: Execution,
}

/// Processor time of a run: of this thread, or of all where a run has several.
enum CpuTime {
    Thread(ThreadTime),
    Process(ProcessTime),
}

impl CpuTime {
    fn of(options: &WorldOptions) -> Self {
        match options {
            WorldOptions::Sim(options) if options.threads > 1 => Self::Process(ProcessTime::now()),
            _ => Self::Thread(ThreadTime::now()),
        }
    }

    fn elapsed(&self) -> Duration {
        match self {
            Self::Thread(time) => time.elapsed(),
            Self::Process(time) => time.elapsed(),
        }
    }
}

/// Runs `scenario` in the world that `options` are for.
pub(crate) fn run(
    py: Python<'_>,
    scenario: Py<Scenario>,
    options: &WorldOptions,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Run> {
    let network = &scenario.get().inner.network;
    let (cpu, wall) = (CpuTime::of(options), Instant::now());
    if let Some(callback) = progress {
        callback.call1(py, (0.0, network.duration.as_secs_f64(), 0, 0.0))?;
    }
    let callback = progress.map(|callback| callback.clone_ref(py));
    let observer = Arc::new(Observer::new(callback, wall, network.duration.as_secs_f64()));
    let output = py.detach(|| {
        guarded(|| match options {
            WorldOptions::Sim(options) => simulate(&observer, options, scenario.get(), |options, observe| {
                eddyline_sim::run(network, options, observe).map_err(|e| sim_error(e, network))
            }),
            WorldOptions::Quic(options) => simulate(&observer, &options.record, scenario.get(), |options, observe| {
                eddyline_quic::run(network, options, observe).map_err(|e| quic_error(e, network))
            }),
            WorldOptions::Theory(options) => solve(network, options, &observer),
        })
    })?;
    let mut result = output.result;
    result.cost.cpu_s = cpu.elapsed().as_secs_f64();
    result.cost.wall_s = wall.elapsed().as_secs_f64();
    Ok(Run { result, series: output.series, log: output.log, execution: output.execution, scenario })
}

/// Called with the progress of a simulation, which it may stop.
type Observe<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// Runs a packet-level world that records `options` of `scenario`.
fn simulate(
    observer: &Arc<Observer>,
    options: &SimOptions,
    scenario: &Scenario,
    run: impl FnOnce(&Options, &mut Observe<'_>) -> PyResult<Outcome>,
) -> PyResult<Output> {
    let traces = options.trace_files().map_err(|e| PyOSError::new_err(e.to_string()))?;
    let packets = options.packet_files(scenario)?;
    let mut observe = |p: Progress| {
        let unwritten = traces.as_ref().is_some_and(|files| files.failed());
        if custom::failed() || unwritten || packets.as_ref().is_some_and(|files| files.failed()) {
            return ControlFlow::Break(());
        }
        let (now, duration) = (p.now.as_secs_f64(), p.duration.as_secs_f64());
        observer.progress(Reached { now, duration, events: p.events })
    };
    custom::begin();
    let interruption: Option<Arc<dyn Interruption>> = Some(observer.clone());
    let options = Options { interruption, ..options.options(traces.clone(), packets.clone()) };
    let outcome = run(&options, &mut observe);
    if let Some(e) = custom::take().or(observer.take()) {
        return Err(e);
    }
    if let Some(message) = traces.and_then(|files| files.take_error()) {
        return Err(PyOSError::new_err(message));
    }
    // an error of writing ended the run, and says more than that it was ended
    let kept = packets.map(|files| files.finish()).transpose()?.flatten();
    let Outcome { result, series, log, execution } = outcome?;
    Ok(Output { result, series, log: log.or(kept), execution })
}

fn solve(network: &Network, options: &TheoryOptions, observer: &Observer) -> PyResult<Output> {
    let base_rtts = options.base_rtt_s.as_deref();
    let Some(dynamics) = options.dynamics() else {
        let result = match base_rtts {
            Some(base_rtts) => eddyline_theory::run_with_base_rtt(network, base_rtts),
            None => eddyline_theory::run(network),
        };
        let result = result.map_err(theory_error)?;
        return Ok(Output { result, series: None, log: None, execution: Execution::ONE });
    };
    let mut result = eddyline_theory::run_beside_dynamics(network, base_rtts).map_err(theory_error)?;
    let (duration, mut steps) = (network.duration.as_secs_f64(), 0);
    let dynamics = eddyline_theory::dynamics_observed(network, &dynamics, &mut |now| {
        steps += 1;
        observer.progress(Reached { now, duration, events: steps })
    });
    if let Some(e) = observer.take() {
        return Err(e);
    }
    let dynamics = dynamics.map_err(theory_error)?;
    let more = dynamics.notes.into_iter().filter(|note| !result.approximations.contains(note));
    let more: Vec<String> = more.collect();
    result.approximations.extend(more);
    Ok(Output { result, series: Some(dynamics.series), log: None, execution: Execution::ONE })
}

/// A failed simulation as an exception.
pub(crate) fn sim_error(error: SimError, network: &Network) -> PyErr {
    match error {
        SimError::UnknownEntity(_) => InputError::new_err((error.to_string(), names_hint(network))),
        SimError::TooManyRows(_) => {
            InputError::new_err((error.to_string(), "set a longer record.interval, or ask for no series".to_owned()))
        }
        SimError::OutOfMemory(_) => EddylineError::new_err((
            error.to_string(),
            "limit the queue or the window, or give the run more memory (--memory)".to_owned(),
        )),
        SimError::OtherWorld { .. } | SimError::NoQuic(_) => {
            InputError::new_err((error.to_string(), world_hint(&error, network)))
        }
        SimError::Interrupted | SimError::NotConserved(_) => internal(error.to_string()),
    }
}

fn quic_error(error: eddyline_quic::Error, network: &Network) -> PyErr {
    match error {
        eddyline_quic::Error::Sim(error) => sim_error(error, network),
        eddyline_quic::Error::Unsupported { .. } => {
            InputError::new_err((error.to_string(), quic_hint(network).to_owned()))
        }
    }
}

/// Where what world `quic` lacks can be run.
fn quic_hint(network: &Network) -> &'static str {
    // what would be refused there by `require_tcp`
    match eddyline_sim::require_tcp(network) {
        Ok(()) => "world sim has it",
        Err(_) => "world kernel has TCP, and QUIC where a flow has transport = \"quic\"",
    }
}

/// Where what world `sim` lacks can be run.
fn world_hint(error: &SimError, network: &Network) -> String {
    match error {
        SimError::OtherWorld { .. } if network.flows.iter().any(|f| f.transport == Some(Transport::Tcp)) => {
            "world kernel has it where the flow has transport = \"quic\"".to_owned()
        }
        SimError::OtherWorld { world, .. } => {
            format!("world {world} has it")
        }
        _ => "world kernel has it, and world quic where no flow has transport = \"tcp\"".to_owned(),
    }
}

/// What world `sim` or `quic` lacks for this network, and a hint. The others find it in the run.
pub(crate) fn lacking(world: &str, network: &Network) -> Option<(String, String)> {
    match world {
        "sim" => eddyline_sim::require_tcp(network).err().map(|e| (e.to_string(), world_hint(&e, network))),
        eddyline_quic::WORLD => {
            eddyline_quic::require_quic(network).err().map(|e| (e.to_string(), quic_hint(network).to_owned()))
        }
        _ => None,
    }
}

/// The first names that a packet log can be restricted to.
fn names_hint(network: &Network) -> String {
    let flows = network.flows.iter().map(|f| &f.name);
    let traffic = network.traffic.iter().map(|t| &t.name);
    let probes = network.probes.iter().map(|p| &p.name);
    let arrivals = network.arrivals.iter().map(|a| &a.name);
    let names = flows.chain(traffic).chain(probes).chain(arrivals).chain(network.links.iter().map(|l| &l.name));
    let names: Vec<String> = names.take(20).map(|name| format!("{name:?}")).collect();
    format!("names are {}", names.join(", "))
}

impl Run {
    pub(crate) fn result(&self) -> &RunResult {
        &self.result
    }
}

#[pymethods]
impl Run {
    /// Name of the world that ran it.
    #[getter]
    fn world(&self) -> &str {
        &self.result.world
    }

    /// The result document.
    #[getter]
    fn json(&self) -> PyResult<String> {
        guarded(|| serde_json::to_string_pretty(&self.result).map_err(|e| internal(e.to_string())))
    }

    /// Writes the result document in pieces, each by a call of `write` with a text.
    fn write_json(&self, py: Python<'_>, write: Py<PyAny>) -> PyResult<()> {
        py.detach(|| guarded(|| document::write(&self.result, &write)))
    }

    /// What of the scenario file the world could not honour.
    #[getter]
    fn approximations(&self) -> Vec<String> {
        self.result.approximations.clone()
    }

    /// Flows and tables of arrivals whose controller failed: the controller, the flow and why.
    #[getter]
    fn failures(&self) -> Vec<(String, String, String)> {
        let flows = self.result.flows.iter().map(|f| (&f.controller, &f.name, &f.failure));
        let arrivals = self.result.arrivals.iter().map(|a| (&a.controller, &a.name, &a.failure));
        let failed = |(c, n, why): (&String, &String, &Option<String>)| Some((c.clone(), n.clone(), why.clone()?));
        flows.chain(arrivals).filter_map(failed).collect()
    }

    /// Threads that simulated it, domains that the network was divided into, and why one thread where more were asked for.
    #[getter]
    fn execution(&self) -> (usize, usize, Option<&'static str>) {
        let Execution { threads, domains, one_because, .. } = self.execution;
        (threads, domains, one_because)
    }

    /// Names of flows, links and sources.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Py<Names>> {
        self.scenario.get().names(py)
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
        let (names, path) = (self.names(py)?, Path::new(path));
        let write = || {
            let mut text = PacketText::create(path)?;
            text.append(log, names.get())?;
            text.finish()
        };
        py.detach(write).map_err(|e| about(path, &e))?;
        Ok(true)
    }

    /// Names of the series' quantities, by code.
    #[classattr]
    const QUANTITIES: [&'static str; Quantity::NAMES.len()] = Quantity::NAMES;

    /// Names of the packet log's events, by code.
    #[classattr]
    const EVENTS: [&'static str; LogEvent::NAMES.len()] = LogEvent::NAMES;

    /// Names of the packet log's packets, by code.
    #[classattr]
    const PACKETS: [&'static str; PacketLog::PACKETS.len()] = PacketLog::PACKETS;
}
