//! Films: the figures of `vbr`, fragmentation, viewers, and the synthetic film that the repository ships.

use crate::common;
use crate::make_movie_trace;

use std::sync::Arc;

use common::{bytes, collect, model, moments, near, packets, played, secs};
use eddyline_path::random::Stream;
use eddyline_path::traffic::{Frame, Movie, Source, Trace, VbrParams, mean_rate_bps};
use eddyline_units::{Bytes, Time};

const SHIPPED: &str = include_str!("../../../../python/eddyline/papers/two_way_fast/traces/synthetic-movie.dat");

fn film(params: &VbrParams, seed: u64, frames: usize) -> Vec<Frame> {
    let mut movie = Movie::new(params, Stream::new(seed, "film", "test"));
    (0..frames).map(|_| movie.next_frame().expect("endless")).collect()
}

fn autocorrelation(values: &[f64], lag: usize) -> f64 {
    let (mean, variance) = moments(values);
    let products = values.iter().zip(&values[lag..]).map(|(a, b)| (a - mean) * (b - mean));
    products.sum::<f64>() / variance / values.len() as f64
}

#[test]
fn intervals_are_multiples_of_the_frame_clock_with_the_paper_s_mean() {
    let frames = film(&VbrParams::default(), 1, 200_000);
    let gaps: Vec<f64> = frames
        .windows(2)
        .map(|w| (w[1].at - w[0].at).as_ps())
        .inspect(|ps| assert!(*ps > 0 && ps % 40_000_000_000 == 0))
        .map(|ps| ps as f64 / 1e12)
        .collect();
    // standard deviation of a gap 53 ms: standard error 0.12 ms; four of them
    near(moments(&gaps).0, 70.0 / 908.0, 0.5e-3);
}

#[test]
fn sizes_are_lognormal_with_the_paper_s_mean() {
    // scenes of one frame, so that the sample is independent and tolerances are known
    let params = VbrParams { mean_scene: Time::from_ms(1), ..VbrParams::default() };
    let sizes: Vec<f64> = film(&params, 2, 400_000).iter().map(|f| f64::from(f.bytes) * 8.0).collect();
    let (mean, variance) = moments(&sizes);
    // relative standard error of the mean 0.7 / sqrt(400,000) = 0.11 %
    near(mean, 5032.0, 28.0);
    near(variance.sqrt() / mean, 0.7, 0.02);
    let logs: Vec<f64> = sizes.iter().map(|s| s.ln()).collect();
    let (mu, sigma2) = moments(&logs);
    near(sigma2, 1.49f64.ln(), 0.01);
    let skew = logs.iter().map(|l| ((l - mu) / sigma2.sqrt()).powi(3)).sum::<f64>() / logs.len() as f64;
    // zero for a normal logarithm (standard error sqrt(6 / n) = 0.004), 1.9 for an exponential size
    near(skew, 0.0, 0.03);
}

