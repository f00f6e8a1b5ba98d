//! Step marking: every packet that arrives at more than a threshold is marked.
//!
//! Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1; RFC 8257, 3.1. The queue is that of the moment, not an
//! average.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival_queue::{ArrivalLaw, ArrivalQueue, Verdict};
use super::discipline::LinkContext;
use super::limit::{Backlog, Limit};
use super::properties::{Describe, Properties};

/// The law of one threshold.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    threshold: Limit,
    others: NotCapable,
}

impl ArrivalLaw for Step {
    type Params = StepParams;

    fn new(params: &StepParams, _: &LinkContext<'_>) -> Self {
        Self { threshold: params.threshold, others: params.not_capable }
    }

    fn bounds(params: &StepParams) -> (Limit, bool) {
        (params.limit, true)
    }

    fn judge(&mut self, _now: Time, _size: u64, waiting: &Backlog, _room: bool) -> Verdict {
        match (self.threshold.holds(waiting), self.others) {
            (true, _) => Verdict::Admit,
            (false, NotCapable::Admit) => Verdict::Mark,
            (false, NotCapable::Drop) => Verdict::Signal,
        }
    }
}

/// A FIFO queue that marks above a threshold.
pub type StepQueue<P> = ArrivalQueue<P, Step>;

/// What happens above the threshold to packets that cannot be marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NotCapable {
    /// They join the queue while there is room.
    #[default]
    Admit,
    /// They are dropped, as by RED with both thresholds at one place (RFC 3168, section 7).
    Drop,
}

/// Parameters of `step`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepParams {
    /// How much may wait besides the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// A packet that finds more than this waiting is marked (K).
    #[serde(default = "threshold")]
    pub threshold: Limit,
    /// What happens above the threshold to packets that are not ECN-capable.
    #[serde(default)]
    pub not_capable: NotCapable,
}

impl Describe for StepParams {
    const PROPERTIES: Properties = Properties::AQM;
}

const fn limit() -> Limit {
    Limit::Packets(1000)
}

const fn threshold() -> Limit {
    // of the experiments of SIGCOMM 2010 at 10 Gbit/s; at 1 Gbit/s they have 20
    Limit::Packets(65)
}
