//! FQ-CoDel against RFC 8290's rules.

use crate::test_packet;

use eddyline_path::Ecn;
use eddyline_path::framing::Framing;
use eddyline_units::Time;
use test_packet::{Constant, TestPacket, assert_max_min, constant, data, link, put, queue, serve, take};

#[test]
fn ten_flows_of_different_sizes_get_max_min_shares() {
    assert_max_min(r#"{ "kind": "fq_codel", "queues": 65536 }"#, 10, 0.01);
}

/// Section 4.2: a queue that becomes busy is served before those that have been; one that has used its quantum is not.
#[test]
fn new_queues_before_old_ones() {
    let mut q = queue(r#"{ "kind": "fq_codel", "quantum": "1500 B" }"#, 10);
    for id in 0..6 {
        put(&mut q, Time::ZERO, data(id, 1 + id % 2, 1500));
    }
    let next = |q: &mut _| take(q, Time::ZERO).0.map(|p: TestPacket| p.id);
    // both are new, then old
    assert_eq!((next(&mut q), next(&mut q)), (Some(0), Some(1)));
    put(&mut q, Time::ZERO, data(6, 3, 100));
    put(&mut q, Time::ZERO, data(7, 3, 1300));
    put(&mut q, Time::ZERO, data(8, 3, 200));
    put(&mut q, Time::ZERO, data(9, 3, 200));
    // flow 3 sends while its quantum of 1500 is not used up, then it is the last of the old
    assert_eq!([0; 3].map(|_| next(&mut q)), [Some(6), Some(7), Some(8)]);
    assert_eq!([0; 4].map(|_| next(&mut q)), [Some(2), Some(3), Some(9), Some(4)]);
    assert_eq!([0; 2].map(|_| next(&mut q)), [Some(5), None]);
}

/// Section 4.2: a queue that runs empty stays among the old for a turn, so that coming back at once wins no priority.
#[test]
fn an_emptied_queue_regains_no_priority() {
    let mut q = queue(r#"{ "kind": "fq_codel", "quantum": "1500 B" }"#, 10);
    for id in 0..10 {
        put(&mut q, Time::ZERO, data(id, 1, 300));
    }
    let next = |q: &mut _| take(q, Time::ZERO).0.map(|p: TestPacket| p.id);
    assert_eq!(next(&mut q), Some(0));
    put(&mut q, Time::ZERO, data(20, 2, 100));
    assert_eq!([0; 6].map(|_| next(&mut q)), [1, 2, 3, 4, 20, 5].map(Some));
    put(&mut q, Time::ZERO, data(21, 2, 100));
    assert_eq!([0; 6].map(|_| next(&mut q)), [Some(6), Some(7), Some(8), Some(9), Some(21), None]);
}

/// Section 4.1.3: the queue with the most bytes loses half its packets, 64 at most, from the head.
#[test]
fn overload_drops_a_batch_from_the_longest_queue() {
    for (limit, batch) in [(100u64, 50u64), (400, 64)] {
        let mut q = queue(&format!(r#"{{ "kind": "fq_codel", "limit": "{limit} packets" }}"#), 10);
        put(&mut q, Time::ZERO, data(1_000, 2, 40));
        for id in 1..limit {
            assert!(put(&mut q, Time::ZERO, data(id, 1, 1500)).is_empty());
        }
        let dropped = put(&mut q, Time::ZERO, data(1_001, 2, 40));
        assert_eq!(dropped, (1..=batch).collect::<Vec<u64>>());
    }
    let mut q = queue(r#"{ "kind": "fq_codel", "memory_limit": "3000 B" }"#, 10);
    put(&mut q, Time::ZERO, data(0, 1, 2000));
    assert_eq!(put(&mut q, Time::ZERO, data(1, 1, 1500)), [0], "bytes have a limit of their own");
    assert_eq!(put(&mut q, Time::ZERO, data(2, 2, 2900)), [2], "half of one packet is that one");
}

/// Each queue has a CoDel of its own: who overloads the link loses packets, who does not loses none and does not wait.
#[test]
fn each_queue_has_its_own_codel() {
    let until = Time::from_ms(20_000);
    let sources =
        [Constant { flow: 1, host: 0, bytes: 1500, kbps: 12_000 }, Constant { flow: 2, host: 0, bytes: 200, kbps: 64 }];
    let (sent, dropped) =
        serve(&mut link(r#"{ "kind": "fq_codel" }"#, 10, Framing::default()), &constant(&sources, until), until);
    let arrivals = constant(&sources, until);
    let lost = |flow| dropped.iter().filter(|id| arrivals[**id as usize].1.flow == flow).count();
    assert_eq!(lost(2), 0);
    assert!(lost(1) > 100);
    // in transmission 1.2 ms, and at most one packet of the other flow
    let thin = sent.iter().filter(|s| s.packet.flow == 2).map(|s| s.waited).max().unwrap();
    assert!(thin <= Time::from_ps(2_500_000_000), "{thin}");
}

#[test]
fn ecn_capable_packets_are_marked() {
    let until = Time::from_ms(5_000);
    let source = [Constant { flow: 1, host: 0, bytes: 1500, kbps: 10_500 }];
    let run = |ecn: bool| {
        let mut arrivals = constant(&source, until);
        arrivals.iter_mut().for_each(|(_, p)| p.ecn = Ecn::Ect0);
        let json = format!(r#"{{ "kind": "fq_codel", "ecn": {ecn} }}"#);
        let (sent, dropped) = serve(&mut link(&json, 10, Framing::default()), &arrivals, until);
        (sent.iter().filter(|s| s.packet.ecn == Ecn::Ce).count(), dropped.len())
    };
    let (marked, dropped) = run(true);
    assert!(marked > 20 && dropped == 0, "{marked} {dropped}");
    let (marked, dropped) = run(false);
    assert!(marked == 0 && dropped > 20, "{marked} {dropped}");
}
