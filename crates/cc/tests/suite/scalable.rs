//! Scalable TCP on synthetic acknowledgements (Kelly 2003, section 3).

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// A hundredth of a packet per packet, an eighth less per loss: 14 round trips of 1 % recover, whatever the window.
#[test]
fn recovers_in_as_many_round_trips_at_any_window() {
    for window in [160.0, 16_000.0] {
        let mut b = Bench::new("scalable", "", 100.0);
        b.in_avoidance(window, 100.0);
        close(b.c.window(), 0.875 * window, 1e-6);
        let mut rounds = 0;
        while b.c.window() < window {
            let prior = b.c.window();
            let after = b.round(100.0);
            close(after / prior, 1.01, 2e-4);
            rounds += 1;
        }
        // log(8 / 7) / log(1.01) = 13.4
        assert_eq!(rounds, 14);
    }
}

/// Up to 16 packets it is Reno.
#[test]
fn reno_below_the_legacy_window() {
    let mut b = Bench::new("scalable", "", 100.0);
    b.in_avoidance(16.0, 100.0);
    close(b.c.window(), 8.0, 1e-9);
    close(b.round(100.0), 9.0, 0.06);
}

/// Linux: a packet for min(window, 1 / a) acknowledged, so one a round trip below 50, and 2 % above; an eighth less at any window.
#[test]
fn the_reno_floor_is_optional() {
    let linux = r#", "a": 0.02, "legacy_window": 0.0, "at_least_reno": true"#;
    let mut b = Bench::new("scalable", linux, 100.0);
    b.in_avoidance(16.0, 100.0);
    close(b.c.window(), 14.0, 1e-9);
    close(b.round(100.0), 15.0, 0.06);
    let mut b = Bench::new("scalable", linux, 100.0);
    b.in_avoidance(1_600.0, 100.0);
    close(b.round(100.0) / 1_400.0, 1.02, 3e-4);
}
