//! ACK reconstruction: hand-made gaps, and what holds for any sequence.

use crate::test_packet;

use std::collections::BTreeMap;

use eddyline_path::Acknowledgement;
use eddyline_path::link::{AckReconstructor, Acknowledges, ReconstructParams, Released};
use eddyline_path::random::Stream;
use eddyline_units::{Bytes, Time};
use test_packet::{TestPacket, ack, data};

impl Acknowledges for TestPacket {
    fn acknowledging(&self, number: u64) -> Self {
        let acknowledges = Some(Acknowledgement { number, selective: false, flags: 0 });
        Self { id: u64::MAX, acknowledges, ..self.clone() }
    }
}

fn reconstructor(every: u64, hold_ms: u64) -> AckReconstructor<TestPacket> {
    AckReconstructor::new(ReconstructParams { every: Bytes::new(every), hold: Time::from_ms(hold_ms) })
}

/// What leaves: moment, number, whether it was created.
type Left = (Time, u64, bool);

/// Feeds packets at their times; gives what leaves until `until`.
fn through(r: &mut AckReconstructor<TestPacket>, packets: &[(Time, TestPacket)], until: Time) -> Vec<Left> {
    let number = |p: &TestPacket| p.acknowledges.map_or(0, |a| a.number);
    let mut left = Vec::new();
    let mut packets = packets.iter().peekable();
    loop {
        let next = packets.peek().map_or(Time::MAX, |(at, _)| *at);
        let now = next.min(r.due());
        if now > until || now == Time::MAX {
            return left;
        }
        if r.due() <= next {
            match r.release(now).unwrap() {
                Released::Original(p) => left.push((now, number(&p), false)),
                Released::Created(p) => left.push((now, number(&p), true)),
            }
        } else if let Some((_, p)) = packets.next() {
            left.extend(r.take(now, p.clone()).map(|p| (now, number(&p), false)));
        }
    }
}

#[test]
fn a_stretch_ack_becomes_evenly_spaced_acks() {
    let ms = Time::from_ms;
    let packets =
        [(ms(0), ack(0, 1, 1000)), (ms(40), ack(1, 1, 9000)), (ms(80), ack(2, 1, 17_500)), (ms(90), ack(3, 1, 18_500))];
    let left = through(&mut reconstructor(2000, 200), &packets, ms(1000));
    assert_eq!(
        left,
        [
            (ms(0), 1000, false),
            // 8,000 bytes in 40 ms: four at intervals of 10 ms, the last is the original
            (ms(40), 3000, true),
            (ms(50), 5000, true),
            (ms(60), 7000, true),
            (ms(70), 9000, false),
            // 8,500: four again, the rest goes with the last
            (ms(80), 11_000, true),
            (ms(90), 13_000, true),
            (ms(100), 15_000, true),
            (ms(110), 17_500, false),
            // behind those, at their original spacing
            (ms(120), 18_500, false),
        ]
    );
}

/// 8,000 bytes every 40 ms, with a pause of 160 ms after which three acknowledgements come at once.
#[test]
fn a_pause_does_not_delay_all_that_follows() {
    let at = [0, 40, 80, 240, 240, 240, 280, 320, 360, 400, 440, 480, 520];
    let packets: Vec<_> = (0..).zip(at).map(|(id, at)| (Time::from_ms(at), ack(id, 1, 1000 + 8000 * id))).collect();
    let left = through(&mut reconstructor(2000, 200), &packets, Time::MAX);
    let originals: Vec<u64> =
        left.iter().filter(|(.., created)| !created).map(|(at, ..)| at.as_ps() / 1_000_000_000).collect();
    // the first after the pause covers 160 ms: its four take 120 ms, and those held meanwhile leave one interval later
    assert_eq!(originals, [0, 70, 110, 360, 400, 400, 400, 400, 400, 430, 470, 510, 550]);
}

