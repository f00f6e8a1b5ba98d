//! The schema, compiled for checking: what may stand where.
//!
//! The schema generated from the typed model is the only input; a key, kind or range added to a type anywhere appears
//! here by itself.

use std::cmp::Ordering;

use serde_json::Value as Json;

use super::quantity::Reader;
use crate::model::File;

/// What may stand in one place.
#[derive(Debug)]
pub(crate) enum Shape {
    Table(Table),
    /// Tables told apart by their key `kind`.
    Kinds(Vec<(String, Table)>),
    List {
        of: Box<Shape>,
        least: usize,
        most: usize,
    },
    Text,
    Bool,
    Words(Vec<String>),
    Quantity {
        reader: &'static Reader,
        range: Vec<Bound>,
    },
    Number {
        whole: bool,
        range: Vec<Bound>,
    },
    /// Any of these.
    Choice(Vec<Shape>),
    /// Anything: the schema says no more.
    Any,
}

/// Keys of a table.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub keys: Vec<(String, Key)>,
    /// Other keys may stand there too.
    pub open: bool,
}

/// What a key takes.
#[derive(Debug)]
pub(crate) struct Key {
    pub shape: Shape,
    pub required: bool,
    /// `null` stands for leaving the key out.
    pub nullable: bool,
}

/// One end of a range.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub side: Side,
    pub value: f64,
    /// The same where it is a whole number, exactly.
    pub whole: Option<i128>,
    /// As messages write it.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Least,
    Above,
    Most,
    Below,
}

impl Side {
    fn allows(self, order: Ordering) -> bool {
        match self {
            Self::Least => order.is_ge(),
            Self::Above => order.is_gt(),
            Self::Most => order.is_le(),
            Self::Below => order.is_lt(),
        }
    }
}

impl Bound {
    pub fn holds(&self, value: f64) -> bool {
        value.partial_cmp(&self.value).is_some_and(|order| self.side.allows(order))
    }

    /// For whole numbers, some of which no float tells apart.
    pub fn holds_whole(&self, value: i128) -> bool {
        self.whole.map_or_else(|| self.holds(value as f64), |bound| self.side.allows(value.cmp(&bound)))
    }

    pub fn say(&self) -> String {
        let word = match self.side {
            Side::Least => "at least",
            Side::Above => "above",
            Side::Most => "at most",
            Side::Below => "below",
        };
        format!("{word} {}", self.text)
    }
}

impl Table {
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|(k, _)| k == name).map(|(_, key)| key)
    }

    /// Keys that a person may mean; `$schema` is for editors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|(k, _)| k.as_str()).filter(|k| !k.starts_with('$'))
    }
}

/// The JSON Schema of the scenario file.
#[must_use]
pub fn schema() -> Json {
    schemars::schema_for!(File).to_value()
}

/// The shape of a whole file by its schema.
pub(crate) fn compile(schema: &Json) -> Shape {
    Compiler { defs: &schema["$defs"] }.shape(schema)
}

struct Compiler<'a> {
    defs: &'a Json,
}

