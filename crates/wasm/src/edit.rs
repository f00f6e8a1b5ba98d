//! Changes of single values in a scenario's text, which leave the rest of the text, comments included, as it is.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};
use wasm_bindgen::prelude::*;

use crate::errors::error;

/// Sets the value at a path of keys and indices (`["flow", "0", "controller", "kind"]`) to a TOML literal, or removes the key if there
/// is no literal. Tables on the way that do not exist are made.
///
/// # Errors
/// The text is not TOML, or the path crosses a value that is no table.
#[wasm_bindgen]
pub fn edit(text: &str, path: Vec<String>, literal: Option<String>) -> Result<String, JsValue> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    edited(text, &path, literal.as_deref()).map_err(|e| error("EditError", &e))
}

/// As [`edit`].
///
/// # Errors
/// A message.
pub fn edited(text: &str, path: &[&str], literal: Option<&str>) -> Result<String, String> {
    let result = {
        let root = DeTable::parse(text).map_err(|e| format!("not TOML: {}", e.message()))?;
        change(text, root.get_ref(), None, path, literal)?
    };
    DeTable::parse(&result).map_err(|e| format!("the change would not be TOML: {}", e.message()))?;
    Ok(result)
}

/// Applies the change to `table`; `whole` is its text if it is written inline, in braces.
fn change(
    text: &str,
    table: &DeTable<'_>,
    whole: Option<Range<usize>>,
    path: &[&str],
    literal: Option<&str>,
) -> Result<String, String> {
    let [key, rest @ ..] = path else { return Err("an empty path".to_owned()) };
    let found = table.iter().find(|(k, _)| k.get_ref() == key);
    let Some((name, value)) = found else {
        return Ok(match literal {
            Some(literal) => inserted(text, table, whole, key, &nested(rest, literal)),
            None => text.to_owned(),
        });
    };
    if rest.is_empty() {
        return match literal {
            Some(literal) => Ok(spliced(text, value.span(), literal)),
            None => Ok(removed(text, name, value, whole.is_some())),
        };
    }
    descend(text, value, rest, literal)
}

fn descend(text: &str, value: &Spanned<DeValue<'_>>, path: &[&str], literal: Option<&str>) -> Result<String, String> {
    match value.get_ref() {
        DeValue::Table(inner) => change(text, inner, braces(text, value), path, literal),
        DeValue::Array(items) => {
            let item = path[0].parse().ok().and_then(|i: usize| items.get(i));
            let item = item.ok_or_else(|| format!("there is no item {}", path[0]))?;
            match &path[1..] {
                [] => literal.map_or_else(
                    || Err("items of a list are not removed".to_owned()),
                    |literal| Ok(spliced(text, item.span(), literal)),
                ),
                rest => descend(text, item, rest, literal),
            }
        }
        _ => Err(format!("there is no {} in a value", path[0])),
    }
}

/// The span of a table that is written in braces.
fn braces(text: &str, value: &Spanned<DeValue<'_>>) -> Option<Range<usize>> {
    let span = value.span();
    text[span.clone()].starts_with('{').then_some(span)
}

/// `literal` inside tables of these keys.
fn nested(keys: &[&str], literal: &str) -> String {
    keys.iter().rev().fold(literal.to_owned(), |inner, key| format!("{{ {} = {inner} }}", quoted(key)))
}

fn quoted(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { key.to_owned() } else { format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\"")) }
}

fn spliced(text: &str, span: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..span.start], &text[span.end..])
}

/// Adds a key: at the end of an inline table, else on a line of its own after the table's last value.
fn inserted(text: &str, table: &DeTable<'_>, whole: Option<Range<usize>>, key: &str, literal: &str) -> String {
    let entry = format!("{} = {literal}", quoted(key));
    if let Some(whole) = whole {
        let inside = text[whole.start + 1..whole.end - 1].trim_end();
        let at = whole.start + 1 + inside.len();
        let separator = if inside.trim().is_empty() || inside.ends_with(',') { " " } else { ", " };
        let tail = if text[at..].starts_with('}') { " " } else { "" };
        return spliced(text, at..at, &format!("{separator}{entry}{tail}"));
    }
    let written_here = |v: &Spanned<DeValue<'_>>| match v.get_ref() {
        DeValue::Table(_) => braces(text, v).is_some(),
        // tables of a list with headers of their own are elsewhere
        DeValue::Array(items) => {
            !items.iter().any(|i| matches!(i.get_ref(), DeValue::Table(_)) && braces(text, i).is_none())
        }
        _ => true,
    };
    let last = table.iter().filter(|(_, v)| written_here(v)).map(|(_, v)| v.span().end).max();
    match last {
        Some(last) => {
            let at = text[last..].find('\n').map_or(text.len(), |n| last + n);
            spliced(text, at..at, &format!("\n{entry}"))
        }
        None => format!("{entry}\n{text}"),
    }
}

/// Removes a key with its value: the whole line, or the entry of an inline table with a comma.
fn removed(text: &str, name: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>, inline: bool) -> String {
    let (start, end) = (name.span().start, value.span().end);
    if !inline {
        let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
        let next = text[end..].find('\n').map_or(text.len(), |n| end + n + 1);
        return spliced(text, line..next, "");
    }
    let after = text[end..].len() - text[end..].trim_start().len();
    if text[end + after..].starts_with(',') {
        let rest = &text[end + after + 1..];
        let space = rest.len() - rest.trim_start().len();
        return spliced(text, start..end + after + 1 + space, "");
    }
    let before = text[..start].trim_end();
    let from = before.strip_suffix(',').map_or(start, |b| b.trim_end().len());
    spliced(text, from..end, "")
}
