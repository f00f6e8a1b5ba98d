//! TOML to a tree.

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::diagnostic::Report;
use crate::schema::Schema;
use crate::tree::{At, Entry, Node, Value};

/// Maximum number of syntax errors reported, because one often causes others.
const MAX_ERRORS: usize = 5;

pub(super) fn read(text: &str, schema: &Schema, report: &mut Report<'_>) -> Option<Node> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Some(Node { value: entries(table.get_ref(), None), at: At::Offset(0) });
    }
    let json =
        text.trim_start().starts_with('{').then(|| "JSON is read from files whose names end in .json".to_owned());
    let mut reported = Vec::new();
    for error in &errors {
        let at = error.span().map_or(0, |s| s.start);
        if reported.len() < MAX_ERRORS && !reported.contains(&at) {
            reported.push(at);
            report.raw(
                At::Offset(at),
                "",
                format!("not TOML: {}", error.message()),
                json.clone().or_else(|| hint(text, at, error.message(), schema)),
            );
            if json.is_some() {
                break;
            }
        }
    }
    None
}

/// What to write instead, for mistakes that are common.
fn hint(text: &str, at: usize, message: &str, schema: &Schema) -> Option<String> {
    let (before, rest) = text.split_at_checked(at)?;
    if rest.starts_with(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        return Some("texts have straight quotes: \"...\"".to_owned());
    }
    if message != "duplicate key" {
        return None;
    }
    // a header of bare keys, and the second of two the same in it
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = text[line_start..].lines().next()?.trim_start();
    let (name, after) = line.strip_prefix('[')?.split_once(']')?;
    let double = name.starts_with('[');
    let name = name.trim_start_matches('[').trim();
    let is_bare = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !is_bare || !after.trim_start_matches(']').trim_start().is_empty() && !after.contains('#') {
        return None;
    }
    let schema = schema.at(name)?;
    let last = name.rsplit('.').next()?;
    let is_written_out =
        |line: &str| line.trim_start().strip_prefix(last).is_some_and(|rest| rest.trim_start().starts_with('='));
    if schema.is_list_of_tables() {
        return Some(if double || before.lines().any(is_written_out) {
            format!("write every table of {name} as [[{name}]], or all of them in one list: {last} = [...]")
        } else {
            format!("where there are several, each has two brackets: [[{name}]]")
        });
    }
    schema.is_table().then(|| format!("there is one [{name}], with the keys of both"))
}

/// Whether the text is TOML and not empty.
pub(super) fn is_document(text: &str) -> bool {
    DeTable::parse(text).is_ok_and(|table| !table.get_ref().is_empty())
}

/// A single TOML value; none if the text is anything else.
pub(crate) fn value(text: &str, at: At) -> Option<Node> {
    let document = format!("v = {text}");
    let table = DeTable::parse(&document).ok()?;
    match table.get_ref().iter().next() {
        Some((_, v)) if table.get_ref().len() == 1 => Some(node(v, Some(at))),
        _ => None,
    }
}

/// The value as a tree; all positions are `at` if given.
fn node(spanned: &Spanned<DeValue<'_>>, at: Option<At>) -> Node {
    let place = at.unwrap_or(At::Offset(spanned.span().start));
    let value = match spanned.get_ref() {
        DeValue::String(s) => Value::Text(s.to_string()),
        // an integer out of range is out of range for every key: as a float it is reported with its size
        DeValue::Integer(n) => i128::from_str_radix(n.as_str(), n.radix())
            .map_or_else(|_| Value::Float(n.as_str().parse().unwrap_or(f64::INFINITY)), Value::Integer),
        DeValue::Float(f) => Value::Float(f.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Datetime(d) => Value::Date(d.to_string()),
        DeValue::Array(items) => Value::List(items.iter().map(|v| node(v, at)).collect()),
        DeValue::Table(table) => entries(table, at),
    };
    Node { value, at: place }
}

fn entries(table: &DeTable<'_>, at: Option<At>) -> Value {
    let entry = |(k, v): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| Entry {
        key: k.get_ref().to_string(),
        at: at.unwrap_or(At::Offset(k.span().start)),
        node: node(v, at),
    };
    Value::Table(table.iter().map(entry).collect())
}
