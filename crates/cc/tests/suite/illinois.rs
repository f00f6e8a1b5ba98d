//! TCP-Illinois on synthetic acknowledgements (Liu, Basar and Srikant 2008).

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// With a largest queueing delay of 100 ms: alpha is 10 at d_1 = 1 ms, 0.3 at 100 ms, and kappa_1 / (kappa_2 + d) between;
/// beta is 1/8 up to 10 ms, 1/2 from 80 ms, linear between.
#[test]
fn increase_and_decrease_follow_the_delay() {
    for (delay, beta) in [(0.5, 0.125), (5.0, 0.125), (45.0, 0.3125), (100.0, 0.5)] {
        let mut b = Bench::new("illinois", "", 100.0);
        b.in_avoidance(2000.0, 100.0);
        // the largest delay, once
        b.round(200.0);
        for _ in 0..8 {
            b.round(100.0 + delay);
        }
        let prior = b.c.window();
        let step = b.round(100.0 + delay) - prior;
        let k1 = (100.0 - 1.0) * 0.3 * 10.0 / (10.0 - 0.3);
        let k2 = (100.0 - 1.0) * 0.3 / (10.0 - 0.3) - 1.0;
        let alpha: f64 = if delay <= 1.0 { 10.0 } else { k1 / (k2 + delay) };
        close(step / alpha, 1.0, 0.02);
        let prior = b.c.window();
        close(1.0 - b.lose() / prior, beta, 1e-3);
    }
}

/// Below 15 packets it is Reno.
#[test]
fn is_reno_at_small_windows() {
    let mut b = Bench::new("illinois", "", 100.0);
    b.in_avoidance(16.0, 100.0);
    b.round(100.0);
    let prior = b.c.window();
    // whole packets acknowledge 14 of 14.9
    close(b.round(100.0) - prior, 1.0, 0.1);
    let prior = b.c.window();
    close(b.lose() / prior, 0.5, 1e-9);
    // whatever the decrease above
    let mut b = Bench::new("illinois", r#", "beta_max": 0.3"#, 100.0);
    b.in_avoidance(16.0, 100.0);
    let prior = b.round(100.0);
    close(b.lose() / prior, 0.5, 1e-9);
}

/// The bug of Linux 2.6.22: an eighth is left where an eighth is to go.
#[test]
fn beta_can_be_disabled() {
    let mut b = Bench::new("illinois", r#", "leaves_beta": true"#, 100.0);
    b.in_avoidance(2000.0, 100.0);
    b.round(200.0);
    for _ in 0..8 {
        b.round(100.5);
    }
    let prior = b.c.window();
    close(b.lose() / prior, 0.125, 1e-3);
}
