//! VFAST on synthetic acknowledgements: eq. 4 to 6 in each reading, the window law, what it shares with FAST.

use crate::bench;

use bench::{Bench, close, ms};
use eddyline_cc::{Ack, Controller, ControllerParams, Loss, Stamp};
use eddyline_units::Time;
use proptest::prelude::*;

fn vfast(more: &str, rtt_ms: f64) -> Bench {
    Bench::new("vfast", &format!(r#", "alpha": "50 packets"{more}"#), rtt_ms)
}

/// A packet of its own round trip.
fn sample(b: &mut Bench, rtt_ms: f64) {
    let sent = b.now;
    b.acknowledge(sent, ms(rtt_ms), 9.0, 1.0, Stamp { remembered: 10.0 });
}

/// SRTT + 4 V in milliseconds.
fn rto(b: &Bench, min_rto: Time) -> f64 {
    b.c.retransmission_timeout(min_rto).unwrap().as_secs_f64() * 1e3
}

#[test]
fn eq_4_weighs_three_quarters_up_and_a_half_down() {
    // zeta so small that V stays 50, half of the first sample (RFC 6298, 2.2)
    let mut b = vfast(r#", "zeta": 1e-12"#, 100.0);
    close(rto(&b, Time::ZERO), 300.0, 1e-6);
    sample(&mut b, 120.0);
    close(rto(&b, Time::ZERO), 315.0, 1e-6);
    sample(&mut b, 105.0);
    close(rto(&b, Time::ZERO), 310.0, 1e-6);
    let mut b = vfast(r#", "zeta": 1e-12, "psi_up": 0.1, "psi_down": 0.9"#, 100.0);
    sample(&mut b, 120.0);
    close(rto(&b, Time::ZERO), 302.0, 1e-6);
    sample(&mut b, 92.0);
    close(rto(&b, Time::ZERO), 293.0, 1e-6);
}

#[test]
fn eq_5_subtracts_the_old_srtt_or_the_new_one() {
    // SRTT 100 -> 115; V 50 -> (50 + 3 |120 - SRTT|) / 4 with zeta 3/4
    let mut old = vfast(r#", "zeta": 0.75"#, 100.0);
    sample(&mut old, 120.0);
    close(rto(&old, Time::ZERO), 115.0 + 4.0 * (12.5 + 0.75 * 20.0), 1e-6);
    let mut new = vfast(r#", "zeta": 0.75, "deviation_from": "new""#, 100.0);
    sample(&mut new, 120.0);
    close(rto(&new, Time::ZERO), 115.0 + 4.0 * (12.5 + 0.75 * 5.0), 1e-6);
}

#[test]
fn eq_6_has_a_minimum_of_the_variation_or_of_the_timeout_or_is_the_senders() {
    let min_rto = Time::from_ms(400);
    close(rto(&vfast("", 100.0), min_rto), 500.0, 1e-6);
    close(rto(&vfast(r#", "rto": "eq6_total""#, 100.0), min_rto), 400.0, 1e-6);
    close(rto(&vfast(r#", "rto": "eq6_total""#, 100.0), Time::ZERO), 300.0, 1e-6);
    assert_eq!(vfast(r#", "rto": "rfc6298""#, 100.0).c.retransmission_timeout(min_rto), None);
    assert_eq!(Bench::new("fast", r#", "alpha": "50 packets""#, 100.0).c.retransmission_timeout(min_rto), None);
}

#[test]
fn before_any_sample_the_timeout_is_a_second() {
    let params: ControllerParams = serde_json::from_str(r#"{ "kind": "vfast", "alpha": "50 packets" }"#).unwrap();
    let c = params.build(&eddyline_cc::PathFacts { initial_window: 10.0, ..Default::default() });
    assert_eq!(c.retransmission_timeout(Time::ZERO), Some(Time::SECOND));
    assert_eq!(c.retransmission_timeout(Time::SECOND * 3), Some(Time::SECOND * 3));
}

/// Two samples that alternate: SRTT alternates between 108.57 and 117.14, the solutions of `h = l + 3/4 (120 - l)`,
/// `l = h + 1/2 (100 - h)`: by 2.86 above the mean of 110.
#[test]
fn noisy_samples_are_overestimated() {
    let mut b = vfast(r#", "zeta": 1.0, "deviation_from": "new""#, 100.0);
    for _ in 0..60 {
        sample(&mut b, 120.0);
        sample(&mut b, 100.0);
    }
    // V is the distance of the last sample
    let low = 760.0 / 7.0;
    close(rto(&b, Time::ZERO), low + 4.0 * (low - 100.0), 1e-6);
}

/// w <- (1 - gamma) w + gamma (w_then baseRTT / SRTT + alpha) with SRTT of eq. 4.
#[test]
fn srtt_is_the_d_of_the_law() {
    let expected = |d: f64| 0.5 * 40.0 + 0.5 * (40.0 * 100.0 / d + 50.0);
    for (more, d) in [
        // 100, then 140: 130; FAST's average with weight min(3 / 40, 1 / 4): 103
        ("", 130.0),
        (r#", "mean_rtt": "average""#, 103.0),
        (r#", "mean_rtt": "srtt_of_average""#, 102.25),
    ] {
        let mut b = vfast(more, 100.0);
        while b.c.window() < 40.0 {
            let sent = b.now;
            b.acknowledge(sent, ms(100.0), 9.0, 1.0, Stamp { remembered: 10.0 });
        }
        let sent = b.now;
        b.acknowledge(sent, ms(140.0), 39.0, 1.0, Stamp { remembered: 40.0 });
        close(b.c.window(), expected(d), 1e-9);
    }
}

#[test]
fn once_an_update_only_the_latest_sample_counts() {
    let each = |smoothing: &str| {
        let mut b = vfast(&format!(r#", "zeta": 1e-12, "smoothing": "{smoothing}""#), 100.0);
        let sent = b.now;
        for rtt in [120.0, 120.0, 108.0] {
            // all sent at once: one round trip
            b.acknowledge(sent, ms(rtt), 9.0, 1.0, Stamp { remembered: 10.0 });
        }
        rto(&b, Time::ZERO) - 200.0
    };
    // 115, 118.75, 113.375
    close(each("ack"), 113.375, 1e-6);
    close(each("update"), 115.0, 1e-6);
}

#[test]
fn the_module_smooths_once_an_update_period() {
    let mut b = vfast(r#", "profile": "ns2-1.1.3", "zeta": 1e-12, "smoothing": "update""#, 100.0);
    // its average starts with the first packet, V with half of it
    let sent = b.now;
    b.acknowledge(sent, ms(100.0), 9.0, 1.0, Stamp { remembered: 10.0 });
    for after in [4.0, 6.0, 9.0] {
        b.acknowledge(sent + ms(after), ms(120.0), 9.0, 1.0, Stamp { remembered: 10.0 });
    }
    // due at the first sample, then none within 10 ms of it
    close(rto(&b, Time::ZERO) - 200.0, 115.0, 1e-6);
    b.acknowledge(sent + ms(14.0), ms(120.0), 9.0, 1.0, Stamp { remembered: 10.0 });
    close(rto(&b, Time::ZERO) - 200.0, 118.75, 1e-6);
}

#[test]
fn retransmissions_are_no_samples() {
    let mut b = vfast("", 100.0);
    let prior = rto(&b, Time::ZERO);
    b.c.on_loss(&Loss { now: b.now, flight_size: 10.0 });
    let (now, stamp) = (b.now + ms(900.0), Stamp { remembered: 10.0 });
    b.c.on_ack(&Ack {
        now,
        sent_at: b.now,
        received_at: now,
        rtt: None,
        acked: 1.0,
        lost: 0.0,
        in_flight: 9.0,
        stamp,
        cwnd_limited: true,
        in_recovery: false,
    });
    b.time_out();
    close(rto(&b, Time::ZERO), prior, 0.0);
}

#[test]
fn unknown_keys_are_errors_and_all_keys_round_trip() {
    let parse = |text: &str| serde_json::from_str::<ControllerParams>(text);
    assert!(parse(r#"{ "kind": "vfast", "alpha": "5 packets", "psi": 0.5 }"#).is_err());
    assert!(parse(r#"{ "kind": "vfast", "psi_up": 0.5 }"#).is_err(), "alpha has no default");
    let all = r#"{ "kind": "vfast", "alpha": "5 packets", "gamma": 0.25, "psi_up": 0.5, "smoothing": "update" }"#;
    let params = parse(all).unwrap();
    assert_eq!(params.fast_law().unwrap().gamma, 0.25);
    let reparsed = parse(&serde_json::to_string(&params).unwrap()).unwrap();
    assert_eq!(params, reparsed);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any samples: eq. 4 to 6 as written, SRTT never outside of the range of samples.
    #[test]
    fn eq_4_to_6(
        samples in prop::collection::vec(1.0f64..1e4, 1..60),
        (up, down, zeta) in (0.01f64..1.0, 0.01f64..1.0, 0.01f64..1.0),
        new in any::<bool>(),
    ) {
        let order = if new { "new" } else { "old" };
        let mut b = vfast(
            &format!(r#", "psi_up": {up}, "psi_down": {down}, "zeta": {zeta}, "deviation_from": "{order}""#),
            samples[0],
        );
        let seen: Vec<f64> = samples.iter().map(|s| ms(*s).as_secs_f64() * 1e3).collect();
        let (mut srtt, mut v) = (seen[0], seen[0] / 2.0);
        for (s, x) in samples.iter().zip(&seen).skip(1) {
            sample(&mut b, *s);
            let old = srtt;
            let psi = if *x > srtt { up } else { down };
            srtt = psi * x + (1.0 - psi) * srtt;
            let error = (x - if new { srtt } else { old }).abs();
            v = zeta * error + (1.0 - zeta) * v;
        }
        prop_assert!((rto(&b, Time::ZERO) - (srtt + 4.0 * v)).abs() < 1e-6);
        let (min, max) = seen.iter().fold((f64::MAX, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
        prop_assert!(srtt >= min - 1e-9 && srtt <= max + 1e-9);
    }

    /// At a constant round-trip time VFAST differs from FAST only in the timeout.
    #[test]
    fn the_fixed_point_is_fasts(
        rtt in 20.0f64..300.0,
        queue in 1.0f64..100.0,
        profile in prop_oneof![Just("clean"), Just("ns2-1.1.3")],
        smoothing in prop_oneof![Just("ack"), Just("update")],
    ) {
        let more = format!(r#", "alpha": "50 packets", "base_rtt": "known", "profile": "{profile}""#);
        let known = Some(ms(rtt));
        let mut fast = Bench::known("fast", &more, rtt + queue, known);
        let mut vfast = Bench::known("vfast", &format!(r#"{more}, "smoothing": "{smoothing}""#), rtt + queue, known);
        for _ in 0..60 {
            prop_assert_eq!(fast.round(rtt + queue), vfast.round(rtt + queue));
        }
    }
}
