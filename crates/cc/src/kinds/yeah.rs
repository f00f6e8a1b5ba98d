//! YeAH-TCP (Baiocchi, Castellani and Vacirca 2007): Scalable TCP while few packets are queued, Reno otherwise, and
//! precautionary decongestion: it reduces the window by its backlog before packets are lost.

use eddyline_units::{Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::backlog::Backlog;
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::boxed::Boxed;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `yeah`; the defaults are those of Linux.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct YeahParams {
    /// Maximum number of packets to keep queued (80).
    #[schemars(extend("x-minimum" = 0))]
    pub alpha: Packets,
    /// Queueing delay above `baseRTT / phi` also means congestion (8).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub phi: f64,
    /// Maximum share of the window given up by precautionary decongestion (1/2).
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub decongestion: f64,
    /// Minimum share given up per loss (1/8).
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub least_decrease: f64,
    /// Consecutive round trips of congestion that indicate competition with Reno, in which a loss halves the window (16).
    pub rho: u32,
    /// Round trips without congestion after which the competition is taken to be over (50).
    pub zeta: u32,
    /// Packets acknowledged per packet of growth (100).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scalable: f64,
    /// Where the base round-trip time comes from.
    pub base_rtt: BaseRttSource,
}

impl Default for YeahParams {
    fn default() -> Self {
        Self {
            alpha: Packets::new(80.0),
            phi: 8.0,
            decongestion: 0.5,
            least_decrease: 0.125,
            rho: 16,
            zeta: 50,
            scalable: 100.0,
            base_rtt: BaseRttSource::Estimated,
        }
    }
}

impl Describe for YeahParams {
    const PROPERTIES: Properties = Properties::DELAY_BASED;
}

/// Minimum window in packets, and initial estimate of a competitor's.
const MIN_WINDOW: f64 = 2.0;

/// YeAH-TCP's window law.
#[derive(Debug, Clone)]
pub struct YeahLaw {
    p: YeahParams,
    backlog: Backlog,
    /// Packets queued at the last measurement.
    queued: f64,
    /// Consecutive round trips of congestion; 0 in fast mode.
    slow_rounds: u32,
    fast_rounds: u32,
    /// Estimated window of a competing Reno flow (reno_count).
    competitor: f64,
}

/// YeAH-TCP.
pub type Yeah = Boxed<LossBased<YeahLaw>>;

impl Yeah {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &YeahParams, facts: &PathFacts) -> Self {
        let law = YeahLaw {
            p: *p,
            backlog: Backlog::new(BaseRtt::new(p.base_rtt, facts)),
            queued: 0.0,
            slow_rounds: 0,
            fast_rounds: 0,
            competitor: MIN_WINDOW,
        };
        Self(Box::new(LossBased::with(law, SlowStartKind::Standard, facts)))
    }
}

impl WindowLaw for YeahLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.backlog.base.sample(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, cwnd: f64, _slow_start: bool) -> Option<f64> {
        let measured = self.backlog.update(ack)??;
        if ack.in_recovery {
            return None;
        }
        self.queued = measured.backlog(cwnd);
        let too_many = self.queued > self.p.alpha.get();
        if !too_many && measured.rtt - measured.base <= measured.base / self.p.phi {
            self.slow_rounds = 0;
            self.fast_rounds += 1;
            if self.fast_rounds > self.p.zeta {
                self.competitor = MIN_WINDOW;
                self.fast_rounds = 0;
            }
            return None;
        }
        let down = (too_many && cwnd > self.competitor)
            .then(|| (cwnd - self.queued.min(cwnd * self.p.decongestion)).max(self.competitor));
        let now = down.unwrap_or(cwnd);
        self.competitor =
            if self.competitor <= MIN_WINDOW { (now / 2.0).max(MIN_WINDOW) } else { self.competitor + 1.0 };
        self.slow_rounds = self.slow_rounds.saturating_add(1);
        down
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        let per = if self.slow_rounds == 0 { cwnd.min(self.p.scalable) } else { cwnd };
        ack.acked.min(cwnd) / per
    }

    fn after_loss(&mut self, loss: &Loss, _cwnd: f64) -> f64 {
        let window = loss.flight_size;
        let half = (window / 2.0).max(MIN_WINDOW);
        let given_up = if self.slow_rounds < self.p.rho {
            self.queued.min(half).max(window * self.p.least_decrease)
        } else {
            half
        };
        self.fast_rounds = 0;
        self.competitor = (self.competitor / 2.0).max(MIN_WINDOW);
        self.backlog.reset(loss.now);
        window - given_up
    }

    fn on_recovered(&mut self, now: Time) -> Option<f64> {
        self.backlog.reset(now);
        None
    }

    fn base_rtt(&self) -> Option<Time> {
        self.backlog.base.get()
    }
}
