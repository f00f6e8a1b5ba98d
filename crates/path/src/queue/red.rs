//! Random early detection: a drop or mark probability that grows with the average queue.
//!
//! Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Transactions on Networking
//! 1(4), 1993; RFC 2309. Above the upper threshold the probability rises to one at twice that threshold if `gentle`
//! (Floyd, "Recommendation on using the gentle variant of RED", 2000), else every packet is dropped.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival_queue::{ArrivalLaw, ArrivalQueue, Verdict};
use super::discipline::LinkContext;
use super::limit::{Backlog, Limit};
use super::properties::{Describe, Properties};
use crate::ParamError;
use crate::random::Stream;

/// The average queue below which nothing is dropped, the one at which the probability is `max_p`, and that probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// Lower threshold.
    pub min: f64,
    /// Upper threshold.
    pub max: f64,
    /// Probability at the upper threshold.
    pub max_p: f64,
    /// Above it the probability grows to one at twice the upper threshold, instead of being one at once.
    pub gentle: bool,
}

impl Curve {
    /// The probability at an average queue, `p_b` of the paper; `None` below the lower threshold, one where every
    /// packet goes.
    #[must_use]
    pub fn probability(&self, average: f64) -> Option<f64> {
        if average < self.min {
            return None;
        }
        if average < self.max {
            return Some(self.max_p * (average - self.min) / (self.max - self.min));
        }
        if self.gentle && average < 2.0 * self.max {
            return Some(self.max_p + (1.0 - self.max_p) * (average / self.max - 1.0));
        }
        Some(1.0)
    }
}

/// RED's law for one queue.
#[derive(Debug, Clone)]
pub struct Red {
    /// Its curve, in the unit in which the queue is measured.
    pub curve: Curve,
    measure: fn(&Backlog) -> u64,
    weight: f64,
    /// Transmission time of a typical packet, by which the average decays while the link is idle.
    packet_time: f64,
    average: f64,
    /// Packets enqueued since the last drop or mark.
    count: u64,
    idle_since: Option<Time>,
    random: Stream,
    /// Above the upper threshold, packets are dropped even if they could be marked.
    hard_drop: bool,
}

impl Red {
    /// The initial state: a queue `measure`d in some unit and averaged with a `weight`; idle time is in units of the transmission time
    /// of a `typical` packet.
    #[must_use]
    pub fn with_curve(
        curve: Curve,
        measure: fn(&Backlog) -> u64,
        weight: f64,
        typical: Bytes,
        context: &LinkContext<'_>,
    ) -> Self {
        Self {
            curve,
            measure,
            weight,
            packet_time: context.packet_time(typical.get()).as_ps().max(1) as f64,
            average: 0.0,
            count: 0,
            idle_since: Some(Time::ZERO),
            random: context.stream("red"),
            hard_drop: true,
        }
    }

    /// The average queue, after the last arrival.
    #[must_use]
    pub const fn average(&self) -> f64 {
        self.average
    }

    /// The average at `now`, decayed by idle time.
    #[must_use]
    pub fn aged(&self, now: Time) -> f64 {
        match self.idle_since {
            Some(since) => {
                let packets = now.saturating_sub(since).as_ps() as f64 / self.packet_time;
                self.average * libm::pow(1.0 - self.weight, packets)
            }
            None => self.average,
        }
    }

    /// Whether the queue was found empty at the last dequeue.
    pub(super) const fn is_idle(&self) -> bool {
        self.idle_since.is_some()
    }

    /// Updates the average with the queue that an arriving packet finds: the paper's first step.
    fn observe(&mut self, now: Time, waiting: &Backlog) {
        if self.idle_since.is_some() {
            self.average = self.aged(now);
            self.idle_since = None;
        } else {
            self.average += self.weight * ((self.measure)(waiting) as f64 - self.average);
        }
    }

    /// The paper's second step. Intervals between drops are uniform on 1 to 1 / p_b, as in its Section 7: `count` is the number of
    /// packets enqueued, whereas its Figure 2 counts one more.
    fn decide(&mut self) -> Verdict {
        let p_b = self.curve.probability(self.average);
        let Some(p_b) = p_b.filter(|p| *p < 1.0) else {
            self.count = 0;
            return if p_b.is_some() { self.forced() } else { Verdict::Admit };
        };
        let left = 1.0 - self.count as f64 * p_b;
        let p_a = if left > p_b { p_b / left } else { 1.0 };
        if p_b <= 0.0 || self.random.uniform() >= p_a {
            self.count += 1;
            return Verdict::Admit;
        }
        self.count = 0;
        if self.average < self.curve.max { Verdict::Signal } else { self.forced() }
    }

