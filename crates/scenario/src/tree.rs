//! A scenario file as a tree in which every key and value has its source position.

use std::fmt::Write as _;

/// Source position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// At this byte of the text.
    Offset(usize),
    /// In this override.
    Override(usize),
}

/// A value with its position.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub value: Value,
    pub at: At,
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub key: String,
    pub at: At,
    pub node: Node,
}

/// A value in a file.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    /// TOML's dates; no key takes one.
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// One step from a value to a value inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

impl Node {
    pub fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    pub fn items(&self) -> &[Node] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|e| e.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|e| &e.node)
    }

    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The tables of a list of tables.
    pub fn tables<'a>(&'a self, key: &str) -> &'a [Self] {
        self.get(key).map_or(&[], Self::items)
    }

    pub fn step(&self, step: Step<'_>) -> Option<&Self> {
        match step {
            Step::Key(key) => self.get(key),
            Step::Item(i) => self.items().get(i),
        }
    }

    /// What is at `path`, to be changed.
    pub fn descend(&mut self, path: &[Step<'_>]) -> Option<&mut Self> {
        path.iter().try_fold(self, |node, step| match (step, &mut node.value) {
            (Step::Key(key), Value::Table(entries)) => entries.iter_mut().find(|e| e.key == *key).map(|e| &mut e.node),
            (Step::Item(i), Value::List(items)) => items.get_mut(*i),
            _ => None,
        })
    }

    /// The value as JSON, without positions.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Integer(n) => whole(*n),
            // JSON writers of other languages write integers with decimals, and people with an exponent
            Value::Float(f) if f.fract() == 0.0 && f.abs() < MAX_WHOLE => whole(*f as i128),
            Value::Float(f) => serde_json::Number::from_f64(*f).map_or(Json::Null, Json::Number),
            Value::Text(text) | Value::Date(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Table(entries) => Json::Object(entries.iter().map(|e| (e.key.clone(), e.node.to_json())).collect()),
        }
    }

    /// The value, abbreviated for messages.
    pub fn show(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(b) => b.to_string(),
            Value::Integer(n) => n.to_string(),
            Value::Float(f) => format!("{f:?}"),
            Value::Text(text) => quoted(text),
            Value::Date(text) => short(text),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}

/// Above every whole number that a key can have.
pub(crate) const MAX_WHOLE: f64 = u64::MAX as f64;

fn whole(n: i128) -> serde_json::Value {
    if let Ok(n) = u64::try_from(n) {
        n.into()
    } else if let Ok(n) = i64::try_from(n) {
        n.into()
    } else {
        serde_json::Value::from(n as f64)
    }
}

/// At most sixty characters of a text.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text in quotes, abbreviated for messages, with control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", short(text))
}

/// Whether a name needs no quotes as a part of a dotted name.
pub(crate) fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// A path as users write it, with tables by name: `flow."flow 1".controller.alpha`.
pub(crate) fn dotted(root: &Node, path: &[Step<'_>]) -> String {
    let mut said = String::new();
    let mut node = Some(root);
    for step in path {
        let inner = node.and_then(|n| n.step(*step));
        match *step {
            Step::Key(key) => add_segment(&mut said, key),
            Step::Item(i) => match inner.and_then(|n| n.get("name")).and_then(Node::text) {
                Some(name) => add_segment(&mut said, name),
                None => write!(said, "[{i}]").expect("a string takes text"),
            },
        }
        node = inner;
    }
    said
}

fn add_segment(said: &mut String, segment: &str) {
    if !said.is_empty() {
        said.push('.');
    }
    said.push_str(&if is_bare(segment) { short(segment) } else { quoted(segment) });
}

/// A path as a JSON pointer (RFC 6901).
pub(crate) fn pointer(path: &[Step<'_>]) -> String {
    path.iter().fold(String::new(), |mut said, step| {
        match step {
            Step::Key(key) => write!(said, "/{}", short(key).replace('~', "~0").replace('/', "~1")),
            Step::Item(i) => write!(said, "/{i}"),
        }
        .expect("a string takes text");
        said
    })
}
