//! What a scenario may set: declarations, and the values that a flow is given.

use std::fmt::Write as _;

use crate::json::{Value, quoted, table};
use crate::time::Time;

/// The type of a parameter, with its default as a scenario writes it.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Number(f64),
    Whole(i64),
    Flag(bool),
    Text(&'static str),
    Choice(&'static str, &'static [&'static str]),
    /// A text with a unit; the name of its quantity.
    Quantity(&'static str, &'static str),
}

/// A parameter with its default.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    name: &'static str,
    kind: Kind,
    range: Option<(f64, f64)>,
    required: bool,
    about: &'static str,
}

impl Parameter {
    const fn of(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, range: None, required: false, about: "" }
    }

    /// A number; [`Params::number`].
    #[must_use]
    pub const fn number(name: &'static str, default: f64) -> Self {
        Self::of(name, Kind::Number(default))
    }

    /// A whole number; [`Params::number`].
    #[must_use]
    pub const fn whole(name: &'static str, default: i64) -> Self {
        Self::of(name, Kind::Whole(default))
    }

    /// `true` or `false`; [`Params::flag`].
    #[must_use]
    pub const fn flag(name: &'static str, default: bool) -> Self {
        Self::of(name, Kind::Flag(default))
    }

    /// Any text; [`Params::text`].
    #[must_use]
    pub const fn text(name: &'static str, default: &'static str) -> Self {
        Self::of(name, Kind::Text(default))
    }

    /// One of these texts; [`Params::text`].
    #[must_use]
    pub const fn choice(name: &'static str, default: &'static str, choices: &'static [&'static str]) -> Self {
        Self::of(name, Kind::Choice(default, choices))
    }

    /// A time such as `"20 ms"`; [`Params::time`], or [`Params::number`] in seconds.
    #[must_use]
    pub const fn time(name: &'static str, default: &'static str) -> Self {
        Self::of(name, Kind::Quantity("time", default))
    }

    /// A rate such as `"10 Mbit/s"`; [`Params::number`] in bits per second.
    #[must_use]
    pub const fn rate(name: &'static str, default: &'static str) -> Self {
        Self::of(name, Kind::Quantity("rate", default))
    }

    /// A size such as `"1500 B"`; [`Params::number`] in bytes.
    #[must_use]
    pub const fn bytes(name: &'static str, default: &'static str) -> Self {
        Self::of(name, Kind::Quantity("bytes", default))
    }

    /// A number of packets such as `"8 packets"`; [`Params::number`].
    #[must_use]
    pub const fn packets(name: &'static str, default: &'static str) -> Self {
        Self::of(name, Kind::Quantity("packets", default))
    }

    /// Limits of a number, themselves included.
    #[must_use]
    pub const fn range(mut self, min: f64, max: f64) -> Self {
        self.range = Some((min, max));
        self
    }

    /// A scenario must set it; the default is not used.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// What it is, for the schema.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    fn schema(&self) -> String {
        let (kind, default) = match self.kind {
            Kind::Number(default) => ("\"type\":\"number\"".to_owned(), format!("{default:?}")),
            Kind::Whole(default) => ("\"type\":\"integer\"".to_owned(), default.to_string()),
            Kind::Flag(default) => ("\"type\":\"boolean\"".to_owned(), default.to_string()),
            Kind::Text(default) => ("\"type\":\"string\"".to_owned(), quoted(default)),
            Kind::Choice(default, choices) => {
                let choices: Vec<String> = choices.iter().map(|c| quoted(c)).collect();
                (format!("\"type\":\"string\",\"enum\":[{}]", choices.join(",")), quoted(default))
            }
            Kind::Quantity(format, default) => {
                (format!("\"type\":\"string\",\"format\":{}", quoted(format)), quoted(default))
            }
        };
        let mut schema = format!("{{{kind}");
        if !self.about.is_empty() {
            write!(schema, ",\"description\":{}", quoted(self.about)).expect("strings grow");
        }
        if let Some((min, max)) = self.range {
            write!(schema, ",\"minimum\":{min:?},\"maximum\":{max:?}").expect("strings grow");
        }
        if !self.required {
            write!(schema, ",\"default\":{default}").expect("strings grow");
        }
        schema + "}"
    }
}

/// JSON Schema of a table of these parameters.
pub(crate) fn schema(parameters: &[Parameter]) -> String {
    let properties: Vec<String> = parameters.iter().map(|p| format!("{}:{}", quoted(p.name), p.schema())).collect();
    let required: Vec<String> = parameters.iter().filter(|p| p.required).map(|p| quoted(p.name)).collect();
    format!(
        "{{\"type\":\"object\",\"properties\":{{{}}},\"required\":[{}],\"additionalProperties\":false}}",
        properties.join(","),
        required.join(",")
    )
}

/// The values of a flow's parameters, defaults included.
#[derive(Debug, Clone, Default)]
pub struct Params {
    values: Vec<(String, Value)>,
}

impl Params {
    /// Reads a JSON table of plain values; None if `text` is none. Quantities are numbers in SI units.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        table(text).map(|values| Self { values })
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// A number, or a quantity in SI units.
    ///
    /// # Panics
    /// There is no such parameter.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(Value::Number(number)) => *number,
            other => panic!("parameter {name} is no number but {other:?}"),
        }
    }

    /// A time.
    ///
    /// # Panics
    /// There is no such parameter.
    #[must_use]
    pub fn time(&self, name: &str) -> Time {
        Time::from_secs_f64(self.number(name))
    }

    /// A flag.
    ///
    /// # Panics
    /// There is no such parameter.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Flag(flag)) => *flag,
            other => panic!("parameter {name} is no flag but {other:?}"),
        }
    }

    /// A text.
    ///
    /// # Panics
    /// There is no such parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Some(Value::Text(text)) => text,
            other => panic!("parameter {name} is no text but {other:?}"),
        }
    }
}
