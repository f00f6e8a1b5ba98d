//! Parsing of a text to a tree.

mod json;
mod toml;

use crate::diagnostic::Report;
use crate::input::Format;
use crate::tree::Node;
pub(crate) use toml::value as toml_value;

/// The tree of the text, or its syntax errors in the report.
pub(crate) fn read(text: &str, format: Format, report: &mut Report<'_>) -> Option<Node> {
    match format {
        Format::Toml => toml::read(text, report),
        Format::Json | Format::Dict => json::read(text, report),
    }
}
