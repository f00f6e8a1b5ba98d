//! A result document written piece by piece, so that the whole of it is never in memory as text.

use std::io::{self, Write};
use std::{mem, str};

use eddyline_scenario::result::RunResult;
use pyo3::prelude::*;

use crate::errors::internal;

/// Bytes of text that are given to Python at once.
const PIECE: usize = 1 << 18;

/// Writes the document of `result`, the text that [`serde_json::to_string_pretty`] makes, in pieces by `write`, a Python callable that
/// takes a text.
pub(crate) fn write(result: &RunResult, write: &Py<PyAny>) -> PyResult<()> {
    let mut pieces = Pieces { write, text: Vec::new(), raised: None };
    let written = serde_json::to_writer_pretty(&mut pieces, result);
    match (pieces.raised.take(), written) {
        (Some(raised), _) => Err(raised),
        (None, Err(e)) => Err(internal(e.to_string())),
        (None, Ok(())) => pieces.give(),
    }
}

/// Collects text and gives it to `write`.
struct Pieces<'a> {
    write: &'a Py<PyAny>,
    text: Vec<u8>,
    raised: Option<PyErr>,
}

impl Pieces<'_> {
    /// Gives what is collected. What the serializer writes at once begins and ends between two characters, and so does a piece.
    fn give(&mut self) -> PyResult<()> {
        let mut bytes = mem::take(&mut self.text);
        let text = str::from_utf8(&bytes).map_err(|e| internal(e.to_string()))?;
        Python::attach(|py| self.write.call1(py, (text,)).map(drop))?;
        bytes.clear();
        self.text = bytes;
        Ok(())
    }
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        if self.text.len() >= PIECE
            && let Err(raised) = self.give()
        {
            self.raised = Some(raised);
            return Err(io::Error::other("the reader raised an exception"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
