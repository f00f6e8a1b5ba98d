//! Links that share a half-duplex medium: packet by packet in turn, with silence where the direction changes.

use crate::test_packet;

use eddyline_path::framing::Framing;
use eddyline_path::link::Medium;
use eddyline_path::variation::{Conditions, OutageParams};
use eddyline_units::{Rate, Time};
use test_packet::{Constant, Sent, TestPacket, ack, bytes_of, constant, data, link, varying_link};

const FIFO: &str = r#"{ "kind": "droptail", "limit": "50 packets" }"#;

fn medium(turnaround: Time, queues: &[(&str, u64)]) -> Medium<TestPacket> {
    let mut medium = Medium::new(turnaround);
    for (json, mbps) in queues {
        medium.join(link(json, *mbps, Framing::default()));
    }
    medium
}

/// Offers arrivals, each to the link that its host's number names.
fn serve(medium: &mut Medium<TestPacket>, arrivals: &[(Time, TestPacket)], until: Time) -> Vec<Sent> {
    let mut sent = Vec::new();
    let mut arrivals = arrivals.iter().peekable();
    loop {
        let arrival = arrivals.peek().map_or(Time::MAX, |(at, _)| *at);
        let now = arrival.min(medium.due());
        if now > until || now == Time::MAX {
            return sent;
        }
        if medium.due() <= arrival {
            if let Some((member, packet, waited)) = medium.advance(now, &mut |_, _| {}) {
                assert_eq!(member as u32, packet.host);
                sent.push(Sent { end: now, waited, packet });
            }
        } else if let Some((_, p)) = arrivals.next() {
            medium.offer(now, p.host as usize, p.origin(), p.clone(), &mut |_, _| {});
        }
    }
}

fn both(bytes: [u32; 2], kbps: u64) -> [Constant; 2] {
    [0, 1].map(|i| Constant { flow: i as u64, host: i as u32, bytes: bytes[i], kbps })
}

/// Two saturated directions send a packet each in turn: a cycle is both transmissions and two turnarounds.
#[test]
fn two_saturated_directions_alternate() {
    for (turnaround_us, bytes, mbps) in
        [(0, [1500, 1500], [10, 10]), (100, [1500, 300], [10, 10]), (50, [1000, 1000], [20, 5])]
    {
        let turnaround = Time::from_ps(turnaround_us * 1_000_000);
        let sources = both(bytes, 30_000);
        let until = Time::from_ms(5_000);
        let mut air = medium(turnaround, &[(FIFO, mbps[0]), (FIFO, mbps[1])]);
        let sent = serve(&mut air, &constant(&sources, until), until);
        let time = |i: usize| Rate::from_bps(mbps[i] * 1_000_000).transmission_time(u64::from(bytes[i])).as_secs_f64();
        let cycle = time(0) + time(1) + 2.0 * turnaround.as_secs_f64();
        let got = bytes_of(&sources, &sent, Time::ZERO);
        for i in 0..2 {
            let expected = 5.0 / cycle * f64::from(bytes[i]);
            // the start and the end of the run are a cycle each at most
            assert!((got[i] - expected).abs() <= 2.0 * f64::from(bytes[i]), "{bytes:?}: {got:?}, expected {expected}");
        }
        assert!(sent.windows(2).skip(2).all(|w| w[0].packet.host != w[1].packet.host), "strictly in turn");
    }
}

/// A link in an outage leaves the medium to the others, whether a packet waits in it or not; one whose packet was on the way when the
/// outage began keeps it until that packet is through.
#[test]
fn an_outage_of_one_link_is_none_of_the_others() {
    let outage = OutageParams { start: Time::from_ms(10), length: Time::from_ms(80), every: None };
    let air = || {
        let mut air = Medium::new(Time::ZERO);
        air.join(link(FIFO, 10, Framing::default()));
        let rate = Rate::from_bps(10_000_000);
        air.join(varying_link(FIFO, 10, Conditions::stepping(rate, Time::ZERO, &[], &[outage])));
        air
    };
    let of = |host: u32, id: u64| TestPacket { host, ..data(id, host.into(), 1250) };
    // a millisecond a packet
    let mut arrivals =
        vec![(Time::from_ms(20), of(1, 0)), (Time::from_ms(30), of(0, 1)), (Time::from_ms(40), of(0, 2))];
    let ends = |arrivals: &[(Time, TestPacket)]| -> Vec<(u64, u64)> {
        let sent = serve(&mut air(), arrivals, Time::SECOND);
        sent.iter().map(|s| (s.packet.id, s.end.as_ps() / Time::from_ms(1).as_ps())).collect()
    };
    assert_eq!(ends(&arrivals), [(1, 31), (2, 41), (0, 91)]);
    arrivals[0].0 = Time::from_ps(9_500_000_000);
    assert_eq!(ends(&arrivals), [(0, 90), (1, 91), (2, 92)], "half of it was sent");
}

