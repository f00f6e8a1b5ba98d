//! Prague: the end of slow start, growth with marks, the virtual round-trip time, pacing, and the rate at a given share of marks.

use crate::bench;

use bench::{Bench, close, ms};
use eddyline_cc::{Ack, Controller, EcnResponse, Loss, Marks, Sent, Stamp};
use eddyline_units::Time;

/// One acknowledgement of `acked` packets, of which some are marked, `rtt` after they were sent.
fn feed(b: &mut Bench, sent: Time, rtt: Time, acked: f64, marked: f64, may_reduce: bool) -> bool {
    let now = sent + rtt;
    b.c.on_marks(&Marks { now, sent_at: sent, acked, marked });
    let prior = b.c.window();
    if marked > 0.0 && may_reduce {
        b.c.on_ecn(&Loss { now, flight_size: prior });
    }
    let reduced = b.c.window() < prior;
    b.c.on_ack(&Ack {
        now,
        sent_at: sent,
        received_at: sent,
        rtt: Some(rtt),
        acked,
        lost: 0.0,
        in_flight: b.c.window() - 1.0,
        stamp: Stamp::default(),
        cwnd_limited: true,
        in_recovery: false,
    });
    b.now = now;
    reduced
}

/// A round trip of the whole window; `marks` decides for each packet whether it is marked.
fn round(b: &mut Bench, rtt_ms: f64, marks: &mut dyn FnMut() -> bool) -> f64 {
    let n = (b.c.window() as u64).max(1);
    let (begin, rtt) = (b.now, ms(rtt_ms));
    let step = Time::from_ps(rtt.as_ps() / (n + 1));
    let mut reduced = false;
    for i in 0..n {
        let sent = begin + step * i;
        b.c.on_sent(&Sent { now: sent, in_flight: (i + 1) as f64, cwnd_limited: true, app_limited: false });
        reduced |= feed(b, sent, rtt, 1.0, f64::from(u8::from(marks())), !reduced);
    }
    b.now = begin + rtt;
    b.c.window()
}

fn bernoulli(p: f64) -> impl FnMut() -> bool {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64) / ((1u64 << 53) as f64) < p
    }
}

#[test]
fn the_first_mark_ends_slow_start_with_half_the_window() {
    let mut b = Bench::new("prague", "", 100.0);
    assert_eq!(b.c.ecn_response(), EcnResponse::LowLatency);
    close(round(&mut b, 100.0, &mut || false), 20.0, 1e-9);
    close(round(&mut b, 100.0, &mut || false), 40.0, 1e-9);
    let now = b.now;
    feed(&mut b, now, ms(100.0), 1.0, 1.0, true);
    close(b.c.window(), 20.0, 1e-9);
    close(b.c.slow_start_threshold().unwrap(), 20.0, 1e-9);
}

/// Of four packets of which one is marked three make the window grow, `3 / cwnd`.
#[test]
fn grows_by_the_unmarked_packets() {
    let mut b = Bench::new("prague", "", 100.0);
    let now = b.now;
    feed(&mut b, now, ms(100.0), 1.0, 1.0, true);
    let w = b.c.window();
    let now = b.now;
    feed(&mut b, now, ms(100.0), 4.0, 1.0, false);
    close(b.c.window(), w + 3.0 / w, 1e-9);
}

/// Below 25 ms a flow has what it would have at 25 ms: a packet a virtual round trip more for each window in it, so
/// (rtt / 25 ms)^2 a round trip, from the fourth round trip after slow start on.
#[test]
fn short_round_trips_grow_as_virtual_ones() {
    for (rtt_ms, a_round) in [(5.0, 0.04), (10.0, 0.16), (25.0, 1.0), (60.0, 1.0)] {
        let mut b = Bench::new("prague", "", rtt_ms);
        let mut first = true;
        round(&mut b, rtt_ms, &mut || std::mem::take(&mut first));
        // alpha is of one mark and soon forgotten; 100 ms and four round trips are more than the transition takes
        for _ in 0..60 {
            round(&mut b, rtt_ms, &mut || false);
        }
        let prior = b.c.window();
        let grown = (0..20).map(|_| round(&mut b, rtt_ms, &mut || false)).last().unwrap() - prior;
        // each round trip acknowledges a whole number of packets, up to one less than the window
        close(grown, 20.0 * a_round, 0.1 * 20.0 * a_round);
    }
}

