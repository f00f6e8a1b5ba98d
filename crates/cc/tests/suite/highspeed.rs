//! HighSpeed TCP against the table of RFC 3649, appendix B.

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// Window, increase a(w), decrease b(w): lines of the table. Its increases are whole, reached at these windows; ours are
/// not rounded and computed from the points of section 5 instead of the rounded 0.078 / w^1.2.
const TABLE: &[(f64, f64, f64)] = &[
    (38.0, 1.0, 0.50),
    (118.0, 2.0, 0.44),
    (221.0, 3.0, 0.41),
    (347.0, 4.0, 0.38),
    (495.0, 5.0, 0.37),
    (663.0, 6.0, 0.35),
    (851.0, 7.0, 0.34),
    (1058.0, 8.0, 0.33),
    (1284.0, 9.0, 0.32),
    (1529.0, 10.0, 0.31),
];

#[test]
fn the_table() {
    for (w, a, b) in TABLE {
        let mut bench = Bench::new("highspeed", "", 100.0);
        // slow start beyond and a loss to just there: w / (1 - b) is not known, so search it
        let prior = [0.5, 0.75].map(|share| w / share);
        let (mut low, mut high) = (prior[1], prior[0]);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            let mut probe = Bench::new("highspeed", "", 100.0);
            probe.in_avoidance(middle, 100.0);
            if probe.c.window() < *w { low = middle } else { high = middle }
        }
        bench.in_avoidance(high, 100.0);
        close(bench.c.window(), *w, 0.01);
        let after = bench.round(100.0);
        // the increase at the beginning of the row; 5 %: a(w) rises over the round, the exponent of the table is rounded
        assert!(((after - w) / a - 1.0).abs() < 0.05, "a({w}) = {}, not {a}", after - w);
        let left = bench.lose() / after;
        close(1.0 - left, *b, 0.006);
    }
}

/// Up to 38 packets it is Reno.
#[test]
fn reno_below_the_low_window() {
    let mut b = Bench::new("highspeed", "", 100.0);
    b.in_avoidance(38.0, 100.0);
    close(b.c.window(), 19.0, 1e-9);
    close(b.round(100.0), 20.0, 0.03);
}
