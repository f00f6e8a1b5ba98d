//! Step marking: every packet that arrives at a queue above a threshold is marked.
//!
//! Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1; RFC 8257, 3.1. The queue length is instantaneous, not an
//! average.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival_queue::{ArrivalLaw, ArrivalQueue, Verdict};
use super::discipline::LinkContext;
use super::limit::{Backlog, Limit};
use super::properties::{Describe, Properties};

/// The marking law.
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

/// What happens to packets above the threshold that cannot be marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NotCapable {
    /// They are enqueued while there is room.
    #[default]
    Admit,
    /// They are dropped, as by RED with equal thresholds (RFC 3168, section 7).
    Drop,
}

/// Parameters of `step`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// A packet that finds a longer queue than this is marked (K). With a `limit` that is not two packets above it, nothing
    /// is.
    #[serde(default = "threshold")]
    pub threshold: Limit,
    /// What happens to packets above the threshold that are not ECN-capable.
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
    // the paper's value at 10 Gbit/s; at 1 Gbit/s it uses 20
    Limit::Packets(65)
}
