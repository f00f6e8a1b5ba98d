//! The buffer model of an asymmetric link.

use eddyline_theory::buffer::{Estimate, Readings, Setting, estimate};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::errors::{InputError, guarded, internal};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    setting: Setting,
    #[serde(default)]
    readings: Readings,
}

#[derive(Serialize)]
struct Response {
    #[serde(flatten)]
    estimate: Estimate,
    /// Smallest uplink buffer with room for one packet besides the acknowledgements, in its unit.
    least_uplink: f64,
}

/// Windows, ratio and rates of downloads and uploads from the sizes of both buffers: a JSON object `{setting, readings}` in,
/// one out (`eddyline_theory::buffer`).
#[pyfunction]
pub(crate) fn buffer_estimate(question: &str) -> PyResult<String> {
    guarded(|| {
        let input_error = |text: String| InputError::new_err(text);
        let question: Question = serde_json::from_str(question).map_err(|e| input_error(e.to_string()))?;
        let found = estimate(&question.setting, &question.readings).map_err(|e| input_error(e.to_string()))?;
        let least_uplink = question.setting.least_uplink(1.0).map_err(|e| input_error(e.to_string()))?;
        serde_json::to_string(&Response { estimate: found, least_uplink }).map_err(|e| internal(e.to_string()))
    })
}
