//! Validation of a tree against the schema: every key, type, enumerated value, unit and range.

use std::fmt::Write as _;

use eddyline_units::{Percent, Quantity as _};

use super::compiled::{Bound, Key, Schema, Side, Table};
use super::quantity::Reader;
use crate::diagnostic::Report;
use crate::suggestion::{did_you_mean, listed, nearest};
use crate::tree::{Entry, MAX_WHOLE, Node, Step, Value, quoted};

/// Names of a list that a hint shows.
const MAX_NAMES: usize = 5;

/// Kinds that a hint shows.
const MAX_KINDS: usize = 3;

/// Reports every validation error in `node`, which is at `path`.
pub(crate) fn validate<'a>(
    root: &'a Node,
    path: &mut Vec<Step<'a>>,
    node: &'a Node,
    schema: &Schema,
    report: &mut Report<'_>,
) {
    Validator { root, path, report, enclosing: Vec::new() }.value(node, schema);
}

struct Validator<'a, 's, 'w, 'r> {
    root: &'a Node,
    path: &'w mut Vec<Step<'a>>,
    report: &'w mut Report<'r>,
    /// The tables around the current one, from the outermost.
    enclosing: Vec<(&'a Node, &'s Table)>,
}

impl<'a, 's> Validator<'a, 's, '_, '_> {
    fn wrong(&mut self, node: &Node, message: String, hint: Option<String>) {
        self.report.add(node.at, self.root, self.path, message, hint);
    }

    fn value(&mut self, node: &'a Node, schema: &'s Schema) {
        match (schema, &node.value) {
            (Schema::Any, _) | (Schema::Text, Value::Text(_)) | (Schema::Bool, Value::Bool(_)) => {}
            (Schema::Table(table), Value::Table(_)) => self.table(node, table),
            (Schema::Kinds(kinds), Value::Table(_)) => self.kinds(node, kinds),
            (Schema::List { of, min, max }, Value::List(items)) => {
                if items.len() < *min {
                    self.wrong(node, format!("{} items; at least {min}", items.len()), None);
                } else if items.len() > *max {
                    self.wrong(node, format!("{} items; at most {max}", items.len()), None);
                }
                for (i, item) in items.iter().enumerate() {
                    self.path.push(Step::Item(i));
                    self.value(item, of);
                    self.path.pop();
                }
            }
            (Schema::Enum(words), Value::Text(word)) => {
                if !words.contains(word) {
                    let known = || words.iter().map(String::as_str);
                    let message = format!("unknown value {}; one of {}", node.show(), listed(known()));
                    self.wrong(node, message, did_you_mean(word, known()));
                }
            }
            (Schema::Quantity { reader, range }, Value::Text(text)) => self.quantity(node, text, reader, range),
            (Schema::Quantity { reader, .. }, Value::Integer(_) | Value::Float(_)) => {
                let units = (reader.symbols)().join(", ");
                let message = format!("{} is a bare number; {} needs a unit: {units}", node.show(), reader.what);
                self.wrong(node, message, Some(format!("write it in quotes, as in \"{}\"", reader.example)));
            }
            (Schema::Number { whole, range }, Value::Integer(_) | Value::Float(_)) => self.number(node, *whole, range),
            (Schema::Choice(alternatives), Value::Text(text)) if unknown_value(alternatives, text).is_some() => {
                let known = unknown_value(alternatives, text).into_iter().flatten().map(String::as_str);
                let message = format!("unknown value {}; {} is needed", node.show(), describe(schema));
                self.wrong(node, message, did_you_mean(text, known));
            }
            (Schema::Choice(alternatives), _) => match alternatives.iter().find(|s| has_type(s, &node.value)) {
                Some(chosen) => {
                    let errors = self.report.count();
                    self.value(node, chosen);
                    if let Some(word) = name_in_table(alternatives, node).filter(|_| self.report.count() > errors) {
                        self.report.hint_last(&format!("write the name without a table: \"{word}\""));
                    }
                }
                None => self.wrong_type(node, schema),
            },
            _ => self.wrong_type(node, schema),
        }
    }

