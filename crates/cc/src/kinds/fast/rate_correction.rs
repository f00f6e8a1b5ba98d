//! One pause of a new flow: once it has converged it lowers its rate, so that the queue drains while it measures.
//!
//! A flow that starts while others keep a queue takes that queue for propagation delay, and gets more than its share from then on. Cui,
//! Andrew, Zukerman and Tan ("Improving the Fairness of FAST TCP to New Flows", IEEE Communications Letters 10(5), 2006) let the
//! new flow reduce its rate for a short time. When, how far and for how long is our choice: their rule is known to us from citations
//! only.
//!
//! The assumption: the other flows react a round trip later, so until then the queue falls by what the new flow does not send, at
//! least `1 - keep` of its packets in flight. If that exceeds the backlog the base is correct, otherwise the rest remains in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::Ack;
use crate::kinds::fast::drain::{Drain, Step};
use crate::parts::round_trips::Round;

/// Parameters of the correction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateCorrectionParams {
    /// Round trips with queueing after which the flow is taken to have converged.
    #[serde(default = "settled")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub after: u32,
    /// Share of its window that it keeps during the pause, in [0, 1).
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub keep: f64,
    /// Round trips at that rate.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000))]
    pub rounds: u32,
}

const fn settled() -> u32 {
    30
}

const fn one() -> u32 {
    1
}

/// The correction.
#[derive(Debug, Clone)]
pub(crate) struct RateCorrection {
    left: u32,
    round: Round,
    drain: Drain,
}

impl RateCorrection {
    pub(crate) fn new(p: &RateCorrectionParams) -> Self {
        Self { left: p.after.max(1), round: Round::default(), drain: Drain::once(p.keep, p.rounds.max(1)) }
    }

    /// As [`Drain::update`].
    pub(crate) fn update(&mut self, ack: &Ack, window: f64, empty: bool) -> Step {
        if self.left > 0 && !empty && self.round.ends(ack) {
            self.left -= 1;
            if self.left == 0 {
                return self.drain.begin(ack.now, window);
            }
        }
        self.drain.update(ack, window, empty)
    }

    /// As [`Drain::is_down`].
    pub(crate) fn is_down(&self) -> bool {
        self.drain.is_down()
    }

    /// As [`Drain::abandon`].
    pub(crate) fn abandon(&mut self, now: eddyline_units::Time) {
        self.drain.abandon(now);
    }
}
