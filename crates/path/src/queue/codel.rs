//! CoDel (RFC 8289): drops at the head while packets have waited longer than a target for a whole interval, at a rate
//! that grows until they no longer do.

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::Limit;
use super::properties::{DelayBound, Describe, Properties};
use super::timed_fifo::TimedFifo;
use crate::{Ecn, Packet};

/// CoDel's law for one queue, apart from the queue: it judges packets in the order in which they leave.
///
/// For every packet taken from the head call [`congested`](Self::congested); where it says so, drop the packet and take
/// the next, or mark it and send it. Call [`empty`](Self::empty) when a packet was wanted and none was there.
#[derive(Debug, Clone)]
pub struct Codel {
    target: Time,
    interval: Time,
    mtu: u64,
    /// When packets will have waited longer than the target for an interval, if they go on to.
    first_above: Option<Time>,
    dropping: bool,
    /// The drop that `drop_next` was due for has been made and the next is not scheduled yet.
    rescheduling: bool,
    drop_next: Time,
    /// Drops since the dropping state was entered, with what the last one left.
    count: u32,
    /// `count` when the dropping state was entered.
    last_count: u32,
}

impl Codel {
    /// The law with its target, its interval, and the largest packet: no more waiting than that is never too much.
    #[must_use]
    pub const fn new(target: Time, interval: Time, mtu: Bytes) -> Self {
        Self {
            target,
            interval,
            mtu: mtu.get(),
            first_above: None,
            dropping: false,
            rescheduling: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// Whether the packet just taken from the head, which waited for `sojourn` and leaves `bytes_behind` waiting, is to
    /// be dropped or marked.
    pub fn congested(&mut self, now: Time, sojourn: Time, bytes_behind: u64) -> bool {
        let standing = self.standing(now, sojourn, bytes_behind);
        if self.dropping {
            if !standing {
                self.leave();
                return false;
            }
            if self.rescheduling {
                self.rescheduling = false;
                self.drop_next = self.control_law(self.drop_next);
            }
            if now < self.drop_next {
                return false;
            }
            self.count = self.count.saturating_add(1);
            self.rescheduling = true;
            return true;
        }
        if standing {
            self.enter(now);
        }
        standing
    }

    /// A packet was wanted, none was there.
    pub const fn empty(&mut self) {
        self.first_above = None;
        self.leave();
    }

    /// Whether it is dropping at present (RFC 8289, section 5.3).
    #[must_use]
    pub const fn dropping(&self) -> bool {
        self.dropping
    }

    /// The count that sets the rate of drops: the next is `interval / sqrt(count)` after the last.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// RFC 8289, section 5.5 (`dodequeue`): packets have waited for the target or longer for an interval.
    fn standing(&mut self, now: Time, sojourn: Time, bytes_behind: u64) -> bool {
        if sojourn < self.target || bytes_behind <= self.mtu {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            None => {
                self.first_above = Some(now.saturating_add(self.interval));
                false
            }
            Some(at) => now >= at,
        }
    }

    /// RFC 8289, section 5.6: a queue that stands again soon after it was controlled is controlled from the rate that
    /// did it.
    fn enter(&mut self, now: Time) {
        let gained = self.count - self.last_count;
        let recent = now.saturating_sub(self.drop_next) < self.interval.saturating_mul(16);
        self.count = if gained > 1 && recent { gained } else { 1 };
        self.last_count = self.count;
        self.dropping = true;
        self.drop_next = self.control_law(now);
    }

    const fn leave(&mut self) {
        self.dropping = false;
        self.rescheduling = false;
    }

    /// RFC 8289, section 5.6 (`control_law`).
    fn control_law(&self, from: Time) -> Time {
        let step = self.interval.as_ps() as f64 / f64::from(self.count.max(1)).sqrt();
        from.saturating_add(Time::from_ps((step + 0.5) as u64))
    }
}

/// Parameters of `codel`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodelParams {
    /// How much may wait besides the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Wait that is acceptable to stay at.
    #[serde(default = "target")]
    #[schemars(extend("x-above" = 0, "x-most" = "1 h"))]
    pub target: Time,
    /// How long packets may wait longer than that before the first drop: about the longest common round-trip time.
    #[serde(default = "interval")]
    #[schemars(extend("x-above" = 0, "x-most" = "1 h"))]
    pub interval: Time,
    /// The link's largest packet: with no more than that waiting nothing is dropped.
    #[serde(default = "mtu")]
    #[schemars(extend("x-most" = "1 GB"))]
    pub mtu: Bytes,
    /// Marks packets of ECN-capable transports where it would drop them.
    #[serde(default = "ecn")]
    pub ecn: bool,
}

const fn limit() -> Limit {
    Limit::Packets(1000)
}

const fn target() -> Time {
    Time::from_ms(5)
}

const fn interval() -> Time {
    Time::from_ms(100)
}

const fn mtu() -> Bytes {
    Bytes::new(1500)
}

const fn ecn() -> bool {
    true
}

impl Default for CodelParams {
    fn default() -> Self {
        Self { limit: limit(), target: target(), interval: interval(), mtu: mtu(), ecn: ecn() }
    }
}

impl Describe for CodelParams {
    const PROPERTIES: Properties = Properties { delay_set_by: Some(DelayBound::Target), ..Properties::AQM };
}

impl CodelParams {
    /// The law with these parameters.
    #[must_use]
    pub const fn law(&self) -> Codel {
        Codel::new(self.target, self.interval, self.mtu)
    }
}

/// A FIFO queue under CoDel.
#[derive(Debug)]
pub struct CodelQueue<P> {
    limit: Limit,
    ecn: bool,
    law: Codel,
    waiting: TimedFifo<P>,
}

impl<P: Packet> CodelQueue<P> {
    /// An empty queue.
    #[must_use]
    pub fn new(params: &CodelParams, _: &LinkContext<'_>) -> Self {
        Self { limit: params.limit, ecn: params.ecn, law: params.law(), waiting: TimedFifo::default() }
    }
}

impl<P: Packet> Discipline<P> for CodelQueue<P> {
    // a packet that does not wait is never too late, and whoever found the queue empty has told the law
    const PASSES_WHEN_IDLE: bool = true;

    fn enqueue(&mut self, now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        if !self.limit.admits(self.waiting.backlog(), u64::from(packet.wire_bytes())) {
            return Err(packet);
        }
        self.waiting.push(now, packet);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
        while let Some((since, mut packet)) = self.waiting.pop() {
            if !self.law.congested(now, now - since, self.waiting.backlog().bytes) {
                return Some(packet);
            }
            if self.ecn && packet.ecn() != Ecn::NotCapable {
                packet.mark();
                return Some(packet);
            }
            dropped(packet);
        }
        self.law.empty();
        None
    }

    fn packets(&self) -> u64 {
        self.waiting.backlog().packets
    }

    fn bytes(&self) -> u64 {
        self.waiting.backlog().bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.waiting.drain(taken);
    }
}
