//! Deficit round robin against its paper's bounds and max-min shares.

use crate::test_packet;

use eddyline_path::framing::Framing;
use eddyline_path::queue::Discipline as _;
use eddyline_units::Time;
use test_packet::{assert_max_min, constant, data, link, put, queue, serve, take, ten_sources};

const DRR: &str = r#"{ "kind": "drr", "limit": "2000 packets" }"#;

#[test]
fn ten_flows_of_different_sizes_get_max_min_shares() {
    assert_max_min(DRR, 10, 0.01);
    // turns in which nothing is sent change nothing
    assert_max_min(r#"{ "kind": "drr", "limit": "2000 packets", "quantum": "100 B" }"#, 10, 0.01);
}

/// Fairness measure of Shreedhar and Varghese: over any time in which two flows have packets, what they sent differs by
/// less than quantum + 2 x the largest packet.
#[test]
fn the_service_of_two_backlogged_flows_differs_by_a_constant() {
    for quantum in [1500u64, 4000] {
        let json = format!(r#"{{ "kind": "drr", "limit": "unlimited", "quantum": "{quantum} B" }}"#);
        let sources: Vec<_> = ten_sources(10).into_iter().filter(|s| s.kbps > 1000).collect();
        let until = Time::from_ms(2_000);
        let (sent, _) = serve(&mut link(&json, 10, Framing::default()), &constant(&sources, until), until);
        // all are busy soon after the start, and for ever
        let sent: Vec<_> = sent.iter().filter(|s| s.end > Time::from_ms(100)).collect();
        for a in &sources {
            for b in sources.iter().filter(|b| b.flow > a.flow) {
                let (mut low, mut high, mut difference) = (0i64, 0i64, 0i64);
                for s in &sent {
                    difference += i64::from(s.packet.bytes)
                        * (i64::from(s.packet.flow == a.flow) - i64::from(s.packet.flow == b.flow));
                    (low, high) = (low.min(difference), high.max(difference));
                }
                let bound = quantum as i64 + 2 * 1500;
                assert!(high - low < bound, "{} and {}: {} bytes, quantum {quantum}", a.flow, b.flow, high - low);
            }
        }
    }
}

/// The paper's rule, step by step: quantum 500, packets of 200, 750, 20 and 500 bytes (its figures 2 and 3).
#[test]
fn deficits_of_a_worked_example() {
    let mut q = queue(r#"{ "kind": "drr", "quantum": "500 B" }"#, 1);
    for (id, flow, bytes) in [(0, 1, 200), (1, 1, 750), (2, 1, 20), (3, 2, 500), (4, 2, 500), (5, 3, 200), (6, 3, 600)]
    {
        assert!(put(&mut q, Time::ZERO, data(id, flow, bytes)).is_empty());
    }
    let order: Vec<u64> = std::iter::from_fn(|| take(&mut q, Time::ZERO).0.map(|p| p.id)).collect();
    // flow 1 sends 200 of 500 and keeps 300; flow 2 sends 500; flow 3 sends 200 and keeps 300;
    // flow 1 has 800: 750 and 20; flow 2: 500; flow 3 has 800: 600
    assert_eq!(order, [0, 3, 5, 1, 2, 4, 6]);
}

#[test]
fn the_longest_queue_makes_room() {
    let mut q = queue(r#"{ "kind": "drr", "limit": "4 packets" }"#, 1);
    for id in 0..4 {
        assert!(put(&mut q, Time::ZERO, data(id, 1, 1000)).is_empty());
    }
    assert_eq!(put(&mut q, Time::ZERO, data(4, 2, 1000)), [3], "the youngest of the longest");
    assert_eq!(put(&mut q, Time::ZERO, data(5, 1, 1000)), [5], "of itself, where it is the longest");
    assert_eq!(put(&mut q, Time::ZERO, data(6, 2, 1000)), [2]);
    assert_eq!(q.packets(), 4);
}

/// By bytes a small packet of a modest flow pushes out large ones, as many as it takes.
#[test]
fn byte_limits_take_from_the_longest_in_bytes() {
    let mut q = queue(r#"{ "kind": "drr", "limit": "3000 B" }"#, 1);
    for id in 0..10 {
        put(&mut q, Time::ZERO, data(id, 1, 100));
    }
    put(&mut q, Time::ZERO, data(10, 2, 1500));
    assert_eq!(put(&mut q, Time::ZERO, data(11, 3, 700)), [10]);
    assert_eq!((q.packets(), q.bytes()), (11, 1700));
}

/// A packet that takes a million turns of one byte does not take a million steps: the round is skipped over in one.
#[test]
fn huge_packets_and_tiny_quanta_terminate() {
    let mut q = queue(r#"{ "kind": "drr", "quantum": "1 B" }"#, 1);
    for id in 0..100 {
        put(&mut q, Time::ZERO, data(id, id % 2, 1_000_000_000));
    }
    for _ in 0..100 {
        assert!(take(&mut q, Time::ZERO).0.is_some());
    }
}
