//! The result of a run.

use eddyline_scenario::Scenario;
use eddyline_scenario::series::Series;
use eddyline_sim::Outcome;
use js_sys::{Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::errors::{json, text};

/// The result of a run in world `sim`.
#[wasm_bindgen]
pub struct Run {
    json: String,
    expectations: JsValue,
    series: Option<Series>,
}

impl Run {
    pub(crate) fn new(scenario: &Scenario, outcome: Outcome) -> Result<Self, JsValue> {
        let expectations = json(&eddyline_scenario::check(&scenario.expectations, &outcome.result))?;
        Ok(Self { json: text(&outcome.result)?, expectations, series: outcome.series })
    }
}

#[wasm_bindgen]
impl Run {
    /// The result document, the bytes that `eddyline run --json` prints but for `cost`, which is zero.
    #[wasm_bindgen(getter)]
    pub fn json(&self) -> String {
        self.json.clone()
    }

    /// The scenario's expectations of world `sim`, checked.
    #[wasm_bindgen(getter, unchecked_return_type = "Expectation[]")]
    pub fn expectations(&self) -> JsValue {
        self.expectations.clone()
    }

    /// Columns of the series; undefined where none were recorded.
    ///
    /// # Errors
    /// None.
    #[wasm_bindgen(unchecked_return_type = "Series | undefined")]
    pub fn series(&self) -> Result<JsValue, JsValue> {
        self.series.as_ref().map_or(Ok(JsValue::UNDEFINED), |series| columns(series, 0))
    }
}

/// Columns of the rows from `first` on, as typed arrays.
pub(crate) fn columns(series: &Series, first: usize) -> Result<JsValue, JsValue> {
    let first = first.min(series.value.len());
    let object = Object::new();
    put(&object, "timeS", &Float64Array::from(&series.time_s[first..]))?;
    put(&object, "kind", &Uint8Array::from(&series.kind[first..]))?;
    put(&object, "entity", &Uint32Array::from(&series.entity[first..]))?;
    put(&object, "quantity", &Uint8Array::from(&series.quantity[first..]))?;
    put(&object, "value", &Float64Array::from(&series.value[first..]))?;
    Ok(object.into())
}

/// Sets a property.
pub(crate) fn put(object: &Object, name: &str, value: &JsValue) -> Result<(), JsValue> {
    Reflect::set(object, &name.into(), value).map(drop)
}
