//! The shaper, the shares of hosts and of flows, and what is dropped.

use crate::test_packet;

use eddyline_path::framing::{Encapsulation, Framing};
use eddyline_path::{Acknowledgement, Ecn};
use eddyline_units::{Rate, Time};
use test_packet::{Constant, TestPacket, ack, assert_max_min, bytes_of, constant, data, link, put, queue, serve, take};

/// Under load packets leave at intervals of exactly their transmission time at the bandwidth.
#[test]
fn it_sends_at_its_bandwidth_framing_included() {
    let until = Time::from_ms(2_000);
    let source = [Constant { flow: 1, host: 0, bytes: 1500, kbps: 20_000 }];
    for (framing, line) in [("docsis", 1518), ("pppoe-llcsnap", 33 * 53)] {
        let json = format!(r#"{{ "kind": "cake", "bandwidth": "7 Mbit/s", "framing": "{framing}" }}"#);
        let (sent, _) = serve(&mut link(&json, 100, Framing::default()), &constant(&source, until), until);
        let gap = Rate::from_bps(7_000_000).transmission_time(line);
        assert!(sent.windows(2).all(|w| w[1].end.saturating_sub(w[0].end) == gap), "{framing}");
        let expected = 2.0 / gap.as_secs_f64();
        assert!((sent.len() as f64 - expected).abs() <= 1.5, "{framing}: {} of {expected}", sent.len());
        assert_eq!(Encapsulation::Docsis.info().framing.line_bytes(1500), 1518);
    }
}

/// After a pause there is no burst: the shaper accumulates no credit.
#[test]
fn no_burst_after_a_pause() {
    let json = r#"{ "kind": "cake", "bandwidth": "1 Mbit/s" }"#;
    let mut arrivals: Vec<(Time, TestPacket)> = (0..3).map(|id| (Time::ZERO, data(id, 1, 1250))).collect();
    arrivals.extend((3..6).map(|id| (Time::from_ms(10_000), data(id, 1, 1250))));
    let (sent, _) = serve(&mut link(json, 100, Framing::default()), &arrivals, Time::from_ms(20_000));
    let starts: Vec<u64> = sent.iter().map(|s| s.waited.as_ps() / 1_000_000_000).collect();
    assert_eq!(starts, [0, 10, 20, 0, 10, 20]);
}

#[test]
fn flows_of_different_sizes_get_max_min_shares() {
    // the sources are a host each, so both ways to isolate say the same
    for isolation in ["hosts", "flows"] {
        assert_max_min(&format!(r#"{{ "kind": "cake", "isolation": "{isolation}" }}"#), 10, 0.01);
    }
}

/// One flow of a host against nine of another: half each, or a tenth each.
#[test]
fn hosts_share_before_flows_do() {
    let sizes = [1500, 300, 700, 1500, 1000, 100, 1200, 1500, 600, 900];
    let source =
        |(i, bytes): (usize, &u32)| Constant { flow: i as u64, host: u32::from(i > 0), bytes: *bytes, kbps: 8_000 };
    let sources: Vec<Constant> = sizes.iter().enumerate().map(source).collect();
    let (from, until) = (Time::from_ms(1_000), Time::from_ms(21_000));
    for (isolation, first) in [("hosts", 0.5), ("flows", 0.1)] {
        let json = format!(r#"{{ "kind": "cake", "bandwidth": "10 Mbit/s", "isolation": "{isolation}" }}"#);
        let (sent, _) = serve(&mut link(&json, 100, Framing::default()), &constant(&sources, until), until);
        let bytes = bytes_of(&sources, &sent, from);
        let all: f64 = bytes.iter().sum();
        assert!((all / 25e6 - 1.0).abs() < 0.001, "{all}");
        assert!((bytes[0] / all / first - 1.0).abs() < 0.01, "{isolation}: {}", bytes[0] / all);
        for b in &bytes[1..] {
            assert!((b / all * 9.0 / (1.0 - first) - 1.0).abs() < 0.01, "{isolation}: {bytes:?}");
        }
    }
}

/// A sparse flow beside an unresponsive one that overloads the link: it loses nothing and waits for two packets at most.
#[test]
fn sparse_flows_do_not_wait() {
    let sources = [
        Constant { flow: 1, host: 0, bytes: 1500, kbps: 30_000 },
        Constant { flow: 2, host: 1, bytes: 200, kbps: 100 },
    ];
    let until = Time::from_ms(10_000);
    let arrivals = constant(&sources, until);
    let json = r#"{ "kind": "cake", "bandwidth": "10 Mbit/s", "limit": "200 kB" }"#;
    let (sent, dropped) = serve(&mut link(json, 100, Framing::default()), &arrivals, until);
    assert!(dropped.iter().all(|id| arrivals[*id as usize].1.flow == 1));
    let longest = sent.iter().filter(|s| s.packet.flow == 2).map(|s| s.waited).max().unwrap();
    assert!(longest <= Time::from_ps(2 * 1_200_000_000), "{longest}");
    // BLUE has come up against the flood: far more is dropped at the head than the limit alone would have it,
    // and the queue is below its limit
    let late: Vec<_> = sent.iter().filter(|s| s.packet.flow == 1 && s.end > Time::from_ms(9_000)).collect();
    let mean = late.iter().map(|s| s.waited.as_secs_f64()).sum::<f64>() / late.len() as f64;
    assert!(mean < 0.16, "200 kB are 160 ms at 10 Mbit/s; mean wait {mean}");
}

#[test]
fn ecn_capable_packets_are_marked() {
    let until = Time::from_ms(5_000);
    let source = [Constant { flow: 1, host: 0, bytes: 1500, kbps: 10_300 }];
    let mut arrivals = constant(&source, until);
    arrivals.iter_mut().for_each(|(_, p)| p.ecn = Ecn::Ect0);
    let json = r#"{ "kind": "cake", "bandwidth": "10 Mbit/s" }"#;
    let (sent, dropped) = serve(&mut link(json, 100, Framing::default()), &arrivals, until);
    let marked = sent.iter().filter(|s| s.packet.ecn == Ecn::Ce).count();
    assert!(marked > 20 && dropped.is_empty(), "{marked} marked, {} dropped", dropped.len());
}

#[test]
fn its_ack_filter_is_the_shared_one() {
    let run = |filter: &str| {
        let json = format!(r#"{{ "kind": "cake", "bandwidth": "1 Mbit/s", "ack_filter": "{filter}" }}"#);
        let mut q = queue(&json, 10);
        let mut removed = Vec::new();
        for id in 0..8 {
            let selective = id == 2;
            let acknowledges = Some(Acknowledgement { number: 100 * id, selective, flags: 0 });
            removed.extend(put(&mut q, Time::ZERO, TestPacket { acknowledges, ..ack(id, 1, 0) }));
        }
        removed
    };
    assert_eq!(run("none"), [0; 0]);
    assert_eq!(run("conservative"), [0, 1, 3, 4, 5]);
    assert_eq!(run("aggressive"), [0, 1, 3, 4, 5, 6]);
}

#[test]
fn the_longest_queue_makes_room() {
    let mut q = queue(r#"{ "kind": "cake", "limit": "10 kB" }"#, 10);
    put(&mut q, Time::ZERO, data(100, 2, 1000));
    for id in 0..6 {
        put(&mut q, Time::ZERO, data(id, 1, 1500));
    }
    assert_eq!(put(&mut q, Time::ZERO, data(101, 2, 1000)), [0], "its oldest");
    assert_eq!(put(&mut q, Time::ZERO, data(102, 3, 10_001)), [102]);
    assert!(take(&mut q, Time::ZERO).0.is_some());
}
