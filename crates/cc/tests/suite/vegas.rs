//! Vegas on synthetic acknowledgements (Brakmo and Peterson 1995).

use crate::bench;

use bench::{Bench, close, ms};
use eddyline_cc::{Controller as _, Loss, Marks};

/// Slow start ends when more than one packet is queued: w (rtt - base) / rtt > 1; the window is then the packets that
/// fill the path and one more.
#[test]
fn slow_start_ends_by_delay() {
    let mut b = Bench::new("vegas", "", 100.0);
    close(b.round(100.0), 20.0, 0.0);
    // 20 (102 - 100) / 102 = 0.39 queued
    close(b.round(102.0), 40.0, 0.0);
    // the first acknowledgement that ends a round trip at 110 ms: 40 (110 - 100) / 110 = 3.6
    b.round(110.0);
    b.round(110.0);
    assert!(b.c.slow_start_threshold().unwrap().is_finite());
}

/// One packet a round trip up below alpha = 2, down above beta = 4, none between.
#[test]
fn keeps_between_alpha_and_beta_packets_queued() {
    for (rtt, step) in [(101.0, 1.0), (103.0, 0.0), (106.0, -1.0)] {
        let mut b = Bench::new("vegas", "", 100.0);
        b.in_avoidance(200.0, 100.0);
        close(b.c.window(), 100.0, 1e-9);
        b.round(rtt);
        let prior = b.c.window();
        // queued: 1.0, 2.9, 5.7 packets
        let after = b.round(rtt);
        close(after - prior, step, 1e-9);
    }
}

/// With the base round-trip time known, samples do not change it.
#[test]
fn base_rtt_may_be_known() {
    let mut b = Bench::known("vegas", r#", "base_rtt": "known""#, 110.0, Some(ms(90.0)));
    b.round(100.0);
    assert_eq!(b.c.base_rtt(), Some(ms(90.0)));
    let mut b = Bench::new("vegas", "", 110.0);
    b.round(100.0);
    assert_eq!(b.c.base_rtt(), Some(ms(100.0)));
}

/// With marks as the price round-trip times do not matter: the window changes unless x times the price is between alpha and beta.
#[test]
fn the_price_of_marks() {
    let price = r#", "price": { "kind": "marks", "phi": 1.2, "unit": "1 ms" }"#;
    for (packets, step) in [(1.0, 1.0), (3.0, 0.0), (6.0, -1.0)] {
        let mut b = Bench::new("vegas", price, 100.0);
        b.in_avoidance(200.0, 100.0);
        let mut moved = 0.0;
        // the average is an eighth a round trip
        for _ in 0..40 {
            let (now, w) = (b.now, b.c.window());
            // at x = w / 150 ms a fraction m of marks is a price of -log_1.2(1 - m) ms
            let share = 1.0 - 1.2f64.powf(-packets / w * 150.0);
            b.c.on_marks(&Marks { now, sent_at: now, acked: 1000.0, marked: 1000.0 * share });
            moved = b.round(150.0) - w;
        }
        close(moved, step, 1e-9);
        let prior = b.c.window();
        b.c.on_ecn(&Loss { now: b.now, flight_size: prior });
        close(b.c.window(), prior, 1e-9);
    }
}
