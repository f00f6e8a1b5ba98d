//! Compound TCP on synthetic acknowledgements (Tan and others 2006, equations 3 to 6).

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// Without a queue the delay window grows by win^0.75 / 8 - 1 a round trip, in addition to Reno's packet.
#[test]
fn the_delay_window_grows_without_a_queue() {
    let mut b = Bench::new("compound", "", 100.0);
    b.in_avoidance(800.0, 100.0);
    close(b.c.window(), 400.0, 1e-9);
    b.round(100.0);
    for _ in 0..10 {
        let prior = b.c.window();
        let step = b.round(100.0) - prior;
        close(step, prior.powf(0.75) / 8.0 - 1.0 + 1.0, 0.1);
    }
}

/// With 30 packets queued or more it gives up as many as are queued, down to Reno's own window.
#[test]
fn the_delay_window_shrinks_when_a_queue_forms() {
    let mut b = Bench::new("compound", "", 100.0);
    b.in_avoidance(800.0, 100.0);
    for _ in 0..30 {
        b.round(100.0);
    }
    let prior = b.c.window();
    // 10 % queued
    b.round(111.0);
    let middle = b.c.window();
    let after = b.round(111.0);
    assert!(after < middle && middle <= prior + 30.0, "{prior}, {middle}, {after}");
    close(middle - after, middle * 11.0 / 111.0 - 1.0, 3.0);
    for _ in 0..20 {
        b.round(111.0);
    }
    // the loss window: half of 800, and a packet for each of some fifty round trips
    close(b.c.window(), 450.0, 6.0);
}

/// A loss halves the whole.
#[test]
fn a_loss_halves() {
    let mut b = Bench::new("compound", "", 100.0);
    b.in_avoidance(800.0, 100.0);
    (0..10).for_each(|_| {
        b.round(100.0);
    });
    let prior = b.c.window();
    close(b.lose(), prior / 2.0, 1e-9);
}

/// Slow start has no delay window: after a timeout or a pause Reno's window begins anew.
#[test]
fn slow_start_has_no_delay_window() {
    for pause in [false, true] {
        let mut b = Bench::new("compound", "", 100.0);
        b.in_avoidance(800.0, 100.0);
        for _ in 0..30 {
            b.round(100.0);
        }
        if pause {
            b.c.on_idle(10.0);
        } else {
            b.time_out();
        }
        while b.c.slow_start_threshold().is_some_and(|threshold| b.c.window() < threshold) {
            b.round(100.0);
        }
        // with a tenth queued there is no delay window to give up: Reno's packet a round trip is all that happens
        let reached = b.c.window();
        for _ in 0..10 {
            b.round(111.0);
        }
        close(b.c.window() - reached, 10.0, 1.5);
    }
}
