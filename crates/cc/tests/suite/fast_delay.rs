//! FAST with one-way delay, on synthetic acknowledgements: clocks hours apart and drifting, thinned acknowledgements.

use eddyline_cc::{Ack, AnyController, Controller, ControllerParams, PathFacts, Sent};
use eddyline_units::Time;
use proptest::prelude::*;

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

/// How the receiver's clock reads.
#[derive(Debug, Clone, Copy)]
struct Clock {
    ahead_s: f64,
    ppm: f64,
}

const SAME: Clock = Clock { ahead_s: 0.0, ppm: 0.0 };

impl Clock {
    /// Modulo 2^64 picoseconds: a clock behind the sender's reads less than nothing.
    fn read(self, at: Time) -> Time {
        let shift = (self.ahead_s * 1e12 + at.as_ps() as f64 * self.ppm * 1e-6) as i64;
        Time::from_ps(at.as_ps().wrapping_add_signed(shift))
    }
}

struct Path {
    c: AnyController,
    clock: Clock,
    acked: f64,
}

impl Path {
    fn new(more: &str, clock: Clock) -> Self {
        // the queueing delay of every packet is given, so a pause would not empty a queue
        let mut c = build(&format!(r#"{more}, "drain": false"#));
        c.on_handshake(Time::from_ms(100), Time::from_ms(100));
        Self { c, clock, acked: 1.0 }
    }

    /// A packet sent at `sent` waits `out` ms, its acknowledgement `back` ms; the propagation delay is 50 ms each way.
    fn exchange(&mut self, sent: Time, out: f64, back: f64) {
        let in_flight = self.c.window();
        let stamp = self.c.on_sent(&Sent { now: sent, in_flight, cwnd_limited: false, app_limited: true });
        let received = sent + ms(50.0 + out);
        let now = received + ms(50.0 + back);
        self.c.on_ack(&Ack {
            now,
            sent_at: sent,
            received_at: self.clock.read(received),
            rtt: Some(now - sent),
            acked: self.acked,
            lost: 0.0,
            in_flight,
            stamp,
            cwnd_limited: true,
            in_recovery: false,
        });
    }

    /// Ten seconds without a queue, then until `seconds` with those of `queues` of the time in seconds; gives the window.
    fn rest(&mut self, seconds: f64, queues: impl Fn(f64) -> (f64, f64)) -> f64 {
        let mut at = 0.1;
        while at < seconds {
            let (out, back) = if at < 10.0 { (0.0, 0.0) } else { queues(at) };
            self.exchange(Time::from_ps((at * 1e12) as u64), out, back);
            // one sample a round trip is an update each
            at += (101.0 + out + back) * 1e-3;
        }
        self.c.window()
    }
}

fn ms(value: f64) -> Time {
    Time::from_ps((value * 1e9) as u64)
}

/// The window that the law rests at: w q / RTT = alpha.
fn resting(rtt_ms: f64, counted_ms: f64) -> f64 {
    50.0 * rtt_ms / counted_ms
}

#[track_caller]
fn close(got: f64, want: f64, share: f64) {
    assert!((got / want - 1.0).abs() <= share, "{got} is not {want} within {share}");
}

/// Queueing of 25 ms out and 100 ms back: what is counted decides.
#[test]
fn each_signal_has_the_equilibrium_of_its_equation() {
    let queues = |_| (25.0, 100.0);
    let rtt = 225.0;
    close(Path::new("", SAME).rest(120.0, queues), resting(rtt, 125.0), 1e-3);
    close(Path::new(r#", "delay": "forward""#, SAME).rest(120.0, queues), resting(rtt, 25.0), 1e-3);
    close(Path::new(r#", "delay": "weighted""#, SAME).rest(120.0, queues), resting(rtt, 25.0 + 0.04 * 100.0), 1e-3);
}

/// An acknowledgement for every four packets loads the way back a quarter as much; that is measured, not configured.
#[test]
fn weights_follow_the_acknowledgements_that_come() {
    let mut path = Path::new(r#", "delay": "weighted""#, SAME);
    path.acked = 4.0;
    close(path.rest(150.0, |_| (25.0, 100.0)), resting(225.0, 25.0 + 0.01 * 100.0), 1e-3);
}

/// Whatever the clocks read: hours ahead, hours behind, gaining or losing 100 ppm for five minutes, 30 ms in all. The way back is
/// quiet, the way out is not: the error of the estimate is bounded by what jitter there is, here none.
#[test]
fn clock_offset_cancels_and_drift_is_removed() {
    for ahead_s in [0.0, 3.0, -3.0, 86_400.0 * 30.0, -86_400.0 * 30.0] {
        for ppm in [0.0, 100.0, -100.0] {
            for (name, counted) in [("forward", 25.0), ("weighted", 29.0)] {
                let mut path = Path::new(&format!(r#", "delay": "{name}""#), Clock { ahead_s, ppm });
                close(path.rest(300.0, |_| (25.0, 100.0)), resting(225.0, counted), 0.01);
            }
        }
    }
}

/// A sawtooth of 20 ms on the way out, steps on the way back as traffic comes and goes: neither is drift.
#[test]
fn changing_queues_are_not_mistaken_for_drift() {
    for ppm in [0.0, 100.0, -100.0] {
        let mut path = Path::new(r#", "delay": "forward""#, Clock { ahead_s: -7.0, ppm });
        let queues = |at: f64| {
            let saw = at.rem_euclid(17.0) / 17.0;
            let crowd = if (60.0..130.0).contains(&at) || at > 200.0 { 80.0 } else { 0.0 };
            (10.0 + 20.0 * saw, crowd)
        };
        // the last rise of the saw before 306 s ends at 30 ms; the average lags a round trip behind
        let window = path.rest(305.9, queues);
        let (low, high) = (resting(210.0, 30.5), resting(210.0, 26.0));
        assert!((low..high).contains(&window), "{window} at {ppm} ppm, {low} to {high}");
    }
}

/// 500 packets a second, whose acknowledgements wait 100 ms: 50 of them at one for each packet, so that five take ten packets each. Ratios
/// between whole numbers come from both of them in turn.
#[test]
fn asks_for_as_few_acknowledgements_as_keep_the_target_queued() {
    assert_eq!(build(r#", "delay": "forward""#).ack_ratio(), None);
    for (target, ratio) in [("5 packets", 10.0), ("20 packets", 2.5), ("60 packets", 1.0)] {
        let more = format!(r#", "delay": "forward", "ack_alpha": "{target}""#);
        let mut path = Path::new(&more, SAME);
        assert_eq!(path.c.ack_ratio(), Some(1));
        let (mut waiting, mut acks) = (0, 0);
        for i in 0..50_000 {
            let at = Time::from_ms(100 + 2 * i);
            waiting += 1;
            if waiting >= path.c.ack_ratio().unwrap() {
                path.acked = f64::from(waiting);
                let (out, back) = if i < 1_000 { (0.0, 0.0) } else { (30.0, 100.0) };
                path.exchange(at, out, back);
                waiting = 0;
                acks += u32::from(i >= 40_000);
            }
        }
        close(10_000.0 / f64::from(acks), ratio, 0.02);
    }
}

#[test]
fn a_timeout_resets_the_ack_ratio() {
    let mut path = Path::new(r#", "delay": "forward", "ack_alpha": "0.1 packets""#, SAME);
    path.rest(40.0, |_| (25.0, 400.0));
    assert!(path.c.ack_ratio().unwrap() > 1);
    path.c.on_timeout(&eddyline_cc::Timeout { now: Time::from_ms(50_000), flight_size: 10.0, repeated: false });
    assert_eq!(path.c.ack_ratio(), Some(1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any clocks at all: the window is finite, at least two packets, and, up to 200 ppm and on a quiet way back, right.
    #[test]
    fn any_receiver_clock_is_safe(ahead_s in -1e6f64..1e6, ppm in -200.0f64..200.0, out in 5.0f64..100.0, weighted in any::<bool>()) {
        let name = if weighted { "weighted" } else { "forward" };
        let mut path = Path::new(&format!(r#", "delay": "{name}""#), Clock { ahead_s, ppm });
        let window = path.rest(90.0, |_| (out, 0.0));
        prop_assert!((window / resting(100.0 + out, out) - 1.0).abs() < 0.02, "{window}");
    }

    /// Arbitrary delay samples leave the window finite.
    #[test]
    fn any_delay_samples_are_safe(readings in prop::collection::vec((any::<u64>(), 1u64..1_000_000_000_000, 0.0f64..50.0), 1..200), kind in 0usize..3) {
        let more = [
            r#", "delay": "forward", "ack_alpha": "3 packets", "drain": { "every": "1 s" }"#,
            r#", "delay": "weighted", "rate_correction": {}"#,
            r#", "drain": { "every": "100 ms", "rounds": 3 }, "base_rtt_age": "1 s", "rate_correction": { "keep": 0.5, "after": 3 }"#,
        ][kind];
        let mut c = build(more);
        let mut now = Time::from_ms(1);
        for (reading, step, acked) in readings {
            let sent_at = now;
            let stamp = c.on_sent(&Sent { now, in_flight: c.window(), cwnd_limited: true, app_limited: false });
            now += Time::from_ps(step);
            let in_flight = c.window();
            c.on_ack(&Ack {
                now, sent_at, received_at: Time::from_ps(reading), rtt: Some(now - sent_at), acked, lost: 0.0, in_flight,
                stamp, cwnd_limited: true, in_recovery: false,
            });
            prop_assert!(c.window().is_finite() && c.window() >= 2.0);
            prop_assert!(c.ack_ratio().is_none_or(|r| r >= 1));
        }
    }
}
