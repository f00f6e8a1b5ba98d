//! H-TCP (Shorten and Leith 2004): an additive increase that rises with the time since the last loss, and a decrease
//! that only just empties the queue.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::boxed::Boxed;
use crate::parts::limited_time::LimitedTime;
use crate::parts::round_trips::Round;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `htcp`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HTcpParams {
    /// Where RTTmin comes from.
    pub base_rtt: BaseRttSource,
    /// After a loss it is Reno for this long (Delta_L, 1 s).
    pub low_speed: Time,
    /// Increases are as on a path of 100 ms, whatever the round-trip time (within 10 ms to 200 ms).
    pub rtt_scaling: bool,
    /// Halve where the throughput has changed by more than a fifth since the last loss.
    pub bandwidth_switch: bool,
}

impl Default for HTcpParams {
    fn default() -> Self {
        Self { base_rtt: BaseRttSource::Estimated, low_speed: Time::SECOND, rtt_scaling: true, bandwidth_switch: true }
    }
}

impl Describe for HTcpParams {
    const PROPERTIES: Properties = Properties { base_rtt: true, ..Properties::DEFAULT };
}

/// Bounds of the adaptive back-off.
const BETA: (f64, f64) = (0.5, 0.8);
/// Change of the throughput above which a loss halves the window.
const SWITCH: f64 = 0.2;
/// Below this round-trip time the back-off is a half: the estimate of the queue is too coarse.
const MIN_RTT: Time = Time::from_ms(10);
/// Maximum increase of the maximum sample at once.
const MAX_RISE_S: f64 = 0.02;

/// H-TCP's window law.
#[derive(Debug, Clone)]
pub struct HTcpLaw {
    p: HTcpParams,
    base: BaseRtt,
    max_rtt_s: f64,
    /// Time of the last loss, plus the time in which the window was not the limit.
    since: Time,
    limited: LimitedTime,
    beta: f64,
    /// The back-off is adaptive from the second loss on.
    adapts: bool,
    alpha: f64,
    round: Round,
    /// Packets of the current throughput sample, and its beginning.
    counted: f64,
    counted_since: Time,
    throughput: f64,
    max_throughput: f64,
    last_max_throughput: f64,
}

/// H-TCP.
pub type HTcp = Boxed<LossBased<HTcpLaw>>;

impl HTcp {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &HTcpParams, facts: &PathFacts) -> Self {
        let law = HTcpLaw {
            p: *p,
            base: BaseRtt::new(p.base_rtt, facts),
            max_rtt_s: 0.0,
            since: Time::ZERO,
            limited: LimitedTime::default(),
            beta: BETA.0,
            adapts: false,
            alpha: 1.0,
            round: Round::default(),
            counted: 0.0,
            counted_since: Time::ZERO,
            throughput: 0.0,
            max_throughput: 0.0,
            last_max_throughput: 0.0,
        };
        Self(Box::new(LossBased::with(law, SlowStartKind::Standard, facts)))
    }
}

impl HTcpLaw {
    /// alpha(Delta), Delta the time since the last loss (section 2).
    fn increase(&self, now: Time) -> f64 {
        let beyond = now.saturating_sub(self.since).saturating_sub(self.p.low_speed).as_secs_f64();
        let mut alpha = if beyond > 0.0 { 1.0 + 10.0 * beyond + (beyond / 2.0) * (beyond / 2.0) } else { 1.0 };
        if let (true, Some(base)) = (self.p.rtt_scaling, self.base.get()) {
            alpha = (alpha * (base.as_secs_f64() / 0.1).clamp(0.1, 2.0)).max(1.0);
        }
        2.0 * (1.0 - self.beta) * alpha
    }

    /// Samples the throughput once a round trip.
    fn measure(&mut self, ack: &Ack, cwnd: f64) {
        let Some(base) = self.base.get() else { return };
        if ack.in_recovery {
            self.counted = 0.0;
            self.counted_since = ack.now;
            return;
        }
        self.counted += ack.acked;
        let elapsed = ack.now - self.counted_since;
        if self.counted < cwnd - self.alpha.max(1.0) || elapsed < base || elapsed == Time::ZERO {
            return;
        }
        let sample = self.counted / elapsed.as_secs_f64();
        if ack.now.saturating_sub(self.since) <= base * 4 {
            // just after a loss
            (self.throughput, self.max_throughput) = (sample, sample);
        } else {
            self.throughput = (3.0 * self.throughput + sample) / 4.0;
            self.max_throughput = self.max_throughput.max(self.throughput);
        }
        self.counted = 0.0;
        self.counted_since = ack.now;
    }

    /// Section 3: the share of the window that remains.
    fn back_off(&mut self) -> f64 {
        let last = std::mem::replace(&mut self.last_max_throughput, self.max_throughput);
        if self.p.bandwidth_switch && (self.max_throughput - last).abs() > SWITCH * last {
            self.adapts = false;
            return BETA.0;
        }
        match self.base.get() {
            Some(base) if self.adapts && base > MIN_RTT && self.max_rtt_s > 0.0 => {
                (base.as_secs_f64() / self.max_rtt_s).clamp(BETA.0, BETA.1)
            }
            _ => {
                self.adapts = true;
                BETA.0
            }
        }
    }
}

impl WindowLaw for HTcpLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.base.sample(rtt);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, cwnd: f64, _slow_start: bool) -> Option<f64> {
        // a window that is not used does not probe: the increase does not rise in that time
        self.since = (self.since + self.limited.not_cwnd_limited(ack)).min(ack.now);
        if let Some(rtt) = ack.rtt {
            let base_s = self.base.sample(rtt).as_secs_f64();
            let rtt_s = rtt.as_secs_f64();
            if !ack.in_recovery {
                self.max_rtt_s = self.max_rtt_s.max(base_s);
                if rtt_s > self.max_rtt_s && rtt_s <= self.max_rtt_s + MAX_RISE_S {
                    self.max_rtt_s = rtt_s;
                }
            }
        }
        if self.p.bandwidth_switch {
            self.measure(ack, cwnd);
        }
        if self.round.ends(ack) {
            self.alpha = self.increase(ack.now);
        }
        None
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        self.alpha * ack.acked.min(cwnd) / cwnd
    }

    fn after_loss(&mut self, loss: &Loss, _cwnd: f64) -> f64 {
        self.beta = self.back_off();
        if let Some(base) = self.base.get() {
            // the maximum decays, to adapt to a change of route
            let base_s = base.as_secs_f64();
            self.max_rtt_s = base_s + 0.95 * (self.max_rtt_s - base_s).max(0.0);
        }
        self.since = loss.now;
        self.alpha = self.increase(loss.now);
        self.beta * loss.flight_size
    }

    fn on_recovered(&mut self, now: Time) -> Option<f64> {
        self.since = now;
        None
    }

    fn base_rtt(&self) -> Option<Time> {
        self.base.get()
    }
}
