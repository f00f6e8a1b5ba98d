//! The packet models, and what holds for every source.

use crate::common;

use std::sync::Arc;

use common::{bytes, collect, model, moments, near, packets, secs};
use eddyline_path::random::Stream;
use eddyline_path::traffic::distributions::{Geometric, LogNormal, normal, pareto};
use eddyline_path::traffic::{KINDS, Source, Trace, TrafficParams, mean_rate_bps};
use eddyline_units::Time;
use proptest::prelude::*;

/// One of each kind, rates and sizes such that a second holds some packets.
const EACH: [&str; 8] = [
    r#"{"kind":"cbr","rate":"1 Mbit/s"}"#,
    r#"{"kind":"poisson","rate":"1 Mbit/s"}"#,
    r#"{"kind":"on_off","rate":"2 Mbit/s","on":"30 ms","off":"50 ms"}"#,
    r#"{"kind":"on_off","rate":"2 Mbit/s","on":"3 ms","off":"5 ms","distribution":"pareto","shape":1.2}"#,
    r#"{"kind":"vbr","copies":3,"offset":"2 s"}"#,
    r#"{"kind":"vbr","copies":5,"synchronised":false,"header":"40 B"}"#,
    r#"{"kind":"trace","file":"f","copies":4}"#,
    r#"{"kind":"trace","file":"f","copies":7,"synchronised":false,"repeat":false,"header":"28 B"}"#,
];

fn trace() -> Arc<Trace> {
    Arc::new(Trace::parse("0 I 0 3000\n1 P 120 700\n2 B 40 0\n3 B 80 1\n4 P 200 1500").expect("a trace"))
}

