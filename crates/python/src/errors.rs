//! Errors as Python exceptions. A panic becomes an `InternalError`, never a backtrace on the user's terminal.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use eddyline_scenario::Diagnostics;
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(eddyline.errors, ScenarioError);
import_exception!(eddyline.errors, EddylineError);
import_exception!(eddyline.errors, NoEquilibrium);
import_exception!(eddyline.errors, InputError);
import_exception!(eddyline.errors, InternalError);
import_exception!(eddyline.errors, ControllerError);

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Stores the message of a panic instead of printing it; [`guarded`] turns it into an exception.
pub(crate) fn capture_panics() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("no message");
        let place = info.location().map_or_else(String::new, |l| format!(" ({}:{})", l.file(), l.line()));
        LAST_PANIC.with_borrow_mut(|last| *last = Some(format!("{text}{place}")));
    }));
}

/// Runs `work`; a panic in it is an `InternalError`.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(internal(LAST_PANIC.take().unwrap_or_default())))
}

/// A defect of Eddyline itself.
pub(crate) fn internal(text: String) -> PyErr {
    InternalError::new_err(text)
}

/// A `ScenarioError` with all validation errors: as text, as a list of dicts, and the unknown controllers.
pub(crate) fn scenario_error(py: Python<'_>, diagnostics: &Diagnostics) -> PyResult<PyErr> {
    let all = serde_json::to_string(&diagnostics.all).map_err(|e| internal(e.to_string()))?;
    let all = py.import("json")?.call_method1("loads", (all,))?.unbind();
    Ok(ScenarioError::new_err((diagnostics.to_string(), all, diagnostics.unknown_controllers.clone())))
}
