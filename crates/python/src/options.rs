//! What a world is asked for: one options class a world.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use eddyline_sim::{LogSelection, LogSink, Options, QlogSink};
use eddyline_theory::fluid::{BaseRtts, DynamicsOptions};
use pyo3::prelude::*;

use crate::packet_files::{LogTo, PacketFiles};
use crate::scenario::Scenario;
use crate::theory::{follows_algorithm, link_model_named};
use crate::trace_files::TraceFiles;

/// What world `sim` records: series over time, the packet log of everything (`True`) or of one flow, link or traffic, and qlog
/// traces in these files, one per flow; `memory` is the bytes that packets in the network may take, `threads` how many may simulate.
/// The log is kept in memory, unless `log_to` names a file for it, as text, or is called with the columns of a piece of it at a time.
/// Captures, also written piece by piece, go to the folder `pcap`.
#[pyclass(frozen, from_py_object, module = "eddyline._core")]
#[derive(Clone)]
pub(crate) struct SimOptions {
    series: bool,
    log: Option<LogSelection>,
    memory: Option<u64>,
    qlog: Option<Vec<PathBuf>>,
    pub(crate) threads: usize,
    log_to: Option<Arc<LogTo>>,
    pcap: Option<PathBuf>,
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
    #[pyo3(signature = (*, series = false, log = Log::All(false), memory = None, qlog = None, threads = 1, log_to = None, pcap = None))]
    #[pyo3(text_signature = "(*, series=False, log=False, memory=None, qlog=None, threads=1, log_to=None, pcap=None)")]
    fn new(
        series: bool,
        log: Log,
        memory: Option<u64>,
        qlog: Option<Vec<PathBuf>>,
        threads: usize,
        log_to: Option<LogTo>,
        pcap: Option<PathBuf>,
    ) -> Self {
        let log = match log {
            Log::All(all) => all.then_some(LogSelection::All),
            Log::Of(entity) => Some(LogSelection::Entity(entity)),
        };
        Self { series, log, memory, qlog, threads, log_to: log_to.map(Arc::new), pcap }
    }
}

impl SimOptions {
    /// The options of a run whose traces go to `traces` and whose packet log goes to `packets`.
    pub(crate) fn options(&self, traces: Option<Arc<TraceFiles>>, packets: Option<Arc<PacketFiles>>) -> Options {
        let qlog = traces.map(|files| -> Arc<dyn QlogSink> { files });
        let log_sink = packets.map(|files| -> Arc<dyn LogSink> { files });
        // captures have all packets
        let packet_log = if self.pcap.is_some() { Some(LogSelection::All) } else { self.log.clone() };
        Options {
            series: self.series,
            packet_log,
            log_sink,
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

    /// New files for the packet log of `scenario`, where it is not only to be kept in memory.
    pub(crate) fn packet_files(&self, scenario: &Scenario) -> PyResult<Option<Arc<PacketFiles>>> {
        if self.log_to.is_none() && self.pcap.is_none() {
            return Ok(None);
        }
        let files = PacketFiles::new(self.log.is_some() && self.log_to.is_none());
        if let Some(to) = &self.log_to {
            files.add_log(to, |py| scenario.names(py))?;
        }
        if let Some(folder) = &self.pcap {
            files.add_captures(folder, &scenario.inner.network)?;
        }
        Ok(Some(Arc::new(files)))
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
    #[pyo3(signature = (*, series = false, log = Log::All(false), memory = None, qlog = None, log_to = None))]
    #[pyo3(text_signature = "(*, series=False, log=False, memory=None, qlog=None, log_to=None)")]
    fn new(series: bool, log: Log, memory: Option<u64>, qlog: Option<Vec<PathBuf>>, log_to: Option<LogTo>) -> Self {
        Self { record: SimOptions::new(series, log, memory, qlog, 1, log_to, None) }
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
