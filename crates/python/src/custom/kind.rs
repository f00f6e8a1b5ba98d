//! A Python class as a kind of controller.

use std::fmt;
use std::sync::Arc;

use eddyline_cc::{CustomKind, CustomParams, DynController, ParamTable, PathFacts};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use super::class::PyClass;
use super::controller::PyController;

/// A registered class.
pub(super) struct PyKind {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) source: String,
    pub(super) schema: Value,
    pub(super) class: Arc<PyClass>,
}

impl fmt::Debug for PyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PyKind").field("name", &self.name).finish_non_exhaustive()
    }
}

impl CustomKind for PyKind {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn source(&self) -> &str {
        &self.source
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn read(&self, table: &ParamTable) -> Result<Arc<dyn CustomParams>, String> {
        Python::attach(|py| {
            let read = self.class.read.call1(py, (Value::Object(table.clone()).to_string(),))?;
            let (keywords, canonical): (Bound<'_, PyDict>, String) = read.extract(py)?;
            Ok((keywords.unbind(), canonical))
        })
        .map_err(|e: PyErr| e.to_string())
        .and_then(|(keywords, canonical)| {
            let canonical = serde_json::from_str(&canonical).map_err(|e| e.to_string())?;
            let params: Arc<dyn CustomParams> =
                Arc::new(PyParams { class: Arc::clone(&self.class), keywords, canonical });
            Ok(params)
        })
    }
}

/// A class and the arguments of its constructor.
struct PyParams {
    class: Arc<PyClass>,
    keywords: Py<PyDict>,
    canonical: ParamTable,
}

impl fmt::Debug for PyParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.class.kind, self.canonical)
    }
}

impl CustomParams for PyParams {
    fn canonical(&self) -> ParamTable {
        self.canonical.clone()
    }

    fn build(&self, facts: &PathFacts) -> Box<dyn DynController> {
        Box::new(Python::attach(|py| PyController::new(py, &self.class, &self.keywords, facts)))
    }
}
