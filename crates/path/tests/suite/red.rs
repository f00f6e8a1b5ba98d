//! RED against the paper's formulas, and adaptive RED's steps.

use crate::test_packet;

use eddyline_path::Ecn;
use eddyline_path::framing::Framing;
use eddyline_path::queue::{
    AdaptiveRed, AdaptiveRedParams, AdaptiveRedQueue, ArrivalLaw as _, Backlog, Curve, Discipline as _, LinkContext,
    Red, RedParams, Verdict,
};
use eddyline_units::{Rate, Time};
use test_packet::{TestPacket, data, put, queue, take};

const CONTEXT: LinkContext<'_> = LinkContext::new(Rate::from_bps(12_000_000), 3, "link");

fn red(json: &str) -> Red {
    Red::new(&serde_json::from_str::<RedParams>(json).unwrap(), &CONTEXT)
}

fn packets(n: u64) -> Backlog {
    Backlog { packets: n, bytes: 1500 * n, cells: 32 * n }
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1e-9), "{got}, not {want}");
}

#[test]
fn the_curve() {
    let gentle = Curve { min: 5.0, max: 15.0, max_p: 0.1, gentle: true };
    let steep = Curve { gentle: false, ..gentle };
    for c in [gentle, steep] {
        assert_eq!(c.probability(4.999), None);
        near(c.probability(5.0).unwrap(), 0.0);
        near(c.probability(10.0).unwrap(), 0.05);
        near(c.probability(30.0).unwrap(), 1.0);
    }
    near(gentle.probability(15.0).unwrap(), 0.1);
    near(gentle.probability(22.5).unwrap(), 0.55);
    near(steep.probability(15.0).unwrap(), 1.0);
}

