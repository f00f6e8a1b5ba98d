//! Expectations as written.

use eddyline_units::Percent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An expectation on the result. It fails if the world does not compute the value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Entity, by its kind (`flow`, `link`, `traffic`, `arrivals` or `probe`) and name: `flow."flow 1"`, `link.forward`; `flow.*` is
    /// every flow.
    #[schemars(extend("examples" = ["flow.download"]))]
    pub of: String,
    /// Value, by its dotted name in the result: `goodput_bps`, `rtt_s.mean`.
    #[schemars(extend("examples" = ["goodput_bps"]))]
    pub what: String,
    /// The value must not be below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Bound>,
    /// The value must not be above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Bound>,
    /// The value must be near this; needs `within`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<Bound>,
    /// Tolerance, relative to `near`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Percent>,
    /// The world whose result is checked.
    #[serde(default)]
    pub world: World,
    /// Reason for the expectation; shown beside its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A plain number for a dimensionless value, otherwise a quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Bound {
    /// Without unit.
    Plain(f64),
    /// With unit, in the field's dimension.
    Quantity(String),
}

/// A world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum World {
    /// Equilibrium and fluid models.
    Theory,
    /// The packet-level simulator.
    #[default]
    Sim,
    /// Real Linux TCP over an emulated path.
    Kernel,
    /// A QUIC stack over the simulator's links.
    Quic,
}

impl World {
    /// The name as written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Theory => "theory",
            Self::Sim => "sim",
            Self::Kernel => "kernel",
            Self::Quic => "quic",
        }
    }
}
