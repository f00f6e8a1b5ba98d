//! Ctrl-C and progress callbacks while Rust works without the interpreter.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Time between two checks for signals, which is also the time between two calls of a progress callback.
pub(crate) const INTERVAL: Duration = Duration::from_millis(100);

/// Checks for signals and reports progress some ten times a second.
#[derive(Debug)]
pub(crate) struct Watch {
    last: Instant,
    raised: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now(), raised: None }
    }

    /// If a tenth of a second has passed since the last check: checks for signals (Ctrl-C raises), then calls `report` with
    /// the interpreter. `Break` if either raised; [`Self::take`] has the exception.
    pub(crate) fn poll(&mut self, report: impl FnOnce(Python<'_>) -> PyResult<()>) -> ControlFlow<()> {
        if self.raised.is_some() {
            return ControlFlow::Break(());
        }
        if self.last.elapsed() < INTERVAL {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        self.raised = Python::attach(|py| py.check_signals().and_then(|()| report(py))).err();
        if self.raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The exception that a signal or `report` raised.
    pub(crate) fn take(&mut self) -> Option<PyErr> {
        self.raised.take()
    }
}
