//! Vegas (Brakmo and Peterson 1995): a window that keeps between alpha and beta packets queued, by delay.

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, Marks, PathFacts};
use crate::parts::backlog::Backlog;
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::boxed::Boxed;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// The congestion signal.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum VegasPrice {
    /// Queueing delay: the round-trip time less its minimum.
    #[default]
    Delay,
    /// The sum of the prices of `rem` queues, from the share of packets that they mark; needs `tcp.accurate_ecn`.
    Marks {
        /// Base of the queues' probabilities, their `phi`.
        #[schemars(extend("exclusiveMinimum" = 1))]
        phi: f64,
        /// Queueing delay that corresponds to a price of 1.
        #[serde(default = "millisecond")]
        #[schemars(extend("x-minimum" = "1 us", "x-maximum" = "1 h"))]
        unit: Time,
    },
}

impl VegasPrice {
    fn is_delay(&self) -> bool {
        *self == Self::Delay
    }
}

const fn millisecond() -> Time {
    Time::from_ms(1)
}

/// Parameters of `vegas`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VegasParams {
    /// Minimum number of packets to keep queued (2).
    #[schemars(extend("x-minimum" = 0))]
    pub alpha: Packets,
    /// Maximum number of packets to keep queued (4); below `alpha` it counts as `alpha`.
    #[schemars(extend("x-minimum" = 0))]
    pub beta: Packets,
    /// Packets queued that end slow start (1).
    #[schemars(extend("x-minimum" = 0))]
    pub gamma: Packets,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
    /// The congestion signal.
    #[serde(skip_serializing_if = "VegasPrice::is_delay")]
    pub price: VegasPrice,
}

impl Default for VegasParams {
    fn default() -> Self {
        Self {
            alpha: Packets::new(2.0),
            beta: Packets::new(4.0),
            gamma: Packets::new(1.0),
            base_rtt: BaseRttSource::Estimated,
            price: VegasPrice::Delay,
        }
    }
}

impl Describe for VegasParams {
    const PROPERTIES: Properties = Properties::DELAY_BASED;
}

/// Vegas's window law.
#[derive(Debug, Clone)]
pub struct VegasLaw {
    alpha: f64,
    beta: f64,
    gamma: f64,
    backlog: Backlog,
    marked: Option<MarkedPrice>,
    /// Window change by the round trip that ended with this acknowledgement.
    step: f64,
}

/// The price of a path under REM: `-log_phi(1 - m)` with m the share of marked packets (Athuraliya et al. 2001, eq. 4).
#[derive(Debug, Clone, Copy)]
struct MarkedPrice {
    ln_phi: f64,
    unit_ps: f64,
    acked: f64,
    marked: f64,
    share: f64,
}

/// Weight of a round trip in the average share of marked packets.
const SHARE_GAIN: f64 = 1.0 / 8.0;

impl MarkedPrice {
    fn of(price: VegasPrice) -> Option<Self> {
        let VegasPrice::Marks { phi, unit } = price else { return None };
        Some(Self { ln_phi: libm::log(phi), unit_ps: unit.as_ps() as f64, acked: 0.0, marked: 0.0, share: 0.0 })
    }

    /// At the end of a round trip: the delay that corresponds to its price, in picoseconds.
    fn delay(&mut self) -> f64 {
        if self.acked > 0.0 {
            self.share += SHARE_GAIN * ((self.marked / self.acked).min(1.0) - self.share);
            (self.acked, self.marked) = (0.0, 0.0);
        }
        // if all packets are marked the price would be infinite
        -libm::log1p(-self.share.min(0.999)) / self.ln_phi * self.unit_ps
    }
}

/// Vegas.
pub type Vegas = Boxed<LossBased<VegasLaw>>;

impl Vegas {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &VegasParams, facts: &PathFacts) -> Self {
        let law = VegasLaw {
            alpha: p.alpha.get(),
            beta: p.beta.get().max(p.alpha.get()),
            gamma: p.gamma.get(),
            backlog: Backlog::new(BaseRtt::new(p.base_rtt, facts)),
            marked: MarkedPrice::of(p.price),
            step: 0.0,
        };
        Self(Box::new(LossBased::with(law, SlowStartKind::Standard, facts)))
    }
}

impl WindowLaw for VegasLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.backlog.base.sample(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, cwnd: f64, slow_start: bool) -> Option<f64> {
        self.step = 0.0;
        let measured = self.backlog.update(ack)?;
        if ack.in_recovery {
            return None;
        }
        let Some(measured) = measured else {
            // too few samples
            self.step = ack.acked.min(1.0) / cwnd;
            return None;
        };
        // x q with q the queueing delay of the path, or the delay that corresponds to its marks
        let queued = match &mut self.marked {
            Some(price) => cwnd / measured.rtt * price.delay(),
            None => measured.backlog(cwnd),
        };
        if slow_start && self.marked.is_some() {
            return (queued > self.gamma).then_some(cwnd / 2.0);
        }
        if slow_start {
            // section 3.3; down to the window that fills the path plus one packet, as in Linux
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
        self.backlog.reset(loss.now);
        loss.flight_size / 2.0
    }

    fn on_marks(&mut self, marks: &Marks) {
        if let Some(price) = &mut self.marked {
            price.acked += marks.acked;
            price.marked += marks.marked;
        }
    }

    fn uses_mark_share(&self) -> bool {
        self.marked.is_some()
    }

    fn on_recovered(&mut self, now: Time) -> Option<f64> {
        self.backlog.reset(now);
        None
    }

    fn base_rtt(&self) -> Option<Time> {
        self.backlog.base.get()
    }
}
