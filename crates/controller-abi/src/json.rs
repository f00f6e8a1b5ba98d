//! The little JSON that crosses the interface: strings out, one table of plain values in.

use std::fmt::Write as _;

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Flag(bool),
    Text(String),
    Null,
}

/// `text` as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => write!(out, "\\u{:04x}", u32::from(c)).expect("strings grow"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The entries of a table of plain values; None if `text` is none.
pub(crate) fn table(text: &str) -> Option<Vec<(String, Value)>> {
    let mut reader = Reader { rest: text.trim() };
    let mut entries = Vec::new();
    reader.token("{")?;
    if reader.token("}").is_some() {
        return Some(entries);
    }
    loop {
        let key = reader.string()?;
        reader.token(":")?;
        entries.push((key, reader.value()?));
        if reader.token(",").is_none() {
            reader.token("}")?;
            return reader.rest.is_empty().then_some(entries);
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn token(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(token)?.trim_start();
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("true", Value::Flag(true)), ("false", Value::Flag(false)), ("null", Value::Null)] {
            if self.token(word).is_some() {
                return Some(value);
            }
        }
        if self.rest.starts_with('"') {
            return self.string().map(Value::Text);
        }
        let end = self.rest.find([',', '}', ' ', '\n']).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.parse().ok().map(Value::Number)
    }

    fn string(&mut self) -> Option<String> {
        self.token("\"")?;
        let mut out = String::new();
        let mut chars = self.rest.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    'b' => out.push('\u{8}'),
                    'f' => out.push('\u{c}'),
                    'u' => {
                        let digits: String = chars.by_ref().take(4).collect();
                        out.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    }
                    c => out.push(c),
                },
                c => out.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(out)
    }
}
