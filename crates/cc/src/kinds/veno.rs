//! Veno (Fu and Liew 2003): Reno that distinguishes random loss from congestion by Vegas's estimate of queued packets.

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::byte_counting::MaxCounted;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `veno`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VenoParams {
    /// Packets queued from which on a loss is taken for congestion (3).
    #[schemars(extend("x-minimum" = 0))]
    pub beta: Packets,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
}

impl Default for VenoParams {
    fn default() -> Self {
        Self { beta: Packets::new(3.0), base_rtt: BaseRttSource::Estimated }
    }
}

impl Describe for VenoParams {
    const PROPERTIES: Properties = Properties::DELAY_BASED;
}

/// Veno's window law.
#[derive(Debug, Clone)]
pub struct VenoLaw {
    max_counted: MaxCounted,
    beta: f64,
    base: BaseRtt,
    /// Queueing delay as a share of the latest sample.
    queued_share: f64,
}

/// Veno.
pub type Veno = LossBased<VenoLaw>;

impl Veno {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &VenoParams, facts: &PathFacts) -> Self {
        let law = VenoLaw {
            beta: p.beta.get(),
            base: BaseRtt::new(p.base_rtt, facts),
            queued_share: 0.0,
            max_counted: MaxCounted::new(facts),
        };
        Self::with(law, SlowStartKind::Standard, facts)
    }
}

impl WindowLaw for VenoLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.base.sample(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, _cwnd: f64, _slow_start: bool) -> Option<f64> {
        let rtt = ack.rtt.filter(|rtt| *rtt > Time::ZERO)?;
        let base = self.base.sample(rtt);
        if !ack.in_recovery {
            self.queued_share = rtt.saturating_sub(base).as_ps() as f64 / rtt.as_ps() as f64;
        }
        None
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        let reno = self.max_counted.of(ack.acked) / cwnd;
        // with a congested path, a packet every other round trip
        if cwnd * self.queued_share < self.beta { reno } else { reno / 2.0 }
    }

    fn after_loss(&mut self, loss: &Loss, cwnd: f64) -> f64 {
        // a loss on an uncongested path is taken for random
        loss.flight_size * if cwnd * self.queued_share < self.beta { 0.8 } else { 0.5 }
    }

    fn base_rtt(&self) -> Option<Time> {
        self.base.get()
    }
}
