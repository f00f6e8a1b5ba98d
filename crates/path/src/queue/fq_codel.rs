//! FQ-CoDel (RFC 8290): flows hashed onto queues, each under CoDel, served by deficit round robin that prefers queues that have just
//! become active.

use std::collections::VecDeque;

use eddyline_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codel::Codel;
use super::discipline::{Discipline, LinkContext};
use super::flow_table::hashed;
use super::limit::{Backlog, Limit};
use super::properties::{DelayBound, Describe, Properties, WaitDependsOn};
use super::timed_fifo::TimedFifo;
use super::turns::{QueueInTurn, bytes_before};
use crate::ParamError;
use crate::{Ecn, Packet};

/// Maximum number of packets dropped per arrival (RFC 8290, section 4.1.3).
const DROP_BATCH: u64 = 64;

/// Parameters of `fq_codel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FqCodelParams {
    /// Limit of all queues together; beyond it the queue with the most bytes drops half of its packets, at most 64, from its head.
    #[serde(default = "limit")]
    pub limit: Limit,
    /// Limit of all queues together in bytes; beyond it the same happens.
    #[serde(default = "memory_limit")]
    #[schemars(extend("x-minimum" = "1 B"))]
    pub memory_limit: Bytes,
    /// Number of queues.
    #[serde(default = "queues")]
    #[schemars(range(min = 1, max = 65_536))]
    pub queues: u32,
    /// Quantum in bytes.
    #[serde(default = "quantum")]
    #[schemars(extend("x-minimum" = "64 B", "x-maximum" = "1 GB"))]
    pub quantum: Bytes,
    /// CoDel: acceptable standing queueing delay.
    #[serde(default = "target")]
    #[schemars(extend("x-exclusiveMinimum" = 0, "x-maximum" = "1 h"))]
    pub target: Time,
    /// CoDel: time above the target before the first drop.
    #[serde(default = "interval")]
    #[schemars(extend("x-exclusiveMinimum" = 0, "x-maximum" = "1 h"))]
    pub interval: Time,
    /// CoDel: with a backlog of no more than this in a queue nothing is dropped from it.
    #[serde(default = "mtu")]
    #[schemars(extend("x-maximum" = "1 GB"))]
    pub mtu: Bytes,
    /// Marks packets of ECN-capable transports where CoDel would drop them.
    #[serde(default = "ecn")]
    pub ecn: bool,
}

impl Describe for FqCodelParams {
    const PROPERTIES: Properties = Properties { fair: true, delay_set_by: Some(DelayBound::Target), ..Properties::AQM };
    const WAIT_DEPENDS_ON: WaitDependsOn = WaitDependsOn::Flow;

    fn refuses(&self, size: u64) -> Option<ParamError> {
        Limit::Bytes(self.memory_limit.get()).refuses(size).map(|why| ParamError::new("memory_limit", why))
    }
}

// RFC 8290, section 5.2
const fn limit() -> Limit {
    Limit::Packets(10_240)
}
const fn memory_limit() -> Bytes {
    Bytes::new(32 << 20)
}
const fn queues() -> u32 {
    1024
}
const fn quantum() -> Bytes {
    Bytes::new(1514)
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

/// Which list a queue is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    None,
    New,
    Old,
}

#[derive(Debug)]
struct FlowQueue<P> {
    waiting: TimedFifo<P>,
    law: Codel,
    /// Remaining credit in bytes; negative if the last packet was larger.
    credits: i64,
    list: List,
}

/// Queues with their lists.
#[derive(Debug)]
pub struct FqCodel<P> {
    params: FqCodelParams,
    queues: Vec<FlowQueue<P>>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    all: Backlog,
    salt: u64,
}

impl<P: Packet> FqCodel<P> {
    /// Empty queues.
    #[must_use]
    pub fn new(params: &FqCodelParams, context: &LinkContext<'_>) -> Self {
        let queue = |_| FlowQueue {
            waiting: TimedFifo::default(),
            law: Codel::new(params.target, params.interval, params.mtu),
            credits: 0,
            list: List::None,
        };
        Self {
            params: *params,
            queues: (0..params.queues.max(1)).map(queue).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            all: Backlog::EMPTY,
            salt: context.stream("fq_codel").bits(),
        }
    }

    fn quantum(&self) -> i64 {
        self.params.quantum.get().clamp(1, 1 << 40) as i64
    }

    fn holds(&self) -> bool {
        self.params.limit.holds(&self.all) && self.all.bytes <= self.params.memory_limit.get()
    }

