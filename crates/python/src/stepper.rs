//! A simulation that stops at every decision about the window of one flow: the base of `eddyline.env`.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError, TryLockError};

use eddyline_scenario::Network;
use eddyline_sim::{Decisions, Options, Progress, SimError};
use eddyline_units::{Quantity as _, Time};
use pyo3::prelude::*;

use crate::custom::{self, PyRound};
use crate::errors::{InputError, guarded, internal};
use crate::run::sim_error;
use crate::scenario::Scenario;
use crate::signals::Watch;

/// A simulation in which the caller decides about the window of one flow.
#[pyclass(frozen, module = "eddyline._core")]
pub(crate) struct Stepper {
    inner: Mutex<Option<eddyline_sim::Stepper>>,
    network: Network,
}

#[pymethods]
impl Stepper {
    /// `scenario` at time zero; decisions are about `flow`, once a round trip or at the interval `every`.
    #[new]
    #[pyo3(signature = (scenario, flow, every = None))]
    fn new(scenario: &Scenario, flow: &str, every: Option<&str>) -> PyResult<Self> {
        guarded(|| {
            let network = scenario.inner.network.clone();
            let place = network.flows.iter().position(|f| f.name == flow).ok_or_else(|| {
                let names: Vec<String> = network.flows.iter().take(20).map(|f| format!("{:?}", f.name)).collect();
                InputError::new_err((format!("no flow is called {flow:?}"), format!("flows are {}", names.join(", "))))
            })?;
            let decisions = match every {
                None => Decisions::Rounds,
                Some(text) => match Time::parse(text) {
                    Ok(interval) if interval > Time::ZERO => Decisions::Every(interval),
                    Ok(_) => return Err(InputError::new_err(format!("{text:?}: above 0 is needed"))),
                    Err(e) => return Err(InputError::new_err(format!("{text:?}: {e}"))),
                },
            };
            custom::begin();
            let inner = eddyline_sim::Stepper::new(network.clone(), place, decisions, &Options::default())
                .map_err(|e| sim_error(e, &network))?;
            if let Some(e) = custom::take() {
                return Err(e);
            }
            Ok(Self { inner: Mutex::new(Some(inner)), network })
        })
    }

    /// Runs to the next decision. Returns what the flow measured since the last one, or None if the scenario is over or the
    /// flow has completed.
    fn advance(&self, py: Python<'_>) -> PyResult<Option<PyRound>> {
        py.detach(|| {
            guarded(|| {
                let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
                let stepper = inner.as_mut().ok_or_else(over)?;
                custom::begin();
                let mut watch = Watch::new();
                let report = stepper.advance(&mut observe(&mut watch));
                if let Some(e) = custom::take().or(watch.take()) {
                    return Err(e);
                }
                let report = report.map_err(|e| sim_error(e, &self.network))?;
                Ok(report.as_ref().map(PyRound::from))
            })
        })
    }

    /// Sets the window in packets, at least one.
    fn decide(&self, window: f64) -> PyResult<()> {
        self.with(|stepper| stepper.decide(window))
    }

    /// The window in packets.
    #[getter]
    fn window(&self) -> PyResult<f64> {
        self.with(|stepper| stepper.window())
    }

    /// The round-trip time of the handshake in seconds.
    #[getter]
    fn handshake_rtt(&self) -> PyResult<Option<f64>> {
        self.with(|stepper| stepper.handshake_rtt().map(Time::as_secs_f64))
    }

    /// Whether the flow has transferred all of its data.
    #[getter]
    fn completed(&self) -> PyResult<bool> {
        self.with(|stepper| stepper.completed())
    }

    /// Runs to the end without further decisions and returns the result document. The stepper cannot be used afterwards.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            guarded(|| {
                let taken = self.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
                let stepper = taken.ok_or_else(over)?;
                custom::begin();
                let mut watch = Watch::new();
                let outcome = stepper.finish(&mut observe(&mut watch));
                if let Some(e) = custom::take().or(watch.take()) {
                    return Err(e);
                }
                let outcome = outcome.map_err(|e: SimError| sim_error(e, &self.network))?;
                serde_json::to_string_pretty(&outcome.result).map_err(|e| internal(e.to_string()))
            })
        })
    }
}

impl Stepper {
    fn with<T>(&self, ask: impl FnOnce(&mut eddyline_sim::Stepper) -> T) -> PyResult<T> {
        // to block here, attached, on a run that may have to attach would be a deadlock
        match self.inner.try_lock() {
            Ok(mut inner) => inner.as_mut().map(ask).ok_or_else(over),
            Err(TryLockError::Poisoned(inner)) => inner.into_inner().as_mut().map(ask).ok_or_else(over),
            Err(TryLockError::WouldBlock) => Err(InputError::new_err("this simulation is running in another thread")),
        }
    }
}

fn over() -> PyErr {
    InputError::new_err("this simulation is over")
}

/// Stops at Ctrl-C and after a fault of a user's controller.
fn observe(watch: &mut Watch) -> impl FnMut(Progress) -> ControlFlow<()> {
    |_| if custom::failed() { ControlFlow::Break(()) } else { watch.poll(|_| Ok(())) }
}
