//! The registers of controllers, queues, traffic models and presets, as JSON.

use eddyline_path::variation::PROFILES;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::custom::current;
use crate::errors::guarded;

/// Controllers, queues, traffic models, link profiles and presets: a JSON object of lists of `{name, summary, source}`, with
/// the properties of controllers and queues and the links of presets.
#[pyfunction]
pub(crate) fn register() -> PyResult<String> {
    guarded(|| {
        let vocabulary = current();
        let register = json!({
            "controllers": vocabulary.controllers(),
            "queues": vocabulary.queues(),
            "traffic": list(eddyline_path::traffic::KINDS.iter().copied()),
            "profiles": list(PROFILES.iter().map(|p| (p.name, p.summary, p.source))),
            "presets": eddyline_scenario::presets(),
        });
        Ok(register.to_string())
    })
}

fn list<'a>(entries: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Vec<Value> {
    let entry = |(name, summary, source)| json!({"name": name, "summary": summary, "source": source});
    entries.map(entry).collect()
}

/// A JSON Schema: of the `scenario` file, of the `result`, or of the quantities of `series`.
#[pyfunction]
#[pyo3(signature = (of = "scenario"))]
pub(crate) fn schema(of: &str) -> PyResult<String> {
    guarded(|| match of {
        "scenario" => Ok(format!("{:#}", current().schema())),
        "result" => Ok(format!("{:#}", eddyline_scenario::result::schema())),
        "series" => Ok(format!("{:#}", eddyline_scenario::series::schema())),
        _ => Err(PyValueError::new_err(format!("no schema of {of:?}"))),
    })
}
