//! CUBIC on synthetic acknowledgements: RFC 9438.

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// After a loss at 1,000 packets: 700 left, K = cbrt(1000 * 0.3 / 0.4) = 9.086 s, and the window follows
/// `0.4 (t - K)^3 + 1000` (section 4.2) within what a round trip brings.
#[test]
fn the_curve_after_a_loss() {
    let mut b = Bench::new("cubic", "", 100.0);
    b.in_avoidance(1000.0, 100.0);
    close(b.c.window(), 700.0, 1e-9);
    let begin = b.now.as_secs_f64();
    let k = (1000.0f64 * 0.3 / 0.4).cbrt();
    close(k, 9.086, 1e-3);
    for _ in 0..160 {
        let w = b.round(100.0);
        // acknowledgements of a round are behind its beginning by up to a round trip, and the target is a round trip ahead
        let t = b.now.as_secs_f64() - begin;
        let [low, high] = [t - 0.15, t + 0.15].map(|t| 0.4 * (t - k).powi(3) + 1000.0);
        assert!(w >= low - 1.0 && w <= high + 1.0, "{w} at {t}, between {low} and {high}");
    }
    // the inflection: flat at W_max after K, convex beyond
    assert!(b.c.window() > 1000.0 + 0.4 * 6.0f64.powi(3));
}