/// One direction alone never has a turnaround.
#[test]
fn one_direction_alone_gets_all() {
    let sources = [Constant { flow: 0, host: 1, bytes: 1250, kbps: 20_000 }];
    let until = Time::from_ms(1_000);
    let mut air = medium(Time::from_ms(1), &[(FIFO, 10), (FIFO, 10)]);
    let sent = serve(&mut air, &constant(&sources, until), until);
    // 1 ms a packet
    assert_eq!(sent.len(), 1000);
    assert!(sent.windows(2).all(|w| w[1].end.saturating_sub(w[0].end) == Time::from_ms(1)), "no silence between them");
}

/// Step by step: 1 ms a packet, 100 us to turn round.
#[test]
fn a_worked_example() {
    let us = |n: u64| Time::from_ps(n * 1_000_000);
    let mut air = medium(us(100), &[(FIFO, 10), (FIFO, 10), (FIFO, 10)]);
    let p = |id, host| TestPacket { host, ..data(id, u64::from(host), 1250) };
    let arrivals = [
        (us(0), p(0, 1)),
        // while 1 transmits
        (us(10), p(1, 1)),
        (us(20), p(2, 0)),
        (us(30), p(3, 2)),
        (us(40), p(4, 0)),
        // while the medium turns round to 1
        (us(3_350), p(5, 2)),
        // long after
        (us(20_000), p(6, 0)),
        (us(40_000), p(7, 0)),
    ];
    let sent = serve(&mut air, &arrivals, Time::from_ms(1_000));
    let ends: Vec<(u64, u64)> = sent.iter().map(|s| (s.packet.id, s.end.as_ps() / 1_000_000)).collect();
    assert_eq!(
        ends,
        [
            (0, 1_000),
            // behind 1 comes 2, then round to 0, then 1
            (3, 2_100),
            (2, 3_200),
            (1, 4_300),
            (5, 5_400),
            (4, 6_500),
            // 0 was the last: no silence
            (6, 21_000),
            (7, 41_000),
        ]
    );
    let waits: u64 = sent.iter().map(|s| s.waited.as_ps() / 1_000_000).sum();
    assert_eq!(waits, 1_070 + 2_180 + 3_290 + 1_050 + 5_460, "the silence is part of a wait");
}

/// A link whose discipline delays its packets does not delay the others.
#[test]
fn a_delayed_direction_is_skipped() {
    let shaped = r#"{ "kind": "tbf", "rate": "1 Mbit/s", "burst": "1250 B" }"#;
    let mut air = medium(Time::ZERO, &[(shaped, 10), (FIFO, 10)]);
    let sources = both([1250, 1250], 20_000);
    let until = Time::from_ms(1_000);
    let sent = serve(&mut air, &constant(&sources, until), until);
    let got = bytes_of(&sources, &sent, Time::ZERO);
    // 1 Mbit/s and the bucket; the rest of 10 Mbit/s
    assert!((got[0] - 126_250.0).abs() <= 1250.0 && (got[0] + got[1] - 1_250_000.0).abs() <= 1250.0, "{got:?}");
    // alone it waits for its tokens, and nothing else wakes the medium
    let mut air = medium(Time::ZERO, &[(shaped, 10)]);
    let arrivals: Vec<_> = (0..3).map(|id| (Time::ZERO, TestPacket { host: 0, ..ack(id, 0, id) })).collect();
    assert_eq!(serve(&mut air, &arrivals, until).len(), 3);
    let arrivals: Vec<_> = (0..3).map(|id| (until, TestPacket { host: 0, ..data(id, 0, 1250) })).collect();
    let ends: Vec<u64> =
        serve(&mut air, &arrivals, Time::from_ms(2_000)).iter().map(|s| s.end.as_ps() / 1_000_000_000).collect();
    assert_eq!(ends, [1_001, 1_011, 1_021]);
}
