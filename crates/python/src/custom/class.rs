//! A registered Python class.

use pyo3::prelude::*;

/// A Python class that implements a controller.
pub(super) struct PyClass {
    /// The kind that scenarios name it by.
    pub(super) kind: String,
    /// The class's own name.
    pub(super) name: String,
    /// The class.
    pub(super) class: Py<PyAny>,
    /// Validates parameters given as JSON: returns the constructor's keywords and the canonical table as JSON.
    pub(super) read: Py<PyAny>,
    /// Names of the event handlers that the class defines.
    pub(super) handlers: Vec<String>,
}
