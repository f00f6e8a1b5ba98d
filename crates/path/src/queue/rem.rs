//! REM, random exponential marking: a price that grows with the excess of the input rate and of the queue, and a probability that is
//! exponential in the price, so that the prices of a path add up.
//!
//! Athuraliya, Li, Low and Yin, "REM: Active Queue Management", IEEE Network 15(3), 2001, eq. 1 and 3.

use eddyline_units::{Bytes, Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival_queue::{ArrivalLaw, ArrivalQueue, Verdict};
use super::discipline::LinkContext;
use super::limit::{Backlog, Limit};
use super::properties::{Describe, Properties};
use super::update_timer::UpdateTimer;
use crate::random::Stream;

/// REM's law for one queue.
#[derive(Debug, Clone)]
pub struct Rem {
    gamma: f64,
    alpha: f64,
    ln_phi: f64,
    /// Target queue in bytes.
    target: f64,
    packet: f64,
    /// Bytes that the link sends in a period.
    capacity: f64,
    updates: UpdateTimer,
    price: f64,
    probability: f64,
    /// Bytes enqueued in the current period.
    input: u64,
    random: Stream,
}

impl Rem {
    /// The price.
    #[must_use]
    pub const fn price(&self) -> f64 {
        self.price
    }

    /// The probability of a drop or mark, `1 - phi^-price`.
    #[must_use]
    pub const fn probability(&self) -> f64 {
        self.probability
    }

    /// Eq. 1, `count` times with the same backlog and input.
    fn update(&mut self, count: u64, waiting: &Backlog) {
        let excess = self.alpha * (waiting.bytes as f64 - self.target) + self.input as f64 - self.capacity;
        let change = self.gamma * excess / self.packet;
        // equal steps do not change sign at zero, so they can be added in one
        self.price = (self.price + count as f64 * change).max(0.0);
        self.input = 0;
    }
}

impl ArrivalLaw for Rem {
    type Params = RemParams;

    fn new(params: &RemParams, context: &LinkContext<'_>) -> Self {
        let packet = params.packet.get() as f64;
        Self {
            gamma: params.gamma,
            alpha: params.alpha,
            ln_phi: libm::log(params.phi),
            target: params.target.get() * packet,
            packet,
            capacity: context.rate.as_bps() as f64 / 8.0 * params.period.as_secs_f64(),
            updates: UpdateTimer::new(params.period),
            price: 0.0,
            probability: 0.0,
            input: 0,
            random: context.stream("rem"),
        }
    }

    fn bounds(params: &RemParams) -> (Limit, bool) {
        (params.limit, params.ecn)
    }

    fn tick(&mut self, now: Time, waiting: &Backlog) {
        let (_, count) = self.updates.due(now);
        if count == 0 {
            return;
        }
        self.update(1, waiting);
        if count > 1 {
            self.update(count - 1, waiting);
        }
        self.probability = -libm::expm1(-self.price * self.ln_phi);
    }

    fn judge(&mut self, _now: Time, _size: u64, _waiting: &Backlog, _room: bool) -> Verdict {
        if self.probability > 0.0 && self.random.uniform() < self.probability {
            Verdict::Signal
        } else {
            Verdict::Admit
        }
    }

    fn joined(&mut self, size: u64) {
        self.input += size;
    }
}

/// A FIFO queue under REM.
pub type RemQueue<P> = ArrivalQueue<P, Rem>;

/// Parameters of `rem`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemParams {
    /// Limit of the queue, without the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Target queue `b*`, in packets of the size `packet`.
    #[serde(default = "target")]
    pub target: Packets,
    /// Step of the price, per packet of excess.
    #[serde(default = "gamma")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gamma: f64,
    /// Weight of the queue's excess against that of the input.
    #[serde(default = "alpha")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: f64,
    /// Base of the probability, above 1.
    #[serde(default = "phi")]
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub phi: f64,
    /// Time between two updates of the price.
    #[serde(default = "period")]
    #[schemars(extend("x-minimum" = "1 us", "x-maximum" = "1 h"))]
    pub period: Time,
    /// Packet size in which queue, input and capacity are measured.
    #[serde(default = "packet")]
    #[schemars(extend("x-minimum" = "1 B", "x-maximum" = "1 GB"))]
    pub packet: Bytes,
    /// Marks packets of ECN-capable transports where it would drop them.
    #[serde(default = "ecn")]
    pub ecn: bool,
}

impl Describe for RemParams {
    const PROPERTIES: Properties = Properties::AQM;
}

const fn limit() -> Limit {
    Limit::Packets(1000)
}

const fn target() -> Packets {
    Packets::new(20.0)
}

const fn gamma() -> f64 {
    0.001
}

const fn alpha() -> f64 {
    0.1
}

const fn phi() -> f64 {
    1.001
}

const fn period() -> Time {
    Time::from_ms(2)
}

const fn packet() -> Bytes {
    Bytes::new(1500)
}

const fn ecn() -> bool {
    true
}