#[test]
fn paces_a_window_per_round_trip_within_three_percent() {
    let mut b = Bench::new("prague", "", 100.0);
    let steep = b.c.pacing_interval().unwrap().as_secs_f64();
    close(steep, 0.1 / 10.0 / 2.0, 1e-9);
    let mut first = true;
    round(&mut b, 100.0, &mut || std::mem::take(&mut first));
    for _ in 0..12 {
        round(&mut b, 100.0, &mut || false);
    }
    let w = b.c.window();
    let (begin, mut seen) = (b.now, Vec::new());
    for i in 1..=10 {
        let sent = begin + ms(10.0 * f64::from(i)) - ms(100.0);
        feed(&mut b, sent, ms(100.0), 0.0, 0.0, false);
        seen.push(b.c.pacing_interval().unwrap().as_secs_f64() * w / 0.1);
    }
    seen.sort_by(f64::total_cmp);
    close(seen[0], 1.0 / 1.03125, 1e-3);
    close(seen[9], 1.0 / 0.96875, 1e-3);
}

#[test]
fn losses_and_coarse_marks_halve() {
    let mut b = Bench::new("prague", "", 100.0);
    b.in_avoidance(40.0, 100.0);
    let w = b.c.window();
    close(b.lose(), w / 2.0, 1e-9);
    // a peer without counts: a mark is a loss
    let mut b = Bench::new("prague", "", 100.0);
    b.in_avoidance(40.0, 100.0);
    let w = b.c.window();
    b.c.on_ecn(&Loss { now: b.now, flight_size: w });
    close(b.c.window(), w / 2.0, 1e-9);
    close(b.time_out(), 1.0, 1e-9);
}

/// Rounds as made here have a reduction of p / 2 of the window W each if any of its packets is marked, and grow by 1 - p: with
/// c = W p, `c (1 - e^-c) = 2 (1 - p)`. The draft's (1 - p) / p packets in 12.5 ms have marks evenly spaced.
#[test]
fn window_at_random_marks() {
    for p in [0.01, 0.05] {
        let mut b = Bench::new("prague", "", 50.0);
        let mut marks = bernoulli(p);
        for _ in 0..600 {
            round(&mut b, 50.0, &mut marks);
        }
        let rounds = 3000;
        let mean = (0..rounds).map(|_| round(&mut b, 50.0, &mut marks)).sum::<f64>() / f64::from(rounds);
        let c = (0..100).fold(2.0f64, |c, _| 2.0 * (1.0 - p) / (1.0 - (-c).exp()));
        close(mean, c / p, 0.05 * c / p);
    }
}

/// After a pause the restart window leaves at the pace of that window: twice of it a round trip far below the threshold, else once.
#[test]
fn a_pause_ends_the_pace_of_the_window_before_it() {
    let mut b = Bench::new("prague", "", 100.0);
    (0..4).for_each(|_| _ = round(&mut b, 100.0, &mut || false));
    let mut first = true;
    // six round trips of congestion avoidance: the pace has an offset, which slow start after the pause has not
    (0..6).for_each(|_| _ = round(&mut b, 100.0, &mut || std::mem::take(&mut first)));
    assert!(b.c.window() > 60.0);
    b.c.on_idle(50.0);
    assert_eq!((b.c.window(), b.c.pacing_interval()), (50.0, Some(ms(100.0 / 50.0))));
    b.c.on_idle(10.0);
    assert_eq!((b.c.window(), b.c.pacing_interval()), (10.0, Some(ms(100.0 / 20.0))));
}
