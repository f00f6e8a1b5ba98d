//! Names of keys in `--set`, sweeps and `expect.of`: TOML's dotted keys, with `*` for every table of a list.

use crate::read::toml_value;
use crate::tree::{At, quoted};

/// One part of a dotted name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Name(String),
    /// `*`, not in quotes.
    All,
}

impl Segment {
    pub fn name(&self) -> Option<&str> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }

    pub fn matches(&self, name: &str) -> bool {
        self.name().is_none_or(|n| n == name)
    }
}

/// The parts of a dotted name. Unlike in TOML, bare parts may have any characters except dots and quotes.
pub(crate) fn segments(text: &str) -> Result<Vec<Segment>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    loop {
        let (segment, after) = first(rest)?;
        found.push(segment);
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(found);
        }
        let Some(next) = after.strip_prefix('.') else {
            return Err(format!("a dot is missing before {}", quoted(after)));
        };
        rest = next.trim_start();
    }
}

fn first(text: &str) -> Result<(Segment, &str), String> {
    let open = || format!("the quote in {} is never closed", quoted(text));
    if let Some(inner) = text.strip_prefix('\'') {
        let end = inner.find('\'').ok_or_else(open)?;
        return Ok((Segment::Name(inner[..end].to_owned()), &inner[end + 1..]));
    }
    if let Some(inner) = text.strip_prefix('"') {
        let mut escaped = false;
        let end = inner.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let (literal, rest) = text.split_at(end.ok_or_else(open)? + 2);
        let node = toml_value(literal, At::Offset(0)).ok_or_else(|| format!("{literal} is not a quoted name"))?;
        return Ok((Segment::Name(node.text().unwrap_or_default().to_owned()), rest));
    }
    let end = text.find(['.', '"', '\'']).unwrap_or(text.len());
    match text[..end].trim_end() {
        "" => Err("a part of the name is empty".to_owned()),
        "*" => Ok((Segment::All, &text[end..])),
        bare => Ok((Segment::Name(bare.to_owned()), &text[end..])),
    }
}
