//! The registers of controllers, queues, traffic models, framings and presets, as JSON.

use eddyline_path::framing::{EncapsulationInfo, Framing, Linklayer, encapsulations};
use eddyline_path::variation::PROFILES;
use eddyline_units::Bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::custom::current;
use crate::errors::guarded;

/// Controllers, queues, traffic models, link profiles, framings and presets: a JSON object of lists of `{name, summary, source}`, with
/// the properties of controllers and queues, the numbers of framings and the links of presets.
#[pyfunction]
pub(crate) fn register() -> PyResult<String> {
    guarded(|| {
        let vocabulary = current();
        let register = json!({
            "controllers": vocabulary.controllers(),
            "queues": vocabulary.queues(),
            "traffic": list(eddyline_path::traffic::KINDS.iter().copied()),
            "profiles": list(PROFILES.iter().map(|p| (p.name, p.summary, p.source))),
            "framings": framings(),
            "presets": eddyline_scenario::presets(),
        });
        Ok(register.to_string())
    })
}

fn framings() -> Vec<Value> {
    let entry = |info: &EncapsulationInfo| {
        let Framing { overhead, minimum, linklayer } = info.framing;
        json!({
            "name": info.name,
            "summary": info.summary,
            "source": info.source,
            "overhead_B": overhead.get(),
            "minimum_B": minimum.get(),
            "linklayer": linklayer,
        })
    };
    encapsulations().iter().map(entry).collect()
}

/// Bytes on the line of a packet of `bytes`, with the framing of these numbers; `linklayer` is `none`, `atm` or `ptm`.
#[pyfunction]
pub(crate) fn line_bytes(bytes: u32, overhead: u64, minimum: u64, linklayer: &str) -> PyResult<u64> {
    let linklayer: Linklayer = serde_json::from_value(linklayer.into())
        .map_err(|_| PyValueError::new_err(format!("there is no linklayer {linklayer:?}")))?;
    Ok(Framing { overhead: Bytes::new(overhead), minimum: Bytes::new(minimum), linklayer }.line_bytes(bytes))
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
