//! A packet for tests of queues.

use std::sync::Arc;

use eddyline_path::framing::Framing;
use eddyline_path::link::{Meter, Origin, StoreLink};
use eddyline_path::queue::{Discipline as _, LinkContext, Queue, QueueParams};
use eddyline_path::variation::Conditions;
use eddyline_path::{Acknowledgement, Class, Ecn, Packet};
use eddyline_units::{Rate, Time};

/// A packet with its properties as fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestPacket {
    /// Place in order of arrival.
    pub id: u64,
    pub flow: u64,
    pub host: u32,
    pub bytes: u32,
    pub class: Class,
    pub ecn: Ecn,
    pub acknowledges: Option<Acknowledgement>,
}

impl TestPacket {
    /// Its host; queues hash its flow's number.
    pub fn origin(&self) -> Origin {
        Origin { host: self.host, hash: self.flow }
    }
}

impl Packet for TestPacket {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }
    fn class(&self) -> Class {
        self.class
    }
    fn payload_bytes(&self) -> u32 {
        if self.class == Class::Data { self.bytes.saturating_sub(40) } else { 0 }
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn host(&self) -> u32 {
        self.host
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn acknowledgement(&self) -> Option<Acknowledgement> {
        self.acknowledges
    }
}

/// A data packet.
pub fn data(id: u64, flow: u64, bytes: u32) -> TestPacket {
    TestPacket { id, flow, host: flow as u32, bytes, class: Class::Data, ecn: Ecn::NotCapable, acknowledges: None }
}

/// A pure acknowledgement of all bytes below `number`.
pub fn ack(id: u64, flow: u64, number: u64) -> TestPacket {
    let acknowledges = Some(Acknowledgement { number, selective: false, flags: 0 });
    TestPacket { acknowledges, class: Class::Ack, ..data(id, flow, 40) }
}

/// A queue as a scenario writes it, in JSON, on a link of `mbps`.
pub fn queue(json: &str, mbps: u64) -> Queue<TestPacket> {
    let params: QueueParams = serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"));
    let rate: Rate = serde_json::from_str(&format!("\"{mbps} Mbit/s\"")).unwrap();
    params.build(&LinkContext::new(rate, 1, "link"))
}

/// Puts a packet in; gives the ids of those dropped for it, itself among them.
pub fn put(queue: &mut Queue<TestPacket>, now: Time, packet: TestPacket) -> Vec<u64> {
    let mut dropped = Vec::new();
    if let Err(refused) = queue.enqueue(now, packet, &mut |p| dropped.push(p.id)) {
        dropped.push(refused.id);
    }
    dropped
}

/// Takes the next packet out; gives it with the ids of those dropped on the way.
pub fn take(queue: &mut Queue<TestPacket>, now: Time) -> (Option<TestPacket>, Vec<u64>) {
    let mut dropped = Vec::new();
    let packet = queue.dequeue(now, &mut |p| dropped.push(p.id));
    (packet, dropped)
}

/// A link of `mbps` with such a queue.
pub fn link(json: &str, mbps: u64, framing: Framing) -> StoreLink<TestPacket> {
    link_in(json, &LinkContext { framing, ..LinkContext::new(Rate::from_bps(mbps * 1_000_000), 1, "link") })
}

/// A link of nominally `mbps`, with such a queue, that varies.
pub fn varying_link(json: &str, mbps: u64, conditions: Conditions) -> StoreLink<TestPacket> {
    let conditions = Some(&Arc::new(conditions));
    link_in(json, &LinkContext { conditions, ..LinkContext::new(Rate::from_bps(mbps * 1_000_000), 1, "link") })
}

fn link_in(json: &str, context: &LinkContext<'_>) -> StoreLink<TestPacket> {
    let params: QueueParams = serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"));
    StoreLink::new(&params, context, Meter::new(Time::ZERO, Time::MAX))
}

/// A packet that was transmitted.
#[derive(Debug, Clone)]
pub struct Sent {
    pub end: Time,
    pub waited: Time,
    pub packet: TestPacket,
}

/// Offers `arrivals`, in order of time, to a link and transmits until `until`; gives what was sent and the ids of what
/// was dropped.
pub fn serve(link: &mut StoreLink<TestPacket>, arrivals: &[(Time, TestPacket)], until: Time) -> (Vec<Sent>, Vec<u64>) {
    let (mut sent, mut dropped) = (Vec::new(), Vec::new());
    let mut arrivals = arrivals.iter().peekable();
    loop {
        let arrival = arrivals.peek().map_or(Time::MAX, |(at, _)| *at);
        let now = arrival.min(link.due());
        if now > until || now == Time::MAX {
            return (sent, dropped);
        }
        let mut drop = |p: TestPacket| dropped.push(p.id);
        if link.due() <= arrival {
            if let Some((packet, waited)) = link.advance(now, &mut drop) {
                sent.push(Sent { end: now, waited, packet });
            }
        } else if let Some((_, packet)) = arrivals.next() {
            link.offer(now, packet.origin(), packet.clone(), &mut drop);
        }
    }
}

/// A source at a constant rate.
#[derive(Debug, Clone, Copy)]
pub struct Constant {
    pub flow: u64,
    pub host: u32,
    pub bytes: u32,
    pub kbps: u64,
}

/// Packets of all sources until `until`, in order of time; ids count them.
pub fn constant(sources: &[Constant], until: Time) -> Vec<(Time, TestPacket)> {
    let mut all = Vec::new();
    for s in sources {
        let gap = Rate::from_bps(s.kbps * 1000).transmission_time(u64::from(s.bytes));
        // distinct phases, or packets of equal rates would always coincide
        let phase = Time::from_ps(gap.as_ps() / 101 * (s.flow % 101));
        let mut at = phase;
        while at < until {
            all.push((at, TestPacket { host: s.host, ..data(0, s.flow, s.bytes) }));
            at += gap;
        }
    }
    all.sort_by_key(|(at, p)| (*at, p.flow));
    all.iter_mut().zip(0..).for_each(|((_, p), id)| p.id = id);
    all
}

/// Bytes of each source among what was sent after `from`.
pub fn bytes_of(sources: &[Constant], sent: &[Sent], from: Time) -> Vec<f64> {
    let of = |flow: u64| sent.iter().filter(move |s| s.packet.flow == flow && s.end > from);
    sources.iter().map(|s| of(s.flow).map(|s| f64::from(s.packet.bytes)).sum()).collect()
}

/// Max-min shares of `capacity` among `demands`.
pub fn max_min(capacity: f64, demands: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    order.sort_by(|a, b| demands[*a].total_cmp(&demands[*b]));
    let (mut rest, mut shares) = (capacity, vec![0.0; demands.len()]);
    for (served, i) in order.iter().enumerate() {
        shares[*i] = demands[*i].min(rest / (demands.len() - served) as f64);
        rest -= shares[*i];
    }
    shares
}

/// Ten sources of different packet sizes; two of them ask for less than an even share of `mbps`.
pub fn ten_sources(mbps: u64) -> Vec<Constant> {
    let sizes = [1500, 40, 576, 1000, 300, 1300, 64, 800, 1200, 150];
    let share = mbps * 100;
    let kbps = |i: usize| match i {
        3 => share / 2,
        7 => share / 4,
        _ => share * (2 + i as u64 % 3),
    };
    let source = |(i, bytes): (usize, &u32)| Constant { flow: i as u64, host: i as u32, bytes: *bytes, kbps: kbps(i) };
    sizes.iter().enumerate().map(source).collect()
}

/// Asserts that ten sources get their max-min shares of a link of `mbps` within `tolerance`.
pub fn assert_max_min(json: &str, mbps: u64, tolerance: f64) {
    let sources = ten_sources(mbps);
    let (from, until) = (Time::from_ms(1_000), Time::from_ms(21_000));
    let mut link = link(json, mbps, Framing::default());
    let (sent, _) = serve(&mut link, &constant(&sources, until), until);
    let capacity = mbps as f64 * 1e6 / 8.0 * 20.0;
    let demands: Vec<f64> = sources.iter().map(|s| s.kbps as f64 * 1e3 / 8.0 * 20.0).collect();
    let fair = max_min(capacity, &demands);
    for ((got, fair), s) in bytes_of(&sources, &sent, from).iter().zip(&fair).zip(&sources) {
        assert!((got / fair - 1.0).abs() < tolerance, "{json}: {s:?} got {got}, its share is {fair}");
    }
}
