//! TCP-Illinois (Liu, Basar and Srikant 2008): losses decide when, queueing delay how much.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts, Timeout};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::round_trips::{Round, Samples};
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `illinois`; delays are shares of the largest queueing delay seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IllinoisParams {
    /// Least packets a round trip (0.3).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha_min: f64,
    /// Most packets a round trip (10).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha_max: f64,
    /// Least share of the window given up (1/8).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta_min: f64,
    /// Most (1/2).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta_max: f64,
    /// Below this window in packets it is Reno (15).
    #[schemars(extend("minimum" = 0))]
    pub win_thresh: f64,
    /// Round trips of little delay before the increase is largest again (5).
    pub theta: u32,
    /// A loss leaves beta of the window, not 1 - beta: the mistake of Linux 2.6.22, for comparison with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub leaves_beta: bool,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
}

impl Default for IllinoisParams {
    fn default() -> Self {
        Self {
            alpha_min: 0.3,
            alpha_max: 10.0,
            beta_min: 0.125,
            beta_max: 0.5,
            win_thresh: 15.0,
            theta: 5,
            leaves_beta: false,
            base_rtt: BaseRttSource::Estimated,
        }
    }
}

impl Describe for IllinoisParams {
    const PROPERTIES: Properties = Properties::DELAY_BASED;
}

/// Below this delay the increase is largest (eta_1); the decrease is least up to eta_2, largest from eta_3.
const ETA: (f64, f64, f64) = (0.01, 0.1, 0.8);

/// TCP-Illinois's window law.
#[derive(Debug, Clone)]
pub struct IllinoisLaw {
    p: IllinoisParams,
    base: BaseRtt,
    max_rtt: f64,
    samples: Samples,
    round: Round,
    alpha: f64,
    beta: f64,
    /// Delay has been above eta_1; round trips below it since.
    has_risen: bool,
    low: u32,
}

/// TCP-Illinois.
pub type Illinois = LossBased<IllinoisLaw>;

impl Illinois {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &IllinoisParams, facts: &PathFacts) -> Self {
        let p = IllinoisParams { alpha_max: p.alpha_max.max(p.alpha_min), beta_max: p.beta_max.max(p.beta_min), ..*p };
        let law = IllinoisLaw {
            base: BaseRtt::new(p.base_rtt, facts),
            max_rtt: 0.0,
            samples: Samples::NONE,
            round: Round::default(),
            alpha: p.alpha_max,
            beta: p.beta_max,
            has_risen: false,
            low: 0,
            p,
        };
        Self::with(law, SlowStartKind::Standard, facts)
    }
}

impl IllinoisLaw {
    /// kappa_1 / (kappa_2 + d), through alpha_max at eta_1 and alpha_min at the largest delay (section 3).
    fn increase(&mut self, delay: f64, most: f64) -> f64 {
        let low = ETA.0 * most;
        if delay <= low {
            if !self.has_risen {
                return self.p.alpha_max;
            }
            self.low += 1;
            if self.low < self.p.theta {
                return self.alpha;
            }
            self.low = 0;
            self.has_risen = false;
            return self.p.alpha_max;
        }
        self.has_risen = true;
        let (span, beyond) = (most - low, delay - low);
        let (least, greatest) = (self.p.alpha_min, self.p.alpha_max);
        span * greatest / (span + beyond * (greatest - least) / least)
    }

    /// Linear between eta_2 and eta_3 (section 3).
    fn decrease(&self, delay: f64, most: f64) -> f64 {
        let (from, to) = (ETA.1 * most, ETA.2 * most);
        if delay <= from {
            return self.p.beta_min;
        }
        if delay >= to {
            return self.p.beta_max;
        }
        self.p.beta_min + (self.p.beta_max - self.p.beta_min) * (delay - from) / (to - from)
    }

    /// Share of the window that a loss leaves.
    fn left(&self) -> f64 {
        if self.p.leaves_beta { self.beta } else { 1.0 - self.beta }
    }

    fn as_reno(&mut self) {
        self.alpha = 1.0;
        self.beta = self.p.beta_max;
    }
}

impl WindowLaw for IllinoisLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.base.sample(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, cwnd: f64, _slow_start: bool) -> Option<f64> {
        if let Some(rtt) = ack.rtt {
            self.base.sample(rtt);
            let rtt = rtt.as_ps() as f64;
            self.max_rtt = self.max_rtt.max(rtt);
            self.samples.hear(rtt);
        }
        if self.round.ends(ack) {
            let samples = self.samples.take();
            if cwnd < self.p.win_thresh {
                self.as_reno();
            } else if let Some(base) = self.base.get().filter(|_| samples.count > 0) {
                let base = base.as_ps() as f64;
                let (delay, most) = (samples.mean() - base, self.max_rtt - base);
                self.alpha = self.increase(delay, most);
                self.beta = self.decrease(delay, most);
            }
        }
        None
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        self.alpha * ack.acked.min(cwnd) / cwnd
    }

    fn after_loss(&mut self, loss: &Loss, _cwnd: f64) -> f64 {
        self.left() * loss.flight_size
    }

    fn after_timeout(&mut self, timeout: &Timeout, _cwnd: f64) -> f64 {
        let threshold = self.left() * timeout.flight_size;
        self.as_reno();
        (self.low, self.has_risen) = (0, false);
        self.samples = Samples::NONE;
        threshold
    }

    fn base_rtt(&self) -> Option<Time> {
        self.base.get()
    }
}
