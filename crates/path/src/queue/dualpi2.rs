//! DualPI2 (RFC 9332, Appendix A): two coupled queues, a shallow one for scalable congestion controls and a classic
//! one.
//!
//! Packets with ECT(1) or CE go to the low-latency queue L, all others to the classic queue C (section 2.3). One PI
//! controller sets a base probability p' from the larger of both queueing delays. In C packets are marked or dropped with
//! probability p'^2; in L they are marked with the larger of k p' and L's own ramp.

use eddyline_units::{Bytes, Packets, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::discipline::{Discipline, LinkContext};
use super::limit::Limit;
use super::properties::{Describe, Properties};
use super::timed_fifo::TimedFifo;
use super::update_timer::UpdateTimer;
use crate::{Ecn, Packet};

/// Events of a given probability at even distances (Appendix A.1, `recur`).
#[derive(Debug, Clone, Copy, Default)]
struct Recur(f64);

impl Recur {
    /// Whether the next one of a sequence is one of the events.
    fn next(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood;
        let due = self.0 > 1.0;
        if due {
            self.0 -= 1.0;
        }
        due
    }
}

/// The base controller (Appendix A.1, `dualpi2_update`).
#[derive(Debug, Clone)]
struct BasePi {
    target: f64,
    alpha: f64,
    beta: f64,
    updates: UpdateTimer,
    probability: f64,
    old_delay: f64,
}

impl BasePi {
    fn new(target: Time, max_rtt: Time) -> Self {
        let rtt = max_rtt.as_secs_f64();
        let update = target.min(Time::from_ps(max_rtt.as_ps() / 3)).max(Time::from_ps(1));
        Self {
            target: target.as_secs_f64(),
            alpha: 0.1 * update.as_secs_f64() / (rtt * rtt),
            beta: 0.3 / rtt,
            updates: UpdateTimer::new(update),
            probability: 0.0,
            old_delay: 0.0,
        }
    }

    /// Performs the updates due until `now`; the oldest packet arrived at `since`, and none has left since the last update.
    fn tick(&mut self, now: Time, since: Option<Time>) {
        let (first, count) = self.updates.due(now);
        let moment = |n: u64| first.saturating_add(self.updates.period().saturating_mul(n));
        let delay_at = |n: u64| since.map_or(0.0, |s| moment(n).saturating_sub(s).as_secs_f64());
        for n in 0..count {
            let delay = delay_at(n);
            let change = self.alpha * (delay - self.target) + self.beta * (delay - self.old_delay);
            self.probability = (self.probability + change).clamp(0.0, 1.0);
            // an empty queue stays empty, and an excessive delay keeps growing: further steps are like this one
            let settled = match since {
                None => self.old_delay <= 0.0 && self.probability <= 0.0,
                Some(_) => delay >= self.target && self.probability >= 1.0,
            };
            self.old_delay = delay;
            if settled {
                self.old_delay = delay_at(count - 1);
                break;
            }
        }
    }
}

/// Which of the two queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Low,
    Classic,
}

/// Two coupled queues.
#[derive(Debug)]
pub struct DualPi2<P> {
    limit: Limit,
    coupling: f64,
    ramp_from: Time,
    ramp_range: Time,
    ramp_packets: u64,
    classic_weight: f64,
    /// With a smaller backlog only the ramp marks.
    little: u64,
    low: TimedFifo<P>,
    classic: TimedFifo<P>,
    base: BasePi,
    /// Deficit of C in bytes since both queues were last empty.
    credit: f64,
    low_marks: Recur,
    low_drops: Recur,
    classic_signals: Recur,
}

impl<P: Packet> DualPi2<P> {
    /// Empty queues.
    #[must_use]
    pub fn new(params: &DualPi2Params, _: &LinkContext<'_>) -> Self {
        Self {
            limit: params.limit,
            coupling: params.coupling,
            ramp_from: params.ramp_from,
            ramp_range: params.ramp_range,
            ramp_packets: params.ramp_packets.get() as u64,
            classic_weight: params.classic_weight,
            little: params.mtu.get().saturating_mul(2),
            low: TimedFifo::default(),
            classic: TimedFifo::default(),
            base: BasePi::new(params.target, params.max_rtt),
            credit: 0.0,
            low_marks: Recur::default(),
            low_drops: Recur::default(),
            classic_signals: Recur::default(),
        }
    }

    /// The base probability p'.
    #[must_use]
    pub const fn probability(&self) -> f64 {
        self.base.probability
    }

    /// Packets waiting in L and in C.
    #[must_use]
    pub const fn split(&self) -> (u64, u64) {
        (self.low.backlog().packets, self.classic.backlog().packets)
    }

    fn tick(&mut self, now: Time) {
        let since = match (self.low.head_since(), self.classic.head_since()) {
            (Some(l), Some(c)) => Some(l.min(c)),
            (l, c) => l.or(c),
        };
        self.base.tick(now, since);
    }

    /// Weighted round robin by bytes: with packets in both, C gets `classic_weight` of the link (section 2.5.1.1).
    fn take(&mut self) -> Option<(Side, Time, P)> {
        let both = self.split().0 > 0 && self.split().1 > 0;
        let low_first = self.credit <= 0.0 || self.split().1 == 0;
        let (side, (since, packet)) = match if low_first { self.low.pop() } else { None } {
            Some(entry) => (Side::Low, entry),
            None => (Side::Classic, self.classic.pop()?),
        };
        let bytes = f64::from(packet.wire_bytes());
        match side {
            _ if !both => {}
            Side::Low => self.credit += self.classic_weight * bytes,
            Side::Classic => self.credit -= (1.0 - self.classic_weight) * bytes,
        }
        Some((side, since, packet))
    }

