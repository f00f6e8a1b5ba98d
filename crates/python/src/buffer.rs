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
struct Answer {
    #[serde(flatten)]
    estimate: Estimate,
    /// Least uplink buffer with room for one packet beside the acknowledgements, in its unit.
    least_uplink: f64,
}

/// Windows, ratio and rates of downloads and uploads from the sizes of both buffers: a JSON object `{setting, readings}` in,
/// one out (`eddyline_theory::buffer`).
#[pyfunction]
pub(crate) fn buffer_estimate(question: &str) -> PyResult<String> {
    guarded(|| {
        let wrong = |text: String| InputError::new_err(text);
        let asked: Question = serde_json::from_str(question).map_err(|e| wrong(e.to_string()))?;
        let found = estimate(&asked.setting, &asked.readings).map_err(|e| wrong(e.to_string()))?;
        let least_uplink = asked.setting.least_uplink(1.0).map_err(|e| wrong(e.to_string()))?;
        serde_json::to_string(&Answer { estimate: found, least_uplink }).map_err(|e| internal(e.to_string()))
    })
}
