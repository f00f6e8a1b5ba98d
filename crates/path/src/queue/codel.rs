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

/// CoDel's state for one queue, separate from the queue itself.
///
/// Call [`congested`](Self::congested) for every packet taken from the head. If it returns true, drop the packet and take the next,
/// or mark it and send it. Call [`empty`](Self::empty) when the queue is found empty.
#[derive(Debug, Clone)]
pub struct Codel {
    target: Time,
    interval: Time,
    mtu: u64,
    /// When the delay will have been above the target for an interval, if it stays above.
    first_above: Option<Time>,
    dropping: bool,
    /// The drop that `drop_next` was due for has been made and the next is not scheduled yet.
    rescheduling: bool,
    drop_next: Time,
    /// Drops since the dropping state was entered, plus the count inherited from the last one.
    count: u32,
    /// `count` when the dropping state was entered.
    last_count: u32,
}

impl Codel {
    /// With a target, an interval, and the largest packet: a backlog of no more than that is never congestion.
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

    /// Whether to drop or mark the packet just taken from the head, which has waited for `sojourn` and leaves `bytes_behind` in the
    /// queue.
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

    /// The queue was found empty.
    pub const fn empty(&mut self) {
        self.first_above = None;
        self.leave();
    }

    /// Whether it is in the dropping state (RFC 8289, section 5.3).
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

    /// RFC 8289, section 5.6: if the dropping state is entered again soon after it was left, it resumes at the previous drop rate.
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
    /// Limit of the queue, without the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Acceptable standing queueing delay.
    #[serde(default = "target")]
    #[schemars(extend("x-exclusiveMinimum" = 0, "x-maximum" = "1 h"))]
    pub target: Time,
    /// Time above the target before the first drop: about the longest common round-trip time.
    #[serde(default = "interval")]
    #[schemars(extend("x-exclusiveMinimum" = 0, "x-maximum" = "1 h"))]
    pub interval: Time,
    /// The link's largest packet: with a backlog of no more than that nothing is dropped.
    #[serde(default = "mtu")]
    #[schemars(extend("x-maximum" = "1 GB"))]
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
    /// CoDel with these parameters.
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
    // a packet that does not wait is never late, and `empty` has been called before
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