    /// The decision above the upper threshold, where marks may not suffice (RFC 3168, section 7).
    fn forced(&self) -> Verdict {
        if self.hard_drop { Verdict::Drop } else { Verdict::Signal }
    }
}

impl ArrivalLaw for Red {
    type Params = RedParams;

    fn new(params: &RedParams, context: &LinkContext<'_>) -> Self {
        let (measure, min, max): (fn(&Backlog) -> u64, _, _) = match (params.min_threshold, params.max_threshold) {
            (Limit::Packets(a), Limit::Packets(b)) => (|w| w.packets, a, b),
            (Limit::Cells(a), Limit::Cells(b)) => (|w| w.cells, a, b),
            (Limit::Bytes(a), Limit::Bytes(b)) => (|w| w.bytes, a, b),
            // scenarios have no other pairs, see `conflict`
            _ => (|w| w.packets, u64::MAX, u64::MAX),
        };
        let curve = Curve { min: min as f64, max: max as f64, max_p: params.max_p, gentle: params.gentle };
        let law = Self::with_curve(curve, measure, params.weight, params.typical_packet, context);
        Self { hard_drop: params.hard_drop, ..law }
    }

    fn bounds(params: &RedParams) -> (Limit, bool) {
        (params.limit, params.ecn)
    }

    fn judge(&mut self, now: Time, _size: u64, waiting: &Backlog, room: bool) -> Verdict {
        self.observe(now, waiting);
        let verdict = self.decide();
        if !room {
            self.count = 0;
        }
        verdict
    }

    fn idle(&mut self, now: Time) {
        self.idle_since.get_or_insert(now);
    }
}

/// A FIFO queue under RED.
pub type RedQueue<P> = ArrivalQueue<P, Red>;

/// Parameters of `red`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Average queue below which nothing is dropped; its unit is the one in which the queue is averaged.
    #[serde(default = "min_threshold")]
    pub min_threshold: Limit,
    /// Average queue at which the probability is `max_p`; in the same unit.
    #[serde(default = "max_threshold")]
    pub max_threshold: Limit,
    /// Probability of a drop at the upper threshold, in (0, 1].
    #[serde(default = "max_p")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub max_p: f64,
    /// Weight of the queue that an arriving packet finds in the average, in (0, 1].
    #[serde(default = "weight")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub weight: f64,
    /// Above the upper threshold the probability grows to one at twice that threshold, instead of being one at once.
    #[serde(default = "yes")]
    pub gentle: bool,
    /// Packet whose transmission time is the step of the average's decay while the link is idle.
    #[serde(default = "typical_packet")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub typical_packet: Bytes,
    /// Marks packets of ECN-capable transports where it would drop them, below the upper threshold.
    #[serde(default = "yes")]
    pub ecn: bool,
    /// Above the upper threshold drops what could be marked (RFC 3168, section 7). Off, it marks there too: Linux without `harddrop`.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    #[schemars(extend("default" = true))]
    pub hard_drop: bool,
}

impl Describe for RedParams {
    const PROPERTIES: Properties = Properties::AQM;

    fn conflict(&self) -> Option<ParamError> {
        let (min, max) = (self.min_threshold, self.max_threshold);
        let below = match (min, max) {
            (Limit::Packets(a), Limit::Packets(b))
            | (Limit::Bytes(a), Limit::Bytes(b))
            | (Limit::Cells(a), Limit::Cells(b)) => a <= b,
            (Limit::Unlimited, _) => {
                return Some(ParamError::new("min_threshold", "unlimited; a number with a unit is needed"));
            }
            (_, Limit::Unlimited) => {
                return Some(ParamError::new("max_threshold", "unlimited; a number with a unit is needed"));
            }
            _ => {
                return Some(ParamError::new(
                    "max_threshold",
                    format!("{max} is not in the unit of min_threshold, {min}"),
                ));
            }
        };
        (!below).then(|| ParamError::new("max_threshold", format!("{max} is below min_threshold, {min}")))
    }
}

const fn limit() -> Limit {
    Limit::Packets(1000)
}

const fn min_threshold() -> Limit {
    Limit::Packets(5)
}

const fn max_threshold() -> Limit {
    Limit::Packets(15)
}

const fn max_p() -> f64 {
    0.1
}

const fn weight() -> f64 {
    0.002
}

const fn typical_packet() -> Bytes {
    Bytes::new(1500)
}

const fn yes() -> bool {
    true
}

const fn is_true(switch: &bool) -> bool {
    *switch
}
