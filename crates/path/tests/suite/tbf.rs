//! The token bucket's law: over any time t no more than burst + rate x t leaves, and no less where enough waits.

use crate::test_packet;

use eddyline_path::framing::{Encapsulation, Framing};
use eddyline_path::queue::Discipline as _;
use eddyline_path::random::Stream;
use eddyline_units::{Rate, Time};
use test_packet::{Sent, data, link, put, queue, serve, take};

/// Packets in bursts and pauses.
fn unsteady(seed: u64) -> Vec<(Time, test_packet::TestPacket)> {
    let mut r = Stream::new(seed, "tbf", "arrivals");
    let mut at = Time::ZERO;
    let mut all = Vec::new();
    for id in 0..4000 {
        if r.uniform() < 0.02 {
            at += Time::from_ps((r.uniform() * 300e9) as u64);
        }
        all.push((at, data(id, 1, 41 + r.below(1460) as u32)));
    }
    all
}

/// Maximum by which the bytes of any run of packets exceed burst + rate x the time from the first's start to the last's.
fn worst_excess(sent: &[Sent], fast: Rate, rate: Rate, burst: u64, line: impl Fn(u32) -> u64) -> f64 {
    // a packet leaves the bucket when its transmission starts
    let starts: Vec<(f64, f64)> = sent
        .iter()
        .map(|s| {
            let start = s.end.saturating_sub(fast.transmission_time(u64::from(s.packet.bytes)));
            (start.as_ps() as f64 * rate.as_bps() as f64 / 8e12, line(s.packet.bytes) as f64)
        })
        .collect();
    // max over i <= j of sum(i..=j) - burst - (t_j - t_i) x rate, in one pass
    let (mut best, mut running, mut previous) = (f64::MIN, 0.0f64, starts[0].0);
    for (t, bytes) in &starts {
        running = (running - (t - previous)).max(0.0) + bytes;
        previous = *t;
        best = best.max(running);
    }
    best - burst as f64
}

#[test]
fn conforms_to_rate_and_burst() {
    let (fast, rate, burst) = (Rate::from_bps(100_000_000), Rate::from_bps(3_000_000), 10_000);
    for seed in 0..20 {
        let json = r#"{ "kind": "tbf", "rate": "3 Mbit/s", "burst": "10000 B" }"#;
        let (sent, dropped) = serve(&mut link(json, 100, Framing::default()), &unsteady(seed), Time::from_ms(60_000));
        assert!(dropped.is_empty() && sent.len() == 4000);
        let excess = worst_excess(&sent, fast, rate, burst, u64::from);
        // each cost is rounded to a picosecond, 4e-7 bytes
        assert!(excess < 0.01, "seed {seed}: {excess} B over");
        assert!(excess > -1500.0, "seed {seed}: it lets less through than it may, {excess} B");
    }
}

#[test]
fn conforms_with_framing_too() {
    let (fast, rate, burst) = (Rate::from_bps(100_000_000), Rate::from_bps(3_000_000), 10_000);
    let framing = Encapsulation::PppoeLlcsnap.info().framing;
    let json = r#"{ "kind": "tbf", "rate": "3 Mbit/s", "burst": "10000 B", "framing": "pppoe-llcsnap" }"#;
    let (sent, _) = serve(&mut link(json, 100, Framing::default()), &unsteady(1), Time::from_ms(60_000));
    let excess = worst_excess(&sent, fast, rate, burst, |bytes| framing.line_bytes(bytes));
    assert!(excess < 0.01 && excess > -1600.0, "{excess}");
    assert!(worst_excess(&sent, fast, rate, burst, u64::from) < -1000.0, "without framing it would be less");
}

#[test]
fn a_full_bucket_then_the_rate() {
    let mut q = queue(r#"{ "kind": "tbf", "rate": "1 Mbit/s", "burst": "3000 B" }"#, 100);
    for id in 0..5 {
        assert!(put(&mut q, Time::ZERO, data(id, 1, 1000)).is_empty());
    }
    for id in 0..3 {
        assert_eq!(take(&mut q, Time::ZERO).0.map(|p| p.id), Some(id));
    }
    for id in 3..5 {
        // 8 ms for each further packet, not a picosecond sooner
        let due = Time::from_ms(8 * (id - 2));
        assert_eq!(take(&mut q, due.saturating_sub(Time::from_ps(1))).0, None);
        assert_eq!(q.next_wake(), Some(due));
        assert_eq!(take(&mut q, due).0.map(|p| p.id), Some(id));
    }
    assert_eq!(q.next_wake(), None);
    // a long pause fills the bucket and no more
    for id in 5..9 {
        put(&mut q, Time::from_ms(10_000), data(id, 1, 1000));
    }
    assert_eq!((0..4).filter(|_| take(&mut q, Time::from_ms(10_000)).0.is_some()).count(), 3);
}

#[test]
fn packets_larger_than_the_bucket_are_dropped() {
    let mut q = queue(r#"{ "kind": "tbf", "rate": "1 Mbit/s", "burst": "1000 B", "limit": "2 packets" }"#, 100);
    assert_eq!(put(&mut q, Time::ZERO, data(0, 1, 1001)), [0]);
    assert!(put(&mut q, Time::ZERO, data(1, 1, 1000)).is_empty());
    assert!(put(&mut q, Time::ZERO, data(2, 1, 1000)).is_empty());
    assert_eq!(put(&mut q, Time::ZERO, data(3, 1, 1000)), [3]);
}
