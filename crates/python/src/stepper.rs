//! A simulation that stops at every decision about one flow's window: what `eddyline.env` steps.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Instant;

use eddyline_scenario::Network;
use eddyline_sim::{Decisions, Options, Progress, SimError};
use eddyline_units::{Quantity as _, Time};
use pyo3::prelude::*;

use crate::custom::{self, PyRound};
use crate::errors::{InputError, guarded, internal};
use crate::run::{BETWEEN_CALLS, refused};
use crate::scenario::Scenario;

/// A simulation under somebody's control.
#[pyclass(frozen, module = "eddyline._core")]
pub(crate) struct Stepper {
    inner: Mutex<Option<eddyline_sim::Stepper>>,
    network: Network,
}

#[pymethods]
impl Stepper {
    /// `scenario` at time zero; somebody decides about flow `flow`, once a round trip or at the interval `every`.
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
                .map_err(|e| refused(e, &network))?;
            if let Some(e) = custom::take() {
                return Err(e);
            }
            Ok(Self { inner: Mutex::new(Some(inner)), network })
        })
    }

    /// Runs to the next decision and gives what was seen since the last one, or None: the scenario is over, or the flow has
    /// completed.
    fn advance(&self, py: Python<'_>) -> PyResult<Option<PyRound>> {
        py.detach(|| {
            guarded(|| {
                let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
                let stepper = inner.as_mut().ok_or_else(over)?;
                custom::begin();
                let mut raised = None;
                let report = stepper.advance(&mut watching(&mut raised));
                if let Some(e) = custom::take().or(raised) {
                    return Err(e);
                }
                let report = report.map_err(|e| refused(e, &self.network))?;
                Ok(report.as_ref().map(PyRound::from))
            })
        })
    }

    /// Decides: `window` packets may be in flight, at least one.
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

    /// Whether the flow has transferred all that it was to transfer.
    #[getter]
    fn completed(&self) -> PyResult<bool> {
        self.with(|stepper| stepper.completed())
    }

    /// Runs the rest without asking; gives the result document. Nothing can be asked of it after that.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            guarded(|| {
                let taken = self.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
                let stepper = taken.ok_or_else(over)?;
                custom::begin();
                let mut raised = None;
                let outcome = stepper.finish(&mut watching(&mut raised));
                if let Some(e) = custom::take().or(raised) {
                    return Err(e);
                }
                let outcome = outcome.map_err(|e: SimError| refused(e, &self.network))?;
                serde_json::to_string_pretty(&outcome.result).map_err(|e| internal(e.to_string()))
            })
        })
    }
}

impl Stepper {
    fn with<T>(&self, ask: impl FnOnce(&mut eddyline_sim::Stepper) -> T) -> PyResult<T> {
        // waiting here, attached, for one that runs and may have to attach would be for ever
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

/// Listens for Ctrl-C, and stops after a fault of a user's controller.
fn watching(raised: &mut Option<PyErr>) -> impl FnMut(Progress) -> ControlFlow<()> {
    let mut heard = Instant::now();
    move |_| {
        if custom::failed() {
            return ControlFlow::Break(());
        }
        if heard.elapsed() < BETWEEN_CALLS {
            return ControlFlow::Continue(());
        }
        heard = Instant::now();
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(e) => {
                *raised = Some(e);
                ControlFlow::Break(())
            }
        }
    }
}
