//! Hybla (Caini and Firrincieli 2004): gives a long path the throughput that Reno has on a path of 25 ms.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::byte_counting::MaxCounted;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `hybla`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HyblaParams {
    /// Reference round-trip time (RTT_0, 25 ms).
    pub rtt0: Time,
    /// Where the round-trip time comes from: the smallest sample, or the known one.
    pub base_rtt: BaseRttSource,
}

impl Default for HyblaParams {
    fn default() -> Self {
        Self { rtt0: Time::from_ms(25), base_rtt: BaseRttSource::Estimated }
    }
}

impl Describe for HyblaParams {
    const PROPERTIES: Properties = Properties { base_rtt: true, ..Properties::DEFAULT };
}

/// Upper bound of rho in 2^rho, beyond which growth is unbounded in practice.
const MAX_RHO: f64 = 16.0;

/// Hybla's window law.
#[derive(Debug, Clone)]
pub struct HyblaLaw {
    max_counted: MaxCounted,
    rtt0_ps: f64,
    base: BaseRtt,
    /// From rho = RTT / RTT_0, at least 1: 2^rho - 1 and rho^2.
    rho: f64,
    slow_start: f64,
    avoidance: f64,
}

/// Hybla.
pub type Hybla = LossBased<HyblaLaw>;

impl Hybla {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &HyblaParams, facts: &PathFacts) -> Self {
        let law = HyblaLaw {
            rtt0_ps: (p.rtt0.as_ps() as f64).max(1.0),
            base: BaseRtt::new(p.base_rtt, facts),
            max_counted: MaxCounted::new(facts),
            rho: 1.0,
            slow_start: 1.0,
            avoidance: 1.0,
        };
        Self::with(law, SlowStartKind::Standard, facts)
    }
}

impl HyblaLaw {
    #[inline]
    fn measure(&mut self, rtt: Time) {
        let rho = (self.base.sample(rtt).as_ps() as f64 / self.rtt0_ps).max(1.0);
        if rho != self.rho {
            self.rho = rho;
            self.slow_start = libm::exp2(rho.min(MAX_RHO)) - 1.0;
            self.avoidance = rho * rho;
        }
    }
}

impl WindowLaw for HyblaLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.measure(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, _cwnd: f64, _slow_start: bool) -> Option<f64> {
        if let Some(rtt) = ack.rtt {
            self.measure(rtt);
        }
        None
    }

    fn slow_start_growth(&self, counted: f64) -> Option<f64> {
        Some(self.slow_start * counted)
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        // at most one packet per packet acknowledged, to bound growth on very long paths
        (self.avoidance * self.max_counted.of(ack.acked) / cwnd).min(ack.acked)
    }

    fn after_loss(&mut self, loss: &Loss, _cwnd: f64) -> f64 {
        loss.flight_size / 2.0
    }

    fn base_rtt(&self) -> Option<Time> {
        self.base.get()
    }
}