impl Compiler<'_> {
    fn shape(&self, schema: &Json) -> Shape {
        let schema = &self.resolve(schema);
        if let Some(all) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Json::as_array) {
            return self.choice(all);
        }
        if let Some(words) = words(schema) {
            return Shape::Words(words);
        }
        match type_of(schema) {
            Some("object") => Shape::Table(self.table(schema)),
            Some("array") => Shape::List {
                of: Box::new(schema.get("items").map_or(Shape::Any, |s| self.shape(s))),
                least: schema["minItems"].as_u64().unwrap_or(0) as usize,
                most: schema["maxItems"].as_u64().map_or(usize::MAX, |n| n as usize),
            },
            Some("string") => match schema["format"].as_str().and_then(Reader::of) {
                Some(reader) => Shape::Quantity { reader, range: bounds(schema, Some(reader)) },
                None => Shape::Text,
            },
            Some(number @ ("number" | "integer")) => {
                Shape::Number { whole: number == "integer", range: bounds(schema, None) }
            }
            Some("boolean") => Shape::Bool,
            _ => Shape::Any,
        }
    }

    /// A schema with its reference followed; what stands beside the reference wins.
    fn resolve(&self, schema: &Json) -> Json {
        let Some(name) = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) else {
            return schema.clone();
        };
        let mut merged = self.resolve(&self.defs[name]);
        if let (Some(merged), Some(beside)) = (merged.as_object_mut(), schema.as_object()) {
            merged.extend(beside.iter().filter(|(k, _)| *k != "$ref").map(|(k, v)| (k.clone(), v.clone())));
        }
        merged
    }

    fn choice(&self, all: &[Json]) -> Shape {
        let all: Vec<Json> = all.iter().map(|s| self.resolve(s)).filter(|s| s["type"] != "null").collect();
        if let Some(lists) = all.iter().map(words).collect::<Option<Vec<_>>>() {
            return Shape::Words(lists.concat());
        }
        let kind = |s: &Json| s["properties"]["kind"]["const"].as_str().map(|kind| (kind.to_owned(), self.table(s)));
        if let Some(kinds) = all.iter().map(kind).collect::<Option<Vec<_>>>() {
            return Shape::Kinds(kinds);
        }
        let mut shapes: Vec<Shape> = all.iter().map(|s| self.shape(s)).collect();
        if shapes.len() == 1 { shapes.remove(0) } else { Shape::Choice(shapes) }
    }

    fn table(&self, schema: &Json) -> Table {
        let required = |name: &str| schema["required"].as_array().is_some_and(|r| r.iter().any(|k| k == name));
        let keys = schema["properties"].as_object().into_iter().flatten();
        Table {
            keys: keys
                .map(|(name, s)| {
                    let key = Key { shape: self.shape(s), required: required(name), nullable: self.nullable(s) };
                    (name.clone(), key)
                })
                .collect(),
            open: schema["additionalProperties"] != Json::Bool(false),
        }
    }

    fn nullable(&self, schema: &Json) -> bool {
        let schema = self.resolve(schema);
        let is_null = |s: &Json| s == "null" || s["type"] == "null";
        schema["type"].as_array().is_some_and(|t| t.iter().any(is_null))
            || schema["anyOf"].as_array().is_some_and(|a| a.iter().any(is_null))
    }
}

/// The type apart from `null`.
fn type_of(schema: &Json) -> Option<&str> {
    match &schema["type"] {
        Json::String(one) => Some(one),
        Json::Array(several) => several.iter().filter_map(Json::as_str).find(|t| *t != "null"),
        _ => None,
    }
}

/// The words of an enumeration.
fn words(schema: &Json) -> Option<Vec<String>> {
    if let Some(one) = schema["const"].as_str() {
        return Some(vec![one.to_owned()]);
    }
    let words = schema["enum"].as_array()?;
    Some(words.iter().filter_map(|w| w.as_str().map(str::to_owned)).collect())
}

/// Ranges: the standard's keywords, and for quantities `x-least`, `x-above`, `x-most`, `x-below`, whose values are
/// quantities or plain numbers in SI units.
fn bounds(schema: &Json, reader: Option<&Reader>) -> Vec<Bound> {
    let keywords = [
        ("minimum", Side::Least),
        ("exclusiveMinimum", Side::Above),
        ("maximum", Side::Most),
        ("exclusiveMaximum", Side::Below),
        ("x-least", Side::Least),
        ("x-above", Side::Above),
        ("x-most", Side::Most),
        ("x-below", Side::Below),
    ];
    let bound = |(keyword, side): (&str, Side)| {
        let given = &schema[keyword];
        let whole = given.as_u64().map(i128::from).or_else(|| given.as_i64().map(i128::from));
        let (value, text) = match (given, reader) {
            (Json::Number(n), Some(r)) => (n.as_f64()?, format!("{n} {}", r.base)),
            (Json::Number(n), None) => (n.as_f64()?, n.to_string()),
            (Json::String(s), Some(r)) => ((r.parse)(s).ok()?, s.clone()),
            _ => return None,
        };
        Some(Bound { side, value, whole, text })
    };
    keywords.into_iter().filter_map(bound).collect()
}
