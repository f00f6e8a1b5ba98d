//! Validation of a scenario's text.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use eddyline_scenario::Diagnostic;

use crate::errors::json;
use crate::load::load;

/// What is wrong with a text.
#[derive(Debug, Serialize)]
struct Report {
    errors: Vec<Diagnostic>,
    more: usize,
}

/// Validates a scenario, with the same errors at the same positions as the command line.
///
/// # Errors
/// Options of another type.
#[wasm_bindgen(unchecked_return_type = "CheckReport")]
pub fn check(
    text: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "LoadOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    json(&match load(text, &options)? {
        Ok(_) => Report { errors: Vec::new(), more: 0 },
        Err(diagnostics) => Report { errors: diagnostics.all, more: diagnostics.more },
    })
}
