//! The fault of a user's controller in Python in the run on this thread. The trait `Controller` returns no errors, so faults are kept
//! here and the run is stopped at the next check. A controller from a file ends its flow only, and the result says why.

use std::cell::RefCell;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors::ControllerError;

thread_local! {
    static FAULT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Clears the fault before a run.
pub(crate) fn begin() {
    FAULT.take();
}

/// Whether there is a fault.
pub(crate) fn failed() -> bool {
    FAULT.with_borrow(Option::is_some)
}

/// Takes the first fault.
pub(crate) fn take() -> Option<PyErr> {
    FAULT.take()
}

/// Records an exception of a handler. Ctrl-C is kept as it is.
pub(super) fn raised(py: Python<'_>, controller: &str, place: &str, error: PyErr) {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return put(error);
    }
    let text = match error.value(py).str() {
        Ok(text) if !text.to_string_lossy().is_empty() => {
            format!("{}: {}", type_name(py, &error), text.to_string_lossy())
        }
        _ => type_name(py, &error),
    };
    let traceback = traceback_text(py, &error).unwrap_or_default();
    let fault =
        ControllerError::new_err((controller.to_owned(), place.to_owned(), format!("raised {text}"), traceback));
    fault.set_cause(py, Some(error));
    put(fault);
}

/// Records an invalid value that a handler left or returned.
pub(super) fn invalid(controller: &str, place: &str, message: String) {
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
fn traceback_text(py: Python<'_>, error: &PyErr) -> PyResult<String> {
    let lines: Vec<String> =
        py.import("traceback")?.call_method1("format_exception", (error.clone_ref(py),))?.extract()?;
    Ok(lines.concat())
}
