//! Copa on synthetic acknowledgements (Arun and Balakrishnan 2018).

use crate::bench;

use bench::{Bench, close, ms};
use eddyline_cc::{Controller as _, Stamp};

/// Round trips over a link of 1,000 packet/s and 100 ms: what the window exceeds 100 packets waits.
fn over_a_link(b: &mut Bench, rounds: usize) -> f64 {
    let mut mean = 0.0;
    for _ in 0..rounds {
        let w = b.c.window();
        b.round((w / 1_000.0).max(0.1) * 1e3);
        mean += b.c.window() / rounds as f64;
    }
    mean
}

/// The target rate 1 / (delta dq) queues 1 / delta packets: 2 at delta 0.5, 10 at 0.1.
#[test]
fn queues_one_over_delta_packets() {
    for (delta, queue) in [(0.5, 2.0), (0.1, 10.0)] {
        let mut b = Bench::new("copa", &format!(r#", "delta": {delta}, "competitive": false"#), 100.0);
        over_a_link(&mut b, 60);
        let mean = over_a_link(&mut b, 60);
        // the steps of a round trip are 1 / delta themselves: the queue swings between none and twice that
        close(mean, 100.0 + queue, 1.2 * queue);
    }
}

/// While the target is far the velocity doubles each round trip from the third on: steps of v / delta.
#[test]
fn the_velocity_doubles() {
    let mut b = Bench::new("copa", r#", "competitive": false"#, 100.0);
    // a queue of 50 ms ends slow start, then it goes
    b.round(100.0);
    b.round(150.0);
    b.round(150.0);
    let steps: Vec<f64> = (0..9)
        .map(|_| {
            let prior = b.c.window();
            b.round(100.0) - prior
        })
        .collect();
    assert!(steps.windows(2).skip(4).all(|s| s[1] > 1.6 * s[0] || s[1] > 0.9 * b.c.window() / 2.0), "{steps:?}");
}

/// It paces at twice its rate, and does not react to a loss by itself.
#[test]
fn pacing_and_loss() {
    let mut b = Bench::new("copa", "", 100.0);
    assert_eq!(b.c.pacing_interval(), Some(ms(5.0)));
    b.round(100.0);
    // a loss ends slow start
    close(b.lose(), 10.0, 0.0);
    close(b.lose(), 10.0, 0.0);
    close(b.time_out(), 2.0, 0.0);
}

/// The handshake's packets are shorter than data packets. RTTmin is that of data, or no queue would ever look nearly empty (2.2).
#[test]
fn the_handshake_is_no_sample_of_the_base_round_trip() {
    let mut b = Bench::new("copa", "", 90.0);
    assert_eq!(b.c.base_rtt(), None);
    assert_eq!(b.c.pacing_interval(), Some(ms(4.5)));
    b.round(100.0);
    assert_eq!(b.c.base_rtt(), Some(ms(100.0)));
}

/// Without SACK the first acknowledgement after a timeout may cover 200 packets that had arrived before it. Equation 1 changes the window
/// by v / delta packets a round trip, and a round trip delivers a window: the window grows as if that had arrived.
#[test]
fn packets_that_arrived_before_a_timeout_count_as_a_window() {
    let mut b = Bench::new("copa", r#", "competitive": false"#, 100.0);
    // a queue of 50 ms ends slow start
    b.round(100.0);
    b.round(150.0);
    b.round(150.0);
    let window = b.time_out();
    b.now += ms(1_000.0);
    b.acknowledge(b.now, ms(100.0), 1.0, 200.0, Stamp::default());
    close(b.c.window(), window + 2.0, 0.0);
}

/// After a pause the restart window leaves at the pace of that window, twice of it a round trip.
#[test]
fn a_pause_ends_the_pace_of_the_window_before_it() {
    let mut b = Bench::new("copa", "", 100.0);
    (0..4).for_each(|_| _ = b.round(100.0));
    assert!(b.c.window() > 100.0);
    b.c.on_idle(10.0);
    close(b.c.window(), 10.0, 1e-9);
    assert_eq!(b.c.pacing_interval(), Some(ms(100.0 / 20.0)));
}
