//! Westwood+ (Grieco and Mascolo 2004): after a loss the window is the estimated bandwidth times RTTmin.

use eddyline_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Loss, PathFacts};
use crate::parts::base_rtt::{BaseRtt, BaseRttSource};
use crate::parts::byte_counting::MaxCounted;
use crate::parts::round_trips::Smoothed;
use crate::parts::slow_start::SlowStartKind;
use crate::parts::window_law::{LossBased, WindowLaw};
use crate::properties::{Describe, Properties};

/// Parameters of `westwood`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestwoodParams {
    /// Where RTTmin comes from.
    pub base_rtt: BaseRttSource,
    /// Weight of the previous estimate in both low-pass filters, in [0, 1) (7/8, as Linux).
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub filter: f64,
    /// Minimum duration of a bandwidth sample, which takes a round trip (50 ms).
    pub min_sample: Time,
    /// A loss leaves at least half of the window, as in Linux 2.6, whose threshold is Reno's.
    pub at_least_half: bool,
    /// Tick of the clock that measures the bandwidth: times are truncated to it, round-trip times rounded (none; Linux 2.6 at
    /// 1,000 Hz: 1 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick: Option<Time>,
}

impl Default for WestwoodParams {
    fn default() -> Self {
        Self {
            base_rtt: BaseRttSource::Estimated,
            filter: 0.875,
            min_sample: Time::from_ms(50),
            at_least_half: false,
            tick: None,
        }
    }
}

impl Describe for WestwoodParams {
    const PROPERTIES: Properties = Properties { base_rtt: true, ..Properties::DEFAULT };
}

/// Westwood+'s window law.
#[derive(Debug, Clone)]
pub struct WestwoodLaw {
    max_counted: MaxCounted,
    filter: f64,
    min_sample: Time,
    base: BaseRtt,
    rtt_ps: Smoothed,
    /// Beginning of the current bandwidth sample, and its packets.
    since: Time,
    counted: f64,
    /// Packets per picosecond: filtered once, and twice.
    once: Option<f64>,
    bandwidth: f64,
    at_least_half: bool,
    tick: Option<Time>,
    /// Minimum window after the last loss.
    half: f64,
}

/// Westwood+.
pub type Westwood = LossBased<WestwoodLaw>;

impl Westwood {
    /// A sender at its initial window, in slow start.
    #[must_use]
    pub fn new(p: &WestwoodParams, facts: &PathFacts) -> Self {
        let law = WestwoodLaw {
            filter: p.filter,
            min_sample: p.min_sample.max(Time::from_ps(1)),
            base: BaseRtt::new(p.base_rtt, facts),
            max_counted: MaxCounted::new(facts),
            rtt_ps: Smoothed::default(),
            since: Time::ZERO,
            counted: 0.0,
            once: None,
            bandwidth: 0.0,
            at_least_half: p.at_least_half,
            tick: p.tick.filter(|tick| *tick > Time::ZERO),
            half: 0.0,
        };
        Self::with(law, SlowStartKind::Standard, facts)
    }
}

impl WestwoodLaw {
    /// BWE * RTTmin, in packets.
    fn delivered_by_base(&self) -> Option<f64> {
        self.once?;
        Some(self.bandwidth * self.rounded(self.base.get()?.as_ps() as f64))
    }

    /// A time as the clock shows it.
    fn cut(&self, now: Time) -> Time {
        self.tick.map_or(now, |tick| Time::from_ps(now.as_ps() / tick.as_ps() * tick.as_ps()))
    }

    /// A round-trip time as the clock shows it, in picoseconds.
    fn rounded(&self, rtt_ps: f64) -> f64 {
        self.tick.map_or(rtt_ps, |tick| libm::round(rtt_ps / tick.as_ps() as f64) * tick.as_ps() as f64)
    }
}

impl WindowLaw for WestwoodLaw {
    fn on_handshake(&mut self, rtt: Time) {
        self.base.sample(rtt);
        self.rtt_ps.update(rtt.as_ps() as f64);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, _cwnd: f64, _slow_start: bool) -> Option<f64> {
        if let Some(rtt) = ack.rtt {
            self.base.sample(rtt);
            self.rtt_ps.update(rtt.as_ps() as f64);
        }
        // if this acknowledgement ends a sample, its packets belong to the next one
        let now = self.cut(ack.now);
        let elapsed = now - self.since;
        if elapsed > self.min_sample && elapsed.as_ps() as f64 > self.rounded(self.rtt_ps.get().unwrap_or(0.0)) {
            let sample = self.counted / elapsed.as_ps() as f64;
            let keep = self.filter;
            match self.once {
                None => (self.once, self.bandwidth) = (Some(sample), sample),
                Some(old) => {
                    let once = keep * old + (1.0 - keep) * sample;
                    self.once = Some(once);
                    self.bandwidth = keep * self.bandwidth + (1.0 - keep) * once;
                }
            }
            self.since = now;
            self.counted = 0.0;
        }
        self.counted += ack.acked;
        None
    }

    #[inline]
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        self.max_counted.of(ack.acked) / cwnd
    }

    fn after_loss(&mut self, loss: &Loss, _cwnd: f64) -> f64 {
        // no estimate yet: as Reno
        let half = loss.flight_size / 2.0;
        self.half = if self.at_least_half { half } else { 0.0 };
        self.delivered_by_base().unwrap_or(half).max(self.half)
    }

    fn on_recovered(&mut self, _now: Time) -> Option<f64> {
        // As Linux: the estimate has continued during recovery. After a slow start, which the filters lag behind, that is most of it.
        self.delivered_by_base().map(|window| window.max(self.half))
    }

    fn base_rtt(&self) -> Option<Time> {
        self.base.get()
    }
}
