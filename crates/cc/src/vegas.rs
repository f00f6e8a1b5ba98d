//! Vegas (Brakmo and Peterson 1995): a window that keeps between alpha and beta packets queued, by delay.

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::backlog::Backlog;
use crate::base_rtt::{BaseRtt, BaseRttSource};
use crate::controller::{Ack, Loss, PathFacts};
use crate::slow_start::SlowStartKind;
use crate::window_law::{LossBased, WindowLaw};

/// Parameters of `vegas`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VegasParams {
    /// Fewest packets to keep queued (2).
    #[schemars(extend("x-least" = 0))]
    pub alpha: Packets,
    /// Most packets to keep queued (4).
    #[schemars(extend("x-least" = 0))]
    pub beta: Packets,
    /// Packets queued that end slow start (1).
    #[schemars(extend("x-least" = 0))]
    pub gamma: Packets,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
}

impl Default for VegasParams {
    fn default() -> Self {
        Self {
            alpha: Packets::new(2.0),
            beta: Packets::new(4.0),
            gamma: Packets::new(1.0),
            base_rtt: BaseRttSource::Estimated,
        }
    }
}

/// Vegas's window law.
#[derive(Debug, Clone)]
pub struct VegasLaw {
    alpha: f64,
    beta: f64,
    gamma: f64,
    backlog: Backlog,
    /// What the round trip that ended with this acknowledgement asks for.
    step: f64,
}

/// Vegas.
pub type Vegas = LossBased<VegasLaw>;

impl Vegas {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &VegasParams, facts: &PathFacts) -> Self {
        let law = VegasLaw {
            alpha: p.alpha.get(),
            beta: p.beta.get().max(p.alpha.get()),
            gamma: p.gamma.get(),
            backlog: Backlog::new(BaseRtt::new(p.base_rtt, facts)),
            step: 0.0,
        };
        Self::with(law, SlowStartKind::Standard, facts)
    }
}

impl WindowLaw for VegasLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.backlog.base.sample(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, cwnd: f64, slow_start: bool) -> Option<f64> {
        self.step = 0.0;
        let measured = self.backlog.hear(ack)?;
        if ack.in_recovery {
            return None;
        }
        let Some(measured) = measured else {
            // too few samples to go by delay
            self.step = ack.acked.min(1.0) / cwnd;
            return None;
        };
        let queued = measured.backlog(cwnd);
        if slow_start {
            // section 3.3; down to the window that fills the path, and one more, as Linux
            return (queued > self.gamma).then(|| cwnd.min(measured.without_queue(cwnd) + 1.0));
        }
        // section 3.2
        self.step = if queued < self.alpha {
            1.0
        } else if queued > self.beta {
            -1.0
        } else {
            0.0
        };
        None
    }

    #[inline]
    fn growth(&mut self, _ack: &Ack, cwnd: f64) -> f64 {
        std::mem::take(&mut self.step).max(2.0 - cwnd)
    }

    fn after_loss(&mut self, loss: &Loss, _cwnd: f64) -> f64 {
        self.backlog.forget(loss.now);
        loss.flight_size / 2.0
    }

    fn on_recovered(&mut self, now: Time) -> Option<f64> {
        self.backlog.forget(now);
        None
    }

    fn base_rtt(&self) -> Option<Time> {
        self.backlog.base.get()
    }
}
