//! H-TCP on synthetic acknowledgements (Shorten and Leith 2004).

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// alpha(D) = 1 + 10 (D - 1) + ((D - 1) / 2)^2 after a second, times 2 (1 - beta) = 1 at beta = 1/2; at 100 ms unscaled.
#[test]
fn the_increase_rises_with_time() {
    let mut b = Bench::new("htcp", "", 100.0);
    b.in_avoidance(1000.0, 100.0);
    close(b.c.window(), 500.0, 1e-9);
    let begin = b.now.as_secs_f64();
    for _ in 0..50 {
        let prior = b.c.window();
        let passed = b.now.as_secs_f64() - begin;
        let step = b.round(100.0) - prior;
        let alpha = |d: f64| if d > 1.0 { 1.0 + 10.0 * (d - 1.0) + ((d - 1.0) / 2.0).powi(2) } else { 1.0 };
        // set once a round trip, when its first acknowledgement arrives
        let (low, high) = (alpha(passed - 0.1), alpha(passed + 0.21));
        assert!(step > 0.98 * low && step < 1.02 * high, "{step} after {passed} s, {low} to {high}");
    }
}

/// The back-off is RTTmin / RTTmax within 1/2 and 0.8, from the second loss on and where the throughput is steady.
#[test]
fn the_back_off_empties_the_queue() {
    for (queue, expected) in [(40.0, 100.0 / 140.0), (10.0, 0.8), (150.0, 0.5)] {
        let mut b = Bench::new("htcp", r#", "bandwidth_switch": false"#, 100.0);
        b.in_avoidance(100.0, 100.0);
        // the largest sample rises by 20 ms at most at once
        for extra in 0..=15 {
            b.round(100.0 + f64::from(extra) / 15.0 * queue);
        }
        let prior = b.c.window();
        let after = b.lose();
        close(after / prior, expected, 0.002);
    }
}

/// A minute without the window as limit is no minute without a loss: the increase goes on where it was.
#[test]
fn time_not_cwnd_limited_does_not_count() {
    for (trickle, silence_s) in [(60, 0.0), (1, 60.0)] {
        let mut b = Bench::new("htcp", "", 100.0);
        b.in_avoidance(1000.0, 100.0);
        for _ in 0..20 {
            b.round(100.0);
        }
        b.trickle(trickle, 100.0);
        b.now += bench::ms(silence_s * 1e3);
        for i in 0..20 {
            let prior = b.c.window();
            let step = b.round(100.0) - prior;
            let passed = 2.0 + 0.1 * f64::from(i) - 0.1;
            let alpha = |d: f64| if d > 1.0 { 1.0 + 10.0 * (d - 1.0) + ((d - 1.0) / 2.0).powi(2) } else { 1.0 };
            let (low, high) = (alpha(passed - 0.2), alpha(passed + 0.21));
            assert!(step > 0.98 * low && step < 1.02 * high, "{step} after {passed} s, {low} to {high}");
        }
    }
}
