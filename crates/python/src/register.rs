//! What there is to choose from, as JSON.

use eddyline_path::variation::PROFILES;
use eddyline_scenario::Vocabulary;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::custom::current;
use crate::errors::guarded;

/// Controllers, queues, traffic models, profiles of links and presets: a JSON object of lists of `{name, summary, source}`,
/// controllers and queues with what is particular about each, presets with what they are besides.
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

/// The JSON Schema of the scenario file.
#[pyfunction]
pub(crate) fn schema() -> PyResult<String> {
    let of = |vocabulary: &Vocabulary| Ok(format!("{:#}", vocabulary.schema()));
    guarded(|| of(&current()))
}
