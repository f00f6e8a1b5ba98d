//! What goes wrong, as Python's exceptions. A panic is an internal error, never a backtrace on the user's terminal.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::{PyErr, PyResult, import_exception};

import_exception!(eddyline.errors, ScenarioError);
import_exception!(eddyline.errors, EddylineError);
import_exception!(eddyline.errors, NoEquilibrium);
import_exception!(eddyline.errors, InputError);
import_exception!(eddyline.errors, InternalError);
import_exception!(eddyline.errors, ControllerError);

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Panics are remembered, not printed, until [`guarded`] turns them into an exception.
pub(crate) fn keep_panics_quiet() {
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

/// A defect of ours.
pub(crate) fn internal(text: String) -> PyErr {
    InternalError::new_err(text)
}
