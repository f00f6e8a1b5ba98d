//! A tree held against the shape of a file: every key, type, word, unit and range.

use super::near::{did_you_mean, listed};
use super::quantity::Reader;
use super::shape::{Bound, Shape, Table};
use crate::diagnostic::Report;
use crate::tree::{Node, Step, Value, short};

/// Reports every mistake in `node`, which `path` leads to.
pub(crate) fn walk<'a>(
    root: &'a Node,
    path: &mut Vec<Step<'a>>,
    node: &'a Node,
    shape: &Shape,
    report: &mut Report<'_>,
) {
    Walker { root, path, report }.value(node, shape);
}

struct Walker<'a, 'w, 'r> {
    root: &'a Node,
    path: &'w mut Vec<Step<'a>>,
    report: &'w mut Report<'r>,
}

impl<'a> Walker<'a, '_, '_> {
    fn wrong(&mut self, node: &Node, message: String, hint: Option<String>) {
        self.report.add(node.at, self.root, self.path, message, hint);
    }

    fn value(&mut self, node: &'a Node, shape: &Shape) {
        match (shape, &node.value) {
            (Shape::Any, _) | (Shape::Text, Value::Text(_)) | (Shape::Bool, Value::Bool(_)) => {}
            (Shape::Table(table), Value::Table(_)) => self.table(node, table),
            (Shape::Kinds(kinds), Value::Table(_)) => self.kinds(node, kinds),
            (Shape::List { of, least, most }, Value::List(items)) => {
                if items.len() < *least {
                    self.wrong(node, format!("{} items; at least {least}", items.len()), None);
                } else if items.len() > *most {
                    self.wrong(node, format!("{} items; at most {most}", items.len()), None);
                }
                for (i, item) in items.iter().enumerate() {
                    self.path.push(Step::Item(i));
                    self.value(item, of);
                    self.path.pop();
                }
            }
            (Shape::Words(words), Value::Text(word)) => {
                if !words.contains(word) {
                    let known = || words.iter().map(String::as_str);
                    let message = format!("unknown word {}; one of {}", node.show(), listed(known()));
                    self.wrong(node, message, did_you_mean(word, known()));
                }
            }
            (Shape::Quantity { reader, range }, Value::Text(text)) => self.quantity(node, text, reader, range),
            (Shape::Quantity { reader, .. }, Value::Integer(_) | Value::Float(_)) => {
                let units = (reader.symbols)().join(", ");
                let message = format!("{} is a bare number; {} needs a unit: {units}", node.show(), reader.what);
                self.wrong(node, message, Some(format!("write it in quotes, as in \"{}\"", reader.example)));
            }
            (Shape::Number { whole, range }, Value::Integer(_) | Value::Float(_)) => self.number(node, *whole, range),
            (Shape::Choice(shapes), Value::Text(text)) if unknown_word(shapes, text).is_some() => {
                let known = unknown_word(shapes, text).into_iter().flatten().map(String::as_str);
                let message = format!("unknown word {}; {} is needed", node.show(), describe(shape));
                self.wrong(node, message, did_you_mean(text, known));
            }
            (Shape::Choice(shapes), _) => match shapes.iter().find(|s| suits(s, &node.value)) {
                Some(shape) => self.value(node, shape),
                None => self.wrong_type(node, shape),
            },
            _ => self.wrong_type(node, shape),
        }
    }