    fn wrong_type(&mut self, node: &Node, schema: &Schema) {
        let hint = match (schema, &node.value) {
            (schema, Value::Text(text)) if number_of(schema).is_some() => {
                number_of(schema).and_then(|(whole, range)| as_number(text, whole, range))
            }
            (Schema::Enum(words), Value::Integer(_) | Value::Float(_) | Value::Bool(_))
                if words.contains(&node.show()) =>
            {
                Some(in_quotes(&node.show()))
            }
            (Schema::Text, Value::Integer(_) | Value::Float(_) | Value::Bool(_)) => Some(in_quotes(&node.show())),
            (Schema::Bool, Value::Text(text)) => match text.trim().to_ascii_lowercase().as_str() {
                word @ ("true" | "false") if word == text.trim() => Some(format!("write it without quotes: {word}")),
                word @ ("true" | "false") => Some(format!("write it in lower case: {word}")),
                _ => None,
            },
            (Schema::List { of, .. }, Value::Text(text)) if matches!(**of, Schema::Text) => {
                as_names(text).map(|names| format!("write it in brackets: [{names}]"))
            }
            (Schema::List { of, .. }, Value::Table(_)) if of.is_table() => Some(if self.report.is_header(node.at) {
                let keys = self.path.iter().filter_map(|s| if let Step::Key(k) = s { Some(*k) } else { None });
                format!("write the table with two brackets: [[{}]]", keys.collect::<Vec<_>>().join("."))
            } else {
                "put it into brackets: [{ ... }]".to_owned()
            }),
            (Schema::Kinds(kinds), Value::Text(word)) => {
                let meant = nearest(word, kinds.iter().map(|(kind, _)| kind.as_str()));
                let named = kinds.iter().find(|(kind, _)| Some(kind.as_str()) == meant);
                let example = named.map(|kind| example_of(kind, None)).or_else(|| {
                    let first = kinds.first().filter(|kind| takes(kind, &node.value))?;
                    Some(example_of(first, Some(node)))
                });
                Some(format!("write a table: {}", example.as_deref().unwrap_or("{ kind = \"...\" }")))
            }
            (_, Value::Null) => Some("leave the key out for its default".to_owned()),
            _ => None,
        };
        self.wrong(node, format!("{}; {} is needed", node.show(), describe(schema)), hint);
    }

    fn table(&mut self, node: &'a Node, table: &'s Table) {
        let mut misspelt = Vec::new();
        for entry in node.entries() {
            self.path.push(Step::Key(&entry.key));
            match table.key(&entry.key) {
                Some(key) if key.nullable && matches!(entry.node.value, Value::Null) => {}
                Some(key) => {
                    let errors = self.report.count();
                    self.enclosing.push((node, table));
                    self.value(&entry.node, &key.schema);
                    self.enclosing.pop();
                    // "unlimited" and the like, which leaving the key out expresses
                    let word = entry.node.text().is_some_and(|t| matches!(t.trim(), "unlimited" | "none" | "never"));
                    if word && key.nullable && self.report.count() > errors {
                        self.report.hint_last("leave the key out");
                    }
                }
                None if table.open => {}
                None => {
                    let message = format!("unknown key; one of {}", listed(table.names()));
                    let hint = self.belongs(entry, node, table);
                    let hint = hint.or_else(|| did_you_mean(&entry.key, table.names()));
                    misspelt.extend(nearest(&entry.key, table.names()));
                    self.report.add(entry.at, self.root, self.path, message, hint);
                }
            }
            self.path.pop();
        }
        for (name, key) in &table.keys {
            if key.required && node.entry(name).is_none() && !misspelt.contains(&name.as_str()) {
                let message = format!("the key {name} is missing: {}", describe(&key.schema));
                let own = key.example.as_ref().map(|e| format!("\"{e}\""));
                self.wrong(node, message, own.or_else(|| example(&key.schema)).map(|e| format!("{name} = {e}")));
            }
        }
    }

