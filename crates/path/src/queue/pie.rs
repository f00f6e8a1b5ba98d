//! PIE (RFC 8033): a proportional-integral controller sets the drop probability on arrival to hold a target queueing delay.
//!
//! The delay is measured with timestamps (the alternative of RFC 8033, section 5.2): it is that of the last packet that left, and
//! zero if the queue is empty. Derandomization (section 5.4) and the cap on steps of a high probability (section 5.5) are included;
//! PIE is always active (section 5.3).

use eddyline_units::{Bytes, Frequency, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival_queue::{ArrivalLaw, ArrivalQueue, Verdict};
use super::discipline::LinkContext;
use super::limit::{Backlog, Limit};
use super::properties::{DelayBound, Describe, Properties};
use super::update_timer::UpdateTimer;
use crate::random::Stream;

/// Probabilities below which the gains are divided (RFC 8033, section 4.2).
const TUNING: [(f64, f64); 6] =
    [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
/// Sums of probabilities since the last drop below which there is none, and from which on there is one (section 5.4).
const SPREAD: (f64, f64) = (0.85, 8.5);
/// Above this probability a step is at most the second number (section 5.5).
const CAP: (f64, f64) = (0.1, 0.02);
/// Decay of the probability per update without a queue (section 4.2).
const DECAY: f64 = 0.98;
/// Below this probability packets are enqueued while the delay is below half of the target (section 4.1).
const LIGHT: f64 = 0.2;

/// PIE's law for one queue.
#[derive(Debug, Clone)]
pub struct Pie {
    target: f64,
    alpha: f64,
    beta: f64,
    max_burst: Time,
    max_ecn: f64,
    /// A backlog of no more than this is never congestion.
    little: u64,
    updates: UpdateTimer,
    probability: f64,
    /// The latest queueing delay, and the one at the last update, in seconds.
    delay: f64,
    old_delay: f64,
    burst_allowance: Time,
    /// Sum of the probabilities of packets enqueued since the last drop.
    accumulated: f64,
    random: Stream,
}

impl Pie {
    /// The probability of a drop or mark.
    #[must_use]
    pub const fn probability(&self) -> f64 {
        self.probability
    }

    /// Remaining burst allowance.
    #[must_use]
    pub const fn burst_allowance(&self) -> Time {
        self.burst_allowance
    }

    /// RFC 8033, section 4.2 and, for bursts, 4.4.
    fn update(&mut self) {
        let raw = self.alpha * (self.delay - self.target) + self.beta * (self.delay - self.old_delay);
        let divisor = TUNING.iter().find(|(below, _)| self.probability < *below).map_or(1.0, |(_, divisor)| *divisor);
        let mut change = raw / divisor;
        if self.probability >= CAP.0 {
            change = change.min(CAP.1);
        }
        let mut p = self.probability + change;
        if self.delay <= 0.0 && self.old_delay <= 0.0 {
            p *= DECAY;
        }
        self.probability = p.clamp(0.0, 1.0);
        self.burst_allowance = self.burst_allowance.saturating_sub(self.updates.period());
        if self.probability <= 0.0 && self.delay.max(self.old_delay) < self.target / 2.0 {
            self.burst_allowance = self.max_burst;
        }
        self.old_delay = self.delay;
    }
}

impl ArrivalLaw for Pie {
    type Params = PieParams;

    fn new(params: &PieParams, context: &LinkContext<'_>) -> Self {
        Self {
            target: params.target.as_secs_f64(),
            alpha: params.alpha.get(),
            beta: params.beta.get(),
            max_burst: params.max_burst,
            max_ecn: params.max_ecn,
            little: params.mean_packet.get().saturating_mul(2),
            updates: UpdateTimer::new(params.update),
            probability: 0.0,
            delay: 0.0,
            old_delay: 0.0,
            burst_allowance: params.max_burst,
            accumulated: 0.0,
            random: context.stream("pie"),
        }
    }

    fn bounds(params: &PieParams) -> (Limit, bool) {
        (params.limit, params.ecn)
    }

    fn tick(&mut self, now: Time, _waiting: &Backlog) {
        let (_, count) = self.updates.due(now);
        for _ in 0..count {
            let previous = (self.probability, self.old_delay, self.burst_allowance);
            self.update();
            // no packet has arrived or left, so further updates change nothing
            if previous == (self.probability, self.old_delay, self.burst_allowance) {
                break;
            }
        }
    }

    /// RFC 8033, sections 4.1, 4.4 and 5.4; marks up to `max_ecn` (section 5.1).
    fn judge(&mut self, _now: Time, _size: u64, waiting: &Backlog, room: bool) -> Verdict {
        if !room {
            self.accumulated = 0.0;
            return Verdict::Drop;
        }
        let light = self.old_delay < self.target / 2.0 && self.probability < LIGHT;
        if self.burst_allowance > Time::ZERO || light || waiting.bytes <= self.little {
            return Verdict::Admit;
        }
        if self.probability <= 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        let due =
            self.accumulated >= SPREAD.1 || self.accumulated >= SPREAD.0 && self.random.uniform() < self.probability;
        if !due {
            return Verdict::Admit;
        }
        self.accumulated = 0.0;
        if self.probability <= self.max_ecn { Verdict::Signal } else { Verdict::Drop }
    }

    fn left(&mut self, waited: Time, behind: &Backlog) {
        self.delay = if behind.packets == 0 { 0.0 } else { waited.as_secs_f64() };
    }

    fn idle(&mut self, _now: Time) {
        self.delay = 0.0;
    }
}

/// A FIFO queue under PIE.
pub type PieQueue<P> = ArrivalQueue<P, Pie>;

/// Parameters of `pie`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Target queueing delay.
    #[serde(default = "target")]
    #[schemars(extend("x-exclusiveMinimum" = 0, "x-maximum" = "1 h"))]
    pub target: Time,
    /// Time between two updates of the probability.
    #[serde(default = "update")]
    #[schemars(extend("x-minimum" = "100 us", "x-maximum" = "1 h"))]
    pub update: Time,
    /// Gain of the excess delay (alpha): probability per second of excess and update.
    #[serde(default = "alpha")]
    pub alpha: Frequency,
    /// Gain of the change of the delay (beta).
    #[serde(default = "beta")]
    pub beta: Frequency,
    /// Burst allowance after a time without congestion.
    #[serde(default = "max_burst")]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub max_burst: Time,
    /// With a backlog of at most two of these nothing is dropped.
    #[serde(default = "mean_packet")]
    #[schemars(extend("x-maximum" = "1 GB"))]
    pub mean_packet: Bytes,
    /// Marks packets of ECN-capable transports where it would drop them.
    #[serde(default = "ecn")]
    pub ecn: bool,
    /// Probability above which packets are dropped although they could be marked, in [0, 1].
    #[serde(default = "max_ecn")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub max_ecn: f64,
}

impl Describe for PieParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Target), ..Properties::AQM };
}

const fn limit() -> Limit {
    Limit::Packets(1000)
}

const fn target() -> Time {
    Time::from_ms(15)
}

const fn update() -> Time {
    Time::from_ms(15)
}

const fn alpha() -> Frequency {
    Frequency::new(0.125)
}

const fn beta() -> Frequency {
    Frequency::new(1.25)
}

const fn max_burst() -> Time {
    Time::from_ms(150)
}

const fn mean_packet() -> Bytes {
    Bytes::new(1500)
}

const fn ecn() -> bool {
    true
}

const fn max_ecn() -> f64 {
    0.1
}