    fn wrong_type(&mut self, node: &Node, shape: &Shape) {
        let hint = match (shape, &node.value) {
            (Shape::Number { .. }, Value::Text(text)) if text.trim().parse::<f64>().is_ok() => {
                Some(format!("write it without quotes: {}", text.trim()))
            }
            (Shape::Bool, Value::Text(text)) if matches!(text.trim(), "true" | "false") => {
                Some(format!("write it without quotes: {}", text.trim()))
            }
            (Shape::List { of, .. }, Value::Text(text)) if matches!(**of, Shape::Text) => {
                Some(format!("write it in brackets: [\"{}\"]", short(text)))
            }
            (Shape::List { of, .. }, Value::Table(_)) if matches!(**of, Shape::Table(_)) => {
                let key = self.path.iter().rev().find_map(|s| if let Step::Key(k) = s { Some(*k) } else { None });
                key.map(|k| format!("write the table with two brackets: [[{k}]]"))
            }
            (Shape::Kinds(kinds), Value::Text(word)) => {
                let kind = kinds.iter().find(|(k, _)| k == word).or(kinds.first());
                kind.map(|(k, _)| format!("write a table: {{ kind = \"{k}\" }}"))
            }
            (_, Value::Null) => Some("leave the key out for its default".to_owned()),
            _ => None,
        };
        self.wrong(node, format!("{}; {} is needed", node.show(), describe(shape)), hint);
    }

    fn table(&mut self, node: &'a Node, table: &Table) {
        for entry in node.entries() {
            self.path.push(Step::Key(&entry.key));
            match table.key(&entry.key) {
                Some(key) if key.nullable && matches!(entry.node.value, Value::Null) => {}
                Some(key) => {
                    let before = self.report.count();
                    self.value(&entry.node, &key.shape);
                    // "unlimited" and the like where leaving the key out says so
                    let word = entry.node.text().is_some_and(|t| matches!(t.trim(), "unlimited" | "none" | "never"));
                    if word && key.nullable && self.report.count() > before {
                        self.report.hint_last("leave the key out");
                    }
                }
                None if table.open => {}
                None => {
                    let message = format!("unknown key; one of {}", listed(table.names()));
                    let hint = did_you_mean(&entry.key, table.names());
                    self.report.add(entry.at, self.root, self.path, message, hint);
                }
            }
            self.path.pop();
        }
        for (name, key) in &table.keys {
            if key.required && node.entry(name).is_none() {
                let message = format!("the key {name} is missing: {}", describe(&key.shape));
                self.wrong(node, message, example(&key.shape).map(|e| format!("{name} = {e}")));
            }
        }
    }

    fn kinds(&mut self, node: &'a Node, kinds: &[(String, Table)]) {
        let known = || kinds.iter().map(|(k, _)| k.as_str());
        let Some(kind) = node.get("kind") else {
            let hint = Some(format!("kind = \"{}\"", kinds[0].0));
            return self.wrong(node, format!("the key kind is missing: one of {}", listed(known())), hint);
        };
        if let Some((_, table)) = kinds.iter().find(|(k, _)| kind.text() == Some(k)) {
            return self.table(node, table);
        }
        if let (Some(Step::Key("controller")), Some(word)) = (self.path.last(), kind.text()) {
            self.report.unknown_controller(word);
        }
        self.path.push(Step::Key("kind"));
        let hint = kind.text().and_then(|word| did_you_mean(word, known()));
        self.wrong(kind, format!("unknown kind {}; one of {}", kind.show(), listed(known())), hint);
        self.path.pop();
    }

    fn quantity(&mut self, node: &Node, text: &str, reader: &Reader, range: &[Bound]) {
        match (reader.parse)(text) {
            Err(error) if error.starts_with("negative") => {
                let bounds = [vec!["at least 0".to_owned()], range.iter().map(Bound::say).collect()].concat();
                self.wrong(node, format!("{} is out of range; {}", node.show(), bounds.join(", ")), None);
            }
            Err(error) if !range.is_empty() && error.starts_with("too large") => self.range(node, range, |_| false),
            Err(error) => {
                let message = format!("{} is not {}: {error}", node.show(), reader.what);
                let known = (reader.symbols)().iter().any(|s| text.trim().ends_with(&format!(" {s}")));
                let example = || (!known).then(|| format!("as in \"{}\"", reader.example));
                self.wrong(node, message, reader.hint(text).or_else(example));
            }
            Ok(value) => self.range(node, range, |bound| bound.holds(value)),
        }
    }

