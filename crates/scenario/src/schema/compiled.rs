//! The schema compiled for checking: which values are allowed where.
//!
//! The schema generated from the typed model is the only input; a key, kind or range added to a type anywhere appears
//! here without further code.

use std::cmp::Ordering;
use std::mem::discriminant;

use serde_json::Value as Json;

use super::quantity::Reader;
use crate::model::File;

/// The values allowed in one place.
#[derive(Debug)]
pub(crate) enum Schema {
    Table(Table),
    /// Tables distinguished by their key `kind`.
    Kinds(Vec<(String, Table)>),
    List {
        of: Box<Schema>,
        min: usize,
        max: usize,
    },
    Text,
    Bool,
    /// One of these strings.
    Enum(Vec<String>),
    Quantity {
        reader: &'static Reader,
        range: Vec<Bound>,
    },
    Number {
        whole: bool,
        range: Vec<Bound>,
    },
    /// One of these.
    Choice(Vec<Schema>),
    /// Anything: the schema does not restrict it.
    Any,
}

/// Keys of a table.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub keys: Vec<(String, Key)>,
    /// Other keys are allowed too.
    pub open: bool,
}

/// A key and its values.
#[derive(Debug)]
pub(crate) struct Key {
    pub schema: Schema,
    pub required: bool,
    /// `null` stands for leaving the key out.
    pub nullable: bool,
    /// An example of a text that has a form of its own.
    pub example: Option<String>,
    /// Its default, if it has one.
    pub default: Option<Json>,
}

impl Key {
    /// Whether a value given for `other` is meant for this key too: of the same type, and not in the place of another default.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let same_type = match (&self.schema, &other.schema) {
            (Schema::Quantity { reader, .. }, Schema::Quantity { reader: of_other, .. }) => {
                reader.format == of_other.format
            }
            (Schema::Enum(words), Schema::Enum(of_other)) => words == of_other,
            (a, b) => discriminant(a) == discriminant(b),
        };
        same_type && (self.default.is_none() || self.default == other.default)
    }
}

/// One bound of a range.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub side: Side,
    pub value: f64,
    /// The exact value if it is an integer.
    pub whole: Option<i128>,
    /// As messages show it.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Min,
    Above,
    Max,
    Below,
}

impl Side {
    fn allows(self, order: Ordering) -> bool {
        match self {
            Self::Min => order.is_ge(),
            Self::Above => order.is_gt(),
            Self::Max => order.is_le(),
            Self::Below => order.is_lt(),
        }
    }
}

impl Bound {
    pub fn holds(&self, value: f64) -> bool {
        value.partial_cmp(&self.value).is_some_and(|order| self.side.allows(order))
    }

    /// For integers, which a float may not represent exactly.
    pub fn holds_whole(&self, value: i128) -> bool {
        self.whole.map_or_else(|| self.holds(value as f64), |bound| self.side.allows(value.cmp(&bound)))
    }

    pub fn describe(&self) -> String {
        let word = match self.side {
            Side::Min => "at least",
            Side::Above => "above",
            Side::Max => "at most",
            Side::Below => "below",
        };
        format!("{word} {}", self.text)
    }
}

impl Schema {
    /// What stands at this dotted path; tables in lists are at the path of their list.
    pub fn at(&self, path: &str) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        let in_table = |table: &'_ Table| table.keys.iter().position(|(key, _)| key == name.trim());
        match self {
            Self::List { of, .. } => of.at(path),
            Self::Table(table) => table.keys[in_table(table)?].1.schema.at(rest),
            Self::Kinds(kinds) => kinds.iter().find_map(|(_, table)| table.keys[in_table(table)?].1.schema.at(rest)),
            Self::Choice(all) => all.iter().find_map(|each| each.at(path)),
            _ => None,
        }
    }

    /// Whether it is a list of tables.
    pub fn is_list_of_tables(&self) -> bool {
        matches!(self, Self::List { of, .. } if of.is_table())
    }

    /// Whether a table may stand there.
    pub fn is_table(&self) -> bool {
        match self {
            Self::Table(_) | Self::Kinds(_) => true,
            Self::Choice(all) => all.iter().any(Self::is_table),
            _ => false,
        }
    }
}

impl Table {
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|(k, _)| k == name).map(|(_, key)| key)
    }

    /// Keys for people; `$schema` is for editors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|(k, _)| k.as_str()).filter(|k| !k.starts_with('$'))
    }
}

/// The JSON Schema of the scenario file.
#[must_use]
pub fn json_schema() -> Json {
    schemars::schema_for!(File).to_value()
}

/// Compiles the JSON Schema of a whole file.
pub(crate) fn compile(schema: &Json) -> Schema {
    Compiler { defs: &schema["$defs"] }.compile(schema)
}

/// A schema with its references followed, without a copy: each may add keywords to the next, over which its own take precedence.
struct Resolved<'a>(Vec<&'a Json>);

impl<'a> Resolved<'a> {
    /// The value of a keyword; null if there is none.
    fn get(&self, keyword: &str) -> &'a Json {
        self.0.iter().find_map(|schema| schema.get(keyword)).unwrap_or(&Json::Null)
    }
}

struct Compiler<'a> {
    defs: &'a Json,
}

