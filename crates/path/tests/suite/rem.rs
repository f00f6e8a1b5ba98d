//! REM against eq. 1 and 3 of the paper.

use crate::test_packet;

use std::sync::Arc;

use eddyline_path::Ecn;
use eddyline_path::framing::Framing;
use eddyline_path::queue::{ArrivalLaw as _, Backlog, Discipline as _, LinkContext, Rem, RemParams, RemQueue};
use eddyline_path::random::Stream;
use eddyline_path::variation::{ChangeParams, Conditions};
use eddyline_units::{Rate, Time};
use test_packet::{TestPacket, data, put, queue, take};

/// One packet of 1500 bytes a millisecond.
const CONTEXT: LinkContext<'_> = LinkContext::new(Rate::from_bps(12_000_000), 5, "link");

fn params(json: &str) -> RemParams {
    serde_json::from_str(json).unwrap()
}

fn packets(n: u64) -> Backlog {
    Backlog { packets: n, bytes: 1500 * n, cells: 32 * n }
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1e-9), "{got}, not {want}");
}

/// `p <- max(0, p + gamma (alpha (b - b*) + x - c))`, a period of 2 ms sends two packets.
#[test]
fn the_price() {
    let mut law = Rem::new(&params(r#"{ "gamma": 0.5, "phi": 1.5 }"#), &CONTEXT);
    let mut update = |n: u64, input: u64, waiting: u64| {
        (0..input).for_each(|_| law.joined(1500));
        law.tick(Time::from_ms(2 * n), &packets(waiting));
        (law.price(), law.probability())
    };
    // 0.5 (0.1 (40 - 20) + 3 - 2)
    let (price, probability) = update(1, 3, 40);
    near(price, 1.5);
    near(probability, 1.0 - 1.5f64.powf(-1.5));
    // 0.5 (0.1 (10 - 20) + 4 - 2)
    near(update(2, 4, 10).0, 2.0);
    // 0.5 (0 + 0 - 2): what came in is forgotten
    near(update(3, 0, 20).0, 1.0);
    near(update(4, 2, 20).0, 1.0);
    let (price, probability) = update(5, 0, 0);
    near(price, 0.0);
    near(probability, 0.0);
}

/// `c` is what the line takes at the time, and `x` counts as the line does: with 150 bytes of framing, at 12 Mbit/s for two periods and
/// at 36 from then on.
#[test]
fn the_price_of_a_framed_and_varying_link() {
    let change: ChangeParams = serde_json::from_str(r#"{ "at": "4 ms", "rate": "36 Mbit/s" }"#).unwrap();
    let conditions = Arc::new(Conditions::stepping(CONTEXT.rate, Time::ZERO, &[change], &[]));
    let framing: Framing = serde_json::from_str(r#"{ "overhead": "150 B" }"#).unwrap();
    let context = LinkContext { conditions: Some(&conditions), framing, ..CONTEXT };
    let mut law = Rem::new(&params(r#"{ "gamma": 0.5 }"#), &context);
    let mut update = |ms: u64, input: u64| {
        (0..input).for_each(|_| law.joined(1500));
        law.tick(Time::from_ms(ms), &packets(20));
        law.price()
    };
    // 0.5 (4 x 1.1 - 2)
    near(update(2, 4), 1.2);
    near(update(4, 10), 1.2 + 0.5 * (10.0 * 1.1 - 2.0));
    near(update(6, 0), 5.7 - 0.5 * 6.0);
    // two at once, the second without input
    near(update(10, 10), 2.7 + 0.5 * (11.0 - 6.0) - 0.5 * 6.0);
}

#[test]
fn late_updates_change_nothing() {
    for waiting in [0, 20, 21, 60] {
        let mut often = Rem::new(&params("{}"), &CONTEXT);
        (0..3_000_000).for_each(|_| often.joined(1500));
        often.tick(Time::from_ms(2), &packets(20));
        let mut late = often.clone();
        for n in 2..=20_000 {
            often.tick(Time::from_ms(2 * n), &packets(waiting));
        }
        late.tick(Time::from_ms(40_001), &packets(waiting));
        // twenty thousand rounded sums against one product
        assert!((often.price() - late.price()).abs() < 1e-7, "{} {}", often.price(), late.price());
    }
}

/// Twice or four times what the link sends, whatever happens to it: a share `1 - c / x` must go, so the price is
/// `ln(x / c) / ln phi`; the queue is at its target.
#[test]
fn the_equilibrium_of_a_fixed_overload() {
    for (overload, ecn) in [(1.5, Ecn::NotCapable), (2.0, Ecn::NotCapable), (4.0, Ecn::Ect0)] {
        // gains that damp the swings of this load, which does not react: with x = 2 packets a period
        let p = params(r#"{ "gamma": 0.2, "phi": 1.1, "limit": "unlimited", "ecn": false }"#);
        let mut q = RemQueue::<TestPacket>::new(&p, &CONTEXT);
        let mut r = Stream::new(9, "rem", "arrivals");
        let (mut prices, mut waiting, mut id) = (Vec::new(), 0.0, 0);
        for ms in 0..400_000 {
            let now = Time::from_ms(ms);
            let whole = overload as u64 + u64::from(r.uniform() < f64::fract(overload));
            for _ in 0..whole {
                let _ = q.enqueue(now, TestPacket { ecn, ..data(id, 1, 1500) }, &mut |_| {});
                id += 1;
            }
            q.dequeue(now, &mut |_| {});
            if ms >= 100_000 {
                prices.push(q.law().price());
                waiting += q.packets() as f64;
            }
        }
        let n = prices.len() as f64;
        let mean = prices.iter().sum::<f64>() / n;
        let want = f64::ln(overload) / 1.1f64.ln();
        // over 300 s the input is known to a third of a percent; the price wanders with a memory of seconds
        assert!((mean / want - 1.0).abs() < 0.02, "x/c {overload}: price {mean}, not {want}");
        let queue = waiting / n;
        assert!((queue - 20.0).abs() < 0.5, "x/c {overload}: {queue} packets");
    }
}

/// A second's capacity is 1000 packets; 1100 come and 100 stay: the price is `0.01 (0.1 (100 - 20) + 100)`, 1.08.
#[test]
fn marks_with_its_probability() {
    let json = r#"{ "kind": "rem", "gamma": 0.01, "phi": 1.5, "period": "1 s", "limit": "unlimited" }"#;
    let run = |ecn: Ecn| {
        let mut q = queue(json, 12);
        (0..1100).for_each(|id| assert!(put(&mut q, Time::ZERO, TestPacket { ecn, ..data(id, 1, 1500) }).is_empty()));
        (0..1000).for_each(|_| assert!(take(&mut q, Time::ZERO).0.is_some()));
        let (mut marks, mut drops) = (0, 0);
        for id in 1100..21_100 {
            drops += put(&mut q, Time::SECOND, TestPacket { ecn, ..data(id, 1, 1500) }).len();
        }
        while let (Some(packet), _) = take(&mut q, Time::SECOND) {
            marks += usize::from(packet.ecn == Ecn::Ce);
        }
        (marks, drops)
    };
    let p = 1.0 - 1.5f64.powf(-1.08);
    let error = (20_000.0 * p * (1.0 - p)).sqrt();
    for (got, none) in [run(Ecn::Ect0), {
        let (m, d) = run(Ecn::NotCapable);
        (d, m)
    }] {
        assert_eq!(none, 0);
        assert!((got as f64 - 20_000.0 * p).abs() < 3.0 * error, "{got}, not {} +- {error}", 20_000.0 * p);
    }
}
