//! TCP-Illinois (Liu, Basar and Srikant 2008): losses decide when the window is reduced, queueing delay by how much it changes.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts, Timeout};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::boxed::Boxed;
use crate::parts::round_trips::{Round, Samples};
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Conflict, Describe, Properties};

/// Parameters of `illinois`; delays are shares of the maximum queueing delay.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IllinoisParams {
    /// Minimum increase in packets a round trip (0.3).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha_min: f64,
    /// Maximum increase in packets a round trip (10).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha_max: f64,
    /// Minimum share of the window given up (1/8).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta_min: f64,
    /// Maximum share of the window given up (1/2).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub beta_max: f64,
    /// Below this window in packets it is Reno (15).
    #[schemars(extend("minimum" = 0))]
    pub win_thresh: f64,
    /// Round trips of low delay after which the increase returns to its maximum (5).
    pub theta: u32,
    /// A loss leaves beta of the window instead of 1 - beta: the bug of Linux 2.6.22, for comparison.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = false))]
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

    fn conflict(&self) -> Option<Conflict> {
        let below = |key, max: f64, of, min: f64| {
            (max < min).then(|| Conflict { key, message: format!("{max} is below {of}, {min}") })
        };
        below("alpha_max", self.alpha_max, "alpha_min", self.alpha_min)
            .or_else(|| below("beta_max", self.beta_max, "beta_min", self.beta_min))
    }
}

/// What a loss takes below `win_thresh`.
const RENO_BETA: f64 = 0.5;
/// Below eta_1 the increase is at its maximum; the decrease is at its minimum up to eta_2, at its maximum from eta_3 on.
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
    /// Whether the delay has been above eta_1, and the number of round trips below it since.
    has_risen: bool,
    low: u32,
}

/// TCP-Illinois.
pub type Illinois = Boxed<LossBased<IllinoisLaw>>;

impl Illinois {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &IllinoisParams, facts: &PathFacts) -> Self {
        let law = IllinoisLaw {
            base: BaseRtt::new(p.base_rtt, facts),
            max_rtt: 0.0,
            samples: Samples::NONE,
            round: Round::default(),
            alpha: p.alpha_max,
            beta: RENO_BETA,
            has_risen: false,
            low: 0,
            p: *p,
        };
        Self(Box::new(LossBased::with(law, SlowStartKind::Standard, facts)))
    }
}

impl IllinoisLaw {
    /// kappa_1 / (kappa_2 + d), through alpha_max at eta_1 and alpha_min at the maximum delay (section 3).
    fn increase(&mut self, delay: f64, max_delay: f64) -> f64 {
        let low = ETA.0 * max_delay;
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
        let (span, beyond) = (max_delay - low, delay - low);
        let (min, max) = (self.p.alpha_min, self.p.alpha_max);
        span * max / (span + beyond * (max - min) / min)
    }

    /// Linear between eta_2 and eta_3 (section 3).
    fn decrease(&self, delay: f64, max_delay: f64) -> f64 {
        let (from, to) = (ETA.1 * max_delay, ETA.2 * max_delay);
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
        self.beta = RENO_BETA;
    }
}

impl WindowLaw for IllinoisLaw {
    #[inline]
    fn observe(&mut self, ack: &Ack, cwnd: f64, _slow_start: bool) -> Option<f64> {
        if let Some(rtt) = ack.rtt {
            self.base.sample(rtt);
            let rtt = rtt.as_ps() as f64;
            self.max_rtt = self.max_rtt.max(rtt);
            self.samples.update(rtt);
        }
        if self.round.ends(ack) {
            let samples = self.samples.take();
            if cwnd < self.p.win_thresh {
                self.as_reno();
            } else if let Some(base) = self.base.get().filter(|_| samples.count > 0) {
                let base = base.as_ps() as f64;
                let (delay, max_delay) = (samples.mean() - base, self.max_rtt - base);
                self.alpha = self.increase(delay, max_delay);
                self.beta = self.decrease(delay, max_delay);
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
