//! Stochastic fairness queueing: order of service, drops, collisions.

use crate::test_packet;

use std::collections::BTreeSet;

use eddyline_path::framing::Framing;
use eddyline_path::queue::{Discipline as _, LinkContext, Queue, QueueParams};
use eddyline_units::{Rate, Time};
use test_packet::{TestPacket, assert_max_min, bytes_of, constant, data, link, put, queue, serve, take, ten_sources};

/// Ten flows, so many queues that none collide under this seed.
#[test]
fn by_bytes_flows_get_max_min_shares() {
    assert_max_min(r#"{ "kind": "sfq", "limit": "2000 packets", "queues": 65536, "quantum": "1500 B" }"#, 10, 0.01);
}

/// McKenney's round robin is fair in packets: busy flows send the same number of them, whatever their size.
#[test]
fn by_packets_flows_send_as_many() {
    let sources: Vec<_> = ten_sources(10).into_iter().filter(|s| s.kbps > 1000).collect();
    let until = Time::from_ms(10_000);
    let json = r#"{ "kind": "sfq", "limit": "2000 packets", "queues": 65536 }"#;
    let (sent, _) = serve(&mut link(json, 10, Framing::default()), &constant(&sources, until), until);
    let bytes = bytes_of(&sources, &sent, Time::from_ms(1_000));
    let counts: Vec<f64> = bytes.iter().zip(&sources).map(|(b, s)| b / f64::from(s.bytes)).collect();
    // those with the largest packets are the slowest in packets a second and all busy; the others may be less than that
    let max = counts.iter().copied().fold(0.0, f64::max);
    let busy =
        sources.iter().zip(&counts).filter(|(s, _)| s.kbps as f64 * 125.0 / f64::from(s.bytes) * 9.0 > 1.01 * max);
    let busy: Vec<f64> = busy.map(|(_, n)| *n).collect();
    assert!(busy.len() >= 3, "{counts:?}");
    assert!(busy.iter().all(|n| (n / max - 1.0).abs() < 0.01), "{busy:?} of {max}");
}

#[test]
fn order_and_drops_of_a_worked_example() {
    let mut q = queue(r#"{ "kind": "sfq", "limit": "5 packets", "queues": 65536 }"#, 1);
    for id in 0..4 {
        put(&mut q, Time::ZERO, data(id, 1, 1000));
    }
    put(&mut q, Time::ZERO, data(4, 2, 40));
    assert_eq!(put(&mut q, Time::ZERO, data(5, 2, 40)), [3], "the longest queue's youngest");
    let order: Vec<u64> = std::iter::from_fn(|| take(&mut q, Time::ZERO).0.map(|p| p.id)).collect();
    assert_eq!(order, [0, 4, 1, 5, 2]);

    let mut q = queue(r#"{ "kind": "sfq", "limit": "5 packets", "queues": 65536, "drop": "head" }"#, 1);
    for id in 0..5 {
        put(&mut q, Time::ZERO, data(id, 1, 1000));
    }
    assert_eq!(put(&mut q, Time::ZERO, data(5, 2, 40)), [0], "the longest queue's oldest");
}

fn seeded(json: &str, seed: u64) -> Queue<TestPacket> {
    let params: QueueParams = serde_json::from_str(json).unwrap();
    params.build(&LinkContext::new(Rate::from_bps(1_000_000), seed, "link"))
}

/// Which of `flows` find another flow in their queue at `now`: of two packets from each, one after the other, theirs
/// are not served in the first round, which the second packet of flow 0 ends.
fn neighbours(q: &mut Queue<TestPacket>, flows: u64, now: Time) -> BTreeSet<u64> {
    for id in 0..2 * flows {
        put(q, now, data(id, id / 2, 100));
    }
    let order: Vec<u64> = std::iter::from_fn(|| take(q, now).0.map(|p| p.id)).collect();
    let first_round: BTreeSet<u64> = order.iter().take_while(|id| **id != 1).map(|id| id / 2).collect();
    (0..flows).filter(|flow| !first_round.contains(flow)).collect()
}

/// Of n flows on m queues, n - m (1 - (1 - 1/m)^n) on average find their queue taken by another.
#[test]
fn collisions_are_those_of_a_random_hash() {
    for (flows, queues) in [(10u64, 1024u32), (100, 1024), (30, 64)] {
        let json = format!(r#"{{ "kind": "sfq", "limit": "unlimited", "queues": {queues} }}"#);
        let runs = 4000;
        let taken: usize = (0..runs).map(|seed| neighbours(&mut seeded(&json, seed), flows, Time::ZERO).len()).sum();
        let (n, m) = (flows as f64, f64::from(queues));
        let expected = n - m * (1.0 - (1.0 - 1.0 / m).powf(n));
        let mean = taken as f64 / runs as f64;
        // the count is nearly Poisson: four standard errors
        let error = 4.0 * (expected / runs as f64).sqrt();
        assert!((mean - expected).abs() < error, "{flows} on {queues}: {mean}, expected {expected} +- {error}");
    }
}

/// Under a hash that stays, colliding flows keep colliding; under one that changes they separate.
#[test]
fn a_new_hash_separates_colliding_flows() {
    let parted = |perturb: &str| {
        let json = format!(r#"{{ "kind": "sfq", "limit": "unlimited", "queues": 4{perturb} }}"#);
        let mut q = seeded(&json, 3);
        let first = neighbours(&mut q, 8, Time::ZERO);
        let second = neighbours(&mut q, 8, Time::from_ms(1_000));
        assert!(first.len() >= 4, "eight flows on four queues");
        first != second
    };
    assert!(!parted(""));
    assert!(parted(r#", "perturb": "300 ms""#));
}

/// What waits while the hash changes is sorted anew and keeps its order within each flow.
#[test]
fn a_new_hash_loses_nothing() {
    let mut q = queue(r#"{ "kind": "sfq", "limit": "unlimited", "queues": 3, "perturb": "10 ms" }"#, 1);
    for id in 0..300 {
        put(&mut q, Time::ZERO, data(id, id % 7, 100));
    }
    let mut last = [None; 7];
    for step in 0..300 {
        let p = take(&mut q, Time::from_ms(step)).0.unwrap();
        assert!(last[p.flow as usize] < Some(p.id));
        last[p.flow as usize] = Some(p.id);
    }
    assert_eq!(q.packets(), 0);
}
