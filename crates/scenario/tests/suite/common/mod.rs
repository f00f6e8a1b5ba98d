//! Shared by the tests: a scenario that uses most keys, and functions that load a text.

use eddyline_scenario::{Diagnostics, Format, Input, Scenario, load};

/// A valid scenario with most of the keys.
pub const TWO_WAY: &str = include_str!("two-way.toml");

/// One flow on one link, with what is required.
pub const MINIMAL: &str = r#"
duration = "1 s"
[[link]]
name = "l"
rate = "1 Mbit/s"
delay = "1 ms"
[[flow]]
name = "f"
controller = { kind = "reno" }
data = ["l"]
ack = ["l"]
"#;

fn with(text: &str, format: Format, name: &str, overrides: &[(&str, &str)]) -> Result<Scenario, Diagnostics> {
    let overrides: Vec<_> = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    load(&Input { text, format, name, folder: None }, &overrides)
}

/// Loads TOML called `case.toml`.
pub fn toml(text: &str, overrides: &[(&str, &str)]) -> Result<Scenario, Diagnostics> {
    with(text, Format::Toml, "case.toml", overrides)
}

/// Loads JSON called `case.json`.
pub fn json(text: &str, overrides: &[(&str, &str)]) -> Result<Scenario, Diagnostics> {
    with(text, Format::Json, "case.json", overrides)
}

/// Loads a dict.
pub fn dict(text: &str, overrides: &[(&str, &str)]) -> Result<Scenario, Diagnostics> {
    with(text, Format::Dict, "scenario", overrides)
}

/// The same document as JSON, read by the TOML library alone.
pub fn as_json(text: &str) -> String {
    let value: serde_json::Value = toml::from_str(text).expect("the test's TOML is valid");
    serde_json::to_string_pretty(&value).expect("a value is JSON")
}
