//! Tahoe on synthetic acknowledgements.

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// One packet after a loss, slow start to half of what was in flight, then one packet a round trip.
#[test]
fn starts_over_after_a_loss() {
    let mut b = Bench::new("tahoe", "", 100.0);
    for expected in [20.0, 40.0, 80.0] {
        close(b.round(100.0), expected, 0.0);
    }
    close(b.lose(), 1.0, 0.0);
    for expected in [2.0, 4.0, 8.0, 16.0, 32.0] {
        close(b.round(100.0), expected, 0.0);
    }
    // 8 packets more of slow start to 40, then 24 acknowledgements of avoidance
    let w = b.round(100.0);
    close(w, 40.0 + 24.0 / 40.0, 0.01);
    close(b.round(100.0), w + 1.0, 0.03);
}

/// A mark halves and does not start over.
#[test]
fn halves_on_a_mark() {
    let mut b = Bench::new("tahoe", "", 100.0);
    b.round(100.0);
    b.c.on_ecn(&eddyline_cc::Loss { now: b.now, flight_size: 20.0 });
    close(b.c.window(), 10.0, 0.0);
}
