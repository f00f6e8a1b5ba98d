//! Strict JSON to a tree.

use std::collections::HashSet;

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::diagnostic::Report;
use crate::tree::{At, Entry, Node, Value, quoted};

/// JSON as in RFC 8259, without extensions.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn read(text: &str, report: &mut Report<'_>) -> Option<Node> {
    match parse_to_ast(text, &CollectOptions::default(), &STRICT) {
        Ok(parsed) => {
            if let Some(value) = parsed.value {
                let tree = node(value, report);
                return report.is_clean().then_some(tree);
            }
            report.raw(At::Offset(0), "", "not JSON: nothing in it", None);
        }
        Err(error) => {
            let message = format!("not JSON: {}", error.kind());
            let hint = super::toml::is_document(text)
                .then(|| "TOML is read from files whose names do not end in .json".to_owned());
            report.raw(At::Offset(error.range().start), "", message, hint);
        }
    }
    None
}

fn node(value: ast::Value<'_>, report: &mut Report<'_>) -> Node {
    use jsonc_parser::common::Ranged as _;
    let at = At::Offset(value.start());
    let value = match value {
        ast::Value::StringLit(s) => Value::Text(s.value.into_owned()),
        ast::Value::NumberLit(n) => number(n.value),
        ast::Value::BooleanLit(b) => Value::Bool(b.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => Value::List(array.elements.into_iter().map(|v| node(v, report)).collect()),
        ast::Value::Object(object) => {
            let mut seen = HashSet::new();
            let mut entries = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let at = At::Offset(property.name.start());
                let key = property.name.into_string();
                if !seen.insert(key.clone()) {
                    report.raw(at, "", format!("the key {} stands here twice", quoted(&key)), None);
                }
                entries.push(Entry { key, at, node: node(property.value, report) });
            }
            Value::Table(entries)
        }
    };
    Node { value, at }
}

fn number(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::Float(text.parse().unwrap_or(f64::NAN)), Value::Integer)
}