    /// Where a key belongs that the table does not have: in a table inside it, in the one around it, or in one beside it.
    fn belongs(&self, entry: &Entry, node: &Node, table: &Table) -> Option<String> {
        // of so many tables that another one's means nothing
        if matches!(entry.key.as_str(), "kind" | "name") {
            return None;
        }
        let fits = |key: &Key| may_mean(&key.schema, &entry.node.value);
        if let Some(inner) = holder(&entry.key, node, table, fits) {
            return Some(format!("{} belongs in {inner} = {{ ... }}", entry.key));
        }
        let (around, outer) = self.enclosing.last()?;
        let inside = self.path.iter().rev().skip(1).find_map(|s| if let Step::Key(k) = s { Some(*k) } else { None })?;
        let Some(key) = outer.key(&entry.key).filter(|key| fits(key)) else {
            let beside = holder(&entry.key, around, outer, fits)?;
            return Some(format!("{} belongs in {beside} = {{ ... }}, beside {inside}", entry.key));
        };
        // a shaper's bandwidth is called rate by some
        let mut alike = table.keys.iter().filter(|(_, own)| are_of_one_quantity(&own.schema, &key.schema));
        let meant = match (alike.next(), alike.next()) {
            (Some((name, _)), None) => format!("did you mean {name}? "),
            _ => String::new(),
        };
        Some(format!("{meant}{} belongs beside {inside}, not in it", entry.key))
    }

    fn kinds(&mut self, node: &'a Node, kinds: &'s [(String, Table)]) {
        let known = || kinds.iter().map(|(k, _)| k.as_str());
        let Some(kind) = node.get("kind") else {
            let hint = meant_kinds(node, kinds).map(|meant| format!("kind = {meant}"));
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
                let has_minimum = range.iter().any(|bound| matches!(bound.side, Side::Min | Side::Above));
                let zero = (!has_minimum).then(|| "at least 0".to_owned());
                self.out_of_range(node, zero.into_iter().chain(range.iter().map(Bound::describe)));
            }
            Err(error) if !range.is_empty() && error.starts_with("too large; ") => {
                let has_maximum = range.iter().any(|bound| matches!(bound.side, Side::Max | Side::Below));
                let most = (!has_maximum).then(|| error["too large; ".len()..].to_owned());
                self.out_of_range(node, range.iter().map(Bound::describe).chain(most));
            }
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
        } else if whole && value.abs() >= MAX_WHOLE && range.iter().all(|bound| bound.holds(value)) {
            // the key names no upper limit of its own
            self.wrong(node, format!("{} is out of range; at most {}", node.show(), u64::MAX), None);
        } else {
            self.range(node, range, |bound| bound.holds(value));
        }
    }

    fn range(&mut self, node: &Node, range: &[Bound], holds: impl Fn(&Bound) -> bool) {
        if !range.iter().all(holds) {
            self.out_of_range(node, range.iter().map(Bound::describe));
        }
    }

    fn out_of_range(&mut self, node: &Node, bounds: impl Iterator<Item = String>) {
        let bounds: Vec<String> = bounds.collect();
        self.wrong(node, format!("{} is out of range; {}", node.show(), bounds.join(", ")), None);
    }
}

/// The enumerated values of a choice without other strings, if `text` is none of them.
fn unknown_value<'s>(alternatives: &'s [Schema], text: &str) -> Option<&'s Vec<String>> {
    match alternatives.iter().find(|s| has_type(s, &Value::Text(String::new()))) {
        Some(Schema::Enum(words)) => Some(words).filter(|words| words.iter().all(|w| w != text)),
        _ => None,
    }
}

/// The kinds that a table without one can mean, for a hint: one that a text in it names, or the few that take all of its keys.
fn meant_kinds(node: &Node, kinds: &[(String, Table)]) -> Option<String> {
    let named = |entry: &Entry| kinds.iter().find(|(kind, _)| entry.node.text() == Some(kind));
    if let Some((kind, _)) = node.entries().iter().find_map(named) {
        return Some(format!("\"{kind}\""));
    }
    let takes = |table: &Table| node.entries().iter().all(|e| table.key(&e.key).is_some());
    let is_complete = |table: &Table| {
        table.keys.iter().all(|(name, key)| !key.required || name == "kind" || node.get(name).is_some())
    };
    let able: Vec<_> = kinds.iter().filter(|(_, table)| takes(table)).collect();
    let complete: Vec<_> = able.iter().copied().filter(|(_, table)| is_complete(table)).collect();
    let meant = if complete.is_empty() { able } else { complete };
    let names: Vec<String> = meant.iter().map(|(kind, _)| format!("\"{kind}\"")).collect();
    (1..=MAX_KINDS).contains(&names.len()).then(|| names.join(" or "))
}

