//! ACK filtering: hand-made sequences, and what must hold for any.

use crate::test_packet;

use std::collections::BTreeMap;

use eddyline_path::queue::{Discipline as _, Queue};
use eddyline_path::random::Stream;
use eddyline_path::{Acknowledgement, Class};
use eddyline_units::Time;
use test_packet::{TestPacket, ack, data, put, queue, take};

const ALL: &str = r#"{ "kind": "ack_filter", "rule": "all" }"#;
const CONSERVATIVE: &str = r#"{ "kind": "ack_filter", "rule": "conservative" }"#;
const AGGRESSIVE: &str = r#"{ "kind": "ack_filter", "rule": "aggressive" }"#;

fn sack(id: u64, flow: u64, number: u64) -> TestPacket {
    TestPacket { acknowledges: Some(Acknowledgement { number, selective: true, flags: 0 }), ..ack(id, flow, number) }
}

fn flagged(id: u64, flow: u64, number: u64) -> TestPacket {
    TestPacket { acknowledges: Some(Acknowledgement { number, selective: false, flags: 1 }), ..ack(id, flow, number) }
}

fn control(id: u64, flow: u64) -> TestPacket {
    TestPacket { acknowledges: None, class: Class::Ack, ..data(id, flow, 40) }
}

/// Puts packets in one after the other; gives what each removed, and what is left in order.
fn through(json: &str, packets: &[TestPacket]) -> (Vec<Vec<u64>>, Vec<u64>) {
    let mut q = queue(json, 1);
    let removed = packets.iter().map(|p| put(&mut q, Time::ZERO, p.clone())).collect();
    let left = std::iter::from_fn(|| take(&mut q, Time::ZERO).0.map(|p| p.id)).collect();
    (removed, left)
}

#[test]
fn a_new_ack_replaces_all_earlier_ones() {
    let packets = [ack(0, 1, 100), data(1, 9, 1500), ack(2, 2, 50), ack(3, 1, 200), data(4, 9, 1500), ack(5, 1, 300)];
    let (removed, left) = through(ALL, &packets);
    assert_eq!(removed, [vec![], vec![], vec![], vec![0], vec![], vec![3]]);
    assert_eq!(left, [5, 1, 2, 4], "flow 1 keeps its place at the head");
    let tail = r#"{ "kind": "ack_filter", "place": "tail" }"#;
    assert_eq!(through(tail, &packets).1, [1, 2, 4, 5]);
}

#[test]
fn duplicates_sacks_flags_and_control_segments_are_kept() {
    // three duplicates of 100 and their original, then 200
    let packets = [ack(0, 1, 90), ack(1, 1, 100), ack(2, 1, 100), ack(3, 1, 100), ack(4, 1, 100), ack(5, 1, 200)];
    let (removed, left) = through(ALL, &packets);
    assert_eq!(removed.concat(), [0]);
    assert_eq!(left, [1, 2, 3, 4, 5]);
    let packets = [sack(0, 1, 100), flagged(1, 1, 110), control(2, 1), ack(3, 1, 120), ack(4, 1, 130)];
    let (removed, left) = through(ALL, &packets);
    assert_eq!(removed.concat(), [3]);
    assert_eq!(left, [0, 1, 2, 4]);
    // an old one that comes late removes nothing
    assert_eq!(through(ALL, &[ack(0, 1, 100), ack(1, 1, 50)]).1, [0, 1]);
}

/// The original has left: what waits still counts as its duplicate.
#[test]
fn duplicates_of_departed_acks_are_kept() {
    let mut q = queue(ALL, 1);
    for id in 0..2 {
        put(&mut q, Time::ZERO, ack(id, 1, 100));
    }
    assert_eq!(take(&mut q, Time::ZERO).0.map(|p| p.id), Some(0));
    assert!(put(&mut q, Time::ZERO, ack(2, 1, 200)).is_empty());
    assert_eq!(put(&mut q, Time::ZERO, ack(3, 1, 300)), [2]);
    assert_eq!(q.packets(), 2);
}

/// CAKE's rules as its documentation states them: conservative keeps one redundant besides the newest, aggressive the
/// newest.
#[test]
fn the_rules_of_cake() {
    let packets: Vec<TestPacket> = (0..6).map(|id| ack(id, 1, 100 * (id + 1))).collect();
    let (removed, left) = through(CONSERVATIVE, &packets);
    assert_eq!(removed.concat(), [0, 1, 2, 3]);
    assert_eq!(left, [4, 5]);
    assert_eq!(through(AGGRESSIVE, &packets).1, [5]);
    for rule in [CONSERVATIVE, AGGRESSIVE] {
        // duplicates are not redundant
        let same: Vec<TestPacket> = (0..5).map(|id| ack(id, 1, 100)).collect();
        assert_eq!(through(rule, &same).1, [0, 1, 2, 3, 4]);
        // unless the new one has SACK blocks and they have none
        let (removed, _) = through(rule, &[ack(0, 1, 100), ack(1, 1, 100), sack(2, 1, 100)]);
        assert!(removed.concat().contains(&0));
        // one with SACK blocks stays
        let blocks = [sack(0, 1, 100), sack(1, 1, 200), sack(2, 1, 300), sack(3, 1, 400)];
        assert_eq!(through(rule, &blocks).1, [0, 1, 2, 3]);
    }
    // a change of flags is not lost
    let turn = [ack(0, 1, 100), flagged(1, 1, 200), flagged(2, 1, 300)];
    assert_eq!(through(AGGRESSIVE, &turn[..2]).1, [0, 1]);
    assert_eq!(through(CONSERVATIVE, &turn).1, [0, 1, 2]);
}

