//! Work on other threads while this one answers Ctrl-C and reports progress.
//!
//! Both functions are to be called without the interpreter. If a signal or the progress callback raises, they return at
//! once; the other threads finish the job they are at and stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;

use pyo3::prelude::*;
use rayon::prelude::*;

use crate::errors::{guarded, internal};
use crate::signals::{INTERVAL, Watch};

/// Linear algebra recurses deeply.
const STACK_BYTES: usize = 16 << 20;

/// Does `work` on a thread of its own.
pub(super) fn run<R: Send + 'static>(work: impl FnOnce() -> PyResult<R> + Send + 'static) -> PyResult<R> {
    let (sender, receiver) = mpsc::channel();
    // a closed channel means that the caller was interrupted
    let thread = move || drop(sender.send(guarded(work)));
    thread::Builder::new().stack_size(STACK_BYTES).spawn(thread).map_err(no_thread)?;
    wait(&receiver, |_| Ok(()))
}

/// Does `work` for every job on all processors; results are in the order of the jobs. `progress` is called some ten times
/// a second with the number of jobs done.
pub(super) fn map<J, R, W>(
    jobs: Vec<J>,
    work: W,
    mut progress: impl FnMut(Python<'_>, usize) -> PyResult<()>,
) -> PyResult<Vec<R>>
where
    J: Send + Sync + 'static,
    R: Send + 'static,
    W: Fn(&J) -> R + Send + Sync + 'static,
{
    // a pool for each call: threads of a lasting one would not survive a fork of the process
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build().map_err(no_thread)?;
    let state = Arc::new(State::default());
    let (sender, receiver) = mpsc::channel();
    let shared = Arc::clone(&state);
    pool.spawn(move || {
        // jobs are long and unequal: one at a time balances best
        let results = jobs.par_iter().with_max_len(1).map(|job| shared.one(|| work(job)));
        drop(sender.send(results.collect::<PyResult<Vec<R>>>()));
    });
    let outcome = wait(&receiver, |py| progress(py, state.done.load(Ordering::Relaxed)));
    state.stop.store(true, Ordering::Relaxed);
    outcome
}

/// What the threads of one [`map`] share.
#[derive(Default)]
struct State {
    done: AtomicUsize,
    stop: AtomicBool,
}

impl State {
    fn one<R>(&self, work: impl FnOnce() -> R) -> PyResult<R> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(internal("stopped".to_owned()));
        }
        let result = guarded(|| Ok(work()));
        self.done.fetch_add(1, Ordering::Relaxed);
        result
    }
}

/// Waits for the result, checking for signals meanwhile.
fn wait<R>(receiver: &Receiver<PyResult<R>>, mut progress: impl FnMut(Python<'_>) -> PyResult<()>) -> PyResult<R> {
    let mut watch = Watch::new();
    loop {
        match receiver.recv_timeout(INTERVAL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(internal("a thread ended without a result".to_owned())),
            Err(RecvTimeoutError::Timeout) => {
                if watch.poll(&mut progress).is_break() {
                    return Err(watch.take().unwrap_or_else(|| internal("interrupted".to_owned())));
                }
            }
        }
    }
}

fn no_thread(error: impl std::fmt::Display) -> PyErr {
    internal(format!("no thread could be started: {error}"))
}
