//! Drop-head FIFO: the oldest packets are dropped.

use crate::test_packet;

use eddyline_path::framing::Framing;
use eddyline_path::queue::Discipline as _;
use eddyline_units::Time;
use test_packet::{Constant, constant, data, link, put, queue, serve, take};

#[test]
fn the_oldest_packet_is_dropped_first() {
    let mut q = queue(r#"{ "kind": "headdrop", "limit": "3 packets" }"#, 1);
    for id in 0..3 {
        assert!(put(&mut q, Time::ZERO, data(id, 1, 100)).is_empty());
    }
    assert_eq!(put(&mut q, Time::ZERO, data(3, 1, 100)), [0]);
    let left: Vec<u64> = std::iter::from_fn(|| take(&mut q, Time::ZERO).0.map(|p| p.id)).collect();
    assert_eq!(left, [1, 2, 3]);
}

#[test]
fn byte_limits_drop_the_minimum_number_of_packets() {
    let mut q = queue(r#"{ "kind": "headdrop", "limit": "1000 B" }"#, 1);
    for id in 0..10 {
        put(&mut q, Time::ZERO, data(id, 1, 100));
    }
    assert_eq!(put(&mut q, Time::ZERO, data(10, 1, 250)), [0, 1, 2]);
    assert_eq!(q.bytes(), 950);
    assert_eq!(put(&mut q, Time::ZERO, data(11, 1, 1001)), [11], "a packet that can never fit drops no other");
    assert_eq!(q.packets(), 8);
}

/// Twice the rate into n places: one of two is lost, and since two leave the head in each transmission time, one sent
/// and one dropped, the others wait half as long as drop-tail would have them wait.
#[test]
fn overload_in_closed_form() {
    let sources = [Constant { flow: 1, host: 0, bytes: 1250, kbps: 20_000 }];
    let until = Time::from_ms(1_000);
    let arrivals = constant(&sources, until);
    let mut head = link(r#"{ "kind": "headdrop", "limit": "20 packets" }"#, 10, Framing::default());
    let (sent, dropped) = serve(&mut head, &arrivals, until);
    // 1 ms a packet, two arrive in that time
    assert_eq!(sent.len(), 999);
    let settled = &sent[50..];
    assert!(settled.windows(2).all(|w| w[1].packet.id == w[0].packet.id + 2), "one of two is lost, in turn");
    // a survivor waits while those before it are sent or dropped: 20 places empty by two in a millisecond
    let wait = |s: &test_packet::Sent| s.waited.as_ps() as f64 / 1e9;
    assert!(settled.iter().all(|s| (wait(s) - 10.0).abs() <= 1.0), "half of drop-tail's 20 ms: {}", wait(&settled[0]));
    assert_eq!(dropped.len(), arrivals.len() - sent.len() - head.held() as usize);
}