/// A limit that is reached is no limit to an acknowledgement that makes room for itself; one that does not loses
/// nothing.
#[test]
fn limits_count_after_filtering() {
    let json = r#"{ "kind": "ack_filter", "limit": "2 packets" }"#;
    let (removed, left) = through(json, &[data(0, 9, 1500), ack(1, 1, 100), ack(2, 1, 200), ack(3, 2, 100)]);
    assert_eq!(removed, [vec![], vec![], vec![1], vec![3]]);
    assert_eq!(left, [0, 2]);
    let json = r#"{ "kind": "ack_filter", "limit": "100 B" }"#;
    let big = TestPacket { bytes: 90, ..ack(2, 1, 200) };
    let (removed, left) = through(json, &[ack(0, 1, 100), ack(1, 2, 100), big]);
    assert_eq!((removed.concat(), left), (vec![2], vec![0, 1]), "a packet that does not fit removes none");
}

fn drive(q: &mut Queue<TestPacket>, seed: u64) {
    let mut r = Stream::new(seed, "ack_filter", "test");
    let mut newest: BTreeMap<u64, u64> = BTreeMap::new();
    let mut waiting_newest: BTreeMap<u64, u64> = BTreeMap::new();
    let mut seen: BTreeMap<u64, u64> = BTreeMap::new();
    let mut next = 0u64;
    for id in 0..4000 {
        if r.uniform() < 0.6 {
            let flow = r.below(4);
            let number = newest.get(&flow).copied().unwrap_or(0) + [0, 0, 1, 100][r.below(4) as usize];
            let p = match r.below(10) {
                0 => sack(id, flow, number),
                1 => flagged(id, flow, number),
                2 => data(id, 100 + flow, 1500),
                _ => ack(id, flow, number),
            };
            if p.class == Class::Ack {
                newest.insert(flow, number);
            }
            let carries = p.acknowledges.map(|a| a.number);
            let dropped = put(q, Time::ZERO, p);
            assert!(!dropped.contains(&id), "nothing is refused without a limit");
            if let Some(n) = carries {
                waiting_newest.insert(flow, n);
            }
            next = next.max(id);
        } else if let (Some(p), _) = take(q, Time::ZERO)
            && let Some(a) = p.acknowledges
        {
            let previous = seen.insert(p.flow, a.number);
            assert!(previous <= Some(a.number), "numbers never fall");
        }
    }
    while let (Some(p), _) = take(q, Time::ZERO) {
        if let Some(a) = p.acknowledges {
            seen.insert(p.flow, a.number);
        }
    }
    assert_eq!(seen, waiting_newest, "the last number of every connection gets through");
}

#[test]
fn the_last_number_always_gets_through() {
    for seed in 0..50 {
        for rule in ["all", "conservative", "aggressive"] {
            for place in ["freed", "tail"] {
                drive(
                    &mut queue(&format!(r#"{{ "kind": "ack_filter", "rule": "{rule}", "place": "{place}" }}"#), 1),
                    seed,
                );
            }
        }
    }
}

/// In a FIFO that drains slower than acknowledgements come, one that joins the tail is removed before it gets to the
/// head, for ever; one that takes a freed place gets there.
#[test]
fn packets_move_up_into_freed_places() {
    let passed = |place: &str| {
        let mut q = queue(&format!(r#"{{ "kind": "ack_filter", "place": "{place}" }}"#), 1);
        let mut acks = 0;
        for id in 0..10_000u64 {
            // ten data packets are always ahead, ten acknowledgements come while one leaves
            if id % 10 == 0 {
                while q.packets() < 11 {
                    put(&mut q, Time::ZERO, data(id, 9, 1500));
                }
                let (p, _) = take(&mut q, Time::ZERO);
                acks += u64::from(p.is_some_and(|p| p.acknowledges.is_some()));
            }
            put(&mut q, Time::ZERO, ack(100_000 + id, 1, id));
        }
        acks
    };
    assert_eq!(passed("tail"), 0);
    // one in eleven departures
    assert!((85..=95).contains(&passed("freed")), "{}", passed("freed"));
}
