//! FAST on acknowledgements made by hand.

use eddyline_cc::{Ack, AnyController, Controller, ControllerParams, Loss, PathFacts, Sent, Timeout};
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
    let stamp = c.on_sent(&Sent { now: sent, in_flight, cwnd_limited: false });
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

/// w <- (1 - gamma) w + gamma (w_then baseRTT / avgRTT + alpha), once a round trip.
#[test]
fn follows_the_law_once_a_round_trip() {
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

/// In equilibrium alpha packets are queued: w = w baseRTT / avgRTT + alpha stays where it is.
#[test]
fn rests_where_alpha_packets_are_queued() {
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

/// The module adds whole packets only and stops within two of its aim.
#[test]
fn the_module_moves_by_whole_packets() {
    let mut c = build(r#", "profile": "ns2-1.1.3""#);
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    assert_eq!(c.pacing_interval(), None);
    let mut sent = Time::from_ms(100);
    for _ in 0..3_000 {
        let window = c.window();
        exchange(&mut c, sent, window.floor(), 125);
        sent += Time::from_ms(10);
        assert_eq!(c.window().fract(), 0.0);
    }
    // where the law would add less than one packet: w / 5 > 50 - 2
    assert!((240.0..=250.0).contains(&c.window()), "{}", c.window());
}

/// Far below its aim the module doubles up to eight packets, then adds one per acknowledgement, in round trips of rest too, until
/// what the last update planned is used up.
#[test]
fn the_module_on_its_way_back() {
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
    // rest or not: 2 -> 4 -> 8 -> 16 -> 32; 38 is all that was planned
    assert_eq!(windows, [8.0, 16.0, 32.0, 38.0]);
}
