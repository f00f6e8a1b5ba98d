//! What there is to choose from, as JSON.

use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::guarded;
use crate::pending as scenario;

/// Controllers, queues, traffic models and presets: a JSON object of lists of `{name, summary, source}`.
#[pyfunction]
pub(crate) fn register() -> PyResult<String> {
    guarded(|| {
        let entry =
            |name: &str, summary: &str, source: &str| json!({"name": name, "summary": summary, "source": source});
        let controllers: Vec<Value> = eddyline_cc::KINDS.iter().map(|k| entry(k.name, k.summary, k.source)).collect();
        let queues: Vec<Value> = eddyline_path::queue::KINDS.iter().map(|(n, what, s)| entry(n, what, s)).collect();
        Ok(json!({"controllers": controllers, "queues": queues}).to_string())
    })
}

/// The JSON Schema of the scenario file.
#[pyfunction]
pub(crate) fn schema() -> PyResult<String> {
    guarded(|| Ok(format!("{:#}", scenario::schema())))
}
