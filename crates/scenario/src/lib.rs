//! The scenario file and the result: formats, validation, the indexed network. No behaviour.
//!
//! [`load`] turns a text (TOML, JSON, or a Python dict as JSON) into a [`Scenario`], or reports all of its errors at once. The types in
//! [`model`] are the only source of keys, defaults and ranges.

mod build;
mod cake_limit;
mod check;
mod diagnostic;
mod files;
mod input;
mod load;
mod naming;
mod overrides;
mod preset_limit;
mod read;
mod relative_limit;
mod schema;
mod suggestion;
mod tree;
mod typed;
mod vocabulary;

pub mod expect;
pub mod model;
pub mod network;
pub mod presets;
pub mod result;
pub mod series;
pub mod sides;
mod trace;
mod trace_packet;
mod trace_rate;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use expect::{Expectation, ExpectationOutcome, check};
pub use files::{Copies, Files, Unreadable};
pub use input::{Format, Input};
pub use load::{Scenario, load, load_file, load_file_with, load_from, load_with};
pub use network::Network;
pub use presets::{PresetInfo, presets};
pub use schema::{json_schema, quantity_hint};
pub use vocabulary::{Vocabulary, VocabularyError};
