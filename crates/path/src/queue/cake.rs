//! A shaper like CAKE: it sends at a bandwidth below the link's, framing included, so that the queue builds up here and not in the
//! link; each flow has its own queue under COBALT, and the bandwidth is shared between hosts first and then between flows.
//!
//! `docs/queues/cake.md` lists the differences from Linux's `sch_cake`.

use std::collections::{BTreeMap, VecDeque};

use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cobalt::{Cobalt, CobaltParams, Verdict};
use super::discipline::{Discipline, LinkContext};
use super::limit::{Backlog, Limit};
use super::properties::{Describe, Properties, WaitDependsOn};
use super::redundant_acks::{AckFilterRule, redundant};
use super::set_associative::SetAssociative;
use super::timed_fifo::TimedFifo;
use super::turns::{QueueInTurn, bytes_before};
use crate::framing::{Framing, FramingParams};
use crate::random::Stream;
use crate::{Ecn, Packet};

/// Bytes of a full packet.
const FULL: u64 = 1514;
const QUEUES: u32 = 1024;
const LEAST_LIMIT: u64 = 4 << 20;
/// Linux's bound on a limit that is not given: its 10,240 packets.
const MOST_LIMIT: u64 = 10_240 * FULL;

/// Entities between which the bandwidth is shared evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// Hosts, and each host's share between its flows.
    #[default]
    Hosts,
    /// Flows.
    Flows,
}

/// Which acknowledgements are removed from a flow's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CakeAckFilter {
    /// None.
    #[default]
    None,
    /// Redundant ones, except one (`ack-filter`).
    Conservative,
    /// Redundant ones, including the last one if no flag is lost (`ack-filter-aggressive`).
    Aggressive,
}

/// Parameters of `cake`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CakeParams {
    /// Shaped rate, framing included. Default: no shaping, the link's rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-minimum" = "1 bit/s", "x-maximum" = "10 Tbit/s"))]
    pub bandwidth: Option<Rate>,
    /// Bytes on the wire beyond the packets' own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<FramingParams>,
    /// Longest common round-trip time; COBALT's target is a twentieth of it, at least the transmission time of 1.5 packets.
    #[serde(default = "rtt")]
    #[schemars(extend("x-minimum" = "1 us", "x-maximum" = "1 h"))]
    pub rtt: Time,
    /// Entities between which the bandwidth is shared evenly.
    #[serde(default)]
    pub isolation: Isolation,
    /// Which acknowledgements are removed.
    #[serde(default)]
    pub ack_filter: CakeAckFilter,
    /// Limit of all queues together; beyond it the longest queue drops its oldest packet. Default: what passes in four `rtt` at
    /// `bandwidth` or the link's rate, at least 4 MiB and at most 15,503,360 B, as in Linux.
    #[serde(default = "least_limit")]
    #[schemars(extend("default" = null))]
    pub limit: Limit,
}

impl CakeParams {
    /// The default of `rtt`.
    pub const RTT: Time = Time::from_ms(100);

    /// The default of `limit` at a rate: Linux's (`cake_reconfigure` of `sch_cake.c`).
    #[must_use]
    pub fn default_limit(rate: Rate, rtt: Time) -> Limit {
        let four_rtts = (0.5 * rtt.as_secs_f64() * rate.as_bps() as f64) as u64;
        Limit::Bytes(four_rtts.clamp(LEAST_LIMIT, MOST_LIMIT))
    }
}

impl Describe for CakeParams {
    const PROPERTIES: Properties = Properties { fair: true, ..Properties::AQM };
    const WAIT_DEPENDS_ON: WaitDependsOn = WaitDependsOn::Flow;
}

const fn rtt() -> Time {
    CakeParams::RTT
}

/// That of a queue whose link is not known.
const fn least_limit() -> Limit {
    Limit::Bytes(LEAST_LIMIT)
}

/// State of a queue in the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// In none of the lists.
    Free,
    /// Sparse: has sent less than its share so far, and is served first.
    Sparse,
    /// In the list of bulk flows, but counted as sparse: it was empty when its turn came.
    SparseWaiting,
    /// Bulk.
    Bulk,
    /// Empty, kept until its AQM state has decayed.
    Decaying,
}