/// The name in a table whose only key is `kind` or `name`, where the name is one of the alternatives itself.
fn name_in_table<'n>(alternatives: &[Schema], node: &'n Node) -> Option<&'n str> {
    let Value::Table(_) = node.value else { return None };
    let [only] = node.entries() else { return None };
    let name = only.node.text().filter(|_| matches!(only.key.as_str(), "kind" | "name"))?;
    let is_one = |s: &Schema| matches!(s, Schema::Enum(words) if words.iter().any(|w| w == name));
    alternatives.iter().any(is_one).then_some(name)
}

/// Whether a value is of the schema's type, valid or not.
fn has_type(schema: &Schema, value: &Value) -> bool {
    match schema {
        Schema::Any => true,
        Schema::Table(_) | Schema::Kinds(_) => matches!(value, Value::Table(_)),
        Schema::List { .. } => matches!(value, Value::List(_)),
        Schema::Text | Schema::Enum(_) | Schema::Quantity { .. } => matches!(value, Value::Text(_)),
        Schema::Bool => matches!(value, Value::Bool(_)),
        Schema::Number { .. } => matches!(value, Value::Integer(_) | Value::Float(_)),
        Schema::Choice(alternatives) => alternatives.iter().any(|s| has_type(s, value)),
    }
}

/// Whether a value is of the schema's type, or would be with or without quotes and a unit.
fn may_mean(schema: &Schema, value: &Value) -> bool {
    match (schema, value) {
        (Schema::Quantity { .. }, Value::Integer(_) | Value::Float(_)) => true,
        (Schema::Quantity { reader, .. }, Value::Text(text)) => (reader.parse)(text).is_ok(),
        (Schema::Enum(words), Value::Text(word)) => words.contains(word),
        (Schema::Number { whole, .. }, Value::Text(text)) => as_number(text, *whole, &[]).is_some(),
        (Schema::Bool, Value::Text(text)) => text.trim().parse::<bool>().is_ok(),
        (Schema::Choice(alternatives), _) => alternatives.iter().any(|s| may_mean(s, value)),
        _ => has_type(schema, value),
    }
}

/// How what looks like a number or truth value is written as a text.
fn in_quotes(word: &str) -> String {
    format!("write it in quotes: \"{word}\"; in a shell with others around them: '\"{word}\"'")
}

/// The table within `node`, whose schema is `table`, that has a key of this name which fits.
fn holder<'s>(name: &str, node: &Node, table: &'s Table, fits: impl Fn(&Key) -> bool) -> Option<&'s str> {
    let has = |(inner, key): &&(String, Key)| match &key.schema {
        Schema::Table(within) => within.key(name).is_some_and(&fits),
        Schema::Kinds(kinds) => {
            let kind = node.get(inner).and_then(|n| n.get("kind")).and_then(Node::text);
            kinds.iter().any(|(k, within)| Some(k.as_str()) == kind && within.key(name).is_some_and(&fits))
        }
        _ => false,
    };
    table.keys.iter().find(has).map(|(inner, _)| inner.as_str())
}

/// Whether the number that a key takes is whole, and its range; `None` where it takes none.
fn number_of(schema: &Schema) -> Option<(bool, &[Bound])> {
    match schema {
        Schema::Number { whole, range } => Some((*whole, range)),
        Schema::Choice(alternatives) => alternatives.iter().find_map(number_of),
        _ => None,
    }
}

