//! ACK reconstruction (RFC 3449, section 5.3.1): at the far end of a link that filters acknowledgements, one that covers several
//! missing ones is preceded by reconstructed ones, evenly spaced, which restores the sender's ACK clock.
//!
//! An acknowledgement that arrives `t` after the last one and acknowledges n times `every` more becomes n acknowledgements at
//! intervals of `t / n`: the first at once, the original last. If others are held when it arrives, they come first. Then the intervals are
//! shorter, so that the original leaves when it would have left alone, or at once if that time has passed: one pause does not delay all that
//! follows. No reconstructed one acknowledges more than the original.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Packet;

/// A packet from which acknowledgements can be reconstructed.
pub trait Acknowledges: Packet {
    /// A pure acknowledgement of all bytes below `number`, on the same route.
    #[must_use]
    fn acknowledging(&self, number: u64) -> Self;
}

/// Parameters of reconstruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReconstructParams {
    /// Payload bytes per acknowledgement: two segments for a receiver that acknowledges every second one.
    #[schemars(extend("x-minimum" = "100 B", "x-maximum" = "1 GB"))]
    pub every: Bytes,
    /// Maximum delay of the original acknowledgement.
    #[serde(default = "hold")]
    #[schemars(extend("x-maximum" = "1 h"))]
    pub hold: Time,
}

const fn hold() -> Time {
    Time::from_ms(200)
}

/// An original acknowledgement, and the reconstructed ones still to be released before it.
#[derive(Debug)]
struct Held<P> {
    packet: P,
    at: Time,
    /// Number of the next to be created.
    next: u64,
    /// How many are to be created.
    left: u64,
    /// When the original is released, unless others are held then.
    until: Time,
    interval: Time,
}

impl<P> Held<P> {
    /// It is its turn.
    fn begin(&mut self, now: Time) {
        self.interval = Time::from_ps(self.until.saturating_sub(now).as_ps() / self.left.max(1));
    }
}

/// One connection's acknowledgements.
#[derive(Debug)]
struct Clock<P> {
    /// Highest number so far, and when it arrived.
    number: u64,
    since: Time,
    /// In order of release; the first is being released.
    held: VecDeque<Held<P>>,
}

/// ACK reconstruction at the end of one link.
#[derive(Debug)]
pub struct AckReconstructor<P> {
    params: ReconstructParams,
    clocks: BTreeMap<u64, Clock<P>>,
    /// Next release of each connection with packets held.
    due: BTreeSet<(Time, u64)>,
    held: u64,
}

/// A packet that is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released<P> {
    /// An original packet.
    Original(P),
    /// A reconstructed acknowledgement.
    Created(P),
}

impl<P: Acknowledges> AckReconstructor<P> {
    /// No packet seen yet.
    #[must_use]
    pub fn new(params: ReconstructParams) -> Self {
        Self { params, clocks: BTreeMap::new(), due: BTreeSet::new(), held: 0 }
    }

    /// Takes a packet; returns it if it is released at once without reconstructed ones before it.
    pub fn take(&mut self, now: Time, packet: P) -> Option<P> {
        let flow = packet.flow();
        let Some(ack) = packet.acknowledgement() else {
            // data and control packets; after packets of their connection that are held
            let behind = self.clocks.get_mut(&flow).is_some_and(|c| !c.held.is_empty());
            if behind {
                self.hold(now, flow, packet, (0, 0, now));
                return None;
            }
            self.clocks.remove(&flow);
            return Some(packet);
        };
        let clock = self.clocks.entry(flow);
        let known = matches!(clock, std::collections::btree_map::Entry::Occupied(_));
        let clock = clock.or_insert(Clock { number: ack.number, since: now, held: VecDeque::new() });
        let every = self.params.every.get().max(1);
        let (previous, newly_acked) = (clock.number, ack.number.saturating_sub(clock.number));
        let acks = if known && !ack.selective { newly_acked / every } else { 0 };
        let span = now.saturating_sub(clock.since).min(self.params.hold);
        if newly_acked > 0 {
            (clock.number, clock.since) = (ack.number, now);
        }
        if acks < 2 {
            if clock.held.is_empty() {
                return Some(packet);
            }
            self.hold(now, flow, packet, (0, 0, now));
            return None;
        }
        let until = now + Time::from_ps(span.as_ps() / acks).saturating_mul(acks - 1);
        self.hold(now, flow, packet, (previous + every, acks - 1, until));
        None
    }

    fn hold(&mut self, now: Time, flow: u64, packet: P, (next, left, until): (u64, u64, Time)) {
        let Some(clock) = self.clocks.get_mut(&flow) else { return };
        let mut held = Held { packet, at: now, next, left, until, interval: Time::ZERO };
        if clock.held.is_empty() {
            held.begin(now);
            self.due.insert((now, flow));
        }
        self.held += 1;
        clock.held.push_back(held);
    }

    /// When [`release`](Self::release) has a packet; [`Time::MAX`] if never.
    #[must_use]
    pub fn due(&self) -> Time {
        self.due.first().map_or(Time::MAX, |(at, _)| *at)
    }

    /// The next packet to be released by `now`.
    pub fn release(&mut self, now: Time) -> Option<Released<P>> {
        let (at, flow) = *self.due.first().filter(|(at, _)| *at <= now)?;
        self.due.remove(&(at, flow));
        let every = self.params.every.get().max(1);
        let clock = self.clocks.get_mut(&flow)?;
        let head = clock.held.front_mut()?;
        if head.left > 0 {
            let created = head.packet.acknowledging(head.next);
            head.next += every;
            head.left -= 1;
            self.due.insert((at.saturating_add(head.interval), flow));
            return Some(Released::Created(created));
        }
        let Held { packet, interval, .. } = clock.held.pop_front()?;
        self.held -= 1;
        if let Some(next) = clock.held.front_mut() {
            // one interval after the previous one, and not before its arrival
            let from = at.saturating_add(interval).max(next.at);
            next.begin(from);
            self.due.insert((from, flow));
        }
        Some(Released::Original(packet))
    }

    /// Original packets that are held.
    #[must_use]
    pub const fn held(&self) -> u64 {
        self.held
    }
}