#[derive(Debug)]
struct FlowQueue<P> {
    waiting: TimedFifo<P>,
    control: Cobalt,
    standing: Standing,
    deficit: i64,
    host: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Decaying,
    New,
    Old,
}

/// The shaper with its queues.
#[derive(Debug)]
pub struct Cake<P> {
    params: CakeParams,
    framing: Framing,
    /// Rate of the shaper.
    rate: Rate,
    control: CobaltParams,
    quantum: i64,
    table: SetAssociative,
    queues: Vec<FlowQueue<P>>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    decaying: VecDeque<u32>,
    /// Number of bulk queues of each host that has any.
    bulk_of_host: BTreeMap<u32, u32>,
    all: Backlog,
    /// Earliest time of the next transmission.
    next_packet: Time,
    random: Box<Stream>,
    /// Scratch space.
    redundant: Vec<usize>,
}

impl<P: Packet> Cake<P> {
    /// Empty queues.
    #[must_use]
    pub fn new(params: &CakeParams, context: &LinkContext<'_>) -> Self {
        let mut random = Box::new(context.stream("cake"));
        let rate = params.bandwidth.unwrap_or(context.rate);
        let packet_time = rate.transmission_time(FULL);
        let share = Time::from_ps(params.rtt.as_ps() / 20);
        let target = Time::from_ps(packet_time.as_ps() / 2).saturating_add(packet_time).max(share);
        let interval = params.rtt.saturating_add(target.saturating_sub(share)).max(target.saturating_mul(2));
        let table = SetAssociative::new(QUEUES, random.bits());
        let queue = |_| FlowQueue {
            waiting: TimedFifo::default(),
            control: Cobalt::default(),
            standing: Standing::Free,
            deficit: 0,
            host: 0,
        };
        Self {
            params: *params,
            framing: params.framing.unwrap_or_default().numbers(),
            rate,
            control: CobaltParams { target, interval, packet_time },
            // a 4096th of a second, within the bounds of Linux
            quantum: (rate.as_bps() / 8 / 4096).clamp(300, FULL) as i64,
            queues: (0..table.queues()).map(queue).collect(),
            table,
            new: VecDeque::new(),
            old: VecDeque::new(),
            decaying: VecDeque::new(),
            bulk_of_host: BTreeMap::new(),
            all: Backlog::EMPTY,
            next_packet: Time::ZERO,
            random,
            redundant: Vec::new(),
        }
    }

    /// Queues that share the quantum of queue `q`: the bulk flows of its host.
    fn load(&self, q: u32) -> i64 {
        let host = self.queues[q as usize].host;
        match self.params.isolation {
            Isolation::Hosts => i64::from(self.bulk_of_host.get(&host).copied().unwrap_or(0).max(1)),
            Isolation::Flows => 1,
        }
    }

    /// Quantum of queue `q` in the mean; a byte where its host has more flows than the quantum bytes.
    fn mean_turn(&self, q: u32) -> u64 {
        (self.quantum / self.load(q)).max(1) as u64
    }

    /// Quantum of queue `q`: its host's share, randomly rounded up or down so that errors do not accumulate.
    fn turn(&mut self, q: u32) -> i64 {
        let load = self.load(q);
        let rest = self.quantum % load;
        self.quantum / load + i64::from(rest > 0 && (self.random.below(load as u64) as i64) < rest)
    }

    fn stand(&mut self, q: u32, standing: Standing) {
        let queue = &mut self.queues[q as usize];
        let previous = std::mem::replace(&mut queue.standing, standing);
        match (previous == Standing::Bulk, standing == Standing::Bulk) {
            (false, true) => *self.bulk_of_host.entry(queue.host).or_insert(0) += 1,
            (true, false) => {
                if let Some(n) = self.bulk_of_host.get_mut(&queue.host) {
                    *n -= 1;
                    if *n == 0 {
                        self.bulk_of_host.remove(&queue.host);
                    }
                }
            }
            _ => {}
        }
    }