/// How a text that is a number is written as one, or which numbers are taken.
fn as_number(text: &str, whole: bool, range: &[Bound]) -> Option<String> {
    let text = text.trim();
    let plain = text.parse::<f64>();
    let value = plain.as_ref().ok().copied().or_else(|| Percent::parse(text).ok().map(|p| p.si()))?;
    if !value.is_finite() {
        return None;
    }
    if whole && value.fract() != 0.0 || !range.iter().all(|bound| bound.holds(value)) {
        let kind = if whole { "a whole number" } else { "a number" }.to_owned();
        let all: Vec<String> = std::iter::once(kind).chain(range.iter().map(Bound::describe)).collect();
        return Some(format!("write {}", all.join(", ")));
    }
    let mut digits = text.trim_start_matches(['+', '-']).chars();
    let padded = digits.next() == Some('0') && digits.next().is_some_and(|c| c.is_ascii_digit());
    let digits_on_both_sides = !text.split(['.', 'e', 'E']).any(|part| !part.ends_with(|c: char| c.is_ascii_digit()));
    if plain.is_err() || padded || !digits_on_both_sides {
        Some(format!("write it as a number: {value}"))
    } else {
        Some(format!("write it without quotes: {text}"))
    }
}

/// The values that a schema allows, for messages.
fn describe(schema: &Schema) -> String {
    match schema {
        Schema::Table(table) => format!("a table with {}", listed(table.names())),
        Schema::Kinds(kinds) => {
            format!("a table with a kind, one of {}", listed(kinds.iter().map(|(k, _)| k.as_str())))
        }
        Schema::List { of, .. } => format!("a list of {}", plural(of)),
        Schema::Text => "text".to_owned(),
        Schema::Bool => "true or false".to_owned(),
        Schema::Enum(words) if words.len() == 1 => words[0].clone(),
        Schema::Enum(words) => format!("one of {}", listed(words.iter().map(String::as_str))),
        Schema::Quantity { reader, .. } => format!("{} with its unit", reader.what),
        Schema::Number { whole: true, .. } => "a whole number".to_owned(),
        Schema::Number { .. } => "a number".to_owned(),
        Schema::Choice(alternatives) => alternatives.iter().map(describe).collect::<Vec<_>>().join(", or "),
        Schema::Any => "a value".to_owned(),
    }
}

fn plural(schema: &Schema) -> &'static str {
    match schema {
        Schema::Table(_) | Schema::Kinds(_) => "tables",
        Schema::Text => "names",
        _ => "values",
    }
}

fn are_of_one_quantity(a: &Schema, b: &Schema) -> bool {
    matches!((a, b), (Schema::Quantity { reader: a, .. }, Schema::Quantity { reader: b, .. }) if std::ptr::eq(*a, *b))
}

/// A table of a kind with the keys that it must have; the first that `given` may be the value of has that.
fn example_of((kind, table): &(String, Table), mut given: Option<&Node>) -> String {
    let mut text = format!("{{ kind = \"{kind}\"");
    for (name, key) in table.keys.iter().filter(|(name, key)| key.required && name != "kind") {
        let given = given.take_if(|given| may_mean(&key.schema, &given.value));
        let value = given.map(|given| given.show()).or_else(|| example(&key.schema));
        write!(text, ", {name} = {}", value.as_deref().unwrap_or("...")).expect("a string takes all");
    }
    text + " }"
}

/// Whether a kind requires something that a value may mean: a file's name, or a quantity.
fn takes((_, table): &(String, Table), value: &Value) -> bool {
    table.keys.iter().any(|(name, key)| key.required && name != "kind" && may_mean(&key.schema, value))
}

/// A value for a required key that is missing.
fn example(schema: &Schema) -> Option<String> {
    match schema {
        Schema::Quantity { reader, .. } => Some(format!("\"{}\"", reader.example)),
        Schema::Kinds(kinds) => Some(example_of(kinds.first()?, None)),
        Schema::Enum(words) => Some(format!("\"{}\"", words.first()?)),
        Schema::Text => Some("\"...\"".to_owned()),
        Schema::List { of, .. } if matches!(**of, Schema::Text) => Some("[\"...\"]".to_owned()),
        _ => None,
    }
}

/// Names as a list has them, from a text that may have brackets, quotes and commas already; none of a text without names.
fn as_names(text: &str) -> Option<String> {
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    let names = inner.split(',').map(|name| name.trim().trim_matches(['"', '\''])).filter(|name| !name.is_empty());
    let mut shown: Vec<String> = names.take(MAX_NAMES + 1).map(quoted).collect();
    if shown.len() > MAX_NAMES {
        shown[MAX_NAMES] = "...".to_owned();
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}
