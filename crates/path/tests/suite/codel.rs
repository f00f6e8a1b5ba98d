//! CoDel against RFC 8289: when it drops, when it does not, how it resumes.

use crate::test_packet;

use std::collections::VecDeque;

use eddyline_path::Ecn;
use eddyline_path::queue::{Codel, Discipline as _};
use eddyline_path::random::Stream;
use eddyline_units::{Bytes, Time};
use test_packet::{TestPacket, data, put, queue, take};

const TARGET: Time = Time::from_ms(5);
const INTERVAL: Time = Time::from_ms(100);
const LONG: Time = Time::from_ms(20);
const MANY: u64 = 100_000;

fn law() -> Codel {
    Codel::new(TARGET, INTERVAL, Bytes::new(1500))
}

fn us(n: u64) -> Time {
    Time::from_ps(n * 1_000_000)
}

/// The moments, in steps of 10 us from `from` on, at which packets are dropped while all wait for long.
fn drops(law: &mut Codel, from: Time, steps: u64) -> Vec<Time> {
    (0..steps).map(|n| from + us(10 * n)).filter(|now| law.congested(*now, LONG, MANY)).collect()
}

/// The first after a whole interval, each further one `interval / sqrt(count)` after the previous one.
#[test]
fn drops_are_the_interval_over_the_root_of_the_count_apart() {
    let mut law = law();
    let seen = drops(&mut law, Time::ZERO, 500_000);
    // 100 ms (1 + 1/sqrt(1) + 1/sqrt(2) + ...): within 5 s some 700
    let mut due = INTERVAL.as_secs_f64();
    for (n, at) in seen.iter().enumerate() {
        let late = at.as_secs_f64() - due;
        assert!((-1e-9..10e-6 + 1e-9).contains(&late), "drop {n} at {at}, due at {due} s");
        due += INTERVAL.as_secs_f64() / ((n + 1) as f64).sqrt();
    }
    assert!(due >= 5.0 && seen.len() > 600, "{} drops until {due} s", seen.len());
    assert_eq!(law.count() as usize, seen.len());
}

#[test]
fn no_drops_at_a_short_sojourn_or_a_backlog_of_one_packet() {
    let mut law = law();
    for n in 0..100_000 {
        let now = us(100 * n);
        assert!(!law.congested(now, TARGET.saturating_sub(Time::from_ps(1)), MANY));
    }
    for n in 100_000..200_000 {
        let now = us(100 * n);
        assert!(!law.congested(now, LONG, 1500), "one packet behind");
    }
    assert_eq!(drops(&mut law, Time::from_ms(20_000), 10_001).len(), 1, "and the interval begins anew after it");
}

#[test]
fn one_short_sojourn_leaves_the_dropping_state() {
    let mut law = law();
    assert_eq!(drops(&mut law, Time::ZERO, 25_000).len(), 2);
    assert!(law.dropping());
    assert!(!law.congested(us(250_000), Time::ZERO, MANY) && !law.dropping());
    assert!(drops(&mut law, us(250_010), 9_999).is_empty(), "a whole interval is waited for");
    assert!(law.congested(us(350_010), LONG, MANY));
}

/// Soon after a cycle of drops the count goes on from what that cycle added; 16 intervals later it starts over.
#[test]
fn the_count_resumes_at_the_previous_drop_rate() {
    for (pause_ms, resumed) in [(10, true), (1400, true), (1800, false)] {
        let mut law = law();
        let first = drops(&mut law, Time::ZERO, 70_000);
        let gained = law.count() - 1;
        assert!(gained > 5, "{gained}");
        law.congested(Time::from_ms(700), Time::ZERO, MANY);
        let restart = Time::from_ms(700 + pause_ms);
        let second = drops(&mut law, restart, 30_000);
        let count = if resumed { gained } else { 1 };
        let gap = (second[1] - second[0]).as_secs_f64();
        let want = INTERVAL.as_secs_f64() / f64::from(count).sqrt();
        assert!((gap - want).abs() < 11e-6, "after {pause_ms} ms: {gap} s, not {want} s; {first:?}");
    }
}

