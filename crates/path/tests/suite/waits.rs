//! What leaves before a packet of a flow, as queues estimate it and as they serve it.

use crate::test_packet;

use eddyline_path::queue::{Discipline as _, KINDS, QueueParams, WaitDependsOn};
use eddyline_path::random::Stream;
use eddyline_units::Time;
use test_packet::{TestPacket, ack, data, put, queue, take};

/// Bytes that leave before the packet `id`, of which everything arrived at the same time.
fn served_before(kind: &str, packets: &[TestPacket], id: u64) -> u64 {
    let mut q = queue(kind, 1000);
    for packet in packets {
        assert!(put(&mut q, Time::ZERO, packet.clone()).is_empty(), "{kind}: the buffer is too small for this test");
    }
    let mut before = 0;
    loop {
        match take(&mut q, Time::ZERO).0 {
            Some(packet) if packet.id == id => return before,
            Some(packet) => before += u64::from(packet.bytes),
            None => panic!("{kind}: {id} has not left"),
        }
    }
}

/// A few flows with backlogs between nothing and 30 packets. The estimate is of fluids, so it may be off by a packet of every queue. Behind
/// nothing of its own a packet waits for a turn of all others at least. A discipline in order of arrival sends all that waits first.
#[test]
fn estimates_are_what_is_served() {
    const LARGE: &str = r#""limit": "100000 packets""#;
    for kind in [
        r#""drr""#,
        r#""drr", "queues": 1024"#,
        r#""sfq", "queues": 1024, "quantum": "1500 B""#,
        r#""sfq", "queues": 1024"#,
        r#""per_connection", "each": "1000 packets""#,
        r#""fq_codel""#,
        r#""cake", "isolation": "flows""#,
        r#""cake""#,
        r#""droptail""#,
    ] {
        let in_order = kind.contains("droptail");
        let kind = format!(r#"{{"kind": {kind}, {LARGE}}}"#);
        for seed in 0..20 {
            let mut r = Stream::new(seed, &kind, "waits");
            let flows = 2 + r.below(5);
            let backlogs: Vec<u64> = (0..flows).map(|_| r.below(31)).collect();
            let mut packets = Vec::new();
            // in turn, as if all had come at the same rate
            for turn in 0..30 {
                for flow in (0..flows).filter(|flow| turn < backlogs[*flow as usize]) {
                    packets.push(data(packets.len() as u64, flow, 1500));
                }
            }
            for flow in 0..flows {
                let probe = data(1_000_000, flow, 1500);
                let mut q = queue(&kind, 1000);
                packets.iter().for_each(|p| assert!(put(&mut q, Time::ZERO, p.clone()).is_empty()));
                let estimate = q.bytes_before(&probe);
                let all: Vec<TestPacket> = packets.iter().cloned().chain([probe]).collect();
                let served = served_before(&kind, &all, 1_000_000);
                let own = backlogs[flow as usize];
                // the mean of what shorter queues send is not known: at most what this one has beyond them
                let shorter: u64 = backlogs.iter().map(|b| own.saturating_sub(*b) * 1500).sum();
                let within = flows * 1514;
                assert!(
                    estimate + within >= served && estimate <= served + within + shorter,
                    "{kind} seed {seed} flow {flow} of {backlogs:?}: {estimate}, served {served}"
                );
                assert!(own > 0 || 2 * estimate >= served, "{kind} {backlogs:?}: {estimate}, served {served}");
                assert!(!in_order || estimate == served, "{kind}: {estimate}, {served}");
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
