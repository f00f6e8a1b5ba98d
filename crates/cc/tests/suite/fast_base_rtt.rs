//! Corrections of a wrong base round-trip time, on synthetic acknowledgements.

use eddyline_cc::{Ack, AnyController, Controller, ControllerParams, Loss, PathFacts, Sent, Timeout};
use eddyline_units::Time;

const FACTS: PathFacts = PathFacts {
    mss: 1000,
    packet_bytes: 1000,
    ack_bytes: 40,
    ack_ratio: 1,
    initial_window: 10.0,
    known_base_rtt: None,
    byte_counting: None,
    paced: false,
};

fn build(more: &str) -> AnyController {
    let text = format!(r#"{{ "kind": "fast", "alpha": "50 packets", "filter_gain": 1e9, "filter_cap": 1.0{more} }}"#);
    serde_json::from_str::<ControllerParams>(&text).unwrap().build(&FACTS)
}

fn exchange(c: &mut AnyController, sent: Time, rtt: u64) {
    let in_flight = c.window();
    let stamp = c.on_sent(&Sent { now: sent, in_flight, cwnd_limited: false, app_limited: true });
    let now = sent + Time::from_ms(rtt);
    c.on_ack(&Ack {
        now,
        sent_at: sent,
        received_at: sent + Time::from_ms(50),
        rtt: Some(now - sent),
        acked: 1.0,
        lost: 0.0,
        in_flight,
        stamp,
        cwnd_limited: true,
        in_recovery: false,
    });
}

/// Settled with a base of 120 ms that is 20 ms too long, at a round trip of 150 ms: w 30 / 150 = 50.
fn settled(more: &str) -> (AnyController, Time) {
    let mut c = build(more);
    c.on_handshake(Time::from_ms(120), Time::from_ms(120));
    let mut at = Time::from_ms(120);
    for _ in 0..200 {
        exchange(&mut c, at, 150);
        at += Time::from_ms(151);
    }
    (c, at)
}

#[test]
fn without_correction_the_base_rtt_error_stays() {
    let (c, _) = settled("");
    assert!((c.window() - 250.0).abs() < 0.01, "{}", c.window());
    assert_eq!(c.base_rtt(), Some(Time::from_ms(120)));
}

/// A pause every 100 s: the window falls to two packets, packets sent before the pause give no sample, and the first sample ends it.
#[test]
fn a_drain_measures_the_base_rtt() {
    let (mut c, mut at) = settled(r#", "drain": { "every": "100 s" }"#);
    let window = c.window();
    while c.window() > 2.0 {
        assert!(at < Time::from_ms(101_000), "it begins after 100 s without an empty queue");
        exchange(&mut c, at, 150);
        at += Time::from_ms(151);
    }
    assert!(at > Time::from_ms(100_000));
    let begun = at;
    // still of the flight before the pause: its acknowledgements come, the window stays
    exchange(&mut c, begun - Time::from_ms(100), 150);
    assert_eq!(c.window(), 2.0);
    // the first packet of the pause finds the queue empty
    exchange(&mut c, begun + Time::from_ms(140), 100);
    assert_eq!(c.base_rtt(), Some(Time::from_ms(100)));
    assert!((c.window() - window).abs() < 0.5, "{} of {window}", c.window());
    // packets sent while the flight grows again give no sample
    exchange(&mut c, begun + Time::from_ms(250), 100);
    assert!((c.window() - window).abs() < 0.5);
    // then the law, with the right base: w 50 / 150 = 50
    at = begun + Time::from_ms(500);
    for _ in 0..200 {
        exchange(&mut c, at, 150);
        at += Time::from_ms(151);
    }
    assert!((c.window() - 150.0).abs() < 0.01, "{}", c.window());
}

/// A queue that was empty anyway makes a pause unnecessary.
#[test]
fn no_drain_where_the_queue_runs_empty() {
    let mut c = build(r#", "drain": { "every": "10 s" }"#);
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    let mut at = Time::from_ms(100);
    for i in 0..1_000 {
        exchange(&mut c, at, if i % 40 == 0 { 100 } else { 150 });
        at += Time::from_ms(151);
        assert!(c.window() > 2.0, "at {at}");
    }
}

#[test]
fn a_drain_of_more_rounds_takes_longer() {
    let (mut c, mut at) = settled(r#", "drain": { "every": "31 s", "rounds": 3, "window": "4 packets" }"#);
    while c.window() > 4.0 {
        exchange(&mut c, at, 150);
        at += Time::from_ms(151);
    }
    for round in 0..3 {
        assert_eq!(c.window(), 4.0, "round {round}");
        exchange(&mut c, at, 100);
        at += Time::from_ms(101);
    }
    assert!(c.window() > 200.0);
}

/// A loss ends a pause without restoring the window.
#[test]
fn a_loss_ends_the_pause() {
    for timeout in [false, true] {
        let (mut c, mut at) = settled(r#", "drain": { "every": "31 s" }"#);
        while c.window() > 2.0 {
            exchange(&mut c, at, 150);
            at += Time::from_ms(151);
        }
        if timeout {
            c.on_timeout(&Timeout { now: at, flight_size: 2.0, repeated: false });
        } else {
            c.on_loss(&Loss { now: at, flight_size: 2.0 });
        }
        exchange(&mut c, at + Time::from_ms(1), 100);
        assert!(c.window() <= 4.0, "{}", c.window());
    }
}

/// Once, after so many round trips with a queue, to a share of the window.
#[test]
fn a_new_flow_corrects_itself_once() {
    let mut c = build(r#", "rate_correction": { "after": 20, "keep": 0.1 }"#);
    c.on_handshake(Time::from_ms(120), Time::from_ms(120));
    let mut at = Time::from_ms(120);
    let (mut pauses, mut first) = (0, 0);
    for round in 0..400 {
        let prior = c.window();
        exchange(&mut c, at, 150);
        at += Time::from_ms(151);
        if c.window() < 0.2 * prior {
            pauses += 1;
            first = round + 1;
            assert!((c.window() - 0.1 * prior).abs() < 1e-9);
            exchange(&mut c, at, 100);
            at += Time::from_ms(151);
        }
    }
    assert_eq!((pauses, first), (1, 20));
    assert_eq!(c.base_rtt(), Some(Time::from_ms(100)));
    assert!((c.window() - 150.0).abs() < 0.01, "{}", c.window());
}

/// The base is the smallest of the last ten seconds: a longer route is detected; a queue that never empties is mistaken
/// for one.
#[test]
fn old_samples_expire() {
    let mut c = build(r#", "base_rtt_age": "10 s""#);
    c.on_handshake(Time::from_ms(100), Time::from_ms(100));
    let mut at = Time::from_ms(100);
    for _ in 0..50 {
        exchange(&mut c, at, 100);
        at += Time::from_ms(101);
    }
    assert_eq!(c.base_rtt(), Some(Time::from_ms(100)));
    let longer = at;
    while at < longer + Time::from_ms(8_000) {
        exchange(&mut c, at, 140);
        at += Time::from_ms(141);
        assert_eq!(c.base_rtt(), Some(Time::from_ms(100)));
    }
    while at < longer + Time::from_ms(12_000) {
        exchange(&mut c, at, 140);
        at += Time::from_ms(141);
    }
    assert_eq!(c.base_rtt(), Some(Time::from_ms(140)));
}