/// `avg <- (1 - w) avg + w q`; after m packet times of idleness `avg <- (1 - w)^m avg`.
#[test]
fn the_average() {
    let mut law = red(r#"{ "weight": 0.25 }"#);
    let mut want = 0.0;
    law.judge(Time::ZERO, 1500, &packets(0), true);
    for n in [3, 7, 7, 2, 0, 40] {
        law.judge(Time::ZERO, 1500, &packets(n), true);
        want = 0.75 * want + 0.25 * n as f64;
        near(law.average(), want);
    }
    // 1500 bytes at 12 Mbit/s: 1 ms
    law.idle(Time::from_ms(10));
    law.idle(Time::from_ms(12));
    near(law.aged(Time::from_ms(14)), want * 0.75f64.powi(4));
    law.judge(Time::from_ms(20), 1500, &packets(0), true);
    near(law.average(), want * 0.75f64.powi(10));
    law.judge(Time::from_ms(20), 1500, &packets(4), true);
    near(law.average(), want * 0.75f64.powi(11) + 1.0);
}

/// Intervals between drops at an average of `n` packets, which a weight of one holds.
fn intervals(n: u64, json: &str) -> Vec<f64> {
    let mut law = red(json);
    law.judge(Time::ZERO, 1500, &packets(n), true);
    let (mut gaps, mut since) = (Vec::new(), 0.0);
    while gaps.len() < 40_000 {
        since += 1.0;
        if law.judge(Time::ZERO, 1500, &packets(n), true) != Verdict::Admit {
            gaps.push(since);
            since = 0.0;
        }
    }
    gaps
}

/// With `p_a = p_b / (1 - count p_b)` the interval is uniform: `p_b` for each of the first `1 / p_b` packets.
#[test]
fn the_drop_rate_follows_the_curve() {
    let curve = Curve { min: 5.0, max: 15.0, max_p: 0.1, gentle: true };
    let mut squares = 0.0;
    let averages = [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 23, 26, 29];
    for n in averages {
        let p = curve.probability(n as f64).unwrap();
        let gaps = intervals(n, r#"{ "weight": 1 }"#);
        // packets 1 to k with p each, packet k + 1 with the rest
        let k = (1.0 / p + 1e-9).floor();
        let rest = 1.0 - k * p;
        let mean = p * k * (k + 1.0) / 2.0 + rest * (k + 1.0);
        let square = p * k * (k + 1.0) * (2.0 * k + 1.0) / 6.0 + rest * (k + 1.0) * (k + 1.0);
        let error = ((square - mean * mean) / gaps.len() as f64).sqrt();
        let got = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let z = (got - mean) / error;
        assert!(z.abs() < 3.0, "{n} packets, p_b {p}: {got}, not {mean} +- {error}");
        squares += z * z;
        assert!(gaps.iter().all(|g| *g <= k + 1.0), "{n} packets");
    }
    // the sum of fifteen squared standard normal numbers is beyond 30.6 once in a hundred times
    assert!(squares < 30.6, "{squares}");
}

#[test]
fn intervals_are_uniform() {
    // p_b = 0.05
    let gaps = intervals(10, r#"{ "weight": 1 }"#);
    let mut counts = [0.0; 20];
    gaps.iter().for_each(|g| counts[*g as usize - 1] += 1.0);
    let want = gaps.len() as f64 / 20.0;
    let chi: f64 = counts.iter().map(|c| (c - want) * (c - want) / want).sum();
    // 19 degrees of freedom: beyond 36.2 once in a hundred times
    assert!(chi < 36.2, "{chi}: {counts:?}");
}

#[test]
fn thresholds_in_bytes_and_cells() {
    let all = |json: &str, waiting: Backlog| {
        let mut law = red(json);
        law.judge(Time::ZERO, 1500, &waiting, true);
        (0..1000).filter(|_| law.judge(Time::ZERO, 1500, &waiting, true) != Verdict::Admit).count()
    };
    let bytes = r#"{ "weight": 1, "min_threshold": "10 kB", "max_threshold": "20 kB", "gentle": false }"#;
    assert_eq!(all(bytes, Backlog { packets: 1000, bytes: 9_999, cells: 1000 }), 0);
    assert_eq!(all(bytes, Backlog { packets: 1, bytes: 20_000, cells: 1 }), 1000);
    let cells = r#"{ "weight": 1, "min_threshold": "100 cells", "max_threshold": "200 cells", "gentle": false }"#;
    assert_eq!(all(cells, Backlog { packets: 1000, bytes: 1_000_000, cells: 99 }), 0);
    assert_eq!(all(cells, Backlog { packets: 1, bytes: 1, cells: 200 }), 1000);
}

/// Ten packets wait all the time; what is marked and dropped with and without ECN, between and beyond the thresholds.
#[test]
fn marks_below_the_upper_threshold_only() {
    let run = |ecn: Ecn, json: &str| {
        let mut q = queue(json, 12);
        let (mut marks, mut drops, mut id) = (0, 0, 0);
        while id < 20_000 {
            let dropped = put(&mut q, Time::ZERO, TestPacket { ecn, ..data(id, 1, 1500) });
            drops += dropped.len();
            id += 1;
            while q.packets() > 10 {
                marks += usize::from(take(&mut q, Time::ZERO).0.unwrap().ecn == Ecn::Ce);
            }
        }
        (marks, drops)
    };
    let between = r#"{ "kind": "red", "weight": 1 }"#;
    let (none, drops) = run(Ecn::NotCapable, between);
    let (marks, none_either) = run(Ecn::Ect1, between);
    assert_eq!((none, none_either), (0, 0));
    // p_b = 0.05: one in 10.5
    assert!((1850..1960).contains(&drops) && (1850..1960).contains(&marks), "{drops} {marks}");
    let beyond = r#"{ "kind": "red", "weight": 1, "min_threshold": "4 packets", "max_threshold": "8 packets" }"#;
    let (none, drops) = run(Ecn::Ect0, beyond);
    assert!(none == 0 && drops > 5000, "{none} {drops}");
    let (none, drops) = run(Ecn::Ect0, r#"{ "kind": "red", "weight": 1, "ecn": false }"#);
    assert!(none == 0 && drops > 1800, "{none} {drops}");
}

fn adaptive(mbps: u64, json: &str) -> AdaptiveRed {
    let params: AdaptiveRedParams = serde_json::from_str(json).unwrap();
    AdaptiveRed::new(&params, &LinkContext { rate: Rate::from_bps(mbps * 1_000_000), ..CONTEXT })
}

/// Holds the average of a law at `n` packets until `ms`.
fn hold(law: &mut AdaptiveRed, n: u64, from_ms: u64, to_ms: u64) {
    for ms in from_ms..to_ms {
        for _ in 0..20 {
            law.tick(Time::from_ms(ms), &packets(n));
            law.judge(Time::from_ms(ms), 1500, &packets(n), true);
        }
    }
}

#[test]
fn adaptive_red_sets_itself_from_the_link() {
    // 120 Mbit/s is 10,000 packets a second; half of 5 ms are 25
    let law = adaptive(120, "{}");
    let c = law.red().curve;
    near(c.min, 25.0);
    near(c.max, 75.0);
    assert!(c.gentle);
    near(law.target().0, 45.0);
    near(law.target().1, 55.0);
    near(adaptive(12, "{}").red().curve.min, 5.0);
    near(adaptive(12, r#"{ "target_delay": "100 ms" }"#).red().curve.min, 50.0);
    // with as many bytes of framing as of packet half as many packets are as late, and the average decays half as fast
    let framing: Framing = serde_json::from_str(r#"{ "overhead": "1500 B" }"#).unwrap();
    let framed = LinkContext { rate: Rate::from_bps(240_000_000), framing, ..CONTEXT };
    let mut laws = [LinkContext { framing: Framing::NONE, ..framed }, framed].map(|context| {
        let law = AdaptiveRed::new(&serde_json::from_str("{}").unwrap(), &context);
        (law.red().curve.min, law)
    });
    near(laws[0].0, 50.0);
    near(laws[1].0, 25.0);
    let aged = laws.each_mut().map(|(_, law)| {
        hold(law, 40, 0, 100);
        law.idle(Time::from_ms(100));
        law.red().aged(Time::from_ms(600)) / law.red().aged(Time::from_ms(100))
    });
    // a second's time constant on either
    near(aged[0], f64::exp(-0.5));
    near(aged[1], f64::exp(-0.5));
    // the average follows with a time constant of a second: 1 - 1/e after one second's worth of packets
    let mut law = adaptive(120, r#"{ "interval": "1 h" }"#);
    law.judge(Time::ZERO, 1500, &packets(0), true);
    for _ in 0..10_000 {
        law.judge(Time::ZERO, 1500, &packets(20), true);
    }
    near(law.red().average(), 20.0 * (1.0 - (-1.0f64).exp()));
}

/// Up by `min(0.01, max_p / 4)`, down by a tenth, within [0.01, 0.5], and not at all within the target.
#[test]
fn adaptive_red_steps() {
    let mut law = adaptive(12, "{}");
    assert_eq!(law.target(), (9.0, 11.0));
    hold(&mut law, 14, 0, 490);
    near(law.red().curve.max_p, 0.1);
    assert!(law.red().average() > 11.0);
    hold(&mut law, 14, 490, 1510);
    near(law.red().curve.max_p, 0.13);
    hold(&mut law, 14, 1510, 60_000);
    let max_p = law.red().curve.max_p;
    assert!((0.5..0.51).contains(&max_p), "{max_p}: no step up from above a half");
    hold(&mut law, 10, 60_000, 66_000);
    let rest = law.red().curve.max_p;
    hold(&mut law, 10, 66_000, 80_000);
    assert_eq!(law.red().curve.max_p.to_bits(), rest.to_bits(), "within the target");
    hold(&mut law, 6, 80_000, 84_990);
    let low = law.red().curve.max_p;
    hold(&mut law, 6, 84_990, 85_490);
    near(law.red().curve.max_p, low * 0.9);
    hold(&mut law, 6, 85_490, 200_000);
    let min_p = law.red().curve.max_p;
    assert!((0.009..0.01).contains(&min_p), "{min_p}");
    // small steps upwards are a quarter
    hold(&mut law, 14, 200_000, 203_000);
    let small = law.red().curve.max_p;
    let steps = (small / min_p).ln() / 1.25f64.ln();
    assert!(steps > 0.9 && (steps - steps.round()).abs() < 1e-9, "{min_p} to {small}");
}

/// An idle link's average decays; updates missed between two calls are performed at the next call.
#[test]
fn adaptive_red_late_calls_change_nothing() {
    let mut often = adaptive(12, "{}");
    hold(&mut often, 14, 0, 10_200);
    often.idle(Time::from_ms(10_200));
    let mut late = often.clone();
    for ms in (10_250..60_000).step_by(250) {
        often.tick(Time::from_ms(ms), &packets(0));
    }
    late.tick(Time::from_ms(59_999), &packets(0));
    assert_eq!(often.red().curve.max_p.to_bits(), late.red().curve.max_p.to_bits());
    assert!(late.red().curve.max_p < 0.01, "long below the target");
}

/// Senders whose rate falls with the root of the drop rate, as TCP's: the average settles within the target for loads whose drop
/// rates differ by a factor of ten, where plain RED's queue would vary with the load.
#[test]
fn adaptive_red_holds_its_average() {
    for load in [1.0f64, 2.0, 3.0] {
        let params: AdaptiveRedParams = serde_json::from_str("{}").unwrap();
        let mut q = AdaptiveRedQueue::<TestPacket>::new(&params, &CONTEXT);
        let mut r = CONTEXT.stream("sender");
        let (mut id, mut p, mut sum, mut n) = (0u64, 0.01f64, 0.0, 0.0);
        // one packet leaves a millisecond; rate = load / (10 sqrt p): drop rate p = load^2 / 100 in equilibrium
        for ms in 0..200_000u64 {
            let now = Time::from_ms(ms);
            let rate = load / (10.0 * p.sqrt());
            let arrivals = rate.floor() as u64 + u64::from(r.uniform() < rate.fract());
            for _ in 0..arrivals {
                let dropped = !put_into(&mut q, now, id);
                id += 1;
                p += 0.002 * (f64::from(u8::from(dropped)) - p);
                p = p.clamp(0.0004, 1.0);
            }
            q.dequeue(now, &mut |_| {});
            if ms > 50_000 {
                sum += q.law().red().average();
                n += 1.0;
            }
        }
        let (low, high) = q.law().target();
        let mean = sum / n;
        assert!((low - 0.5..=high + 0.5).contains(&mean), "load {load}: {mean}, not within {low} to {high}");
    }
}

fn put_into(q: &mut AdaptiveRedQueue<TestPacket>, now: Time, id: u64) -> bool {
    q.enqueue(now, data(id, 1, 1500), &mut |_| {}).is_ok()
}
