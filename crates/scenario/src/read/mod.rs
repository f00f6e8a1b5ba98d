//! Parsing of a text to a tree.

mod json;
mod toml;

use crate::diagnostic::Report;
use crate::input::{Format, Input};
use crate::schema::Schema;
use crate::tree::Node;
pub(crate) use toml::value as toml_value;

/// The tree of the text, or its syntax errors in the report.
pub(crate) fn read(input: &Input<'_>, schema: &Schema, report: &mut Report<'_>) -> Option<Node> {
    match input.format {
        Format::Toml => toml::read(input.text, schema, report),
        Format::Json | Format::Dict => json::read(input.text, report),
    }
}