    /// A packet has joined queue `q`.
    fn wake(&mut self, q: u32) {
        match self.queues[q as usize].standing {
            Standing::Free | Standing::Decaying => {
                if self.queues[q as usize].standing == Standing::Decaying {
                    self.decaying.retain(|d| *d != q);
                }
                self.new.push_back(q);
                self.stand(q, Standing::Sparse);
                self.queues[q as usize].deficit = self.turn(q);
            }
            Standing::SparseWaiting => self.stand(q, Standing::Bulk),
            Standing::Sparse | Standing::Bulk => {}
        }
    }

    /// Removes acknowledgements that the newest packet of queue `q` makes redundant.
    fn filter(&mut self, q: u32, packet: &P, dropped: &mut dyn FnMut(P)) {
        let rule = match self.params.ack_filter {
            CakeAckFilter::None => return,
            CakeAckFilter::Conservative => AckFilterRule::Conservative,
            CakeAckFilter::Aggressive => AckFilterRule::Aggressive,
        };
        let Some(new) = packet.acknowledgement() else { return };
        let waiting = &mut self.queues[q as usize].waiting;
        let own = || waiting.iter().enumerate().filter(|(_, p)| p.flow() == packet.flow());
        self.redundant.clear();
        redundant(rule, own().map(|(_, p)| p.acknowledgement()), None, new, &mut self.redundant);
        let Some((place, _)) = self.redundant.first().and_then(|nth| own().nth(*nth)) else { return };
        if let Some(gone) = waiting.remove(place) {
            self.all.remove(u64::from(gone.wire_bytes()));
            dropped(gone);
        }
    }

    /// The queue with the most bytes; of several, the one that is served first.
    fn longest(&self) -> Option<u32> {
        let bytes = |q: u32| self.queues[q as usize].waiting.backlog().bytes;
        let longer = |best: Option<u32>, q: &u32| match best {
            Some(b) if bytes(b) >= bytes(*q) => best,
            _ => Some(*q),
        };
        self.new.iter().chain(&self.old).fold(None, longer)
    }

    fn list(&mut self, list: List) -> &mut VecDeque<u32> {
        match list {
            List::Decaying => &mut self.decaying,
            List::New => &mut self.new,
            List::Old => &mut self.old,
        }
    }

    /// The next packet of queue `q` that COBALT does not drop; it never drops the last packet of a queue.
    fn serve(&mut self, q: u32, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
        let queue = &mut self.queues[q as usize];
        while let Some((since, mut packet)) = queue.waiting.pop() {
            self.all.remove(u64::from(packet.wire_bytes()));
            let marks = packet.ecn() != Ecn::NotCapable;
            let random = &mut self.random;
            match queue.control.judge(now, now - since, marks, &self.control, || random.uniform()) {
                Verdict::Drop if queue.waiting.backlog().packets > 0 => {
                    dropped(packet);
                    continue;
                }
                Verdict::Mark => packet.mark(),
                Verdict::Drop | Verdict::Pass => {}
            }
            let cost = self.framing.line_bytes(packet.wire_bytes());
            queue.deficit -= cost as i64;
            if self.params.bandwidth.is_some() {
                self.next_packet = self.next_packet.saturating_add(self.rate.transmission_time(cost));
            }
            return Some(packet);
        }
        queue.control.empty(now, &self.control);
        None
    }
}