#[test]
fn calibration_holds_over_many_films() {
    // each film of 70 s scatters with its scenes (some 15 %); the mean of 400 films by less than 1 %
    let windows: Vec<(f64, f64)> = (0..400)
        .map(|seed| {
            let frames = film(&VbrParams::default(), seed, 2000);
            let window = &frames[..frames.partition_point(|f| f.at < secs(70))];
            (window.len() as f64, window.iter().map(|f| f64::from(f.bytes) * 8.0).sum::<f64>())
        })
        .collect();
    let counts: Vec<f64> = windows.iter().map(|w| w.0).collect();
    let bits: Vec<f64> = windows.iter().map(|w| w.1).collect();
    // the frame at time zero comes on top of the mean gap's count: half a frame's surplus, below the tolerance
    near(moments(&counts).0, 908.0, 6.0);
    near(moments(&bits).0 / (908.0 * 5032.0), 1.0, 0.04);
    let rate = mean_rate_bps(&model(r#"{"kind":"vbr","copies":20}"#), 1500, None).expect("a mean rate");
    // the paper: 20 viewers, 1.3 Mbit/s
    near(rate, 20.0 * 908.0 * 5032.0 / 70.0, 1.0);
}

#[test]
fn frames_are_correlated_within_a_scene_and_less_beyond() {
    let logs =
        |params: &VbrParams| -> Vec<f64> { film(params, 3, 200_000).iter().map(|f| f64::from(f.bytes).ln()).collect() };
    let sizes = logs(&VbrParams::default());
    // within a scene: share between scenes plus correlation^lag of the rest, times the chance that the scene still runs
    let stays: f64 = 1.0 - (70.0 / 908.0) / 5.0;
    for lag in [1usize, 5, 20] {
        let expected = stays.powi(lag as i32) * (0.5 + 0.5 * 0.8f64.powi(lag as i32));
        // scenes of 65 frames: about 3,000 independent ones, standard error some 0.02
        near(autocorrelation(&sizes, lag), expected, 0.05);
    }
    assert!(autocorrelation(&sizes, 1) > 0.8);
    near(autocorrelation(&sizes, 2000), 0.0, 0.06);
    let white = VbrParams { correlation: 0.0, scene_share: 0.0, ..VbrParams::default() };
    near(autocorrelation(&logs(&white), 1), 0.0, 0.01);
}

#[test]
fn fragmentation_conserves_bytes_and_fills_packets() {
    let trace = Trace::parse("0 I 0 3001\n1 P 40 1500\n2 P 80 1").expect("a trace");
    let cut = |header: u32, packet| {
        let json = format!(r#"{{"kind":"trace","file":"f","repeat":false,"header":"{header} B"}}"#);
        played(&json, &trace, packet, Time::ZERO, None).iter().map(|p| p.bytes).collect::<Vec<_>>()
    };
    assert_eq!(cut(0, 1500), [1500, 1500, 1, 1500, 1]);
    assert_eq!(cut(40, 1500), [1500, 1500, 81 + 40, 1500, 40 + 40, 41]);
    // without headers every byte of every frame is sent, whatever the packet
    for packet in [1, 7, 100, 1500, 9000] {
        assert_eq!(cut(0, packet).iter().map(|b| u64::from(*b)).sum::<u64>(), 4502);
    }
    let small = packets(r#"{"kind":"vbr","offset":"3 s"}"#, 100, secs(60), 4);
    assert_eq!(bytes(&small), bytes(&packets(r#"{"kind":"vbr","offset":"3 s"}"#, 60_000, secs(60), 4)));
}

#[test]
fn mean_rate_counts_headers() {
    for header in ["0 B", "28 B"] {
        let json = format!(r#"{{"kind":"vbr","header":"{header}","mean_scene":"1 ms"}}"#);
        let rate = bytes(&packets(&json, 300, secs(20_000), 5)) as f64 * 8.0 / 20_000.0;
        let theory = mean_rate_bps(&model(&json), 300, None).expect("a mean rate");
        // 260,000 independent frames and gaps: standard error sqrt(0.49 + 0.48) / 510 = 0.2 %
        near(rate / theory, 1.0, 0.008);
    }
    let trace = Trace::parse("0 I 0 3001\n1 P 40 1500\n2 P 80 1").expect("a trace");
    let params = model(r#"{"kind":"trace","file":"f","header":"40 B","copies":3}"#);
    // 4502 B and 6 headers in 120 ms, three times
    near(mean_rate_bps(&params, 1500, Some(&trace)).expect("a mean rate"), 3.0 * 4742.0 * 8.0 / 0.12, 1e-6);
}

#[test]
fn synchronised_viewers_see_the_same_frame_at_the_same_time() {
    let alone = packets(r#"{"kind":"vbr"}"#, 60_000, secs(30), 6);
    let together = packets(r#"{"kind":"vbr","copies":20}"#, 60_000, secs(30), 6);
    assert_eq!(together.len(), alone.len() * 20);
    assert!(together.chunks(20).zip(&alone).all(|(chunk, one)| chunk.iter().all(|p| p == one)));
}

#[test]
fn staggered_viewers_reduce_variance_and_keep_the_rate() {
    let variance = |json: &str| {
        let mut seconds = vec![0.0; 300];
        for p in packets(json, 1500, secs(300), 7) {
            seconds[p.at.as_secs_f64() as usize] += f64::from(p.bytes);
        }
        moments(&seconds)
    };
    let (together, v_together) = variance(r#"{"kind":"vbr","copies":200}"#);
    let (unsynchronised, v_unsynchronised) = variance(r#"{"kind":"vbr","copies":200,"synchronised":false}"#);
    // independent films add variances, one film for all adds amplitudes: 200 times less, here at least 30 times
    assert!(v_unsynchronised * 30.0 < v_together, "{v_unsynchronised} {v_together}");
    let mean = 200.0 * 629.0 * 908.0 / 70.0;
    near(unsynchronised / mean, 1.0, 0.03);
    // one film of 300 s: some 60 scenes, 8 % each way
    near(together / mean, 1.0, 0.3);
}

#[test]
fn staggered_viewers_begin_within_one_frame_interval() {
    let json = r#"{"kind":"vbr","copies":100,"synchronised":false,"mean_interval":"40 ms"}"#;
    // a frame every 40 ms: in the first 40 ms each viewer's first, at places spread evenly
    let first: Vec<f64> = packets(json, 60_000, Time::from_ms(40), 7).iter().map(|p| p.at.as_secs_f64()).collect();
    assert_eq!(first.len(), 100);
    // mean of 100 uniform numbers: four standard errors
    near(moments(&first).0, 0.02, 0.0047);
    assert!(first.windows(2).all(|w| w[0] < w[1]));
}

#[test]
fn staggered_viewers_of_a_trace_send_all_of_it_in_every_lap() {
    let trace = Trace::parse("100\n200\n300\n400\n0\n600").expect("a trace");
    let lap = trace.duration();
    assert_eq!(lap, Time::from_ms(240));
    let json = r#"{"kind":"trace","file":"f","copies":50,"synchronised":false}"#;
    let sent = played(json, &trace, 1500, secs(1), Some(secs(1) + lap * 10));
    assert_eq!(bytes(&sent), 50 * 10 * 1600);
    // their places differ
    assert!(sent.iter().map(|p| p.at).collect::<std::collections::BTreeSet<_>>().len() > 100);
    near(mean_rate_bps(&model(json), 1500, Some(&trace)).expect("a rate"), 50.0 * 1600.0 * 8.0 / 0.24, 1e-6);
}

#[test]
fn offset_start_stop_and_repeat_shift_a_trace() {
    let trace = Trace::parse("0 P 1000 10\n1 P 1080 20\n2 P 1120 30\n3 P 1300 40").expect("a trace");
    // (1300 - 1000) / 3 = 100 ms after the last frame comes the first again
    assert_eq!((trace.begin(), trace.duration()), (secs(1), Time::from_ms(400)));
    let times = |keys: &str, stop: Option<u64>| {
        let json = format!(r#"{{"kind":"trace","file":"f"{keys}}}"#);
        let sent = played(&json, &trace, 1500, secs(5), stop.map(Time::from_ms));
        sent.iter().map(|p| ((p.at - secs(5)).as_ps() / 1_000_000_000, p.bytes)).collect::<Vec<_>>()
    };
    assert_eq!(times(r#","repeat":false"#, None), [(0, 10), (80, 20), (120, 30), (300, 40)]);
    assert_eq!(times("", Some(5481)), [(0, 10), (80, 20), (120, 30), (300, 40), (400, 10), (480, 20)]);
    // stop itself is silent
    assert_eq!(times("", Some(5480)).len(), 5);
    assert_eq!(times(r#","repeat":false,"offset":"1100 ms""#, None), [(20, 30), (200, 40)]);
    assert_eq!(times(r#","offset":"1100 ms""#, Some(5420)), [(20, 30), (200, 40), (300, 10), (380, 20)]);
    // beyond the end there is nothing
    assert_eq!(times(r#","offset":"2 s""#, None), []);
    let rest = model(r#"{"kind":"trace","file":"f","repeat":false,"offset":"1100 ms"}"#);
    near(mean_rate_bps(&rest, 1500, Some(&trace)).expect("a rate"), 70.0 * 8.0 / 0.3, 1e-6);
}

#[test]
fn an_offset_into_a_film_plays_the_same_frames_earlier() {
    let whole = packets(r#"{"kind":"vbr"}"#, 60_000, secs(40), 8);
    let later = packets(r#"{"kind":"vbr","offset":"10 s"}"#, 60_000, secs(30), 8);
    let rest: Vec<_> = whole.iter().filter(|p| p.at >= secs(10)).map(|p| (p.at - secs(10), p.bytes)).collect();
    assert_eq!(later.iter().map(|p| (p.at, p.bytes)).collect::<Vec<_>>(), rest);
}

#[test]
fn films_may_have_no_variance() {
    let params = VbrParams { cv: 0.0, mean_interval: Time::from_ms(40), ..VbrParams::default() };
    let frames = film(&params, 9, 100);
    assert!(frames.iter().enumerate().all(|(i, f)| *f == Frame { at: Time::from_ms(40 * i as u64), bytes: 629 }));
    let with_header = VbrParams { header: Bytes::new(40), ..params };
    let rate = mean_rate_bps(&eddyline_path::traffic::TrafficParams::Vbr(with_header), 340, None);
    // 629 B in packets of 300 B payload: three headers
    near(rate.expect("a rate"), (629.0 + 120.0) * 8.0 * 25.0, 1e-3);
}

#[test]
fn the_shipped_film_is_reproduced_by_its_generator() {
    // bytes, not floats: a platform whose logarithms differ would fail here
    assert!(make_movie_trace::text() == SHIPPED, "run the example again, see its head");
}

#[test]
fn the_shipped_film_has_the_paper_s_figures() {
    let trace = Trace::parse(SHIPPED).expect("a trace");
    assert_eq!(trace.frames(), make_movie_trace::film(make_movie_trace::SEED));
    let window = &trace.frames()[..trace.first_from(make_movie_trace::WINDOW)];
    near(window.len() as f64 / 908.0, 1.0, 0.01);
    let bits = window.iter().map(|f| f64::from(f.bytes) * 8.0).sum::<f64>();
    near(bits / window.len() as f64 / 5032.0, 1.0, 0.01);
    assert!(trace.end() >= Time::from_ms(119_000));
    // as the paper plays it: 20 viewers from 10 s to 80 s, 1.3 Mbit/s
    let params = model(r#"{"kind":"trace","file":"synthetic-movie.dat","copies":20}"#);
    let source = Source::new(&params, Some(&Arc::new(trace.clone())), 1500, secs(10), Some(secs(80)), 1, "movie");
    near(bytes(&collect(source)) as f64 * 8.0 / 70.0, 1.305e6, 0.013e6);
    near(mean_rate_bps(&params, 1500, Some(&trace)).expect("a rate"), 1.305e6, 0.03e6);
}