    fn number(&mut self, node: &Node, whole: bool, range: &[Bound]) {
        let (value, is_whole) = match node.value {
            Value::Integer(n) => (n as f64, true),
            Value::Float(f) => (f, f.fract() == 0.0),
            _ => return,
        };
        if !value.is_finite() {
            self.wrong(node, format!("{}; a finite number is needed", node.show()), None);
        } else if whole && !is_whole {
            self.wrong(node, format!("{}; a whole number is needed", node.show()), None);
        } else if let Value::Integer(n) = node.value {
            self.range(node, range, |bound| bound.holds_whole(n));
        } else {
            self.range(node, range, |bound| bound.holds(value));
        }
    }

    fn range(&mut self, node: &Node, range: &[Bound], holds: impl Fn(&Bound) -> bool) {
        if !range.iter().all(holds) {
            let allowed = range.iter().map(Bound::say).collect::<Vec<_>>().join(", ");
            self.wrong(node, format!("{} is out of range; {allowed}", node.show()), None);
        }
    }
}

/// The words of a choice that takes words as its only text, where `text` is none of them.
fn unknown_word<'s>(shapes: &'s [Shape], text: &str) -> Option<&'s Vec<String>> {
    match shapes.iter().find(|s| suits(s, &Value::Text(String::new()))) {
        Some(Shape::Words(words)) => Some(words).filter(|words| words.iter().all(|w| w != text)),
        _ => None,
    }
}

/// Whether a value is of the shape's type, right or wrong within it.
fn suits(shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Table(_) | Shape::Kinds(_) => matches!(value, Value::Table(_)),
        Shape::List { .. } => matches!(value, Value::List(_)),
        Shape::Text | Shape::Words(_) | Shape::Quantity { .. } => matches!(value, Value::Text(_)),
        Shape::Bool => matches!(value, Value::Bool(_)),
        Shape::Number { .. } => matches!(value, Value::Integer(_) | Value::Float(_)),
        Shape::Choice(shapes) => shapes.iter().any(|s| suits(s, value)),
    }
}

/// What a shape takes, in words.
fn describe(shape: &Shape) -> String {
    match shape {
        Shape::Table(table) => format!("a table with {}", listed(table.names())),
        Shape::Kinds(kinds) => format!("a table with a kind, one of {}", listed(kinds.iter().map(|(k, _)| k.as_str()))),
        Shape::List { of, .. } => format!("a list of {}", plural(of)),
        Shape::Text => "text".to_owned(),
        Shape::Bool => "true or false".to_owned(),
        Shape::Words(words) if words.len() == 1 => words[0].clone(),
        Shape::Words(words) => format!("one of {}", listed(words.iter().map(String::as_str))),
        Shape::Quantity { reader, .. } => format!("{} with its unit", reader.what),
        Shape::Number { whole: true, .. } => "a whole number".to_owned(),
        Shape::Number { .. } => "a number".to_owned(),
        Shape::Choice(shapes) => shapes.iter().map(describe).collect::<Vec<_>>().join(", or "),
        Shape::Any => "a value".to_owned(),
    }
}

fn plural(shape: &Shape) -> &'static str {
    match shape {
        Shape::Table(_) | Shape::Kinds(_) => "tables",
        Shape::Text => "names",
        _ => "values",
    }
}

/// What could be written where a required key is missing.
fn example(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Quantity { reader, .. } => Some(format!("\"{}\"", reader.example)),
        Shape::Kinds(kinds) => Some(format!("{{ kind = \"{}\" }}", kinds.first()?.0)),
        Shape::Words(words) => Some(format!("\"{}\"", words.first()?)),
        Shape::Text => Some("\"...\"".to_owned()),
        Shape::List { of, .. } if matches!(**of, Shape::Text) => Some("[\"...\"]".to_owned()),
        _ => None,
    }
}
