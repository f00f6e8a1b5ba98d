//! PIE against the equations of RFC 8033.

use crate::test_packet;

use eddyline_path::Ecn;
use eddyline_path::queue::{ArrivalLaw as _, Backlog, LinkContext, Pie, PieParams, Verdict};
use eddyline_units::{Rate, Time};
use test_packet::{TestPacket, data, put, queue, take};

const PERIOD_MS: u64 = 15;
const FULL: Backlog = Backlog { packets: 100, bytes: 150_000, cells: 3200 };

fn law(json: &str) -> Pie {
    let params: PieParams = serde_json::from_str(json).unwrap();
    Pie::new(&params, &LinkContext::new(Rate::from_bps(10_000_000), 7, "link"))
}

/// The law, advanced update by update.
struct Bench {
    law: Pie,
    updates: u64,
}

impl Bench {
    fn new(json: &str) -> Self {
        Self { law: law(json), updates: 0 }
    }

    /// A packet leaves after `delay_ms`, then the update comes.
    fn update(&mut self, delay_ms: u64) -> f64 {
        self.law.left(Time::from_ms(delay_ms), if delay_ms == 0 { &Backlog::EMPTY } else { &FULL });
        self.updates += 1;
        self.law.tick(Time::from_ms(PERIOD_MS * self.updates), &FULL);
        self.law.probability()
    }

    fn judge(&mut self) -> Verdict {
        self.law.judge(Time::from_ms(PERIOD_MS * self.updates), 1500, &FULL, true)
    }
}

#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1e-9), "{got}, not {want}");
}

/// Each line worked out by hand: `0.125 (delay - 0.015) + 1.25 (delay - old)`, divided as in the RFC's table.
#[test]
fn the_probability_follows_the_table_of_gains() {
    let mut pie = Bench::new("{}");
    // 0.025625 / 2048
    near(pie.update(20), 1.251_220_703_125e-5);
    // + 0.014375 / 128
    near(pie.update(30), 1.248_168_945_312_5e-4);
    // + 0.015625 / 32
    near(pie.update(40), 6.130_981_445_312_5e-4);
    // + 0.223125 / 32
    near(pie.update(200), 7.585_754_394_531_25e-3);
    // + 0.023125 / 8
    near(pie.update(200), 1.047_637_939_453_125e-2);
    // + 0.298125 / 2
    near(pie.update(400), 0.159_538_879_394_531_25);
    // 0.323125, capped at 0.02
    near(pie.update(600), 0.179_538_879_394_531_25);
    // - 0.476875: no cap downwards, and it ends at zero
    near(pie.update(200), 0.0);
}

