//! A buffer for each connection.

use crate::test_packet;

use eddyline_path::framing::Framing;
use eddyline_path::queue::Discipline as _;
use eddyline_units::Time;
use test_packet::{Constant, assert_max_min, bytes_of, constant, data, link, put, queue, serve};

#[test]
fn connections_get_max_min_shares() {
    assert_max_min(r#"{ "kind": "per_connection", "each": "200 packets" }"#, 10, 0.01);
}

#[test]
fn a_full_buffer_affects_only_its_connection() {
    let mut q = queue(r#"{ "kind": "per_connection", "each": "2 packets", "limit": "5 packets" }"#, 1);
    assert!(put(&mut q, Time::ZERO, data(0, 1, 1500)).is_empty());
    assert!(put(&mut q, Time::ZERO, data(1, 1, 1500)).is_empty());
    assert_eq!(put(&mut q, Time::ZERO, data(2, 1, 1500)), [2]);
    assert!(put(&mut q, Time::ZERO, data(3, 2, 40)).is_empty());
    assert!(put(&mut q, Time::ZERO, data(4, 3, 40)).is_empty());
    assert!(put(&mut q, Time::ZERO, data(5, 4, 40)).is_empty());
    assert_eq!(put(&mut q, Time::ZERO, data(6, 5, 40)), [6], "all together");
    assert_eq!(q.packets(), 5);
}

/// An upload that floods the link does not affect a low-rate stream of small packets: none is lost, and each waits for one
/// packet in transmission and one turn of the other, two of its packets.
#[test]
fn a_low_rate_flow_waits_for_one_round() {
    let until = Time::from_ms(5_000);
    let sources =
        [Constant { flow: 1, host: 0, bytes: 1500, kbps: 5_000 }, Constant { flow: 2, host: 0, bytes: 40, kbps: 50 }];
    let json = r#"{ "kind": "per_connection", "each": "20 packets" }"#;
    let (sent, dropped) = serve(&mut link(json, 1, Framing::default()), &constant(&sources, until), until);
    let thin: Vec<_> = sent.iter().filter(|s| s.packet.flow == 2).collect();
    let longest = thin.iter().map(|s| s.waited).max().unwrap();
    assert!(longest <= Time::from_ms(24), "{longest}");
    let ids: Vec<u64> = thin.iter().map(|s| s.packet.id).collect();
    assert!(dropped.iter().all(|id| !ids.contains(id)) && thin.len() >= 770);
    let bytes = bytes_of(&sources, &sent, Time::ZERO);
    assert!((bytes[0] + bytes[1] - 625_000.0).abs() <= 1500.0, "the link is full: {bytes:?}");
}