    /// L's native marking probability for a packet's queueing delay: a ramp, or a step if its range is zero (Appendix A.1, `laqm`).
    fn ramp(&self, waited: Time) -> f64 {
        if self.split().0 < self.ramp_packets || waited < self.ramp_from {
            return 0.0;
        }
        let beyond = waited - self.ramp_from;
        if beyond >= self.ramp_range { 1.0 } else { beyond.as_secs_f64() / self.ramp_range.as_secs_f64() }
    }

    /// The base probability, or zero if the backlog is so small that a drop could leave the link idle.
    fn audible_base(&self) -> f64 {
        let waiting = self.low.backlog().bytes + self.classic.backlog().bytes;
        if waiting < self.little { 0.0 } else { self.base.probability }
    }

    /// Whether a packet of L is dropped; marks it if required (Appendix A.2).
    fn drops_low(&mut self, waited: Time, packet: &mut P) -> bool {
        let base = self.audible_base();
        let coupled = self.coupling * base;
        let overload = coupled >= 1.0;
        if overload && self.low_drops.next(base * base) {
            return true;
        }
        let likelihood = if overload { coupled } else { coupled.max(self.ramp(waited)) };
        if self.low_marks.next(likelihood.min(1.0)) {
            packet.mark();
        }
        false
    }

    /// The same for C, where overload replaces marks by drops.
    fn drops_classic(&mut self, packet: &mut P) -> bool {
        let base = self.audible_base();
        let likelihood = base * base;
        if !self.classic_signals.next(likelihood) {
            return false;
        }
        // p_Cmax of Appendix A.1
        let overload = likelihood >= (1.0 / (self.coupling * self.coupling)).min(1.0);
        if overload || packet.ecn() == Ecn::NotCapable {
            return true;
        }
        packet.mark();
        false
    }
}

impl<P: Packet> Discipline<P> for DualPi2<P> {
    fn enqueue(&mut self, now: Time, packet: P, _dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        self.tick(now);
        let all = self.low.backlog().with(self.classic.backlog());
        if !self.limit.admits(&all, u64::from(packet.wire_bytes())) {
            return Err(packet);
        }
        match packet.ecn() {
            Ecn::Ect1 | Ecn::Ce => self.low.push(now, packet),
            Ecn::NotCapable | Ecn::Ect0 => self.classic.push(now, packet),
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
        self.tick(now);
        while let Some((side, since, mut packet)) = self.take() {
            let drops = match side {
                Side::Low => self.drops_low(now - since, &mut packet),
                Side::Classic => self.drops_classic(&mut packet),
            };
            if !drops {
                return Some(packet);
            }
            dropped(packet);
        }
        self.credit = 0.0;
        None
    }

    fn packets(&self) -> u64 {
        self.split().0 + self.split().1
    }

    fn bytes(&self) -> u64 {
        self.low.backlog().bytes + self.classic.backlog().bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        self.low.drain(taken);
        self.classic.drain(taken);
    }
}

/// Parameters of `dualpi2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DualPi2Params {
    /// Limit of both queues together, without the packet in transmission.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Target queueing delay of the classic queue.
    #[serde(default = "target")]
    #[schemars(extend("x-minimum" = "100 us", "x-maximum" = "1 min"))]
    pub target: Time,
    /// Maximum round-trip time for which the controller is stable. The controller updates every third of it, at most every target, and
    /// its gains are `0.1 update / max_rtt^2` and `0.3 / max_rtt`.
    #[serde(default = "max_rtt")]
    #[schemars(extend("x-minimum" = "1 ms", "x-maximum" = "1 min"))]
    pub max_rtt: Time,
    /// The factor k between the base probability and that of marks in L; two makes rates of both kinds about equal.
    #[serde(default = "coupling")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub coupling: f64,
    /// Queueing delay in L above which its native marking probability grows.
    #[serde(default = "ramp_from")]
    #[schemars(extend("x-maximum" = "1 min"))]
    pub ramp_from: Time,
    /// Further delay at which it reaches one; "0 s" makes a step.
    #[serde(default = "ramp_range")]
    #[schemars(extend("x-maximum" = "1 min"))]
    pub ramp_range: Time,
    /// The ramp applies only to packets behind which at least so many wait in L.
    #[serde(default = "ramp_packets")]
    #[schemars(extend("x-maximum" = 1_000_000))]
    pub ramp_packets: Packets,
    /// Share of the link for C while both queues hold packets, in [0, 1).
    #[serde(default = "classic_weight")]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub classic_weight: f64,
    /// With a backlog below two of these nothing is dropped, and only the ramp marks. Linux does so; the RFC's pseudocode does not
    /// ("0 B"), and leaves a link idle whose packet transmission time is as long as the target.
    #[serde(default = "mtu")]
    #[schemars(extend("x-maximum" = "1 GB"))]
    pub mtu: Bytes,
}

impl Describe for DualPi2Params {
    const PROPERTIES: Properties = Properties::AQM;
}

const fn limit() -> Limit {
    Limit::Packets(10_000)
}

const fn target() -> Time {
    Time::from_ms(15)
}

const fn max_rtt() -> Time {
    Time::from_ms(100)
}

const fn coupling() -> f64 {
    2.0
}

const fn ramp_from() -> Time {
    Time::from_ps(800_000_000)
}

const fn ramp_range() -> Time {
    Time::from_ps(400_000_000)
}

const fn ramp_packets() -> Packets {
    Packets::new(1.0)
}

const fn classic_weight() -> f64 {
    0.1
}

const fn mtu() -> Bytes {
    Bytes::new(1500)
}
