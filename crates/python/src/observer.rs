//! The caller's progress callback and Ctrl-C, between the events of a run and in the middle of one.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use eddyline_sim::Interruption;
use pyo3::prelude::*;

use crate::signals::Watch;

/// Checks for signals and calls the caller's progress callback, which may raise.
#[derive(Debug)]
pub(crate) struct Observer {
    callback: Option<Py<PyAny>>,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    watch: Watch,
    reached: Reached,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reached {
    /// Virtual time, in seconds.
    pub(crate) now: f64,
    /// That at which the run ends.
    pub(crate) duration: f64,
    /// Events or steps so far.
    pub(crate) events: u64,
}

impl Observer {
    pub(crate) fn new(callback: Option<Py<PyAny>>, began: Instant, duration: f64) -> Self {
        let reached = Reached { duration, ..Reached::default() };
        Self { callback, began, state: Mutex::new(State { watch: Watch::new(), reached }) }
    }

    /// The run has reached this.
    pub(crate) fn progress(&self, reached: Reached) -> ControlFlow<()> {
        self.report(Some(reached))
    }

    /// The exception that a signal or the callback raised.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).watch.take()
    }

    fn report(&self, newly: Option<Reached>) -> ControlFlow<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { watch, reached } = &mut *state;
        *reached = newly.unwrap_or(*reached);
        watch.poll(|py| {
            let Some(callback) = &self.callback else { return Ok(()) };
            let wall = self.began.elapsed().as_secs_f64();
            callback.call1(py, (reached.now, reached.duration, reached.events, wall)).map(drop)
        })
    }
}

impl Interruption for Observer {
    fn is_requested(&self) -> bool {
        self.report(None).is_break()
    }
}
