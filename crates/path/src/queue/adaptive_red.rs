//! Adaptive RED: RED whose thresholds and weight follow from the link and whose `max_p` keeps the average between them.
//!
//! Floyd, Gummadi and Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's Active Queue
//! Management",
//! 2001. Probabilities above the upper threshold are those of gentle RED, as there.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival_queue::{ArrivalLaw, ArrivalQueue, Verdict};
use super::discipline::LinkContext;
use super::limit::{Backlog, Limit};
use super::properties::{Describe, Properties};
use super::red::{Curve, Red};
use super::update_timer::UpdateTimer;

/// Minimum of the lower threshold, in packets (Section 5.1).
const MIN_LOWER_THRESHOLD: f64 = 5.0;
/// Bounds of `max_p` (Section 4).
const MAX_P: (f64, f64) = (0.01, 0.5);
/// Initial `max_p`.
const FIRST_MAX_P: f64 = 0.1;
/// Maximum increase of `max_p` in one step, and its factor of decrease (Section 4).
const MAX_INCREASE: f64 = 0.01;
const DOWN: f64 = 0.9;

/// Adaptive RED's law for one queue.
#[derive(Debug, Clone)]
pub struct AdaptiveRed {
    red: Red,
    updates: UpdateTimer,
}

impl AdaptiveRed {
    /// RED with its current parameters.
    #[must_use]
    pub const fn red(&self) -> &Red {
        &self.red
    }

    /// The range of the average in which `max_p` is not changed (Section 4).
    #[must_use]
    pub fn target(&self) -> (f64, f64) {
        let Curve { min, max, .. } = self.red.curve;
        (min + 0.4 * (max - min), min + 0.6 * (max - min))
    }

    /// One step of Figure 1 of the paper; returns whether `max_p` changed.
    fn adapt(&mut self, average: f64) -> bool {
        let (low, high) = self.target();
        let max_p = self.red.curve.max_p;
        self.red.curve.max_p = if average > high && max_p <= MAX_P.1 {
            max_p + MAX_INCREASE.min(max_p / 4.0)
        } else if average < low && max_p >= MAX_P.0 {
            max_p * DOWN
        } else {
            return false;
        };
        true
    }
}

impl ArrivalLaw for AdaptiveRed {
    type Params = AdaptiveRedParams;

    fn new(params: &AdaptiveRedParams, context: &LinkContext<'_>) -> Self {
        let line_bytes = context.framing.line_bytes(params.typical_packet.get() as u32);
        let packets_per_s = context.rate.as_bps() as f64 / (8.0 * line_bytes as f64);
        let min = (params.target_delay.as_secs_f64() * packets_per_s / 2.0).max(MIN_LOWER_THRESHOLD);
        let curve = Curve { min, max: 3.0 * min, max_p: FIRST_MAX_P, gentle: true };
        // the average follows the queue with a time constant of a second
        let weight = -libm::expm1(-1.0 / packets_per_s);
        Self {
            red: Red::with_curve(curve, |w| w.packets, weight, params.typical_packet, context),
            updates: UpdateTimer::new(params.interval),
        }
    }

    fn bounds(params: &AdaptiveRedParams) -> (Limit, bool) {
        (params.limit, params.ecn)
    }

    fn tick(&mut self, now: Time, _waiting: &Backlog) {
        let (mut at, count) = self.updates.due(now);
        for _ in 0..count {
            let average = self.red.aged(at);
            // nothing arrived since, so an average below the target only falls further, and on a busy link it stays
            if !self.adapt(average) && (!self.red.is_idle() || average < self.target().0) {
                break;
            }
            at = at.saturating_add(self.updates.period());
        }
    }

    fn judge(&mut self, now: Time, size: u64, waiting: &Backlog, room: bool) -> Verdict {
        self.red.judge(now, size, waiting, room)
    }

    fn idle(&mut self, now: Time) {
        self.red.idle(now);
    }
}

/// A FIFO queue under adaptive RED.
pub type AdaptiveRedQueue<P> = ArrivalQueue<P, AdaptiveRed>;

/// Parameters of `adaptive_red`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveRedParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Target of the average queueing delay. The lower threshold is half of what the link sends in that time, at least 5 packets; the
    /// upper threshold is three times the lower.
    #[serde(default = "target_delay")]
    #[schemars(extend("x-exclusiveMinimum" = 0, "x-maximum" = "1 h"))]
    pub target_delay: Time,
    /// Time between two steps of `max_p`.
    #[serde(default = "interval")]
    #[schemars(extend("x-minimum" = "1 ms", "x-maximum" = "1 h"))]
    pub interval: Time,
    /// Packet size used to convert the link's rate to packets.
    #[serde(default = "typical_packet")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub typical_packet: Bytes,
    /// Marks packets of ECN-capable transports where it would drop them, below the upper threshold.
    #[serde(default = "ecn")]
    pub ecn: bool,
}

impl Describe for AdaptiveRedParams {
    const PROPERTIES: Properties = Properties::AQM;
}

const fn limit() -> Limit {
    Limit::Packets(1000)
}

const fn target_delay() -> Time {
    Time::from_ms(5)
}

const fn interval() -> Time {
    Time::from_ms(500)
}

const fn typical_packet() -> Bytes {
    Bytes::new(1500)
}

const fn ecn() -> bool {
    true
}