impl<P: Packet> Discipline<P> for Cake<P> {
    fn enqueue(&mut self, now: Time, packet: P, dropped: &mut dyn FnMut(P)) -> Result<(), P> {
        let q = self.table.queue(packet.flow_hash(), |q| self.queues[q as usize].standing != Standing::Free);
        let host = packet.host();
        if self.queues[q as usize].host != host {
            // the queue belongs to another flow now and is counted there
            let standing = self.queues[q as usize].standing;
            self.stand(q, Standing::Free);
            self.queues[q as usize].host = host;
            self.stand(q, standing);
        }
        if self.all.packets == 0 {
            self.next_packet = self.next_packet.max(now);
        }
        self.filter(q, &packet, dropped);
        self.all.add(u64::from(packet.wire_bytes()));
        self.queues[q as usize].waiting.push(now, packet);
        self.wake(q);
        while !self.params.limit.holds(&self.all) {
            let Some(longest) = self.longest() else { break };
            let queue = &mut self.queues[longest as usize];
            let itself = longest == q && queue.waiting.backlog().packets == 1;
            let Some((_, gone)) = queue.waiting.pop() else { break };
            queue.control.full(now, &self.control);
            self.all.remove(u64::from(gone.wire_bytes()));
            if itself {
                return Err(gone);
            }
            dropped(gone);
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut dyn FnMut(P)) -> Option<P> {
        if self.all.packets == 0 || self.next_packet > now && self.params.bandwidth.is_some() {
            return None;
        }
        // per packet, one decaying queue decays by a step
        let mut decay = true;
        loop {
            let list = match (decay && !self.decaying.is_empty(), self.new.is_empty()) {
                (true, _) => List::Decaying,
                (false, false) => List::New,
                (false, true) => List::Old,
            };
            decay = false;
            let q = self.list(list).pop_front()?;
            if self.queues[q as usize].deficit <= 0 && list != List::Decaying {
                if self.queues[q as usize].standing == Standing::Sparse {
                    let busy = self.queues[q as usize].waiting.backlog().packets > 0;
                    self.stand(q, if busy { Standing::Bulk } else { Standing::SparseWaiting });
                }
                let turn = self.turn(q);
                self.queues[q as usize].deficit += turn;
                self.old.push_back(q);
                continue;
            }
            if let Some(packet) = self.serve(q, now, dropped) {
                self.list(list).push_front(q);
                return Some(packet);
            }
            if self.queues[q as usize].control.at_rest(now) {
                self.stand(q, Standing::Free);
            } else {
                self.stand(q, Standing::Decaying);
                self.decaying.push_back(q);
            }
        }
    }

    fn next_wake(&self) -> Option<Time> {
        (self.all.packets > 0 && self.params.bandwidth.is_some()).then_some(self.next_packet)
    }

    fn shaped_wait(&self, now: Time) -> Time {
        if self.all.packets == 0 || self.params.bandwidth.is_none() {
            return Time::ZERO;
        }
        let line = self.framing.mean_line_bytes(self.all.bytes, self.all.packets);
        self.next_packet.saturating_sub(now).saturating_add(self.rate.transmission_time(line))
    }

    fn bytes_before(&self, packet: &P) -> u64 {
        // deficits are of bytes on the line
        let line = |backlog: &Backlog| self.framing.mean_line_bytes(backlog.bytes, backlog.packets);
        let in_turn = |q: u32| {
            let backlog = self.queues[q as usize].waiting.backlog();
            let (bytes, refill) = (line(backlog), self.mean_turn(q));
            let packet = bytes / backlog.packets.max(1);
            // a packet is sent while there is any credit
            QueueInTurn { bytes, credit: self.queues[q as usize].deficit + packet as i64 - 1, refill, packet }
        };
        let listed = |q: &u32| !matches!(self.queues[*q as usize].standing, Standing::Free | Standing::Decaying);
        let own = self.table.queue_of(packet.flow_hash()).filter(listed);
        // without a packet it joins the sparse ones, which come first
        let size = self.framing.line_bytes(packet.wire_bytes());
        let joins = QueueInTurn { bytes: 0, credit: 0, refill: self.quantum as u64, packet: size }.refilled();
        let queue = own.map_or(joins, |q| QueueInTurn { credit: self.queues[q as usize].deficit, ..in_turn(q) });
        let old = self.old.iter().filter(|_| own.is_some());
        let queues = self.new.iter().chain(old).map(|other| (own != Some(*other)).then(|| in_turn(*other)));
        let count = self.new.len() + if own.is_some() { self.old.len() } else { 0 };
        let all = line(&self.all);
        let before = bytes_before(&queue, queue.turns_until(queue.bytes + 1), all, count, queues);
        (u128::from(before) * u128::from(self.all.bytes) / u128::from(all.max(1))) as u64
    }

    fn packets(&self) -> u64 {
        self.all.packets
    }

    fn bytes(&self) -> u64 {
        self.all.bytes
    }

    fn drain(&mut self, taken: &mut dyn FnMut(P)) {
        for q in 0..self.queues.len() as u32 {
            self.queues[q as usize].waiting.drain(taken);
            self.stand(q, Standing::Free);
        }
        for list in [List::Decaying, List::New, List::Old] {
            self.list(list).clear();
        }
        self.all = Backlog::EMPTY;
    }
}
