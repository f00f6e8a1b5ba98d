//! Veno on synthetic acknowledgements (Fu and Liew 2003).

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// With fewer than three packets queued the window grows by one packet per round trip and a loss leaves four fifths of
/// it; with more
/// it grows by half a packet and a loss leaves half.
#[test]
fn distinguishes_random_loss_from_congestion() {
    for (rtt, step, factor) in [(101.0, 1.0, 0.8), (110.0, 0.5, 0.5)] {
        let mut b = Bench::new("veno", "", 100.0);
        b.in_avoidance(125.0, 100.0);
        close(b.c.window(), 100.0, 1e-9);
        let prior = b.c.window();
        // 1.0 and 9.1 packets queued
        let after = b.round(rtt);
        close(after - prior, step, 0.02);
        close(b.lose() / after, factor, 1e-9);
    }
}