/// The same law in the shape in which the RFC writes it: one call takes packets until one may go.
struct WholeDequeue {
    waiting: VecDeque<(Time, TestPacket)>,
    first_above: Option<Time>,
    drop_next: Time,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl WholeDequeue {
    fn head(&mut self, now: Time) -> (Option<TestPacket>, bool) {
        let Some((since, packet)) = self.waiting.pop_front() else {
            self.first_above = None;
            return (None, false);
        };
        let behind: u64 = self.waiting.iter().map(|(_, p)| u64::from(p.bytes)).sum();
        if now - since < TARGET || behind <= 1500 {
            self.first_above = None;
            return (Some(packet), false);
        }
        let at = *self.first_above.get_or_insert(now + INTERVAL);
        (Some(packet), now >= at)
    }

    fn after(&self, t: Time) -> Time {
        t + Time::from_secs_f64(INTERVAL.as_secs_f64() / f64::from(self.count).sqrt())
    }

    fn dequeue(&mut self, now: Time) -> (Option<TestPacket>, Vec<u64>) {
        let mut dropped = Vec::new();
        let (mut packet, mut drop) = self.head(now);
        if self.dropping {
            self.dropping = drop;
            while self.dropping && now >= self.drop_next {
                dropped.extend(packet.map(|p| p.id));
                self.count += 1;
                (packet, drop) = self.head(now);
                if drop {
                    self.drop_next = self.after(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if drop {
            dropped.extend(packet.map(|p| p.id));
            (packet, _) = self.head(now);
            self.dropping = true;
            let delta = self.count - self.last_count;
            let recent = now.saturating_sub(self.drop_next) < INTERVAL * 16;
            self.count = if delta > 1 && recent { delta } else { 1 };
            self.drop_next = self.after(now);
            self.last_count = self.count;
        }
        (packet, dropped)
    }
}

#[test]
fn deciding_per_packet_equals_the_dequeue_of_the_rfc() {
    let mut total = 0;
    for seed in 0..20 {
        let mut r = Stream::new(seed, "codel", "trace");
        let mut ours = queue(r#"{ "kind": "codel", "limit": "unlimited" }"#, 10);
        let mut theirs = WholeDequeue {
            waiting: VecDeque::new(),
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
        };
        let mut now = Time::ZERO;
        let mut load = 0.5;
        for id in 0..60_000 {
            now += us(r.below(400));
            if id % 3000 == 0 {
                load = 0.4 + 0.25 * r.uniform();
            }
            if r.uniform() < load {
                let packet = data(id, 1, 100 + r.below(1400) as u32);
                theirs.waiting.push_back((now, packet.clone()));
                assert!(put(&mut ours, now, packet).is_empty());
            } else {
                let (got, want) = (take(&mut ours, now), theirs.dequeue(now));
                assert_eq!(got, want, "seed {seed} at {now}");
                total += got.1.len();
            }
        }
    }
    assert!(total > 2000, "only {total} drops: the trace tests nothing");
}

#[test]
fn ecn_capable_packets_are_marked() {
    let run = |ecn: Ecn, json: &str| {
        let mut q = queue(json, 10);
        for id in 0..3000 {
            put(&mut q, Time::ZERO, TestPacket { ecn, ..data(id, 1, 1000) });
        }
        let (mut marks, mut drops) = (Vec::new(), Vec::new());
        for n in 0..1000 {
            let now = LONG + us(500 * n);
            let (packet, dropped) = take(&mut q, now);
            drops.extend(dropped.iter().map(|_| now));
            if packet.unwrap().ecn == Ecn::Ce && ecn != Ecn::Ce {
                marks.push(now);
            }
        }
        (marks, drops)
    };
    let unlimited = r#"{ "kind": "codel", "limit": "unlimited" }"#;
    let (none, drops) = run(Ecn::NotCapable, unlimited);
    let (marks, none_either) = run(Ecn::Ect0, unlimited);
    assert!(none.is_empty() && none_either.is_empty());
    assert_eq!(marks, drops, "at the same moments");
    assert!(drops.len() > 5);
    let (none, drops_again) = run(Ecn::Ect0, r#"{ "kind": "codel", "limit": "unlimited", "ecn": false }"#);
    assert!(none.is_empty() && drops_again == drops);
}

#[test]
fn the_limit_drops_on_arrival() {
    let mut q = queue(r#"{ "kind": "codel", "limit": "2 packets" }"#, 10);
    assert!(put(&mut q, Time::ZERO, data(0, 1, 100)).is_empty());
    assert!(put(&mut q, Time::ZERO, data(1, 1, 100)).is_empty());
    assert_eq!(put(&mut q, Time::ZERO, data(2, 1, 100)), [2]);
    assert_eq!(q.packets(), 2);
}
