//! What a plugin says about itself, and its parameters.

use eddyline_cc::{EcnFeedback, ParamTable, Properties};
use eddyline_units::{Bytes, Frequency, Packets, Percent, Quantity, Rate, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A plugin's description, as it is in JSON.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Description {
    pub name: String,
    #[serde(default)]
    pub summary: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    accurate_ecn: bool,
    #[serde(default)]
    delay_based: bool,
    /// JSON Schema of its parameters.
    #[serde(default = "no_parameters")]
    pub parameters: Value,
}

/// Formats of quantities.
const QUANTITIES: [&str; 6] = ["time", "rate", "bytes", "packets", "frequency", "percent"];

fn no_parameters() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// Parameters in both forms.
pub(crate) struct Values {
    /// As in the canonical scenario.
    pub canonical: ParamTable,
    /// As a plugin gets them: defaults included, quantities as numbers in SI units.
    pub plain: ParamTable,
}

impl Description {
    /// Reads a description.
    pub fn read(text: &str) -> Result<Self, String> {
        let read: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        // both are found when the library is loaded, not in a scenario
        for (name, schema) in read.entries() {
            let format = schema.get("format").and_then(Value::as_str).filter(|format| QUANTITIES.contains(format));
            if let (Some(format), true) = (format, schema.get("type").is_some_and(takes_numbers)) {
                return Err(format!(
                    "parameter {name}: with \"format\": {format:?} it is a quantity, which has \"type\": \"string\" and a default with its unit"
                ));
            }
        }
        let defaults = read.entries().filter_map(|(name, schema)| Some((name, schema, schema.get("default")?)));
        for (name, schema, default) in defaults {
            forms(schema, default).map_err(|e| format!("the default of parameter {name}: {e}"))?;
        }
        Ok(read)
    }

    pub fn properties(&self) -> Properties {
        Properties {
            ecn: if self.accurate_ecn { EcnFeedback::Accurate } else { EcnFeedback::Classic },
            delay_based: self.delay_based,
            ..Properties::DEFAULT
        }
    }

    fn entries(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.parameters.get("properties").and_then(Value::as_object).into_iter().flatten()
    }

    /// The values of a table that is valid by the schema.
    pub fn values(&self, table: &ParamTable) -> Result<Values, String> {
        let mut values = Values { canonical: table.clone(), plain: table.clone() };
        for (name, schema) in self.entries() {
            let Some(value) = table.get(name).or_else(|| schema.get("default")) else { continue };
            let (canonical, plain) = forms(schema, value).map_err(|e| format!("{name}: {e}"))?;
            values.canonical.insert(name.clone(), canonical);
            values.plain.insert(name.clone(), plain);
        }
        Ok(values)
    }
}

/// Whether a type of JSON Schema, or one of several, is a number.
fn takes_numbers(of: &Value) -> bool {
    match of {
        Value::Array(several) => several.iter().any(takes_numbers),
        of => of == "number" || of == "integer",
    }
}

/// The canonical and the plain form of a value.
fn forms(schema: &Value, value: &Value) -> Result<(Value, Value), String> {
    let format = schema.get("format").and_then(Value::as_str);
    match (format, value) {
        (Some("time"), Value::String(text)) => quantity::<Time>(text),
        (Some("rate"), Value::String(text)) => quantity::<Rate>(text),
        (Some("bytes"), Value::String(text)) => quantity::<Bytes>(text),
        (Some("packets"), Value::String(text)) => quantity::<Packets>(text),
        (Some("frequency"), Value::String(text)) => quantity::<Frequency>(text),
        (Some("percent"), Value::String(text)) => quantity::<Percent>(text),
        _ if schema["type"] == "number" => {
            let number = json!(value.as_f64().ok_or_else(|| format!("{value} is not a number"))?);
            Ok((number.clone(), number))
        }
        _ => Ok((value.clone(), value.clone())),
    }
}

fn quantity<Q: Quantity + Serialize>(text: &str) -> Result<(Value, Value), String> {
    let value = Q::parse(text).map_err(|e| format!("{text:?}: {e}"))?;
    let canonical = serde_json::to_value(value).map_err(|e| e.to_string())?;
    Ok((canonical, json!(value.si())))
}
