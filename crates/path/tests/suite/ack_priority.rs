//! An acknowledgement waits for one data packet and for acknowledgements, never for more.

use crate::test_packet;

use eddyline_path::framing::Framing;
use eddyline_path::queue::Discipline as _;
use eddyline_units::{Rate, Time};
use test_packet::{Constant, ack, constant, data, link, put, queue, serve, take};

#[test]
fn an_ack_waits_for_one_transmission_of_data() {
    let until = Time::from_ms(5_000);
    let sources = [Constant { flow: 1, host: 0, bytes: 1500, kbps: 2_000 }];
    let mut arrivals = constant(&sources, until);
    let mut at = Time::from_ms(1);
    for id in 0..900 {
        arrivals.push((at, ack(1_000_000 + id, 2, id)));
        at += Time::from_ps(5_111_111_111);
    }
    arrivals.sort_by_key(|(at, p)| (*at, p.flow));
    let json = r#"{ "kind": "ack_priority", "limit": "100 packets" }"#;
    let (sent, dropped) = serve(&mut link(json, 1, Framing::default()), &arrivals, until);
    let one = Rate::from_bps(1_000_000).transmission_time(1500);
    let acks: Vec<_> = sent.iter().filter(|s| s.packet.flow == 2).collect();
    assert!(acks.len() >= 899);
    // they come further apart than one takes to be sent, so none waits for another behind a data packet but the next
    let longest = acks.iter().map(|s| s.waited).max().unwrap();
    let behind = Rate::from_bps(1_000_000).transmission_time(40).saturating_mul(2);
    assert!(longest <= one.saturating_add(behind), "{longest}");
    assert!(longest > Time::from_ps(one.as_ps() / 2), "some do wait: {longest}");
    assert!(dropped.iter().all(|id| *id < 1_000_000), "data alone are dropped");
}

#[test]
fn limits() {
    let mut q = queue(
        r#"{ "kind": "ack_priority", "limit": "4 packets", "ack_limit": "3 packets", "data_limit": "3 packets" }"#,
        1,
    );
    for id in 0..3 {
        assert!(put(&mut q, Time::ZERO, data(id, 1, 1500)).is_empty());
    }
    assert_eq!(put(&mut q, Time::ZERO, data(3, 1, 1500)), [3], "data's own limit");
    assert!(put(&mut q, Time::ZERO, ack(4, 2, 1)).is_empty());
    assert_eq!(put(&mut q, Time::ZERO, ack(5, 2, 2)), [2], "the youngest data make room");
    assert_eq!(put(&mut q, Time::ZERO, ack(6, 2, 3)), [1]);
    assert_eq!(put(&mut q, Time::ZERO, ack(7, 2, 4)), [7], "the acknowledgements' own limit");
    assert_eq!(put(&mut q, Time::ZERO, data(8, 1, 1500)), [8], "the limit of both");
    let order: Vec<u64> = std::iter::from_fn(|| take(&mut q, Time::ZERO).0.map(|p| p.id)).collect();
    assert_eq!(order, [4, 5, 6, 0]);
    assert_eq!((q.packets(), q.bytes()), (0, 0));
}
