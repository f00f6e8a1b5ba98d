//! Independent pieces of work on all processors: the interpreter free meanwhile, Ctrl-C heard, progress told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors::{guarded, internal};

/// From one look at signals, and call of the caller's progress, to the next.
const BETWEEN_CALLS: Duration = Duration::from_millis(100);

/// Room for deep recursion in linear algebra.
const STACK_BYTES: usize = 16 << 20;

/// `work` on a thread of its own, so that Ctrl-C is heard meanwhile. To be called without the interpreter.
pub(super) fn alone<R, W>(work: W) -> PyResult<R>
where
    R: Send + 'static,
    W: Fn() -> R + Send + Sync + 'static,
{
    let mut results = each(vec![()], move |()| work(), |_, _| Ok(()))?;
    results.pop().ok_or_else(|| internal("a worker was lost".to_owned()))
}

/// What the workers share.
struct Shared<J, W> {
    jobs: Vec<J>,
    work: W,
    next: AtomicUsize,
    stop: AtomicBool,
}

/// `work` of every job, in the order of the jobs. `heard` is called with the number of jobs done, with the interpreter, some ten times
/// a second; where it raises, or a signal does, workers finish the piece they are at on their own and nobody waits for them.
///
/// To be called without the interpreter.
pub(super) fn each<J, R, W>(
    jobs: Vec<J>,
    work: W,
    mut heard: impl FnMut(Python<'_>, usize) -> PyResult<()>,
) -> PyResult<Vec<R>>
where
    J: Send + Sync + 'static,
    R: Send + 'static,
    W: Fn(&J) -> R + Send + Sync + 'static,
{
    let count = jobs.len();
    let shared = Arc::new(Shared { jobs, work, next: AtomicUsize::new(0), stop: AtomicBool::new(false) });
    let (tell, hear) = mpsc::channel();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..processors.min(count) {
        let (shared, tell) = (Arc::clone(&shared), tell.clone());
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            while !shared.stop.load(Ordering::Relaxed) {
                let i = shared.next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = shared.jobs.get(i) else { break };
                let done = guarded(|| Ok((shared.work)(job)));
                if tell.send((i, done)).is_err() {
                    break;
                }
            }
        });
        worker.map_err(|e| internal(format!("no thread could be started: {e}")))?;
    }
    drop(tell);
    let mut results: Vec<Option<R>> = Vec::new();
    results.resize_with(count, || None);
    let (mut done, mut last) = (0, Instant::now());
    let outcome = loop {
        match hear.recv_timeout(BETWEEN_CALLS) {
            Ok((i, Ok(result))) => {
                results[i] = Some(result);
                done += 1;
            }
            Ok((_, Err(e))) => break Err(e),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break Ok(()),
        }
        if last.elapsed() >= BETWEEN_CALLS {
            last = Instant::now();
            let told = Python::attach(|py| {
                py.check_signals()?;
                heard(py, done)
            });
            if told.is_err() {
                break told;
            }
        }
    };
    shared.stop.store(true, Ordering::Relaxed);
    outcome?;
    results.into_iter().collect::<Option<Vec<R>>>().ok_or_else(|| internal("a worker was lost".to_owned()))
}
