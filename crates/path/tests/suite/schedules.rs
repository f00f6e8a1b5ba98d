//! Every queue discipline under one random load, against a table: what changes a discipline by accident changes a row.
//!
//! `schedules.txt` has, for each, the packets sent, dropped and marked, the mean wait, and a digest of when each packet left. The
//! tests beside this one say what is right; this one says what has changed. `EDDYLINE_BLESS=1` writes the table anew, only for
//! intended changes.

use std::fmt::Write as _;

use eddyline_path::framing::Framing;
use eddyline_path::queue::KINDS;
use eddyline_path::random::Stream;
use eddyline_path::{Acknowledgement, Class, Ecn};
use eddyline_units::Time;

use crate::test_packet::{TestPacket, data, link, serve};

/// Four seconds: six flows of three hosts, with and without ECN, data and acknowledgements, in bursts, up to twice the rate.
fn load() -> Vec<(Time, TestPacket)> {
    let mut random = Stream::new(7, "load", "schedules");
    let (mut now, mut numbers, mut arrivals) = (0.0, [0u64; 6], Vec::new());
    while now < 4e12 {
        let heavy = ((now / 5e11) as u64).is_multiple_of(2);
        now += if random.uniform() < 0.5 { 1.0 } else { random.uniform() * if heavy { 2.2e9 } else { 6e9 } };
        let flow = random.below(6);
        let ecn = [Ecn::NotCapable, Ecn::Ect0, Ecn::Ect1][(flow % 3) as usize];
        let id = arrivals.len() as u64;
        let packet = if flow == 5 || random.uniform() < 0.2 {
            numbers[flow as usize] += 1448 * random.below(3);
            let number = numbers[flow as usize];
            let flags = u8::from(random.below(20) == 0);
            let acknowledges = Some(Acknowledgement { number, selective: random.below(6) == 0, flags });
            TestPacket { acknowledges, class: Class::Ack, ecn, host: flow as u32 / 2, ..data(id, flow | 1 << 8, 52) }
        } else {
            let bytes = [1500, 1500, 576, 120][random.below(4) as usize];
            TestPacket { ecn, host: flow as u32 / 2, ..data(id, flow, bytes) }
        };
        arrivals.push((Time::from_ps(now as u64), packet));
    }
    arrivals
}

fn row(example: &str, arrivals: &[(Time, TestPacket)]) -> String {
    let mut link = link(example, 8, Framing::default());
    let (sent, dropped) = serve(&mut link, arrivals, Time::from_ms(5_000));
    let marked = sent.iter().filter(|s| s.packet.ecn == Ecn::Ce).count();
    let waited: u64 = sent.iter().map(|s| s.waited.as_ps() / 1_000).sum();
    let left = sent.iter().flat_map(|s| [s.end.as_ps() / 1_000, s.packet.id, s.packet.ecn as u64]);
    let digest = left
        .chain(dropped.iter().copied())
        .fold(0xcbf2_9ce4_8422_2325u64, |digest, value| (digest ^ value).wrapping_mul(0x0100_0000_01b3));
    let mean_us = waited / 1_000 / sent.len().max(1) as u64;
    format!("{:5} sent {:5} dropped {marked:5} marked {mean_us:7} us {digest:016x}", sent.len(), dropped.len())
}

#[test]
fn every_discipline_under_a_random_load() {
    let arrivals = load();
    let mut table = String::new();
    for kind in KINDS {
        let _ = writeln!(table, "{}\n  {}", kind.example.replace('"', ""), row(kind.example, &arrivals));
    }
    for more in [
        r#"{"kind": "codel", "ecn": false}"#,
        r#"{"kind": "pie", "ecn": false}"#,
        r#"{"kind": "red", "ecn": false}"#,
        r#"{"kind": "fq_codel", "queues": 4, "ecn": false}"#,
        r#"{"kind": "cake", "ack_filter": "aggressive", "isolation": "hosts"}"#,
        r#"{"kind": "cake", "ack_filter": "conservative", "bandwidth": "6 Mbit/s"}"#,
        r#"{"kind": "sfq", "queues": 4, "perturb": "100 ms"}"#,
        r#"{"kind": "drr", "queues": 4, "limit": "40 packets"}"#,
        r#"{"kind": "droptail", "limit": "200 cells"}"#,
        r#"{"kind": "droptail", "limit": "20000 B"}"#,
        r#"{"kind": "ack_decimation", "threshold": "3 packets", "drop": {"kind": "random", "probability": 0.5}}"#,
        r#"{"kind": "ack_decimation", "threshold": "2 packets", "limit": "60 packets", "drop": {"kind": "red", "max_threshold": "40 packets", "max_probability": 0.9, "weight": 0.02}}"#,
    ] {
        let _ = writeln!(table, "{}\n  {}", more.replace('"', ""), row(more, &arrivals));
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/schedules.txt");
    if std::env::var_os("EDDYLINE_BLESS").is_some() {
        std::fs::write(file, &table).unwrap();
    }
    let known = std::fs::read_to_string(file).unwrap();
    for (line, expected) in table.lines().zip(known.lines()) {
        assert_eq!(line, expected, "a discipline has changed; see the first lines of this test");
    }
    assert_eq!(table.lines().count(), known.lines().count());
}
