//! The registers of controllers, queues, traffic models and presets, as JSON.

use eddyline_path::variation::PROFILES;
use eddyline_scenario::Vocabulary;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::custom::current;
use crate::errors::guarded;

/// Controllers, queues, traffic models, link profiles and presets: a JSON object of lists of objects with `name`, `summary`
/// and `source`; presets have more.
#[pyfunction]
pub(crate) fn register() -> PyResult<String> {
    guarded(|| {
        let register = json!({
            "controllers": controllers(),
            "queues": list(eddyline_path::queue::KINDS.iter().map(|k| (k.name, k.summary, k.source))),
            "traffic": list(eddyline_path::traffic::KINDS.iter().copied()),
            "profiles": list(PROFILES.iter().map(|p| (p.name, p.summary, p.source))),
            "presets": eddyline_scenario::presets(),
        });
        Ok(register.to_string())
    })
}

/// The built-in ones, then the registered ones.
fn controllers() -> Vec<Value> {
    let mut all = list(eddyline_cc::KINDS.iter().map(|k| (k.name, k.summary, k.source)));
    let vocabulary = current();
    all.extend(list(vocabulary.kinds().iter().map(|k| (k.name(), k.summary(), k.source()))));
    all
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