#[test]
fn without_queue_it_decays_and_ends_at_zero() {
    let mut pie = Bench::new("{}");
    for _ in 0..40 {
        pie.update(300);
    }
    let high = pie.law.probability();
    assert!(high > 0.3, "{high}");
    let after = pie.update(0);
    near(after, high - 0.001_875 - 1.25 * 0.3);
    let mut pie = Bench::new(r#"{ "beta": "0 /s" }"#);
    for _ in 0..200 {
        pie.update(300);
    }
    let high = pie.update(0);
    assert!(high > 0.3, "{high}");
    near(pie.update(0), (high - 0.001_875) * 0.98);
    for _ in 0..1000 {
        pie.update(0);
    }
    near(pie.law.probability(), 0.0);
}

#[test]
fn a_burst_after_a_quiet_time_passes() {
    let mut pie = Bench::new(r#"{ "alpha": "100 /s" }"#);
    for n in 1..=10 {
        assert_eq!(pie.law.burst_allowance(), Time::from_ms(150 - 15 * (n - 1)));
        pie.update(500);
        if n < 10 {
            assert!((0..1000).all(|_| pie.judge() == Verdict::Admit), "update {n}");
        }
    }
    assert!(pie.law.probability() > 0.1);
    assert!((0..1000).any(|_| pie.judge() == Verdict::Drop), "150 ms are over");
    for _ in 0..200 {
        pie.update(0);
    }
    assert_eq!(pie.law.burst_allowance(), Time::from_ms(150), "no congestion again");
}

#[test]
fn short_queues_and_short_delays_are_admitted() {
    let mut pie = Bench::new(r#"{ "max_burst": "0 s" }"#);
    while pie.law.probability() < 0.15 {
        pie.update(300);
    }
    let two = Backlog { packets: 2, bytes: 3000, cells: 64 };
    assert!((0..1000).all(|_| pie.law.judge(Time::ZERO, 1500, &two, true) == Verdict::Admit), "two packets");
    assert!((0..1000).any(|_| pie.judge() != Verdict::Admit));
    let mut pie = Bench::new(r#"{ "max_burst": "0 s", "beta": "0 /s" }"#);
    while pie.law.probability() < 0.15 {
        pie.update(300);
    }
    pie.update(7);
    assert!((0..1000).all(|_| pie.judge() == Verdict::Admit), "less than half the target and below 20 %");
    pie.update(8);
    assert!((0..1000).any(|_| pie.judge() != Verdict::Admit), "half the target");
}

/// At a fixed probability p: none before the sum of p reaches 0.85, then each with p, and one at 8.5 at the latest.
#[test]
fn drops_are_spread_out() {
    let mut pie = Bench::new(r#"{ "max_burst": "0 s", "beta": "0 /s" }"#);
    while pie.law.probability() < 0.02 {
        pie.update(100);
    }
    let p = pie.update(15);
    near(pie.update(15), p);
    assert!((0.02..0.04).contains(&p), "{p}");
    let quiet = (0.85 / p).ceil() - 1.0;
    let (mut gaps, mut since) = (Vec::new(), 0.0);
    while gaps.len() < 20_000 {
        since += 1.0;
        if pie.judge() != Verdict::Admit {
            gaps.push(since);
            since = 0.0;
        }
    }
    let min = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let max = gaps.iter().copied().fold(0.0, f64::max);
    assert!(min > quiet, "{min} at p {p}");
    assert!(max <= (8.5 / p).ceil() + 1.0, "{max} at p {p}");
    // geometric, cut at 8.5 / p, where exp(-7.65) are left
    let last = (8.5 / p).ceil() - quiet;
    let want = quiet + (1.0 - (1.0 - p).powf(last)) / p;
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let error = (1.0 - p).sqrt() / p / (gaps.len() as f64).sqrt();
    assert!((mean - want).abs() < 3.0 * error, "{mean} packets, not {want} +- {error}");
}

#[test]
fn marks_up_to_ten_percent_and_drops_beyond() {
    let mut pie = Bench::new(r#"{ "max_burst": "0 s" }"#);
    let mut seen = [0, 0];
    while pie.law.probability() < 0.4 {
        let p = pie.update(100 + pie.updates);
        for _ in 0..100 {
            let verdict = pie.judge();
            assert!(verdict == Verdict::Admit || (verdict == Verdict::Signal) == (p <= 0.1), "{verdict:?} at {p}");
            seen[usize::from(p <= 0.1)] += usize::from(verdict != Verdict::Admit);
        }
    }
    assert!(seen[0] > 50 && seen[1] > 5, "{seen:?}");
}

/// Updates missed between two calls are performed one by one at the next call.
#[test]
fn late_calls_change_nothing() {
    for delay_ms in [0, 1, 14, 15, 16, 300] {
        let mut often = Bench::new("{}");
        for _ in 0..30 {
            often.update(100);
        }
        let mut late = Bench { law: often.law.clone(), updates: often.updates };
        for _ in 0..5000 {
            often.update(delay_ms);
        }
        late.law.left(Time::from_ms(delay_ms), if delay_ms == 0 { &Backlog::EMPTY } else { &FULL });
        late.law.tick(Time::from_ms(PERIOD_MS * often.updates + 7), &FULL);
        assert_eq!(often.law.probability().to_bits(), late.law.probability().to_bits(), "{delay_ms} ms");
        assert_eq!(often.law.burst_allowance(), late.law.burst_allowance());
    }
}

/// The queue as a whole: a standing wait of 100 ms makes drops, the same with ECN marks.
#[test]
fn the_queue_measures_the_departure_rate() {
    let run = |ecn: Ecn| {
        let mut q = queue(r#"{ "kind": "pie", "limit": "unlimited" }"#, 10);
        let (mut drops, mut marks) = (0, 0);
        let mut id = 0;
        for ms in 0..1000 {
            let now = Time::from_ms(ms);
            // fewer leave than come, so the wait grows; then as many
            for _ in 0..if ms < 200 { 2 } else { 1 } {
                id += 1;
                drops += put(&mut q, now, TestPacket { ecn, ..data(id, 1, 1000) }).len();
            }
            let (packet, none) = take(&mut q, now);
            assert!(none.is_empty(), "never at the head");
            marks += usize::from(packet.is_some_and(|p| p.ecn == Ecn::Ce));
        }
        (drops, marks)
    };
    let (drops, none) = run(Ecn::NotCapable);
    assert!(drops > 20 && none == 0, "{drops}");
    let (_, marks) = run(Ecn::Ect0);
    assert!(marks > 0, "{marks}");
}
