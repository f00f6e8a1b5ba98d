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
use crate::framing::Framing;
use crate::random::Stream;
use crate::variation::LinkRate;

/// REM's law for one queue.
#[derive(Debug, Clone)]
pub struct Rem {
    gamma: f64,
    alpha: f64,
    ln_phi: f64,
    /// Target queue in bytes.
    target: f64,
    packet: f64,
    /// What the link sends, and how packets count in it.
    rate: LinkRate,
    framing: Framing,
    updates: UpdateTimer,
    price: f64,
    probability: f64,
    /// Bytes enqueued in the current period, framing included.
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

    /// Eq. 1 for the `count` periods from `start` on, with the same backlog and input and their mean capacity.
    fn update(&mut self, (start, count): (Time, u64), waiting: &Backlog) {
        let end = start.saturating_add(self.updates.period().saturating_mul(count));
        let capacity = self.rate.bits(start, end) / 8.0 / count as f64;
        let excess = self.alpha * (waiting.bytes as f64 - self.target) + self.input as f64 - capacity;
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
            rate: context.rate_over_time(),
            framing: context.framing,
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
        let (end, count) = self.updates.due(now);
        if count == 0 {
            return;
        }
        self.update((end - self.updates.period(), 1), waiting);
        if count > 1 {
            self.update((end, count - 1), waiting);
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
        self.input += self.framing.line_bytes(size as u32);
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
