//! ACK decimation: the share that is kept, and that nothing else is dropped.

use crate::test_packet;

use eddyline_path::queue::Discipline as _;
use eddyline_path::{Class, random::Stream};
use eddyline_units::Time;
use test_packet::{TestPacket, ack, data, put, queue, take};

fn json(threshold: u32, drop: &str) -> String {
    format!(r#"{{ "kind": "ack_decimation", "threshold": "{threshold} packets", "drop": {drop} }}"#)
}

#[test]
fn one_in_n_of_each_connection_above_the_threshold() {
    let mut q = queue(&json(3, r#"{ "kind": "every", "keep_one_in": 4 }"#), 1);
    // four wait before the threshold is passed; two connections in turn would lose one of them all, were it counted
    // together
    let stays: Vec<u64> = (0..44).filter(|id| put(&mut q, Time::ZERO, ack(*id, id % 2, *id)).is_empty()).collect();
    assert_eq!(stays, [0, 1, 2, 3, 10, 11, 18, 19, 26, 27, 34, 35, 42, 43]);
    // below it all stay, and counting begins anew
    while q.packets() > 3 {
        take(&mut q, Time::ZERO);
    }
    assert!(put(&mut q, Time::ZERO, ack(50, 0, 50)).is_empty());
    assert_eq!(put(&mut q, Time::ZERO, ack(51, 0, 51)), [51]);
}

#[test]
fn data_and_control_segments_are_never_dropped() {
    let mut q = queue(&json(0, r#"{ "kind": "random", "probability": 1.0 }"#), 1);
    for id in 0..10 {
        assert!(put(&mut q, Time::ZERO, data(id, 1, 1500)).is_empty());
        let syn = TestPacket { acknowledges: None, class: Class::Ack, ..data(100 + id, 2, 40) };
        assert!(put(&mut q, Time::ZERO, syn).is_empty());
        assert_eq!(put(&mut q, Time::ZERO, ack(200 + id, 2, id)), [200 + id]);
    }
}

#[test]
fn random_drops_are_binomial() {
    let mut q = queue(&json(5, r#"{ "kind": "random", "probability": 0.3 }"#), 1);
    for id in 0..6 {
        put(&mut q, Time::ZERO, data(id, 1, 1500));
    }
    let n = 20_000;
    let dropped: usize = (0..n).map(|id| put(&mut q, Time::ZERO, ack(10 + id, 2, id)).len()).sum();
    // four standard deviations of a binomial
    let error = 4.0 * (0.3 * 0.7 * n as f64).sqrt();
    assert!((dropped as f64 - 0.3 * n as f64).abs() < error, "{dropped}");
}

/// At a queue that stays, the average is that queue and the probability lies on RED's line.
#[test]
fn red_follows_its_probability_curve() {
    for (waiting, expected) in [(10u64, 0.0), (15, 0.25), (20, 0.5), (25, 0.75), (30, 1.0), (40, 1.0)] {
        let rule = r#"{ "kind": "red", "max_threshold": "30 packets", "max_probability": 1.0, "weight": 0.05 }"#;
        let mut q = queue(&json(10, rule), 1);
        let mut id = 0;
        let mut one = |q: &mut _, counts: bool| {
            id += 1;
            let stayed = put(q, Time::ZERO, ack(id, 2, id)).is_empty();
            if stayed {
                // the oldest leaves: the queue stays
                take(q, Time::ZERO);
            }
            u64::from(counts && !stayed)
        };
        for n in 0..waiting {
            put(&mut q, Time::ZERO, data(1_000_000 + n, 1, 1500));
        }
        let settling: u64 = (0..500).map(|_| one(&mut q, false)).sum();
        assert_eq!(settling, 0);
        let n = 5_000;
        let dropped: u64 = (0..n).map(|_| one(&mut q, true)).sum();
        let error = 4.0 * (expected * (1.0 - expected) / n as f64).sqrt() + 0.001;
        let share = dropped as f64 / n as f64;
        assert!((share - expected).abs() <= error, "{waiting} waiting: {share}, expected {expected}");
    }
}

/// Whatever is dropped, acknowledgement numbers never decrease.
#[test]
fn acknowledgement_numbers_never_decrease() {
    let mut q = queue(&json(4, r#"{ "kind": "every", "keep_one_in": 3 }"#), 1);
    let mut r = Stream::new(1, "decimation", "test");
    let mut last = 0;
    for id in 0..5000 {
        if r.uniform() < 0.7 {
            put(&mut q, Time::ZERO, ack(id, 1, id));
        } else if let (Some(p), _) = take(&mut q, Time::ZERO) {
            let number = p.acknowledges.map_or(0, |a| a.number);
            assert!(number >= last);
            last = number;
        }
    }
}
