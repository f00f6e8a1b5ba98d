//! Compound TCP (Tan, Song, Zhang and Sridharan, INFOCOM 2006): Reno's window plus a delay-based one.

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::backlog::Backlog;
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::byte_counting::MaxCounted;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `compound`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompoundParams {
    /// The delay window grows by `alpha win^k - 1` a round trip (1/8).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: f64,
    /// Share of the whole window given up per loss (1/2).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta: f64,
    /// Exponent of the window in that growth (3/4).
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub k: f64,
    /// Packets queued above which it shrinks (30).
    #[schemars(extend("x-minimum" = 0))]
    pub gamma: Packets,
    /// Reduction of it in packets, per packet queued and round trip (1).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub zeta: f64,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
}

impl Default for CompoundParams {
    fn default() -> Self {
        Self {
            alpha: 0.125,
            beta: 0.5,
            k: 0.75,
            gamma: Packets::new(30.0),
            zeta: 1.0,
            base_rtt: BaseRttSource::Estimated,
        }
    }
}

impl Describe for CompoundParams {
    const PROPERTIES: Properties = Properties::DELAY_BASED;
}

/// Compound TCP's window law: the window is `cwnd + dwnd`.
#[derive(Debug, Clone)]
pub struct CompoundLaw {
    max_counted: MaxCounted,
    p: CompoundParams,
    backlog: Backlog,
    /// The delay window, part of the whole.
    dwnd: f64,
    /// Its change by the round trip that ended with this acknowledgement.
    step: f64,
}

/// Compound TCP.
pub type Compound = LossBased<CompoundLaw>;

impl Compound {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &CompoundParams, facts: &PathFacts) -> Self {
        let backlog = Backlog::new(BaseRtt::new(p.base_rtt, facts));
        let law = CompoundLaw { p: *p, backlog, dwnd: 0.0, step: 0.0, max_counted: MaxCounted::new(facts) };
        Self::with(law, SlowStartKind::Standard, facts)
    }
}

impl WindowLaw for CompoundLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.backlog.base.sample(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, win: f64, slow_start: bool) -> Option<f64> {
        self.step = 0.0;
        if slow_start {
            // after a timeout or a pause, too, the delay window is part of congestion avoidance only (section III)
            self.dwnd = 0.0;
        }
        let measured = self.backlog.update(ack)??;
        if slow_start || ack.in_recovery {
            return None;
        }
        let queued = measured.backlog(win);
        // equation 6
        self.step = if queued < self.p.gamma.get() {
            (self.p.alpha * libm::pow(win, self.p.k) - 1.0).max(0.0)
        } else {
            -(self.p.zeta * queued).min(self.dwnd)
        };
        None
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, win: f64) -> f64 {
        // equation 3: the loss window grows by one packet per round trip of the whole window
        let step = std::mem::take(&mut self.step).max(2.0 - win);
        self.dwnd = (self.dwnd + step).max(0.0);
        self.max_counted.of(ack.acked) / win + step
    }

    fn after_loss(&mut self, loss: &Loss, win: f64) -> f64 {
        // equation 6: dwnd <- win (1 - beta) - cwnd / 2, cwnd halved
        let after = (1.0 - self.p.beta) * loss.flight_size;
        self.dwnd = (after - (win - self.dwnd) / 2.0).max(0.0);
        self.backlog.reset(loss.now);
        after
    }

    fn on_recovered(&mut self, now: Time) -> Option<f64> {
        self.backlog.reset(now);
        None
    }

    fn base_rtt(&self) -> Option<Time> {
        self.backlog.base.get()
    }
}
