//! Unresponsive traffic: one file per model, one line here.

use eddyline_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `cbr`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CbrParams {
    /// Rate on the wire.
    pub rate: Rate,
}

/// A traffic model by kind, with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub enum TrafficParams {
    /// packets of one size at a constant rate
    #[serde(rename = "cbr")]
    Cbr(CbrParams),
}
