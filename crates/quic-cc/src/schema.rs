//! What the controllers' JSON Schema says about parameters: quantity or plain value, and the range.

use eddyline_cc::ControllerParams;
use eddyline_units::{Bytes, Frequency, Packets, Percent, Quantity, QuantityError, Rate, Time};
use serde_json::{Number, Value};

/// The parameters of a kind.
#[derive(Debug)]
pub(crate) struct Parameters {
    root: Value,
    kind: Value,
}

/// Parses a quantity to its value in SI units.
type Reader = fn(&str) -> Result<f64, QuantityError>;

fn read<Q: Quantity>(text: &str) -> Result<f64, QuantityError> {
    Q::parse(text).map(Q::si)
}

const QUANTITIES: [(&str, Reader); 6] = [
    (Time::FORMAT, read::<Time>),
    (Rate::FORMAT, read::<Rate>),
    (Bytes::FORMAT, read::<Bytes>),
    (Packets::FORMAT, read::<Packets>),
    (Frequency::FORMAT, read::<Frequency>),
    (Percent::FORMAT, read::<Percent>),
];

impl Parameters {
    /// The parameters of a built-in kind.
    pub(crate) fn of(kind: &str) -> Self {
        let root = schemars::schema_for!(ControllerParams).to_value();
        let variants = root["oneOf"].as_array().map_or(&[][..], Vec::as_slice);
        let kind = variants.iter().find(|v| v["properties"]["kind"]["const"] == kind).cloned().unwrap_or_default();
        Self { root, kind }
    }

    /// A parameter's value from its text. Unknown parameters are left to the parameters' type, which names the known ones.
    pub(crate) fn value(&self, path: &str, text: &str) -> Result<Value, String> {
        let schema = path.split('.').try_fold(&self.kind, |schema, key| self.property(schema, key));
        let plain = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
        let format = schema.and_then(|s| s["format"].as_str());
        let Some(&(format, reader)) = QUANTITIES.iter().find(|(name, _)| Some(*name) == format) else {
            return number_or_text(schema, path, text, plain);
        };
        let bare = format == Packets::FORMAT && plain.parse::<f64>().is_ok();
        let quantity = if bare { format!("{plain} packets") } else { plain.to_owned() };
        let value = reader(&quantity).map_err(|e| format!("{path} = {plain}: {e}"))?;
        check(schema, "x-", value, Some(reader)).map_err(|range| format!("{path} = {plain}: {range}"))?;
        Ok(quantity.into())
    }

    /// The schema of a key of a table, behind references and alternatives.
    fn property<'a>(&'a self, schema: &'a Value, key: &str) -> Option<&'a Value> {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.property(self.root.pointer(reference.strip_prefix('#')?)?, key);
        }
        if let Some(found) = schema["properties"].get(key) {
            return Some(found);
        }
        let alternatives = ["anyOf", "oneOf", "allOf"].iter().filter_map(|word| schema[*word].as_array()).flatten();
        alternatives.into_iter().find_map(|alternative| self.property(alternative, key))
    }
}

fn number_or_text(schema: Option<&Value>, path: &str, text: &str, plain: &str) -> Result<Value, String> {
    if let Ok(switch) = text.parse::<bool>() {
        return Ok(switch.into());
    }
    let Ok(number) = text.parse::<f64>() else { return Ok(plain.into()) };
    check(schema, "", number, None).map_err(|range| format!("{path} = {text}: {range}"))?;
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(whole.into());
    }
    Number::from_f64(number).map(Value::Number).ok_or_else(|| format!("{path} = {text}: not a number"))
}

/// Whether a value is within a bound.
type Holds = fn(f64, f64) -> bool;

/// Whether a value is within the range of its schema; the words of the bound that it breaks.
fn check(schema: Option<&Value>, prefix: &str, value: f64, reader: Option<Reader>) -> Result<(), String> {
    let Some(schema) = schema else { return Ok(()) };
    let rules: [(&str, &str, Holds); 4] = [
        ("minimum", "at least", |value, bound| value >= bound),
        ("exclusiveMinimum", "above", |value, bound| value > bound),
        ("maximum", "at most", |value, bound| value <= bound),
        ("exclusiveMaximum", "below", |value, bound| value < bound),
    ];
    for (keyword, words, holds) in rules {
        let bound = &schema[format!("{prefix}{keyword}")];
        let limit = bound.as_f64().or_else(|| reader?(bound.as_str()?).ok());
        if limit.is_some_and(|limit| !holds(value, limit)) {
            let bound = bound.as_str().map_or_else(|| bound.to_string(), str::to_owned);
            return Err(format!("{words} {bound}"));
        }
    }
    Ok(())
}
