//! The first fault of a plugin in the run on this thread.

use std::cell::RefCell;

/// What went wrong in a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The controller's name in scenarios.
    pub controller: String,
    /// The function in which it happened.
    pub place: String,
    /// What happened, to follow the place: `panicked: ...`.
    pub message: String,
}

thread_local! {
    static FAULT: RefCell<Option<Fault>> = const { RefCell::new(None) };
}

/// Clears the fault before a run.
pub fn begin() {
    FAULT.take();
}

/// Whether there is a fault.
#[must_use]
pub fn failed() -> bool {
    FAULT.with_borrow(Option::is_some)
}

/// Takes the first fault.
#[must_use]
pub fn take() -> Option<Fault> {
    FAULT.take()
}

/// Records a fault, unless there is one.
pub(crate) fn put(controller: &str, place: &str, message: String) {
    FAULT.with_borrow_mut(|fault| {
        fault.get_or_insert_with(|| Fault { controller: controller.to_owned(), place: place.to_owned(), message });
    });
}
