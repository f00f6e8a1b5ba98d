//! Files of qlog traces, written during a run.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use eddyline_sim::QlogSink;

/// One file per flow. A file is open only while something is written, so that there may be more flows than open files.
#[derive(Debug)]
pub(crate) struct TraceFiles {
    paths: Vec<PathBuf>,
    /// The first error, after which nothing is written.
    error: Mutex<Option<(PathBuf, io::Error)>>,
}

impl TraceFiles {
    /// Empty files.
    pub(crate) fn create(paths: Vec<PathBuf>) -> io::Result<Self> {
        for path in &paths {
            File::create(path)?;
        }
        Ok(Self { paths, error: Mutex::new(None) })
    }

    /// Whether something could not be written.
    pub(crate) fn failed(&self) -> bool {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// What could not be written, and why.
    pub(crate) fn take_error(&self) -> Option<String> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map(|(path, error)| format!("{}: {error}", path.display()))
    }
}

impl QlogSink for TraceFiles {
    fn append(&self, flow: usize, text: &[u8]) {
        let Some(path) = self.paths.get(flow) else { return };
        let mut failure = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.is_some() {
            return;
        }
        let written = OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(text));
        if let Err(error) = written {
            *failure = Some((path.clone(), error));
        }
    }
}
