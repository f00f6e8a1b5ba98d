//! What leaves before a packet of a flow, as queues estimate it and as they serve it.

use crate::test_packet;

use eddyline_path::queue::{Discipline as _, KINDS, Queue, QueueParams, WaitDependsOn};
use eddyline_path::random::Stream;
use eddyline_units::Time;
use test_packet::{TestPacket, ack, data, put, queue, take};

/// A queue of `kind` that has got `packets` at the same time and has sent the first `gone` of them.
fn after(kind: &str, packets: &[TestPacket], gone: u64) -> Queue<TestPacket> {
    let mut q = queue(kind, 1000);
    for packet in packets {
        assert!(put(&mut q, Time::ZERO, packet.clone()).is_empty(), "{kind}: the buffer is too small for this test");
    }
    for _ in 0..gone {
        assert!(take(&mut q, Time::ZERO).0.is_some());
    }
    q
}

/// Bytes that a queue sends before `packet`, which arrives now.
fn served_before(mut q: Queue<TestPacket>, packet: TestPacket) -> u64 {
    let id = packet.id;
    put(&mut q, Time::ZERO, packet);
    let mut before = 0;
    loop {
        match take(&mut q, Time::ZERO).0 {
            Some(packet) if packet.id == id => return before,
            Some(packet) => before += u64::from(packet.bytes),
            None => panic!("{id} has not left"),
        }
    }
}

const LARGE: &str = r#""limit": "100000 packets""#;

/// A few flows with backlogs between nothing and 30 packets, of which some have left. Where all packets have the size of the quantum the
/// estimate is exact with deficits; else, and where a packet is sent while there is any credit, it is within two packets of every queue.
#[test]
fn estimates_are_what_is_served() {
    for kind in [
        r#""drr""#,
        r#""drr", "queues": 1024"#,
        r#""drr", "quantum": "400 B""#,
        r#""sfq", "queues": 1024, "quantum": "1500 B""#,
        r#""sfq", "queues": 1024"#,
        r#""per_connection", "each": "1000 packets""#,
        r#""fq_codel""#,
        r#""fq_codel", "quantum": "300 B""#,
        r#""cake", "isolation": "flows""#,
        r#""cake", "framing": "pppoe-llcsnap""#,
        r#""cake""#,
        r#""droptail""#,
    ] {
        let in_order = kind.contains("droptail");
        let by_deficits = !kind.contains("fq_codel") && !kind.contains("cake");
        let kind = format!(r#"{{"kind": {kind}, {LARGE}}}"#);
        for seed in 0..60 {
            let mut r = Stream::new(seed, &kind, "waits");
            let (flows, mixed) = (2 + r.below(5), seed % 2 == 1);
            let backlogs: Vec<u64> = (0..flows).map(|_| r.below(31)).collect();
            let mut packets = Vec::new();
            // in turn, as if all had come at the same rate
            for turn in 0..30 {
                for flow in (0..flows).filter(|flow| turn < backlogs[*flow as usize]) {
                    let bytes = if mixed { [1500, 600, 40][r.below(3) as usize] } else { 1500 };
                    packets.push(data(packets.len() as u64, flow, bytes));
                }
            }
            let gone = r.below(packets.len() as u64 + 1);
            for flow in 0..flows {
                let probe = data(1_000_000, flow, 1500);
                let estimate = after(&kind, &packets, gone).bytes_before(&probe);
                let served = served_before(after(&kind, &packets, gone), probe);
                let within = match (in_order, by_deficits && !mixed && !kind.contains("400 B")) {
                    (true, _) | (_, true) => 0,
                    _ => 2 * 1514 * flows,
                };
                assert!(
                    estimate.abs_diff(served) <= within,
                    "{kind} seed {seed} flow {flow} of {backlogs:?}, {gone} gone: {estimate}, served {served}"
                );
            }
        }
    }
}

/// Among many queues one with a packet waits for about a packet of each, one with three for three.
#[test]
fn many_queues_are_taken_for_alike() {
    for kind in [r#""drr""#, r#""fq_codel""#, r#""cake", "isolation": "flows""#] {
        let kind = format!(r#"{{"kind": {kind}, {LARGE}}}"#);
        for flows in [20, 200] {
            let packets: Vec<TestPacket> = (0..3 * flows).map(|id| data(id, id % flows, 1500)).collect();
            for (flow, gone) in [(0, 0), (flows + 5, 0), (0, flows)] {
                let probe = data(1_000_000, flow, 1500);
                let estimate = after(&kind, &packets, gone).bytes_before(&probe) as f64;
                let served = served_before(after(&kind, &packets, gone), probe) as f64;
                assert!((estimate / served - 1.0).abs() < 0.5, "{kind} {flows} {flow}: {estimate}, served {served}");
            }
        }
    }
}

/// CAKE's hosts have equal shares: one flow of the first host and four of the second, ten packets each. When ten of the first have left, so
/// have ten of the second, and of its flows each has waited for nearly everything.
#[test]
fn flows_of_a_busy_host_wait_longer() {
    let kind = r#"{"kind": "cake", "limit": "100000 packets"}"#;
    let mut q = queue(kind, 1000);
    let packets: Vec<TestPacket> =
        (0..50).map(|id| TestPacket { host: u32::from(id % 5 > 0), ..data(id, id % 5, 1500) }).collect();
    packets.iter().for_each(|p| assert!(put(&mut q, Time::ZERO, p.clone()).is_empty()));
    // all are in turn once each has sent a packet: before that they are sparse
    for _ in 0..10 {
        assert!(take(&mut q, Time::ZERO).0.is_some());
    }
    let before = |flow, host| q.bytes_before(&TestPacket { host, ..data(99, flow, 1500) });
    let (alone, shared) = (before(0, 0), before(1, 1));
    assert!(shared + 1500 >= q.bytes(), "four of one host: {shared} of {}", q.bytes());
    assert!(alone <= shared / 2 + 3000, "{alone}, {shared}");
}

/// Acknowledgements leave first.
#[test]
fn acknowledgements_wait_for_acknowledgements() {
    let mut q = queue(r#"{"kind": "ack_priority"}"#, 1000);
    for id in 0..10 {
        put(&mut q, Time::ZERO, if id < 4 { ack(id, 100, id) } else { data(id, 1, 1500) });
    }
    assert_eq!(q.bytes_before(&ack(10, 100, 10)), 4 * 40);
    assert_eq!(q.bytes_before(&data(10, 1, 1500)), 4 * 40 + 6 * 1500);
}

/// A discipline that is fair to flows says that waits depend on them.
#[test]
fn fair_queues_differ_by_flow() {
    for kind in KINDS {
        let params: QueueParams = serde_json::from_str(kind.example).unwrap();
        let by_flow = params.wait_depends_on() == WaitDependsOn::Flow;
        assert_eq!(by_flow, kind.properties.fair, "{}", kind.name);
    }
}
