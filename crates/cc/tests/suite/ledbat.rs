//! LEDBAT on synthetic acknowledgements (RFC 6817, 2.4.2).

use crate::bench;

use bench::{Bench, close, ms};
use eddyline_cc::{Ack, Controller as _, Stamp, Timeout};
use eddyline_units::Time;

/// One acknowledged packet with a forward delay of its own and a reverse one of 20 ms.
fn feed(b: &mut Bench, forward_ms: f64) {
    feed_with(b, forward_ms, 100.0, true);
}

fn feed_with(b: &mut Bench, forward_ms: f64, in_flight: f64, cwnd_limited: bool) {
    b.now += ms(1.0);
    acknowledge(b, b.now, forward_ms, in_flight, cwnd_limited);
}

/// The same, of a packet that was sent so that its acknowledgement arrives a nanosecond after the last.
fn feed_at_once(b: &mut Bench, forward_ms: f64) {
    let sent_at = b.now + Time::from_ps(1_000) - ms(forward_ms + 20.0);
    acknowledge(b, sent_at, forward_ms, 100.0, true);
}

fn acknowledge(b: &mut Bench, sent_at: Time, forward_ms: f64, in_flight: f64, cwnd_limited: bool) {
    let received_at = sent_at + ms(forward_ms);
    let now = received_at + ms(20.0);
    b.c.on_ack(&Ack {
        now,
        sent_at,
        received_at,
        rtt: Some(now - sent_at),
        acked: 1.0,
        lost: 0.0,
        in_flight,
        stamp: Stamp::default(),
        cwnd_limited,
        in_recovery: false,
    });
    b.now = now;
}

/// `GAIN * off_target / cwnd` per packet: at no queue +1 a round trip, at the target of 100 ms none, above it down, and the
/// reverse path does not count.
#[test]
fn growth_is_proportional_to_the_distance_from_the_target() {
    for (queueing, slope) in [(0.0, 1.0), (50.0, 0.5), (100.0, 0.0), (150.0, -0.5), (400.0, -3.0)] {
        let mut b = Bench::new("ledbat", "", 50.0);
        close(b.c.window(), 2.0, 0.0);
        for _ in 0..2_000 {
            feed(&mut b, 30.0);
        }
        // the current delay is the minimum of four samples
        for _ in 0..4 {
            feed(&mut b, 30.0 + queueing);
        }
        let prior = b.c.window();
        feed(&mut b, 30.0 + queueing);
        close((b.c.window() - prior) * prior, slope, 1e-3);
    }
}

/// With w dw = 1 per packet the window is sqrt(4 + 2 n): slow and without slow start.
#[test]
fn grows_by_a_packet_a_round_trip() {
    let mut b = Bench::new("ledbat", "", 50.0);
    for _ in 0..5_000 {
        feed(&mut b, 30.0);
    }
    close(b.c.window(), (4.0f64 + 2.0 * 5_000.0).sqrt(), 0.1);
    let prior = b.c.window();
    close(b.lose() / prior, 0.5, 1e-9);
    close(b.time_out(), 1.0, 0.0);
}

/// Never more than a packet beyond what was in flight before the acknowledgement (ALLOWED_INCREASE): an
/// application-limited sender does not accumulate window.
#[test]
fn the_window_follows_what_is_in_flight() {
    let mut b = Bench::new("ledbat", "", 50.0);
    for _ in 0..50 {
        feed(&mut b, 30.0);
    }
    assert!(b.c.window() > 10.0);
    let window = b.c.window();
    feed_with(&mut b, 30.0, 3.0, true);
    close(b.c.window(), window, 0.0); // pacing holds it back
    feed_with(&mut b, 30.0, 3.0, false);
    close(b.c.window(), 5.0, 0.0);
}

/// LEDBAT++: gain 1 / min(16, ceil(2 * 60 / base)); slow start by it up to 45 ms of queue, then a slowdown after two round trips.
#[test]
fn plus_plus_starts_slowly_and_slows_down() {
    let mut b = Bench::new("ledbat", r#", "profile": "ledbat++""#, 50.0);
    feed(&mut b, 30.0);
    let prior = b.c.window();
    feed(&mut b, 30.0);
    // base 50 ms: ceil(120 / 50) = 3
    close(b.c.window() - prior, 1.0 / 3.0, 1e-9);
    for _ in 0..100 {
        feed(&mut b, 30.0);
    }
    let full = b.c.window();
    for _ in 0..5 {
        feed(&mut b, 80.0);
    }
    assert!(b.c.window() >= full, "avoidance below the target");
    let mut min = f64::INFINITY;
    for _ in 0..20 {
        feed(&mut b, 30.0);
        min = min.min(b.c.window());
    }
    close(min, 2.0, 0.0);
    for _ in 0..150 {
        feed(&mut b, 30.0);
    }
    assert!(b.c.window() > 0.9 * full, "and back: {} of {full}", b.c.window());
}

/// LEDBAT++, 4.2: per packet a share `1 / cwnd` of `max(gain - cwnd (queueing / target - 1), -cwnd / 2)`, and of the gain below the target.
#[test]
fn plus_plus_decreases_by_a_share_of_its_window() {
    let gain = 1.0 / 3.0; // base 50 ms, as above
    for (queueing, a_round) in [(50.0, |_| 1.0 / 3.0), (66.0, |w: f64| 1.0 / 3.0 - 0.1 * w), (180.0, |w: f64| -w / 2.0)]
        as [(f64, fn(f64) -> f64); 3]
    {
        let mut b = Bench::new("ledbat", r#", "profile": "ledbat++""#, 50.0);
        for _ in 0..60 {
            feed(&mut b, 30.0);
        }
        close(b.c.window(), 2.0 + 60.0 * gain, 1e-9);
        // the minimum of four samples exceeds three quarters of the target: slow start is over, the slowdown two round trips away
        for _ in 0..4 {
            feed_at_once(&mut b, 30.0 + queueing);
        }
        let prior = b.c.window();
        feed_at_once(&mut b, 30.0 + queueing);
        close((b.c.window() - prior) * prior, a_round(prior), 1e-9);
    }
}

/// LEDBAT++: a timer that expires again has no more packets in flight to halve (RFC 5681, 3.1): the ramp still ends at the first half.
#[test]
fn repeated_timeouts_keep_the_window_to_return_to() {
    let back_to = |timeouts: usize| {
        let mut b = Bench::new("ledbat", r#", "profile": "ledbat++""#, 50.0);
        feed(&mut b, 30.0);
        for i in 0..timeouts {
            let flight_size = if i == 0 { 40.0 } else { 1.0 };
            b.c.on_timeout(&Timeout { now: b.now, flight_size, repeated: i > 0 });
        }
        for _ in 0..70 {
            feed(&mut b, 30.0);
        }
        b.c.window()
    };
    assert!(back_to(1) > 20.0);
    close(back_to(3), back_to(1), 1e-9);
}
