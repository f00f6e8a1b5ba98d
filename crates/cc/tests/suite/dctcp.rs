//! DCTCP: the average share of marks, the reduction at a mark, losses, and the window at a given share.

use crate::bench;

use bench::{Bench, close, ms};
use eddyline_cc::{Controller, EcnResponse, Loss, Marks, Sent};

/// A round trip of the whole window in which the packets that `marks` selects are marked; the first of them reduces the window.
pub fn round(b: &mut Bench, rtt_ms: f64, marks: &mut dyn FnMut() -> bool) -> f64 {
    let n = (b.c.window() as u64).max(1);
    let (begin, rtt) = (b.now, ms(rtt_ms));
    let step = eddyline_units::Time::from_ps(rtt.as_ps() / (n + 1));
    let mut reduced = false;
    for i in 0..n {
        let sent = begin + step * i;
        let stamp = b.c.on_sent(&Sent { now: sent, in_flight: (i + 1) as f64, cwnd_limited: true, app_limited: false });
        let marked = f64::from(u8::from(marks()));
        b.c.on_marks(&Marks { now: sent + rtt, sent_at: sent, acked: 1.0, marked });
        if marked > 0.0 && !reduced {
            let prior = b.c.window();
            b.c.on_ecn(&Loss { now: sent + rtt, flight_size: n as f64 });
            reduced = b.c.window() < prior;
        }
        b.acknowledge(sent, rtt, n as f64 - 1.0, 1.0, stamp);
    }
    b.now = begin + rtt;
    b.c.window()
}

/// A stream of marks of probability `p`, the same every time.
fn bernoulli(p: f64) -> impl FnMut() -> bool {
    let mut state = 1u64;
    move || {
        // Knuth's multiplier; the upper bits are random enough
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64) / ((1u64 << 53) as f64) < p
    }
}

#[test]
fn a_mark_takes_half_of_the_average_share() {
    let mut b = Bench::new("dctcp", "", 100.0);
    assert_eq!(b.c.ecn_response(), EcnResponse::ByShare);
    b.in_avoidance(32.0, 100.0);
    // RFC 8257, 4.2: alpha is one at first, so the first mark is a loss
    let w = b.c.window();
    b.c.on_ecn(&Loss { now: b.now, flight_size: w });
    close(b.c.window(), w / 2.0, 1e-9);
    // each round trip without marks takes a sixteenth of alpha
    for n in 1..=5 {
        b.c.on_marks(&Marks {
            now: ms(1000.0 * f64::from(n)),
            sent_at: ms(1000.0 * f64::from(n) - 1.0),
            acked: 10.0,
            marked: 0.0,
        });
    }
    let w = b.c.window();
    b.c.on_ecn(&Loss { now: b.now, flight_size: w });
    close(b.c.window(), w * (1.0 - (15.0f64 / 16.0).powi(5) / 2.0), 1e-9);
}

#[test]
fn the_share_is_that_of_a_round_trip() {
    let mut b = Bench::new("dctcp", ", \"gain\": 1.0", 100.0);
    b.in_avoidance(64.0, 100.0);
    let w = b.c.window();
    // one of four, in three acknowledgements of which the last ends the round trip
    let at =
        |ms_at: f64, sent: f64, acked: f64, marked: f64| Marks { now: ms(ms_at), sent_at: ms(sent), acked, marked };
    b.c.on_marks(&at(2000.0, 1999.0, 1.0, 1.0));
    b.c.on_marks(&at(2010.0, 1999.5, 2.0, 0.0));
    b.c.on_marks(&at(2020.0, 1999.9, 1.0, 1.0));
    b.c.on_marks(&at(2100.0, 2000.0, 1.0, 0.0));
    b.c.on_ecn(&Loss { now: ms(2100.0), flight_size: w });
    close(b.c.window(), w * (1.0 - 0.25 / 2.0), 1e-9);
}

#[test]
fn a_loss_halves_the_window() {
    let mut b = Bench::new("dctcp", ", \"initial_alpha\": 0.0", 100.0);
    b.in_avoidance(40.0, 100.0);
    let w = b.c.window();
    b.c.on_ecn(&Loss { now: b.now, flight_size: w });
    close(b.c.window(), w, 1e-9);
    close(b.lose(), w / 2.0, 1e-9);
}

/// Marks of probability p. Rounds as made here have a reduction of p / 2 of the window W each if any of its packets is marked, and
/// grow by one: with c = W p, `c (1 - e^-c) = 2`, 2.2. The 2 / p of the literature has marks in every round trip.
#[test]
fn window_at_random_marks() {
    for p in [0.005, 0.02] {
        let mut b = Bench::new("dctcp", "", 100.0);
        b.in_avoidance(2.7 / p, 100.0);
        let mut marks = bernoulli(p);
        for _ in 0..200 {
            round(&mut b, 100.0, &mut marks);
        }
        let rounds = 3000;
        let mean = (0..rounds).map(|_| round(&mut b, 100.0, &mut marks)).sum::<f64>() / f64::from(rounds);
        let c = (0..100).fold(2.0f64, |c, _| 2.0 / (1.0 - (-c).exp()));
        // alpha varies with the marks and is correlated with them
        close(mean, c / p, 0.1 * c / p);
    }
}
