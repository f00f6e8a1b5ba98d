//! YeAH-TCP on synthetic acknowledgements (Baiocchi, Castellani and Vacirca 2007).

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// Few packets queued: 1 % a round trip. Congestion: one packet a round trip.
#[test]
fn two_modes() {
    let mut b = Bench::new("yeah", "", 100.0);
    b.in_avoidance(800.0, 100.0);
    b.round(100.0);
    let prior = b.c.window();
    close(b.round(100.0) / prior, 1.01, 5e-4);
    // an eighth of the base more, and less than 80 packets queued
    let mut small = Bench::new("yeah", "", 100.0);
    small.in_avoidance(400.0, 100.0);
    small.round(114.0);
    let prior = small.c.window();
    close(small.round(114.0) - prior, 1.0, 0.02);
}

/// More than 80 packets queued: they are given up, half the window at most.
#[test]
fn early_decongestion() {
    let mut b = Bench::new("yeah", "", 100.0);
    b.in_avoidance(1000.0, 100.0);
    b.round(100.0);
    let prior = b.c.window();
    b.round(112.0);
    let queued = prior * 12.0 / 112.0;
    assert!(queued > 80.0);
    // at the first acknowledgement of the second round the first is judged
    b.round(112.0);
    close(b.c.window(), prior - queued, 14.0);
}

/// A loss without competition gives up what was queued, an eighth at least.
#[test]
fn the_decrease_without_competition() {
    let mut b = Bench::new("yeah", "", 100.0);
    b.in_avoidance(800.0, 100.0);
    close(b.c.window(), 700.0, 1e-6);
    b.round(100.0);
    let prior = b.c.window();
    close(b.lose() / prior, 0.875, 1e-6);
}
