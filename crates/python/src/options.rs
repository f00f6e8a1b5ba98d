//! What a world is asked for: one options class a world.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use eddyline_sim::{LogSelection, Options, QlogSink};
use eddyline_theory::fluid::{BaseRtts, DynamicsOptions};
use pyo3::prelude::*;

use crate::theory::{follows_algorithm, link_model_named};
use crate::trace_files::TraceFiles;

/// What world `sim` records: series over time, the packet log of everything (`True`) or of one flow, link or traffic, and qlog
/// traces in these files, one per flow; `memory` is the bytes that packets in the network may take, `threads` how many may simulate.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct SimOptions {
    series: bool,
    log: Option<LogSelection>,
    memory: Option<u64>,
    qlog: Option<Vec<PathBuf>>,
    pub(crate) threads: usize,
}

/// `bool | str` of Python.
#[derive(FromPyObject)]
enum Log {
    All(bool),
    Of(String),
}

#[pymethods]
impl SimOptions {
    #[new]
    #[pyo3(signature = (*, series = false, log = Log::All(false), memory = None, qlog = None, threads = 1))]
    #[pyo3(text_signature = "(*, series=False, log=False, memory=None, qlog=None, threads=1)")]
    fn new(series: bool, log: Log, memory: Option<u64>, qlog: Option<Vec<PathBuf>>, threads: usize) -> Self {
        let log = match log {
            Log::All(all) => all.then_some(LogSelection::All),
            Log::Of(entity) => Some(LogSelection::Entity(entity)),
        };
        Self { series, log, memory, qlog, threads }
    }
}

impl SimOptions {
    /// The options of a run whose traces go to `traces`.
    pub(crate) fn options(&self, traces: Option<Arc<TraceFiles>>) -> Options {
        let qlog = traces.map(|files| -> Arc<dyn QlogSink> { files });
        let packet_log = self.log.clone();
        Options {
            series: self.series,
            packet_log,
            memory: self.memory,
            qlog,
            threads: self.threads,
            ..Options::default()
        }
    }

    /// New files for the traces, where they are wanted.
    pub(crate) fn trace_files(&self) -> io::Result<Option<Arc<TraceFiles>>> {
        self.qlog.clone().map(|paths| TraceFiles::create(paths).map(Arc::new)).transpose()
    }
}

/// What world `quic` records: as [`SimOptions`].
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct QuicOptions {
    pub(crate) record: SimOptions,
}

#[pymethods]
impl QuicOptions {
    #[new]
    #[pyo3(signature = (*, series = false, log = Log::All(false), memory = None, qlog = None))]
    #[pyo3(text_signature = "(*, series=False, log=False, memory=None, qlog=None)")]
    fn new(series: bool, log: Log, memory: Option<u64>, qlog: Option<Vec<PathBuf>>) -> Self {
        Self { record: SimOptions::new(series, log, memory, qlog, 1) }
    }
}

/// Fluid dynamics: `link_model` is `integrator` or `ack_clocked`, `law` is `equation` (eq. 2 of the two-way paper) or
/// `algorithm` (FAST as published).
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct Dynamics {
    options: DynamicsOptions,
}

#[pymethods]
impl Dynamics {
    #[new]
    #[pyo3(signature = (link_model, law = "equation"))]
    fn new(link_model: &str, law: &str) -> PyResult<Self> {
        let options = if follows_algorithm(law)? { DynamicsOptions::algorithm() } else { DynamicsOptions::default() };
        Ok(Self { options: DynamicsOptions { link_model: link_model_named(link_model)?, ..options } })
    }
}

/// What world `theory` computes: the equilibrium, with `dynamics` also series on the way to it. `base_rtt_s` are the base
/// round-trip times that the flows believe, in seconds.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct TheoryOptions {
    pub(crate) base_rtt_s: Option<Vec<f64>>,
    dynamics: Option<Dynamics>,
}

#[pymethods]
impl TheoryOptions {
    #[new]
    #[pyo3(signature = (*, base_rtt_s = None, dynamics = None))]
    fn new(base_rtt_s: Option<Vec<f64>>, dynamics: Option<Dynamics>) -> Self {
        Self { base_rtt_s, dynamics }
    }
}

impl TheoryOptions {
    /// How to integrate the dynamics, if they are wanted.
    pub(crate) fn dynamics(&self) -> Option<DynamicsOptions> {
        let options = self.dynamics.as_ref()?.options.clone();
        Some(match &self.base_rtt_s {
            Some(beliefs) => DynamicsOptions { base_rtt: BaseRtts::Given(beliefs.clone()), ..options },
            None => options,
        })
    }
}

/// A world and what it is asked for.
#[derive(FromPyObject)]
pub(crate) enum WorldOptions {
    Sim(SimOptions),
    Quic(QuicOptions),
    Theory(TheoryOptions),
}
