//! Placeholder.
#![allow(missing_docs, dead_code)]
use eddyline_scenario::Network;
use std::path::Path;
pub struct Input<'a> {
    pub text: &'a str,
    pub format: Format,
    pub name: &'a str,
    pub folder: Option<&'a Path>,
}
pub enum Format {
    Toml,
    Json,
    Dict,
}
pub struct Scenario {
    pub network: Network,
    pub canonical: String,
    pub sha256: String,
}
pub struct Diagnostics;
impl std::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not yet")
    }
}
pub fn load(i: &Input<'_>, _o: &[(String, String)]) -> Result<Scenario, Diagnostics> {
    let _ = (i.text, i.name, i.folder, &i.format);
    Err(Diagnostics)
}
pub fn schema() -> serde_json::Value {
    serde_json::json!({})
}