/// Section 4.7: a loss below the last maximum remembers less, by (1 + beta) / 2.
#[test]
fn fast_convergence() {
    let k = |fast: bool| {
        let mut b = Bench::new("cubic", &format!(r#", "fast_convergence": {fast}"#), 100.0);
        b.in_avoidance(1000.0, 100.0);
        b.lose();
        close(b.c.window(), 490.0, 1e-9);
        let begin = b.now.as_secs_f64();
        // where the curve is flat: the slowest round trip
        let mut prior = b.c.window();
        let mut slowest = (f64::INFINITY, 0.0, 0.0);
        for _ in 0..130 {
            let w = b.round(100.0);
            if w - prior < slowest.0 {
                slowest = (w - prior, b.now.as_secs_f64() - begin, w);
            }
            prior = w;
        }
        slowest
    };
    close(k(true).2, 700.0 * 0.85, 2.0);
    close(k(false).2, 700.0, 2.0);
}

/// Section 4.3: on short paths it is Reno with slope 3 (1 - beta) / (1 + beta) = 0.529, then 1 above the last window.
#[test]
fn the_reno_friendly_region() {
    let mut b = Bench::new("cubic", "", 10.0);
    b.in_avoidance(100.0, 10.0);
    close(b.c.window(), 70.0, 1e-9);
    let slopes: Vec<f64> = (0..80)
        .map(|_| {
            let prior = b.c.window();
            b.round(10.0) - prior
        })
        .collect();
    close(slopes[20], 0.529, 0.02);
    // W_est reaches 100 after 57 round trips
    close(slopes[70], 1.0, 0.03);
    let mut old = Bench::new("cubic", r#", "profile": "2008""#, 10.0);
    old.in_avoidance(100.0, 10.0);
    close(old.c.window(), 100.0 * 819.0 / 1024.0, 1e-9);
    let prior = old.c.window();
    let w = old.round(10.0);
    // 3 (1 - 0.8) / (1 + 0.8)
    close(w - prior, 0.334, 0.02);
}

/// Profile `linux` (`net/ipv4/tcp_cubic.c`): beta 717/1024, and a Reno-friendly slope of 8/15 above the last window too.
#[test]
fn the_reno_friendly_slope_of_linux() {
    let mut b = Bench::new("cubic", r#", "profile": "linux""#, 10.0);
    b.in_avoidance(100.0, 10.0);
    close(b.c.window(), 100.0 * 717.0 / 1024.0, 1e-9);
    // a round trip acknowledges whole packets
    let slopes: Vec<f64> = (0..120)
        .map(|_| {
            let prior = b.c.window();
            (b.round(10.0) - prior) * prior / prior.floor()
        })
        .collect();
    for round in [20, 70, 110] {
        close(slopes[round], 8.0 / 15.0, 0.003);
    }
    assert!(b.c.window() > 120.0, "{}", b.c.window());
}

/// In Linux the window grows by at least a twentieth a round trip until the first loss, here from where HyStart++ ends slow start, and again after
/// a timeout, until the next loss.
#[test]
fn the_least_growth_of_linux() {
    // per round trip, the mean of twenty
    let growth = |b: &mut Bench, rtt_ms: f64| {
        let prior = b.c.window();
        (0..20).for_each(|_| {
            b.round(rtt_ms);
        });
        (b.c.window() / prior).powf(0.05)
    };
    let of = |profile: &str| {
        let mut b = Bench::new("cubic", &format!(r#", "profile": "{profile}", "slow_start": "hystart++""#), 10.0);
        (0..3).for_each(|_| {
            b.round(10.0);
        });
        (0..10).for_each(|_| {
            b.round(20.0);
        });
        let before_loss = growth(&mut b, 20.0);
        b.lose();
        let after_loss = growth(&mut b, 20.0);
        b.time_out();
        // slow start ends at less than twenty packets, where the curve is flat
        (0..10).for_each(|_| {
            b.round(20.0);
        });
        (before_loss, after_loss, growth(&mut b, 20.0))
    };
    let (before_loss, after_loss, after_timeout) = of("linux");
    close(before_loss, 1.05, 0.005);
    close(after_timeout, 1.05, 0.005);
    assert!(after_loss < 1.02, "{after_loss}");
    let (before_loss, _, after_timeout) = of("rfc9438");
    assert!(before_loss < 1.02 && after_timeout < 1.02, "{before_loss}, {after_timeout}");
}

/// In Linux a timeout forgets the window of the last loss: one in the slow start after it is not below that, and its curve is flat at its window.
#[test]
fn a_timeout_of_linux_forgets_the_last_maximum() {
    for (profile, plateau) in [("linux", 256.0), ("rfc9438", 256.0 * 0.85)] {
        let mut b = Bench::new("cubic", &format!(r#", "profile": "{profile}""#), 100.0);
        b.in_avoidance(1000.0, 100.0);
        b.time_out();
        while b.c.window() < 256.0 {
            b.round(100.0);
        }
        b.lose();
        let mut slowest = (f64::INFINITY, 0.0);
        for _ in 0..100 {
            let prior = b.c.window();
            let w = b.round(100.0);
            slowest = if w - prior < slowest.0 { (w - prior, w) } else { slowest };
        }
        close(slowest.1, plateau, 0.02 * plateau);
    }
}

/// Section 4.7: after a timeout the curve begins where slow start ended.
#[test]
fn after_a_timeout() {
    let mut b = Bench::new("cubic", "", 100.0);
    b.in_avoidance(1000.0, 100.0);
    close(b.time_out(), 1.0, 0.0);
    while b.c.window() < 490.0 {
        b.round(100.0);
    }
    let begin = (b.now.as_secs_f64(), b.c.window());
    // long enough to leave the Reno-friendly region
    for _ in 0..100 {
        b.round(100.0);
    }
    // the stage began up to a round trip earlier, and its target is a round trip ahead
    let t = b.now.as_secs_f64() - begin.0;
    let [low, high] = [t - 0.15, t + 0.25].map(|t| 490.0 + 0.4 * t.powi(3));
    assert!(b.c.window() > low && b.c.window() < high, "{} between {low} and {high}", b.c.window());
}

/// Sections 4.2 and 5.8: t does not count while the application limits the flow, whether it sends little or nothing.
#[test]
fn time_not_cwnd_limited_does_not_count() {
    for (trickle, silence_s) in [(60, 0.0), (1, 60.0), (60, 60.0)] {
        let mut b = Bench::new("cubic", "", 100.0);
        b.in_avoidance(1000.0, 100.0);
        for _ in 0..50 {
            b.round(100.0);
        }
        let prior = b.c.window();
        b.trickle(trickle, 100.0);
        close(b.c.window(), prior, 0.0);
        b.now += bench::ms(silence_s * 1e3);
        let k = (1000.0f64 * 0.3 / 0.4).cbrt();
        for i in 1..=100 {
            let w = b.round(100.0);
            // without the round trip until the first acknowledgement
            let t = 5.0 + 0.1 * f64::from(i) - 0.1;
            let [low, high] = [t - 0.15, t + 0.15].map(|t| 0.4 * (t - k).powi(3) + 1000.0);
            assert!(w >= low - 1.0 && w <= high + 1.0, "{w} at {t}, between {low} and {high}");
        }
    }
}

/// A restart after an idle period (RFC 5681, 4.1): slow start to its threshold, and a new stage toward the same maximum.
#[test]
fn after_a_restart() {
    let mut b = Bench::new("cubic", "", 100.0);
    b.in_avoidance(1000.0, 100.0);
    for _ in 0..120 {
        b.round(100.0);
    }
    b.now += bench::ms(60e3);
    b.c.on_idle(10.0);
    while b.c.window() < 700.0 {
        b.round(100.0);
    }
    let (begin, k) = (b.now.as_secs_f64(), (1000.0f64 * 0.3 / 0.4).cbrt());
    for _ in 0..80 {
        let w = b.round(100.0);
        // the stage began within the previous round trip, and its target is a round trip ahead
        let t = b.now.as_secs_f64() - begin;
        let [low, high] = [t - 0.15, t + 0.25].map(|t| 0.4 * (t - k).powi(3) + 1000.0);
        assert!(w >= low - 1.0 && w <= high + 1.0, "{w} at {t}, between {low} and {high}");
    }
}
