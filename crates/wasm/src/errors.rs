//! Errors as JavaScript exceptions: an `Error` whose `name` says which, with details where there are any.

use eddyline_scenario::Diagnostics;
use eddyline_sim::SimError;
use eddyline_theory::TheoryError;
use js_sys::{Error, JSON, Reflect};
use serde::Serialize;
use wasm_bindgen::JsValue;

/// An `Error` with this name.
pub(crate) fn error(name: &str, message: &str) -> JsValue {
    let error = Error::new(message);
    error.set_name(name);
    error.into()
}

/// A `ScenarioError`: all validation errors, also as the list `diagnostics`; `more` are only counted.
pub(crate) fn scenario_error(diagnostics: &Diagnostics) -> JsValue {
    let thrown = error("ScenarioError", &diagnostics.to_string());
    // setting a property of a fresh object cannot fail
    let _ = json(&diagnostics.all).and_then(|all| Reflect::set(&thrown, &"diagnostics".into(), &all));
    let _ = Reflect::set(&thrown, &"more".into(), &(diagnostics.more as f64).into());
    thrown
}

/// A `CancelledError` where the observer stopped the run, else a `SimError`.
pub(crate) fn sim_error(e: &SimError) -> JsValue {
    error(if *e == SimError::Interrupted { "CancelledError" } else { "SimError" }, &e.to_string())
}

/// A `TheoryError`.
pub(crate) fn theory_error(e: &TheoryError) -> JsValue {
    error("TheoryError", &e.to_string())
}

/// A document as a JavaScript value.
pub(crate) fn json(document: &impl Serialize) -> Result<JsValue, JsValue> {
    JSON::parse(&text(document)?)
}

/// A document as text, as the command line prints it.
pub(crate) fn text(document: &impl Serialize) -> Result<String, JsValue> {
    serde_json::to_string_pretty(document).map_err(|e| error("Error", &e.to_string()))
}