    /// The queue with the most bytes; of several, the one that is served first.
    fn fattest(&self) -> Option<u32> {
        let bytes = |q: u32| self.queues[q as usize].waiting.backlog().bytes;
        let fatter = |best: Option<u32>, q: &u32| match best {
            Some(b) if bytes(b) >= bytes(*q) => best,
            _ => Some(*q),
        };
        self.new.iter().chain(&self.old).fold(None, fatter)
    }

    /// The list that is served next, with its first queue.
    fn next(&self) -> Option<(List, u32)> {
        match self.new.front() {
            Some(q) => Some((List::New, *q)),
            None => self.old.front().map(|q| (List::Old, *q)),
        }
    }

    /// Moves the first queue of `from` to the end of the old queues, or removes it from the lists.
    fn shift(&mut self, from: List, to: List) {
        let first = if from == List::New { self.new.pop_front() } else { self.old.pop_front() };
        let Some(q) = first else { return };
        self.queues[q as usize].list = to;
        if to == List::Old {
            self.old.push_back(q);
        }
    }

    /// The next packet of queue `q` that CoDel does not drop.
    fn serve(&mut self, q: u32, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
        let queue = &mut self.queues[q as usize];
        while let Some((since, mut packet)) = queue.waiting.pop() {
            let size = u64::from(packet.wire_bytes());
            self.all.remove(size);
            let congested = queue.law.congested(now, now - since, queue.waiting.backlog().bytes);
            let marks = self.params.ecn && packet.ecn() != Ecn::NotCapable;
            if congested && !marks {
                dropped(packet);
                continue;
            }
            if congested {
                packet.mark();
            }
            queue.credits -= size as i64;
            return Some(packet);
        }
        queue.law.empty();
        None
    }
}

impl<P: Packet> Discipline<P> for FqCodel<P> {
    fn enqueue(&mut self, now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let quantum = self.quantum();
        let q = hashed(packet.flow_hash(), self.salt, self.queues.len() as u32);
        let queue = &mut self.queues[q as usize];
        self.all.add(u64::from(packet.wire_bytes()));
        queue.waiting.push(now, packet);
        if queue.list == List::None {
            queue.list = List::New;
            queue.credits = quantum;
            self.new.push_back(q);
        }
        while !self.holds() {
            let Some(fattest) = self.fattest() else { break };
            let waiting = &mut self.queues[fattest as usize].waiting;
            let half = waiting.backlog().packets.div_ceil(2).min(DROP_BATCH);
            for _ in 0..half {
                let itself = fattest == q && waiting.backlog().packets == 1;
                let Some((_, gone)) = waiting.pop() else { break };
                self.all.remove(u64::from(gone.wire_bytes()));
                if itself {
                    return Err(gone);
                }
                dropped(gone);
            }
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
        // RFC 8290, section 4.2
        while let Some((list, q)) = self.next() {
            let quantum = self.quantum();
            let queue = &mut self.queues[q as usize];
            if queue.credits <= 0 {
                queue.credits += quantum;
                self.shift(list, List::Old);
                continue;
            }
            match self.serve(q, now, dropped) {
                Some(packet) => return Some(packet),
                None if list == List::New => self.shift(list, List::Old),
                None => self.shift(list, List::None),
            }
        }
        None
    }

    fn bytes_before(&self, packet: &P) -> u64 {
        let quantum = self.params.quantum.get();
        let in_turn = |q: u32| {
            let FlowQueue { waiting, credits, .. } = &self.queues[q as usize];
            let Backlog { packets, bytes, .. } = *waiting.backlog();
            let packet = bytes / packets.max(1);
            // a packet is sent while there is any credit
            QueueInTurn { bytes, credit: credits + packet as i64 - 1, refill: quantum, packet }
        };
        let q = hashed(packet.flow_hash(), self.salt, self.queues.len() as u32);
        // without a packet it joins the new ones, which come first
        let joins = self.queues[q as usize].list == List::None;
        let size = u64::from(packet.wire_bytes());
        let queue = if joins {
            QueueInTurn { bytes: 0, credit: 0, refill: quantum, packet: size }.refilled()
        } else {
            QueueInTurn { credit: self.queues[q as usize].credits, ..in_turn(q) }
        };
        let old = self.old.iter().filter(|_| !joins);
        let queues = self.new.iter().chain(old).map(|other| (*other != q).then(|| in_turn(*other)));
        let count = self.new.len() + if joins { 0 } else { self.old.len() };
        bytes_before(&queue, queue.turns_until(queue.bytes + 1), self.all.bytes, count, queues)
    }

    fn packets(&self) -> u64 {
        self.all.packets
    }

    fn bytes(&self) -> u64 {
        self.all.bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        for queue in &mut self.queues {
            queue.waiting.drain(taken);
            queue.list = List::None;
        }
        self.new.clear();
        self.old.clear();
        self.all = Backlog::EMPTY;
    }
}
