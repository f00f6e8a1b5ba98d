//! The registers of controllers, queues and presets, and the schema of a scenario.

use eddyline_scenario::Vocabulary;
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::errors;

/// Controllers, queues and presets, each with name, summary and source.
///
/// # Errors
/// None.
#[wasm_bindgen(unchecked_return_type = "Register")]
pub fn register() -> Result<JsValue, JsValue> {
    let vocabulary = Vocabulary::builtin();
    errors::json(&json!({
        "controllers": vocabulary.controllers(),
        "queues": vocabulary.queues(),
        "presets": eddyline_scenario::presets(),
    }))
}

/// The JSON Schema of a scenario file, as text.
#[wasm_bindgen]
#[must_use]
pub fn schema() -> String {
    format!("{:#}", Vocabulary::builtin().schema())
}
