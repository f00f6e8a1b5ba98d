//! The scenario file as types: the one source of its keys, defaults, ranges and descriptions.
//!
//! Everything else follows from these types: the schema is generated from them, every file is checked against that
//! schema, and the canonical form is what they serialise to. The descriptions are what editors show.

mod expect;
mod flow;
mod link;
mod probe;
mod tcp;

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use expect::{Bound, Expect, World};
pub(crate) use flow::default_packet;
pub use flow::{AccessDelay, ApplicationParams, Arrivals, Flow, Traffic, Transport};
pub use link::{Direction, Duplex, Link, MediumParams, MediumTable};
pub use probe::Probe;
pub use tcp::{
    AccurateEcnChoice, AccurateEcnWord, Local, PacingChoice, PacingGain, PacingWord, PartialAckTimer, Tcp,
    TimestampClock,
};

/// An Eddyline scenario: links, the flows and traffic that cross them, and the expectations on the result.
///
/// A quantity is text: a number, a space, a unit, as "20 ms", "10 Mbit/s", "1500 B", "50 packets".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Eddyline scenario")]
pub struct File {
    /// Location of the JSON Schema of this file, for editors; ignored.
    #[serde(rename = "$schema", default, skip_serializing)]
    pub schema: Option<String>,
    /// What the scenario is about. Default: the file's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How long the network runs, 1 ms to 200 d.
    #[schemars(extend("x-minimum" = "1 ms", "x-maximum" = "200 d"))]
    pub duration: Time,
    /// Summaries cover the time from here to the end; below `duration`.
    #[serde(default)]
    pub warmup: Time,
    /// Seed of all random streams: the same file and seed give the same result.
    #[serde(default)]
    #[schemars(range(min = 0, max = 9_223_372_036_854_775_807u64))]
    pub seed: u64,
    /// What is recorded over time.
    #[serde(default, skip_serializing_if = "Record::is_default")]
    pub record: Record,
    /// Links, each one direction of transmission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<Link>,
    /// Access links of a known kind, each making two links, `NAME/down` and `NAME/up`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplex: Vec<Duplex>,
    /// Flows: a sender under a congestion controller, and its receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flow: Vec<Flow>,
    /// Unresponsive traffic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Traffic>,
    /// Flows that arrive at random and leave when their transfer is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<Arrivals>,
    /// Probes of the latency that a user sees: new connections that make small requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<Probe>,
    /// The expectations on the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expect>,
}

/// What is recorded over time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Spacing of series. Default: a thousandth of `duration`. What remains after the last whole interval has no row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-exclusiveMinimum" = 0))]
    pub interval: Option<Time>,
}

impl Record {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
