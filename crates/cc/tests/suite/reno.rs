//! Reno and NewReno on synthetic events.

use eddyline_cc::{Ack, AnyController, Controller, ControllerParams, Loss, PartialAck, PathFacts, Stamp, Timeout};
use eddyline_units::Time;

const FACTS: PathFacts = PathFacts {
    mss: 1000,
    packet_bytes: 1040,
    ack_bytes: 40,
    ack_ratio: 1,
    initial_window: 10.0,
    known_base_rtt: None,
    byte_counting: None,
    paced: false,
};
const KINDS: [&str; 2] = ["reno", "newreno"];

fn build(kind: &str) -> AnyController {
    serde_json::from_str::<ControllerParams>(&format!(r#"{{ "kind": "{kind}" }}"#)).unwrap().build(&FACTS)
}

fn ack(acked: f64, cwnd_limited: bool, in_recovery: bool) -> Ack {
    Ack {
        now: Time::from_ms(100),
        sent_at: Time::ZERO,
        received_at: Time::from_ms(50),
        rtt: Some(Time::from_ms(100)),
        acked,
        lost: 0.0,
        in_flight: 10.0,
        stamp: Stamp::default(),
        cwnd_limited,
        in_recovery,
    }
}

fn loss(flight_size: f64) -> Loss {
    Loss { now: Time::from_ms(100), flight_size }
}

#[test]
fn slow_start_adds_a_packet_per_acknowledgement() {
    for kind in KINDS {
        let mut c = build(kind);
        (0..10).for_each(|_| c.on_ack(&ack(1.0, true, false)));
        assert_eq!(c.window(), 20.0);
        c.on_ack(&ack(2.0, true, false));
        assert_eq!(c.window(), 21.0, "no byte counting: one per acknowledgement, whatever it covers");
        c.on_ack(&ack(0.5, true, false));
        assert_eq!(c.window(), 21.5, "RFC 5681, equation 2: never more than was acknowledged");
    }
}

#[test]
fn congestion_avoidance_adds_a_packet_per_round_trip() {
    for kind in KINDS {
        let mut c = build(kind);
        c.on_loss(&loss(40.0));
        assert_eq!(c.window(), 20.0);
        (0..20).for_each(|_| c.on_ack(&ack(1.0, true, false)));
        assert!((c.window() - 21.0).abs() < 0.03, "{}", c.window());
    }
}

#[test]
fn halving_may_round_to_whole_packets() {
    for kind in KINDS {
        let params = format!(r#"{{ "kind": "{kind}", "whole_packets": true }}"#);
        let mut whole = serde_json::from_str::<ControllerParams>(&params).unwrap().build(&FACTS);
        let mut bytes = build(kind);
        for c in [&mut whole, &mut bytes] {
            c.on_loss(&loss(11.5));
        }
        assert_eq!((whole.window(), bytes.window()), (5.0, 5.75));
    }
}

#[test]
fn no_growth_in_recovery_or_when_not_cwnd_limited() {
    for kind in KINDS {
        let mut c = build(kind);
        c.on_ack(&ack(1.0, false, false));
        c.on_ack(&ack(1.0, true, true));
        assert_eq!(c.window(), 10.0);
    }
}

#[test]
fn half_on_loss_one_after_a_timeout() {
    for kind in KINDS {
        let mut c = build(kind);
        c.on_loss(&loss(3.0));
        assert_eq!(c.window(), 2.0, "at least two (RFC 5681, equation 4)");
        let mut c = build(kind);
        let event = Timeout { now: Time::from_ms(1), flight_size: 10.0, repeated: false };
        c.on_timeout(&event);
        assert_eq!(c.window(), 1.0);
        c.on_timeout(&Timeout { flight_size: 1.0, repeated: true, ..event });
        (0..4).for_each(|_| c.on_ack(&ack(1.0, true, false)));
        assert_eq!(c.window(), 5.0, "slow start up to half of what was in flight before the first timeout");
        c.on_ack(&ack(1.0, true, false));
        assert!((c.window() - 5.2).abs() < 1e-12, "then congestion avoidance");
    }
}

#[test]
fn reno_and_newreno_differ_in_partial_acknowledgements() {
    assert_eq!(build("reno").partial_ack(), PartialAck::Leave);
    assert_eq!(build("newreno").partial_ack(), PartialAck::Stay);
}
