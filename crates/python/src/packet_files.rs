//! Files of a packet log, written during a run.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use eddyline_scenario::Network;
use eddyline_sim::{LogSink, PacketLog};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::columns;
use crate::names::Names;
use crate::packet_text::PacketText;
use crate::packets::Captures;

/// Where the rows of a packet log go.
#[derive(Debug, FromPyObject)]
pub(crate) enum LogTo {
    /// To a file, as text.
    Text(PathBuf),
    /// To a Python callable, as columns.
    Columns(Py<PyAny>),
}

/// Writes each piece of a log to all of its files.
#[derive(Debug)]
pub(crate) struct PacketFiles(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    writers: Vec<Writer>,
    /// The whole log, where it is wanted in memory too.
    kept: Option<PacketLog>,
    /// The first error, after which nothing is written.
    error: Option<PyErr>,
}

#[derive(Debug)]
enum Writer {
    Text(PathBuf, PacketText, Py<Names>),
    Columns(Py<PyAny>),
    Captures(PathBuf, Captures),
}

impl PacketFiles {
    /// Nothing is written yet; `keep` is to keep the log in memory.
    pub(crate) fn new(keep: bool) -> Self {
        Self(Mutex::new(State { kept: keep.then(PacketLog::default), ..State::default() }))
    }

    /// Also gives the rows to `to`.
    pub(crate) fn add_log(&self, to: &LogTo, names: impl FnOnce(Python<'_>) -> PyResult<Py<Names>>) -> PyResult<()> {
        let writer = match to {
            LogTo::Text(path) => {
                let text = PacketText::create(path).map_err(|e| about(path, &e))?;
                Writer::Text(path.clone(), text, Python::attach(names)?)
            }
            LogTo::Columns(write) => Writer::Columns(Python::attach(|py| write.clone_ref(py))),
        };
        self.state().writers.push(writer);
        Ok(())
    }

    /// Also writes captures to `folder`.
    pub(crate) fn add_captures(&self, folder: &Path, network: &Network) -> PyResult<()> {
        let captures = Captures::create(folder, network).map_err(|e| about(folder, &e))?;
        self.state().writers.push(Writer::Captures(folder.to_owned(), captures));
        Ok(())
    }

    /// Whether something could not be written.
    pub(crate) fn failed(&self) -> bool {
        self.state().error.is_some()
    }

    /// Writes what is still buffered, unless there was an error; returns the log, if it was kept.
    pub(crate) fn finish(&self) -> PyResult<Option<PacketLog>> {
        let state = std::mem::take(&mut *self.state());
        if let Some(error) = state.error {
            return Err(error);
        }
        state.writers.into_iter().try_for_each(Writer::finish)?;
        Ok(state.kept)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogSink for PacketFiles {
    fn append(&self, rows: &PacketLog) {
        let State { writers, kept, error } = &mut *self.state();
        if error.is_some() {
            return;
        }
        *error = writers.iter_mut().try_for_each(|writer| writer.append(rows)).err();
        if let Some(kept) = kept {
            kept.append(rows);
        }
    }
}

impl Writer {
    fn append(&mut self, rows: &PacketLog) -> PyResult<()> {
        match self {
            Self::Text(path, text, names) => text.append(rows, names.get()).map_err(|e| about(path, &e)),
            Self::Columns(write) => Python::attach(|py| write.call1(py, (columns::log(py, rows)?,)).map(drop)),
            Self::Captures(folder, captures) => captures.append(rows).map_err(|e| about(folder, &e)),
        }
    }

    fn finish(self) -> PyResult<()> {
        match self {
            Self::Text(path, text, _) => text.finish().map_err(|e| about(&path, &e)),
            Self::Columns(_) => Ok(()),
            Self::Captures(folder, captures) => captures.finish().map_err(|e| about(&folder, &e)),
        }
    }
}

/// An error of the operating system about `path`.
pub(crate) fn about(path: &Path, error: &io::Error) -> PyErr {
    PyOSError::new_err(format!("{}: {error}", path.display()))
}
