//! FAST on synthetic acknowledgements.

use crate::bench;

use bench::{Bench, close, ms};
use eddyline_cc::{Ack, AnyController, Controller, ControllerParams, Loss, PathFacts, Sent, Stamp, Timeout};
use eddyline_units::Time;

const FACTS: PathFacts = PathFacts {
    mss: 1000,
    packet_bytes: 1040,
    ack_bytes: 40,
    ack_ratio: 1,
    initial_window: 10.0,
    known_base_rtt: Some(Time::from_ms(100)),
    byte_counting: None,
    paced: false,
};

fn build(more: &str) -> AnyController {
    let text = format!(r#"{{ "kind": "fast", "alpha": "50 packets"{more} }}"#);
    serde_json::from_str::<ControllerParams>(&text).unwrap().build(&FACTS)
}

/// One packet sent at `sent` with `in_flight` packets on their way, acknowledged after `rtt` milliseconds.
fn exchange(c: &mut AnyController, sent: Time, in_flight: f64, rtt: u64) {
    let stamp = c.on_sent(&Sent { now: sent, in_flight, cwnd_limited: false, app_limited: true });
    let now = sent + Time::from_ms(rtt);
    c.on_ack(&Ack {
        now,
        sent_at: sent,
        received_at: sent,
        rtt: Some(Time::from_ms(rtt)),
        acked: 1.0,
        lost: 0.0,
        in_flight,
        stamp,
        cwnd_limited: true,
        in_recovery: false,
    });
}

#[test]
fn doubles_while_there_is_no_queueing_delay() {
    let mut c = build("");
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    for i in 0..10 {
        exchange(&mut c, Time::from_ms(100 + i), 10.0, 100);
    }
    assert_eq!(c.window(), 20.0, "ten acknowledgements, ten packets more");
}

/// Without SACK the first acknowledgement after a timeout may cover 200 packets that had arrived before it: the window doubles at most.
#[test]
fn packets_that_arrived_before_a_timeout_count_as_a_window() {
    let mut b = Bench::new("fast", r#", "alpha": "50 packets""#, 100.0);
    b.round(100.0);
    close(b.time_out(), 2.0, 0.0);
    b.acknowledge(b.now, ms(100.0), 1.0, 200.0, Stamp::default());
    close(b.c.window(), 4.0, 0.0);
}

/// w <- (1 - gamma) w + gamma (w_sent baseRTT / avgRTT + alpha) once per round trip, w_sent the packets in flight when the
/// acknowledged packet was sent.
#[test]
fn updates_once_per_round_trip() {
    let mut c = build(r#", "base_rtt": "known", "filter_gain": 1e9, "filter_cap": 1.0"#);
    c.on_handshake(Time::from_ms(120), Time::from_ms(120));
    exchange(&mut c, Time::from_ms(130), 8.0, 125);
    // 0.5 * 10 + 0.5 * (8 * 100 / 125 + 50) = 33.2, but at most twice the window
    assert_eq!(c.window(), 20.0);
    exchange(&mut c, Time::from_ms(140), 8.0, 125);
    assert_eq!(c.window(), 20.0, "sent before the last update: the same round trip");
    exchange(&mut c, Time::from_ms(300), 20.0, 125);
    assert!((c.window() - 40.0).abs() < 1e-5, "0.5 * 20 + 0.5 * (20 * 100 / 125 + 50) = 43, again capped at twice");
}

/// In equilibrium alpha packets are queued: w = w baseRTT / avgRTT + alpha is unchanged.
#[test]
fn is_stationary_with_alpha_packets_queued() {
    let mut c = build(r#", "base_rtt": "known", "filter_gain": 1e9, "filter_cap": 1.0"#);
    c.on_handshake(Time::from_ms(125), Time::from_ms(125));
    let mut sent = Time::from_ms(125);
    for _ in 0..200 {
        let window = c.window();
        exchange(&mut c, sent, window, 125);
        sent += Time::from_ms(126);
    }
    // w (1 - 100 / 125) = 50
    assert!((c.window() - 250.0).abs() < 1e-3, "{}", c.window());
}

#[test]
fn base_rtt_is_the_smallest_sample_or_the_known_one() {
    let mut estimated = build("");
    estimated.on_handshake(Time::from_ms(130), Time::from_ms(130));
    assert_eq!(estimated.base_rtt(), Some(Time::from_ms(130)));
    exchange(&mut estimated, Time::from_ms(131), 1.0, 110);
    exchange(&mut estimated, Time::from_ms(132), 1.0, 140);
    assert_eq!(estimated.base_rtt(), Some(Time::from_ms(110)));
    let mut known = build(r#", "base_rtt": "known""#);
    exchange(&mut known, Time::from_ms(131), 1.0, 90);
    assert_eq!(known.base_rtt(), Some(Time::from_ms(100)));
}

#[test]
fn halves_on_loss_and_falls_to_two_on_timeout() {
    let mut c = build("");
    let now = Time::from_ms(1);
    c.on_loss(&Loss { now, flight_size: 10.0 });
    assert_eq!(c.window(), 5.0);
    c.on_loss(&Loss { now, flight_size: 5.0 });
    c.on_loss(&Loss { now, flight_size: 2.0 });
    assert_eq!(c.window(), 2.0, "the floor");
    let mut c = build("");
    c.on_timeout(&Timeout { now, flight_size: 10.0, repeated: false });
    assert_eq!(c.window(), 2.0);
}

#[test]
fn paces_a_window_a_round_trip_with_one_packet_of_slack() {
    let mut c = build("");
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    assert_eq!(c.pacing_interval(), Some(Time::from_ms(10)));
    assert_eq!((c.flight_limit(true), c.flight_limit(false)), (11.0, 10.0));
}

/// The module increases the window by whole packets only and decreases it by fractions too.
#[test]
fn the_module_moves_by_whole_packets() {
    let mut c = build(r#", "profile": "ns2-1.1.3""#);
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    assert_eq!(c.pacing_interval(), None);
    let mut sent = Time::from_ms(100);
    for _ in 0..3_000 {
        let window = c.window();
        // the acknowledged packet has left
        exchange(&mut c, sent, window.floor() - 1.0, 125);
        sent += Time::from_ms(10);
        let added = c.window() - window;
        assert!(added <= 0.0 || (added - added.round()).abs() < 1e-9, "{window} -> {}", c.window());
    }
    // the average starts at the base, so the window comes down to 250, where w / 5 = 50
    assert!((249.0..=251.0).contains(&c.window()), "{}", c.window());
}

/// Far below its target the module doubles the window up to eight packets, then adds one packet per acknowledgement,
/// also in round
/// trips without an update, until the increase of the last update is complete.
#[test]
fn the_module_grows_back_after_a_timeout() {
    let mut c = build(r#", "profile": "ns2-1.1.3""#);
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    // a queue of 50 ms, then a timeout: the average stays, the window is two
    for i in 0..40 {
        exchange(&mut c, Time::from_ms(100 + i), 40.0, 150);
    }
    c.on_timeout(&Timeout { now: Time::from_ms(1_000), flight_size: 40.0, repeated: false });
    let mut sent = Time::from_ms(1_000);
    let mut windows = Vec::new();
    for _ in 0..4 {
        let window = c.window();
        for _ in 0..window as u64 {
            exchange(&mut c, sent, window, 150);
        }
        windows.push(c.window());
        sent += Time::from_ms(151);
    }
    // with or without an update: 2 -> 4 -> 8 -> 16 -> 32; the third round trip updates: 0.5 * 16 + 0.5 * (9 * 100 / 108
    // + 50) = 37.2
    assert_eq!(windows, [8.0, 16.0, 32.0, 37.0]);
}

/// The average starts with the handshake's sample, at weight 1/256 from there: the doubling phase of a flow that finds
/// a queue lasts
/// until the average has moved by `mi_threshold`. A packet records the packets in flight at the last acknowledgement
/// before it.
#[test]
fn the_module_starts_from_the_handshake() {
    let mut c = build(r#", "profile": "ns2-1.1.3", "base_rtt": "estimated""#);
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    let mut sent = Time::from_ms(100);
    let mut doubled = 0;
    // 256 * 0.75 ms / 4 ms = 48 samples of 104 ms move the average by 0.75 ms, or a few more
    while doubled < 100 {
        let window = c.window();
        exchange(&mut c, sent, 9.0, 104);
        sent += Time::from_ps(10_000_000);
        if c.window() != window + 1.0 {
            break;
        }
        doubled += 1;
    }
    assert_eq!(doubled, 53, "1 - (255/256)^n < 0.75 / 4 up to n = 53");
}

/// Recovery yields neither samples nor updates, and its packets record the packets in flight before it.
#[test]
fn the_module_does_not_update_in_recovery() {
    let mut c = build(r#", "profile": "ns2-1.1.3""#);
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    exchange(&mut c, Time::from_ms(100), 40.0, 100);
    c.on_loss(&Loss { now: Time::from_ms(210), flight_size: 40.0 });
    let window = c.window();
    let stamp = c.on_sent(&Sent { now: Time::from_ms(215), in_flight: 6.0, cwnd_limited: true, app_limited: false });
    assert_eq!(stamp.remembered, 41.0);
    for i in 0..1_000 {
        let now = Time::from_ms(310 + i);
        let rtt = Some(Time::from_ms(150));
        let sent_at = Time::from_ms(160 + i);
        c.on_ack(&Ack {
            now,
            sent_at,
            received_at: sent_at,
            rtt,
            acked: 1.0,
            lost: 0.0,
            in_flight: 6.0,
            stamp,
            cwnd_limited: true,
            in_recovery: true,
        });
    }
    assert_eq!(c.window(), window);
    exchange(&mut c, Time::from_ms(1_400), 6.0, 100);
    assert_eq!(c.window(), window + 1.0, "no sample moved the average: doubling continues");
}
