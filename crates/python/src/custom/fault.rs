//! What went wrong in a user's code during the run on this thread. Controllers have no way to say so: the run is stopped at
//! the next look at it.

use std::cell::RefCell;

use pyo3::exceptions::{PyException, PySystemExit};
use pyo3::prelude::*;

use crate::errors::ControllerError;

thread_local! {
    static FAULT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// A run begins.
pub(crate) fn begin() {
    FAULT.take();
}

/// Whether something went wrong.
pub(crate) fn failed() -> bool {
    FAULT.with_borrow(Option::is_some)
}

/// The first thing that went wrong.
pub(crate) fn take() -> Option<PyErr> {
    FAULT.take()
}

/// What a user's function raised. Ctrl-C and the like stay what they are.
pub(super) fn raised(py: Python<'_>, controller: &str, place: &str, error: PyErr) {
    // nobody but the command line decides on its exit code
    if !error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PySystemExit>(py) {
        return put(error);
    }
    let words = match error.value(py).str() {
        Ok(text) if !text.to_string_lossy().is_empty() => {
            format!("{}: {}", type_name(py, &error), text.to_string_lossy())
        }
        _ => type_name(py, &error),
    };
    let traceback = written_out(py, &error).unwrap_or_default();
    let told =
        ControllerError::new_err((controller.to_owned(), place.to_owned(), format!("raised {words}"), traceback));
    told.set_cause(py, Some(error));
    put(told);
}

/// A user's function left something that makes no sense.
pub(super) fn nonsense(controller: &str, place: &str, message: String) {
    put(ControllerError::new_err((controller.to_owned(), place.to_owned(), message, String::new())));
}

fn put(error: PyErr) {
    FAULT.with_borrow_mut(|fault| {
        fault.get_or_insert(error);
    });
}

fn type_name(py: Python<'_>, error: &PyErr) -> String {
    error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string())
}

/// The traceback as Python prints it.
fn written_out(py: Python<'_>, error: &PyErr) -> PyResult<String> {
    let lines: Vec<String> =
        py.import("traceback")?.call_method1("format_exception", (error.clone_ref(py),))?.extract()?;
    Ok(lines.concat())
}