#[test]
fn nothing_is_held_longer_than_allowed() {
    let packets = [(Time::ZERO, ack(0, 1, 0)), (Time::from_ms(4_000), ack(1, 1, 10_000))];
    let left = through(&mut reconstructor(1000, 50), &packets, Time::from_ms(9_000));
    assert_eq!(left.len(), 11);
    assert_eq!(left.last(), Some(&(Time::from_ms(4_045), 10_000, false)));
}

#[test]
fn acks_without_a_gap_pass_unchanged() {
    let sack = Acknowledgement { number: 50_000, selective: true, flags: 0 };
    let selective = TestPacket { acknowledges: Some(sack), ..ack(3, 1, 0) };
    let packets = [
        // the first of a connection: the previous number is unknown
        (Time::from_ms(1), ack(0, 1, 30_000)),
        (Time::from_ms(2), ack(1, 1, 31_000)),
        (Time::from_ms(3), ack(2, 1, 31_000)),
        (Time::from_ms(4), selective),
        (Time::from_ms(5), ack(4, 1, 20_000)),
        (Time::from_ms(6), data(5, 2, 1500)),
    ];
    let left = through(&mut reconstructor(1000, 200), &packets, Time::from_ms(100));
    assert_eq!(
        left.iter().map(|(at, _, created)| (at.as_ps() / 1_000_000_000, *created)).collect::<Vec<_>>(),
        (1..=6).map(|ms| (ms, false)).collect::<Vec<_>>()
    );
}

/// Numbers never decrease, none exceeds what has come, created ones lie in between, originals leave in order, all of them.
#[test]
fn created_acks_carry_no_new_information() {
    for seed in 0..40 {
        let mut r = Stream::new(seed, "reconstruct", "test");
        let mut at = Time::ZERO;
        let mut numbers: BTreeMap<u64, u64> = BTreeMap::new();
        let mut packets = Vec::new();
        for id in 0..500 {
            at += Time::from_ps(r.below(20_000_000_000));
            let flow = r.below(3);
            let n = numbers.entry(flow).or_insert(0);
            *n += [0, 1460, 2920, 30_000][r.below(4) as usize];
            packets.push((at, ack(id, flow, *n)));
        }
        for flow in 0..3 {
            let own: Vec<_> = packets.iter().filter(|(_, p)| p.flow == flow).cloned().collect();
            let mut one = reconstructor(2920, 30);
            let left = through(&mut one, &own, Time::MAX);
            assert_eq!(one.held(), 0);
            assert!(left.windows(2).all(|w| w[0].1 <= w[1].1 && w[0].0 <= w[1].0), "seed {seed}");
            let originals: Vec<u64> = left.iter().filter(|l| !l.2).map(|l| l.1).collect();
            let came: Vec<u64> = own.iter().map(|(_, p)| p.acknowledges.unwrap().number).collect();
            assert_eq!(originals, came, "seed {seed}");
            let leaves = left.iter().filter(|l| !l.2).map(|l| l.0);
            for ((arrives, _), leaves) in own.iter().zip(leaves) {
                assert!(leaves <= *arrives + Time::from_ms(30), "seed {seed}: held for longer than allowed");
            }
            for (when, number, _) in &left {
                let acknowledged =
                    own.iter().filter(|(at, _)| at <= when).map(|(_, p)| p.acknowledges.unwrap().number).max();
                assert!(Some(*number) <= acknowledged, "seed {seed}: {number} before the original arrived");
            }
        }
        // several connections at once leave what each leaves alone
        let mut all = reconstructor(2920, 30);
        let together = through(&mut all, &packets, Time::MAX).len();
        let alone: usize = (0..3)
            .map(|flow| {
                let own: Vec<_> = packets.iter().filter(|(_, p)| p.flow == flow).cloned().collect();
                through(&mut reconstructor(2920, 30), &own, Time::MAX).len()
            })
            .sum();
        assert_eq!(together, alone, "seed {seed}");
    }
}
