//! What there is to choose from, as JSON.

use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::guarded;

/// Controllers, queues, traffic models and presets: a JSON object of lists of `{name, summary, source}`,
/// presets with what they are besides.
#[pyfunction]
pub(crate) fn register() -> PyResult<String> {
    guarded(|| {
        let register = json!({
            "controllers": list(eddyline_cc::KINDS.iter().map(|k| (k.name, k.summary, k.source))),
            "queues": list(eddyline_path::queue::KINDS.iter().map(|k| (k.name, k.summary, k.source))),
            "traffic": list(eddyline_path::traffic::KINDS.iter().copied()),
            "presets": eddyline_scenario::presets(),
        });
        Ok(register.to_string())
    })
}

fn list<'a>(entries: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Vec<Value> {
    let entry = |(name, summary, source)| json!({"name": name, "summary": summary, "source": source});
    entries.map(entry).collect()
}

/// The JSON Schema of the scenario file.
#[pyfunction]
pub(crate) fn schema() -> PyResult<String> {
    guarded(|| Ok(format!("{:#}", eddyline_scenario::schema())))
}