impl<'a> Compiler<'a> {
    fn compile(&self, schema: &'a Json) -> Schema {
        let schema = &self.resolve(schema);
        if let Some(all) = schema.get("oneOf").as_array().or_else(|| schema.get("anyOf").as_array()) {
            return self.choice(all);
        }
        if let Some(values) = enum_values(schema) {
            return Schema::Enum(values);
        }
        match type_of(schema) {
            Some("object") => Schema::Table(self.table(schema)),
            Some("array") => Schema::List {
                of: Box::new(match schema.get("items") {
                    Json::Null => Schema::Any,
                    items => self.compile(items),
                }),
                min: schema.get("minItems").as_u64().unwrap_or(0) as usize,
                max: schema.get("maxItems").as_u64().map_or(usize::MAX, |n| n as usize),
            },
            Some("string") => match schema.get("format").as_str().and_then(Reader::of) {
                Some(reader) => Schema::Quantity { reader, range: bounds(schema, Some(reader)) },
                None => Schema::Text,
            },
            Some(number @ ("number" | "integer")) => {
                Schema::Number { whole: number == "integer", range: bounds(schema, None) }
            }
            Some("boolean") => Schema::Bool,
            _ => Schema::Any,
        }
    }

    fn resolve(&self, mut schema: &'a Json) -> Resolved<'a> {
        let mut chain = vec![schema];
        while let Some(name) = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
            schema = &self.defs[name];
            chain.push(schema);
        }
        Resolved(chain)
    }

    fn choice(&self, all: &'a [Json]) -> Schema {
        let all: Vec<(&Json, Resolved<'_>)> =
            all.iter().map(|s| (s, self.resolve(s))).filter(|(_, s)| s.get("type") != "null").collect();
        if let Some(lists) = all.iter().map(|(_, s)| enum_values(s)).collect::<Option<Vec<_>>>() {
            return Schema::Enum(lists.concat());
        }
        let kind = |(_, s): &(&Json, Resolved<'a>)| {
            let kind = s.get("properties")["kind"]["const"].as_str()?;
            Some((kind.to_owned(), self.table(s)))
        };
        if let Some(kinds) = all.iter().map(kind).collect::<Option<Vec<_>>>() {
            return Schema::Kinds(kinds);
        }
        let mut alternatives: Vec<Schema> = all.iter().map(|(s, _)| self.compile(s)).collect();
        if alternatives.len() == 1 { alternatives.remove(0) } else { Schema::Choice(alternatives) }
    }

    fn table(&self, schema: &Resolved<'a>) -> Table {
        // what is required only where another key is missing has been filled in where it is not
        let required = |name: &str| {
            let lists = [schema.get("required"), &schema.get("then")["required"]];
            lists.iter().any(|list| list.as_array().is_some_and(|r| r.iter().any(|k| k == name)))
        };
        let keys = schema.get("properties").as_object().into_iter().flatten();
        Table {
            keys: keys
                .map(|(name, s)| {
                    let example = s["examples"][0].as_str().map(str::to_owned);
                    let (required, nullable) = (required(name), self.nullable(s));
                    let default = s.get("default").filter(|d| !d.is_null()).cloned();
                    let key = Key { schema: self.compile(s), required, nullable, example, default };
                    (name.clone(), key)
                })
                .collect(),
            open: schema.get("additionalProperties") != &Json::Bool(false),
        }
    }

    fn nullable(&self, schema: &'a Json) -> bool {
        let schema = self.resolve(schema);
        let is_null = |s: &Json| s == "null" || s["type"] == "null";
        schema.get("type").as_array().is_some_and(|t| t.iter().any(is_null))
            || schema.get("anyOf").as_array().is_some_and(|a| a.iter().any(is_null))
    }
}

/// The type other than `null`.
fn type_of<'a>(schema: &Resolved<'a>) -> Option<&'a str> {
    match schema.get("type") {
        Json::String(one) => Some(one),
        Json::Array(several) => several.iter().filter_map(Json::as_str).find(|t| *t != "null"),
        _ => None,
    }
}

/// The values of an enumeration of strings.
fn enum_values(schema: &Resolved<'_>) -> Option<Vec<String>> {
    if let Some(one) = schema.get("const").as_str() {
        return Some(vec![one.to_owned()]);
    }
    let values = schema.get("enum").as_array()?;
    Some(values.iter().filter_map(|w| w.as_str().map(str::to_owned)).collect())
}

/// Ranges: the standard's keywords, and for quantities the same with the prefix `x-`, whose values are quantities or
/// plain numbers in SI units.
fn bounds(schema: &Resolved<'_>, reader: Option<&Reader>) -> Vec<Bound> {
    let keywords = [
        ("minimum", Side::Min),
        ("exclusiveMinimum", Side::Above),
        ("maximum", Side::Max),
        ("exclusiveMaximum", Side::Below),
        ("x-minimum", Side::Min),
        ("x-exclusiveMinimum", Side::Above),
        ("x-maximum", Side::Max),
        ("x-exclusiveMaximum", Side::Below),
    ];
    let bound = |(keyword, side): (&str, Side)| {
        let given = schema.get(keyword);
        let whole = given.as_u64().map(i128::from).or_else(|| given.as_i64().map(i128::from));
        let (value, text) = match (given, reader) {
            (Json::Number(n), Some(r)) => (n.as_f64()?, format!("{n} {}", r.base)),
            (Json::Number(n), None) => (n.as_f64()?, n.to_string()),
            (Json::String(s), Some(r)) => ((r.parse)(s).ok()?, s.clone()),
            _ => return None,
        };
        Some(Bound { side, value, whole, text })
    };
    let mut found: Vec<Bound> = keywords.into_iter().filter_map(bound).collect();
    if schema.get("format") == "uint32" && found.iter().all(|b| !matches!(b.side, Side::Max | Side::Below)) {
        let max = u32::MAX;
        found.push(Bound { side: Side::Max, value: max.into(), whole: Some(max.into()), text: max.to_string() });
    }
    found
}