#[test]
fn cbr_keeps_its_rate_to_the_picosecond_for_ever() {
    // a rate that divides nothing: after a million packets the time is still n * bits / rate, rounded down
    let params = model(r#"{"kind":"cbr","rate":"7.654321 Mbit/s"}"#);
    let start = secs(3);
    let mut source = Source::new(&params, None, 1499, start, None, 0, "cross");
    for n in 0..1_000_000u128 {
        let p = source.next().expect("endless");
        let exact = n * 1499 * 8 * 1_000_000_000_000 / 7_654_321;
        assert_eq!((u128::from((p.at - start).as_ps()), p.bytes), (exact, 1499));
    }
}

#[test]
fn cbr_ends_at_the_maximum_of_time() {
    let params = model(r#"{"kind":"cbr","rate":"1 bit/s"}"#);
    let n = collect(Source::new(&params, None, 1_000_000, Time::ZERO, None, 0, "cross")).len();
    // 213.5 days hold 2.3 intervals of 8,000,000 s: packets at 0, 8 and 16 million seconds
    assert_eq!(n, 3);
    assert_eq!(collect(Source::new(&params, None, u32::MAX, Time::ZERO, None, 0, "cross")).len(), 1);
}

#[test]
fn poisson_gaps_have_the_mean_and_variance_of_exponentials() {
    let sent = packets(r#"{"kind":"poisson","rate":"12 Mbit/s"}"#, 1500, secs(200), 11);
    let gaps: Vec<f64> = sent.windows(2).map(|w| (w[1].at - w[0].at).as_secs_f64()).collect();
    let (mean, variance) = moments(&gaps);
    // 200,000 gaps: relative standard error of the mean 0.22 %, of the variance (kurtosis 9) 0.63 %; five of each
    near(mean / 1e-3, 1.0, 0.011);
    near(variance / 1e-6, 1.0, 0.032);
    // counts of a window are as variable as their mean
    let mut counts = vec![0.0; 2000];
    for p in &sent {
        counts[(p.at.as_ps() / 100_000_000_000) as usize] += 1.0;
    }
    let (mean, variance) = moments(&counts);
    // relative standard error of a variance from 2,000 near-normal counts: sqrt(2 / 2000) = 3.2 %
    near(variance / mean, 1.0, 0.16);
}

#[test]
fn poisson_gaps_follow_the_exponential_distribution() {
    let sent = packets(r#"{"kind":"poisson","rate":"12 Mbit/s"}"#, 1500, secs(20), 12);
    let mut gaps: Vec<f64> = sent.windows(2).map(|w| (w[1].at - w[0].at).as_secs_f64()).collect();
    gaps.sort_by(f64::total_cmp);
    let n = gaps.len() as f64;
    let distance = |(i, g): (usize, &f64)| (1.0 - (-g / 1e-3).exp() - (i as f64 + 0.5) / n).abs();
    let largest = gaps.iter().enumerate().map(distance).fold(0.0, f64::max);
    // Kolmogorov: sqrt(n) times the distance exceeds 2.2 once in ten thousand samples
    assert!(largest * n.sqrt() < 2.2, "{largest} at n = {n}");
}

#[test]
fn on_off_is_on_for_its_share_of_time() {
    let json = r#"{"kind":"on_off","rate":"10 Mbit/s","on":"20 ms","off":"60 ms"}"#;
    let length = secs(2000);
    let rate = bytes(&packets(json, 500, length, 5)) as f64 * 8.0 / 2000.0;
    // 25,000 cycles, the share's relative standard error is about sqrt(2) * 0.75 / sqrt(25,000) = 0.67 %; four of them
    near(rate / 2.5e6, 1.0, 0.027);
    assert_eq!(mean_rate_bps(&model(json), 500, None), Some(2.5e6));
}

#[test]
fn on_off_keeps_its_mean_rate_when_bursts_are_shorter_than_packets() {
    // a packet takes 12 ms of time on, a burst lasts 1 ms: rounding every burst up to a packet would send 12 times too
    // much
    let json = r#"{"kind":"on_off","rate":"1 Mbit/s","on":"1 ms","off":"1 ms"}"#;
    let rate = bytes(&packets(json, 1500, secs(1000), 6)) as f64 * 8.0 / 1000.0;
    // half a million cycles: relative standard error 0.1 %
    near(rate / 0.5e6, 1.0, 0.005);
}

#[test]
fn on_off_sends_at_its_peak_rate_within_a_burst() {
    let sent = packets(r#"{"kind":"on_off","rate":"8 Mbit/s","on":"100 ms","off":"100 ms"}"#, 1000, secs(100), 7);
    let spacing = Time::from_ms(1);
    let gaps: Vec<Time> = sent.windows(2).map(|w| w[1].at - w[0].at).collect();
    assert!(gaps.iter().all(|g| *g >= spacing));
    let in_burst = gaps.iter().filter(|g| **g == spacing).count() as f64 / gaps.len() as f64;
    // a burst of 100 packets on average is left once
    near(in_burst, 0.99, 0.004);
}

#[test]
fn on_off_begins_on_with_the_long_run_probability() {
    let params = model(r#"{"kind":"on_off","rate":"1 Gbit/s","on":"20 ms","off":"60 ms"}"#);
    let begins_on = |seed: &u64| {
        let first = Source::new(&params, None, 500, secs(2), None, *seed, "cross").next();
        first.is_some_and(|p| p.at == secs(2))
    };
    // four standard errors of a proportion
    near((0..4000).filter(begins_on).count() as f64 / 4000.0, 0.25, 0.028);
}

#[test]
fn pareto_bursts_keep_the_mean_rate_and_have_a_heavy_tail() {
    // shape 1.9: close to finite variance, so that a mean can be measured at all
    let json = r#"{"kind":"on_off","rate":"10 Mbit/s","on":"20 ms","off":"20 ms","distribution":"pareto","shape":1.9}"#;
    let rate = bytes(&packets(json, 500, secs(4000), 8)) as f64 * 8.0 / 4000.0;
    // the mean of n heavy-tailed lengths scatters like n^(1/1.9 - 1) = 0.7 % for n = 100,000 in either sum, tails
    // included
    near(rate / 5e6, 1.0, 0.05);
    let mut stream = Stream::new(1, "pareto", "test");
    let lengths: Vec<f64> = (0..200_000).map(|_| pareto(&mut stream, 3.0, 1.5)).collect();
    assert!(lengths.iter().all(|l| *l >= 1.0));
    let beyond = |x: f64| lengths.iter().filter(|l| **l > x).count() as f64 / lengths.len() as f64;
    // P(X > x) = x^-1.5; four standard errors of a proportion
    near(beyond(4.0), 0.125, 0.003);
    near(beyond(100.0), 0.001, 0.0003);
}

#[test]
fn samplers_have_the_moments_of_their_distributions() {
    let mut stream = Stream::new(2, "moments", "test");
    let n = 400_000;
    let draw = |sample: &mut dyn FnMut() -> f64| moments(&(0..n).map(|_| sample()).collect::<Vec<_>>());
    // tolerances: five standard errors, from fourth moments
    let (mean, variance) = draw(&mut || normal(&mut stream));
    near(mean, 0.0, 0.008);
    near(variance, 1.0, 0.012);
    let sizes = LogNormal::with(600.0, 0.7);
    let (mean, variance) = draw(&mut || sizes.sample(&mut stream));
    near(mean, 600.0, 3.4);
    near(variance.sqrt() / 600.0, 0.7, 0.014);
    let above = (0..n).filter(|_| sizes.sample(&mut stream) >= 1000.0).count() as f64 / n as f64;
    near(above, sizes.tail(1000.0), 0.003);
    let trials = Geometric::with_mean(1.927);
    let (mean, variance) = draw(&mut || trials.sample(&mut stream) as f64);
    near(mean, 1.927, 0.011);
    near(variance, 1.927 * 0.927, 0.05);
    assert_eq!(Geometric::with_mean(1.0).sample(&mut stream), 1);
}

#[test]
fn every_kind_is_registered_parses_and_has_a_mean_rate() {
    let names: Vec<&str> = KINDS.iter().map(|(name, _, _)| *name).collect();
    assert_eq!(names, ["cbr", "poisson", "on_off", "vbr", "trace"]);
    let trace = trace();
    for json in EACH {
        let params = model(json);
        assert!(names.contains(&params.name()));
        assert_eq!(params.errors(1500, Some(&trace)), [], "{json}");
        let text = serde_json::to_string(&params).expect("serialises");
        assert_eq!(serde_json::from_str::<TrafficParams>(&text).expect("reads its own text"), params);
        if !json.contains(r#""repeat":false"#) {
            assert!(mean_rate_bps(&params, 1500, Some(&trace)).expect("a mean rate") > 0.0);
        }
    }
}

#[test]
fn unknown_keys_and_kinds_are_errors() {
    for json in [
        r#"{"kind":"cbr","rate":"1 Mbit/s","burst":1}"#,
        r#"{"kind":"vbr","copys":1}"#,
        r#"{"kind":"cbr"}"#,
        r#"{"kind":"pareto"}"#,
        r#"{"kind":"on_off","rate":"1 Mbit/s","on":"1 s","off":"1 s","distribution":"normal"}"#,
    ] {
        assert!(serde_json::from_str::<TrafficParams>(json).is_err(), "{json}");
    }
}

#[test]
fn errors_name_their_key() {
    let keys = |json: &str| model(json).errors(1500, None).into_iter().map(|m| m.key).collect::<Vec<_>>();
    assert_eq!(keys(r#"{"kind":"on_off","rate":"1 bit/s","on":"1 ms","off":"0 s"}"#), ["on"]);
    assert_eq!(keys(r#"{"kind":"vbr","mean_interval":"30 ms","header":"1500 B"}"#), ["mean_interval", "header"]);
    assert_eq!(keys(r#"{"kind":"trace","file":"f","header":"2 kB"}"#), ["file", "header"]);
    let beyond = model(r#"{"kind":"trace","file":"f","offset":"1 s"}"#);
    assert_eq!(beyond.errors(1500, Some(&trace()))[0].key, "offset");
}

#[test]
fn the_schema_has_the_keys_help_and_bounds() {
    let schema = serde_json::to_value(schemars::schema_for!(TrafficParams)).expect("a schema").to_string();
    for part in ["exclusiveMinimum", "Where in the trace", "Viewers", "\"on_off\"", "self-similar"] {
        assert!(schema.contains(part), "{part} is not in {schema}");
    }
}

#[test]
fn same_seed_same_packets_other_seed_or_name_others() {
    for json in EACH.iter().filter(|j| !j.contains("cbr") && (!j.contains("trace") || j.contains("false"))) {
        let run = |seed, name| {
            let source = Source::new(&model(json), Some(&trace()), 1500, secs(1), Some(secs(4)), seed, name);
            collect(source)
        };
        assert_eq!(run(1, "a"), run(1, "a"));
        assert_ne!(run(1, "a"), run(2, "a"), "{json}");
        assert_ne!(run(1, "a"), run(1, "b"), "{json}");
    }
}

#[test]
fn a_stopped_source_stays_silent() {
    for json in EACH {
        let mut source = Source::new(&model(json), Some(&trace()), 1500, secs(1), Some(secs(2)), 3, "cross");
        while source.next().is_some() {}
        assert!((0..100).all(|_| source.next().is_none()), "{json}");
    }
}

#[test]
fn extreme_parameters_terminate() {
    for json in [
        r#"{"kind":"cbr","rate":"0 bit/s"}"#,
        r#"{"kind":"poisson","rate":"0 bit/s"}"#,
        r#"{"kind":"on_off","rate":"1 Gbit/s","on":"0 s","off":"0 s"}"#,
        r#"{"kind":"on_off","rate":"1 Gbit/s","on":"1 us","off":"0 s","distribution":"pareto","shape":0.5}"#,
        r#"{"kind":"vbr","copies":0}"#,
        r#"{"kind":"vbr","mean_interval":"0 s","frame_clock":"0 s","mean_scene":"0 s","mean_frame":"0 B"}"#,
        r#"{"kind":"vbr","cv":1e300,"correlation":-7,"scene_share":9,"header":"1 GB"}"#,
        r#"{"kind":"trace","file":"f","interval":"0 s","header":"9999 B","copies":0}"#,
        r#"{"kind":"trace","file":"f","offset":"100 d"}"#,
    ] {
        let mut source = Source::new(&model(json), Some(&trace()), 100, Time::ZERO, Some(secs(1)), 3, "cross");
        for _ in 0..1000 {
            let Some(p) = source.next() else { break };
            assert!((1..=100).contains(&p.bytes), "{json}");
        }
        let _ = mean_rate_bps(&model(json), 100, Some(&trace()));
    }
}

proptest! {
    #[test]
    fn times_do_not_decrease_and_packets_fit(
        which in 0..EACH.len(), packet in 41u32..3000, start in 0u64..3_000_000_000_000, length in 0u64..2_000_000_000_000,
        seed: u64,
    ) {
        let (start, stop) = (Time::from_ps(start), Time::from_ps(start + length));
        let mut source = Source::new(&model(EACH[which]), Some(&trace()), packet, start, Some(stop), seed, "cross");
        let mut last = start;
        while let Some(p) = source.next() {
            prop_assert!(p.at >= last && p.at < stop);
            prop_assert!(p.bytes > 0 && p.bytes <= packet);
            last = p.at;
        }
    }
}
