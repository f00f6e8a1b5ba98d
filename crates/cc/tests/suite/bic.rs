//! BIC's search on synthetic acknowledgements.

use crate::bench;

use bench::{Bench, close};
use eddyline_cc::Controller as _;

/// After a loss at 1,000: a fifth less, 16 packets a round trip, then a quarter of the way to the maximum, then a packet
/// in five round trips, and beyond the maximum the same mirrored.
#[test]
fn searches_for_the_last_maximum() {
    let mut b = Bench::new("bic", "", 100.0);
    b.in_avoidance(1000.0, 100.0);
    close(b.c.window(), 1000.0 * 819.0 / 1024.0, 1e-6);
    let mut phases = [0; 4];
    let mut beyond = 0.0f64;
    for _ in 0..400 {
        let prior = b.c.window();
        let step = b.round(100.0) - prior;
        let distance = 1000.0 - prior;
        if distance > 64.0 + 16.0 {
            close(step, 16.0, 0.3);
            phases[0] += 1;
        } else if distance < 64.0 && distance > 8.0 {
            // a quarter of the way, shrinking while it is gone: 1 - e^(-1/4)
            close(step / distance, 0.221, 0.01);
            phases[1] += 1;
        } else if distance < 3.5 && distance > -3.5 {
            close(step, 0.2, 0.01);
            phases[2] += 1;
        } else if distance < -60.0 {
            close(step, 16.0, 0.5);
            phases[3] += 1;
        }
        beyond = beyond.max(-distance);
        if beyond > 200.0 {
            break;
        }
    }
    assert!(phases.iter().all(|n| *n >= 3), "{phases:?}");
    // the seven packets around the maximum take five round trips each
    assert!((33..=37).contains(&phases[2]), "{phases:?}");
}

/// Fast convergence: a second loss below the maximum aims at (1 + beta) / 2 of the window; Reno up to 14 packets.
#[test]
fn aims_lower_after_a_loss_below_the_maximum() {
    let mut b = Bench::new("bic", "", 100.0);
    b.in_avoidance(1000.0, 100.0);
    let prior = b.c.window();
    b.lose();
    let aim = prior * (1.0 + 819.0 / 1024.0) / 2.0;
    let mut flat = (f64::INFINITY, 0.0);
    for _ in 0..60 {
        let w = b.c.window();
        let step = b.round(100.0) - w;
        if step < flat.0 {
            flat = (step, w);
        }
    }
    assert!((flat.1 - aim).abs() < 5.0, "flat at {}, not {aim}", flat.1);
    let mut small = Bench::new("bic", "", 100.0);
    small.in_avoidance(14.0, 100.0);
    close(small.c.window(), 7.0, 1e-9);
    close(small.round(100.0), 8.0, 0.07);
}
