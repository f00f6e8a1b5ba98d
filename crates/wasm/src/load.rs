//! Reading a scenario with a caller's options.

use eddyline_scenario::{Diagnostics, Format, Input, Scenario, Vocabulary};
use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::errors::error;
use crate::files::Given;

/// Loads a text: the scenario or what is wrong with it, or an exception where the options are wrong.
pub(crate) fn load(text: &str, options: &JsValue) -> Result<Result<Scenario, Diagnostics>, JsValue> {
    let option = |name: &str| {
        if options.is_object() { Reflect::get(options, &name.into()) } else { Ok(JsValue::UNDEFINED) }
    };
    let format = match option("format")?.as_string().as_deref() {
        None | Some("toml") => Format::Toml,
        Some("json") => Format::Json,
        Some("dict") => Format::Dict,
        Some(other) => return Err(error("TypeError", &format!("format is toml, json or dict, not {other:?}"))),
    };
    let name = option("name")?.as_string();
    let overrides = pairs(&option("overrides")?)?;
    let files = Given::of(&option("files")?)?;
    let input = Input { text, format, name: name.as_deref().unwrap_or("scenario"), folder: None };
    Ok(eddyline_scenario::load_from(Vocabulary::builtin(), &input, &overrides, &files))
}

/// Pairs of key and value.
fn pairs(value: &JsValue) -> Result<Vec<(String, String)>, JsValue> {
    let Some(pairs) = value.dyn_ref::<Array>() else { return Ok(Vec::new()) };
    let pair = |pair: JsValue| {
        let pair = pair.dyn_into::<Array>().ok()?;
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    let all: Option<Vec<_>> = pairs.iter().map(pair).collect();
    all.ok_or_else(|| error("TypeError", "overrides are pairs of key and value"))
}
