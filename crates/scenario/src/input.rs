//! The input: a text with its format and name.

use std::path::Path;

/// How a scenario is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// JSON.
    Json,
    /// A Python dict, given as JSON; messages name keys, not lines.
    Dict,
}

/// A scenario to load.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The text.
    pub text: &'a str,
    /// How it is written.
    pub format: Format,
    /// The file's name for messages; without folder and extension it is the default title.
    pub name: &'a str,
    /// Base of relative paths in the scenario; `None`: the working directory.
    pub folder: Option<&'a Path>,
}

impl Input<'_> {
    /// The title of a scenario that has none.
    pub(crate) fn default_title(&self) -> String {
        let file = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        let stem = file.strip_suffix(".toml").or_else(|| file.strip_suffix(".json")).unwrap_or(file);
        if stem.is_empty() { "scenario".to_owned() } else { stem.replace(char::is_control, " ") }
    }
}
