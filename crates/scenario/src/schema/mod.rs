//! The schema of the scenario file, compiled for checking, and the validation of a tree against it.

mod compiled;
mod quantity;
mod validate;

pub use compiled::json_schema;
pub(crate) use compiled::{Key, Schema, compile};
pub use quantity::quantity_hint;
pub(crate) use validate::validate;
