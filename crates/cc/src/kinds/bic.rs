//! BIC (Xu, Harfoush and Rhee, INFOCOM 2004): a binary search for the window at which the last loss happened.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts, Timeout};
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `bic`; the defaults are those of Linux.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BicParams {
    /// Up to this window in packets it is Reno (14).
    #[schemars(extend("minimum" = 0))]
    pub low_window: f64,
    /// Maximum growth in packets a round trip (S_max: 16; the paper has 32), once there was a loss since the last timeout.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_increment: f64,
    /// Divisor of the search: the window moves by this fraction of the distance in a round trip (B: 4; the paper has 2).
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub search: f64,
    /// Round trips that the last B packets to the maximum take (20).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub smooth_part: f64,
    /// Window after a loss, as a share of the previous window, in (0, 1) (819/1024; the paper has 0.875).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta: f64,
    /// Fast convergence: a flow that loses below its last maximum lowers that maximum further.
    pub fast_convergence: bool,
    /// Packets per acknowledgement that the growth compensates for (1). Linux 2.6 used 31/16 without delayed acknowledgements, because
    /// its estimate, which starts at 2, never fell further.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub ack_ratio: f64,
}

impl Default for BicParams {
    fn default() -> Self {
        Self {
            low_window: 14.0,
            max_increment: 16.0,
            search: 4.0,
            smooth_part: 20.0,
            beta: 819.0 / 1024.0,
            fast_convergence: true,
            ack_ratio: 1.0,
        }
    }
}

impl Describe for BicParams {
    const PROPERTIES: Properties = Properties::DEFAULT;
}

/// Minimum growth a round trip before the first loss, as a share of the window.
const START: f64 = 0.05;

/// BIC's window law.
#[derive(Debug, Clone)]
pub struct BicLaw {
    p: BicParams,
    w_max: f64,
    has_lost: bool,
}

/// BIC.
pub type Bic = LossBased<BicLaw>;

impl Bic {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(params: &BicParams, facts: &PathFacts) -> Self {
        Self::with(BicLaw { p: *params, w_max: 0.0, has_lost: false }, SlowStartKind::Standard, facts)
    }
}

impl BicLaw {
    /// Packets a round trip.
    fn step(&self, w: f64) -> f64 {
        let BicParams { low_window, max_increment, search, smooth_part, .. } = self.p;
        if w <= low_window {
            return 1.0;
        }
        let gentle = search / smooth_part;
        if w < self.w_max {
            // below the maximum: additive increase, then binary search, then slow growth
            let distance = (self.w_max - w) / search;
            return if distance > max_increment {
                max_increment
            } else if distance <= 1.0 {
                gentle
            } else {
                distance
            };
        }
        // above it: the same in reverse order
        let beyond = w - self.w_max;
        if beyond < search {
            gentle
        } else if beyond < max_increment * (search - 1.0) {
            beyond / (search - 1.0)
        } else {
            max_increment
        }
    }
}

impl WindowLaw for BicLaw {
    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        let step = self.step(cwnd);
        let step = if self.has_lost { step } else { step.max(START * cwnd) };
        // at most one packet per packet acknowledged
        (self.p.ack_ratio * step / cwnd).min(1.0) * ack.acked.min(cwnd)
    }

    fn after_loss(&mut self, loss: &Loss, cwnd: f64) -> f64 {
        let below = cwnd < self.w_max && self.p.fast_convergence;
        self.w_max = if below { cwnd * (1.0 + self.p.beta) / 2.0 } else { cwnd };
        self.has_lost = true;
        loss.flight_size * if cwnd <= self.p.low_window { 0.5 } else { self.p.beta }
    }

    fn after_timeout(&mut self, timeout: &Timeout, cwnd: f64) -> f64 {
        let threshold = self.after_loss(&Loss { now: timeout.now, flight_size: timeout.flight_size }, cwnd);
        self.w_max = 0.0;
        self.has_lost = false;
        threshold
    }
}
