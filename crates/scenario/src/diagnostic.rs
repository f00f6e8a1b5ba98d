//! Validation errors of a scenario: all of them at once, each with its position and a hint.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use crate::input::{Format, Input};
use crate::tree::{At, Node, Step, dotted, pointer};

/// Further errors beyond this number are only counted.
const MAX_ERRORS: usize = 1000;

/// A validation error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// File, or the override that contains the error.
    pub file: String,
    /// Line, from 1; none for a dict and for overrides.
    pub line: Option<usize>,
    /// Column in characters, from 1.
    pub column: Option<usize>,
    /// The key, with tables by name; empty for the file as a whole.
    pub key: String,
    /// JSON pointer, in JSON files.
    pub pointer: Option<String>,
    /// The given value and the allowed ones.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        if let Some(pointer) = self.pointer.as_ref().filter(|p| !p.is_empty()) {
            write!(f, ": {pointer}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

/// All validation errors of a scenario, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostics {
    /// The errors; never empty.
    pub all: Vec<Diagnostic>,
    /// Number of further errors.
    pub more: usize,
    /// Unknown kinds of controllers in the scenario, each once.
    pub unknown_controllers: Vec<String>,
}

impl Diagnostics {
    /// An error of a file as a whole.
    #[must_use]
    pub fn of_file(file: &str, message: impl Into<String>, hint: Option<String>) -> Self {
        let one = Diagnostic {
            file: file.to_owned(),
            line: None,
            column: None,
            key: String::new(),
            pointer: None,
            message: message.into(),
            hint,
        };
        Self { all: vec![one], more: 0, unknown_controllers: Vec::new() }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.all.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// Collects errors while a scenario is loaded.
pub(crate) struct Report<'a> {
    input: &'a Input<'a>,
    /// Overrides as given, for messages.
    overrides: Vec<String>,
    /// Offsets of the beginnings of lines.
    lines: Vec<usize>,
    found: Vec<(At, Diagnostic)>,
    more: usize,
    unknown_controllers: Vec<String>,
    /// Top-level keys and tables of lists with errors.
    in_error: HashSet<(String, Option<usize>)>,
}

impl<'a> Report<'a> {
    pub fn new(input: &'a Input<'a>, overrides: &[(String, String)]) -> Self {
        let newlines = input.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        let overrides = overrides.iter().map(|(key, value)| format!("--set {key}={value}")).collect();
        Self {
            input,
            overrides,
            lines: std::iter::once(0).chain(newlines).collect(),
            found: Vec::new(),
            more: 0,
            unknown_controllers: Vec::new(),
            in_error: HashSet::new(),
        }
    }

    /// Reports an error at `at`, in the value at `path` from `root`.
    pub fn add(&mut self, at: At, root: &Node, path: &[Step<'_>], message: impl Into<String>, hint: Option<String>) {
        let list = if let Some(Step::Key(key)) = path.first() { *key } else { "" };
        let item = if let Some(Step::Item(i)) = path.get(1) { Some(*i) } else { None };
        self.in_error.insert((list.to_owned(), item));
        if self.is_full() {
            self.more += 1;
            return;
        }
        self.push(at, dotted(root, path), Some(pointer(path)), message.into(), hint);
    }

    /// Reports an error in the value at `path`, or in its nearest existing ancestor.
    pub fn wrong(&mut self, root: &Node, path: &[Step<'_>], message: impl Into<String>, hint: Option<String>) {
        let mut node = root;
        for step in path {
            match node.step(*step) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.add(node.at, root, path, message, hint);
    }

    /// Records an unknown kind of controller; the error itself is reported separately.
    pub fn unknown_controller(&mut self, kind: &str) {
        if !self.unknown_controllers.iter().any(|k| k == kind) {
            self.unknown_controllers.push(kind.to_owned());
        }
    }

    /// Reports an error before there is a tree.
    pub fn raw(&mut self, at: At, key: &str, message: impl Into<String>, hint: Option<String>) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        self.push(at, key.to_owned(), None, message.into(), hint);
    }

    fn push(&mut self, at: At, key: String, pointer: Option<String>, message: String, hint: Option<String>) {
        let (file, line, column) = match at {
            At::Override(i) => (self.overrides[i].clone(), None, None),
            At::Offset(_) if self.input.format == Format::Dict => (self.input.name.to_owned(), None, None),
            At::Offset(offset) => {
                let (line, column) = self.line_column(offset);
                (self.input.name.to_owned(), Some(line), Some(column))
            }
        };
        let pointer = pointer.filter(|_| self.input.format == Format::Json && line.is_some());
        self.found.push((at, Diagnostic { file, line, column, key, pointer, message, hint }));
    }

    fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.input.text.len());
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines[line - 1];
        // columns of very long lines are only counted up to this
        let before = self.input.text.as_bytes()[start..offset].iter().take(100_000);
        (line, before.filter(|b| (**b & 0xC0) != 0x80).count() + 1)
    }

    /// Whether a table at this position begins with a header in brackets, as `[flow]`.
    pub fn is_header(&self, at: At) -> bool {
        let At::Offset(offset) = at else { return false };
        self.input.format == Format::Toml && self.input.text.get(offset..).is_some_and(|rest| rest.starts_with('['))
    }

    /// The line of a position, for messages that refer to a second one.
    pub fn line(&self, at: At) -> Option<usize> {
        match at {
            At::Offset(offset) if self.input.format != Format::Dict => Some(self.line_column(offset).0),
            _ => None,
        }
    }

    /// Whether further errors are only counted.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MAX_ERRORS
    }

    pub fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether a table of a list has errors.
    pub fn has_errors(&self, list: &str, item: usize) -> bool {
        self.in_error.contains(&(list.to_owned(), Some(item)))
    }

    /// Whether anything outside the lists of tables has errors.
    pub fn has_top_level_errors(&self) -> bool {
        self.in_error.iter().any(|(_, item)| item.is_none())
    }

    /// Whether a list of senders is not a list of tables.
    pub fn has_list_errors(&self) -> bool {
        ["flow", "traffic", "arrivals"].iter().any(|list| self.in_error.contains(&((*list).to_owned(), None)))
    }

    /// Number of errors so far.
    pub fn count(&self) -> usize {
        self.found.len() + self.more
    }

    /// Replaces the hint of the last error.
    pub fn hint_last(&mut self, hint: &str) {
        if let Some((_, last)) = self.found.last_mut() {
            last.hint = Some(hint.to_owned());
        }
    }

    /// All errors in the order of the file, those of overrides last.
    pub fn finish(mut self) -> Diagnostics {
        self.found.sort_by_key(|(at, _)| match at {
            At::Offset(offset) => (0, *offset),
            At::Override(i) => (1, *i),
        });
        let all = self.found.into_iter().map(|(_, d)| d).collect();
        Diagnostics { all, more: self.more, unknown_controllers: self.unknown_controllers }
    }
}
