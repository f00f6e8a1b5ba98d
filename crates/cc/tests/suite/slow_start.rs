//! Parts that loss-based controllers share, on synthetic acknowledgements: byte counting (RFC 3465), HyStart++
//! (RFC 9406), the undoing of a spurious timeout (RFC 4015).

use eddyline_cc::{Ack, AnyController, Controller, ControllerParams, Loss, PathFacts, Stamp, Timeout};
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

fn build(text: &str, facts: &PathFacts) -> AnyController {
    serde_json::from_str::<ControllerParams>(text).unwrap().build(facts)
}

fn ack(acked: f64) -> Ack {
    Ack {
        now: Time::from_ms(100),
        sent_at: Time::ZERO,
        received_at: Time::from_ms(50),
        rtt: Some(Time::from_ms(100)),
        acked,
        lost: 0.0,
        in_flight: 10.0,
        stamp: Stamp::default(),
        cwnd_limited: true,
        in_recovery: false,
    }
}

/// RFC 3465, 2.2: by what is acknowledged, at most L packets; 2.3: L = 1 after a timeout.
#[test]
fn slow_start_counts_bytes_up_to_the_limit() {
    for kind in KINDS {
        for limit in [1.0, 2.0, 8.0] {
            let mut c =
                build(&format!(r#"{{ "kind": "{kind}" }}"#), &PathFacts { byte_counting: Some(limit), ..FACTS });
            let mut expected = 10.0;
            for acked in [1.0, 2.0, 4.0, 0.5] {
                c.on_ack(&ack(acked));
                expected += f64::min(acked, limit);
                assert_eq!(c.window(), expected, "{kind}, L = {limit}");
            }
            c.on_timeout(&Timeout { now: Time::from_ms(200), flight_size: 40.0, repeated: false });
            c.on_ack(&ack(4.0));
            c.on_ack(&ack(4.0));
            assert_eq!(c.window(), 3.0, "{kind}, L = {limit}: one per acknowledgement after a timeout");
        }
    }
}

/// In both phases, of laws that have their own growth or count acknowledgements otherwise.
#[test]
fn laws_of_their_own_count_bytes_too() {
    for kind in ["hybla", "westwood", "veno", "compound"] {
        let grown = |byte_counting, slow_start: bool| {
            let mut c = build(&format!(r#"{{ "kind": "{kind}" }}"#), &PathFacts { byte_counting, ..FACTS });
            let short = Ack { rtt: Some(Time::from_ms(20)), ..ack(4.0) }; // Hybla is Reno on such a path
            if !slow_start {
                c.on_loss(&Loss { now: Time::from_ms(1), flight_size: 20.0 });
            }
            let prior = c.window();
            c.on_ack(&short);
            c.window() - prior
        };
        for (byte_counting, slow_start, expected) in
            [(None, true, 1.0), (Some(2.0), true, 2.0), (None, false, 0.1), (Some(2.0), false, 0.4)]
        {
            let growth = grown(byte_counting, slow_start);
            assert!((growth - expected).abs() < 1e-9, "{kind} {byte_counting:?} {slow_start}: {growth}");
        }
    }
}

/// RFC 3465, 2.1: one packet when a whole window has been acknowledged, whatever the number of acknowledgements.
#[test]
fn congestion_avoidance_counts_a_window() {
    for acked in [0.5, 1.0, 2.0, 5.0] {
        let mut c = build(r#"{ "kind": "newreno" }"#, &PathFacts { byte_counting: Some(2.0), ..FACTS });
        c.on_loss(&Loss { now: Time::from_ms(1), flight_size: 40.0 });
        let mut counted = 0.0;
        while counted < 20.0 {
            assert_eq!(c.window(), 20.0, "{counted} acknowledged");
            c.on_ack(&ack(acked));
            counted += acked;
        }
        assert_eq!(c.window(), 21.0);
        (0..(21.0 / acked).ceil() as u32).for_each(|_| c.on_ack(&ack(acked)));
        assert_eq!(c.window(), 22.0, "the rest is carried over");
    }
}

/// Rounds of packets that are all sent in one moment and acknowledged one round-trip time later.
struct Rounds {
    controller: AnyController,
    now: Time,
}

impl Rounds {
    fn new(facts: &PathFacts) -> Self {
        Self { controller: build(r#"{ "kind": "newreno", "slow_start": "hystart++" }"#, facts), now: Time::ZERO }
    }

    /// `n` packets; gives the window after each acknowledgement.
    fn round(&mut self, n: usize, rtt_us: u64) -> Vec<f64> {
        let sent_at = self.now;
        let rtt = Time::from_ps(rtt_us * 1_000_000);
        self.now = sent_at + rtt;
        let event = Ack { now: self.now, sent_at, rtt: Some(rtt), ..ack(1.0) };
        (0..n)
            .map(|_| {
                self.controller.on_ack(&event);
                self.controller.window()
            })
            .collect()
    }
}

/// RttThresh is an eighth of the previous round's minimum, between 4 and 16 ms; eight samples decide.
#[test]
fn the_first_slow_start_slows_down_when_delay_grows() {
    for (base_us, threshold_us) in [(20_000, 4_000), (100_000, 12_500), (1_000_000, 16_000)] {
        let mut calm = Rounds::new(&FACTS);
        calm.round(10, base_us);
        let windows = calm.round(20, base_us + threshold_us - 1);
        assert_eq!(windows[19], 40.0, "one microsecond below the threshold");
        let mut warned = Rounds::new(&FACTS);
        warned.round(10, base_us);
        let windows = warned.round(20, base_us + threshold_us);
        assert_eq!(windows[7], 28.0, "the eighth sample still counts in full");
        assert_eq!(windows[8], 28.25, "then a quarter (CSS_GROWTH_DIVISOR)");
        assert_eq!(windows[19], 31.0);
    }
}

/// CSS_ROUNDS = 5, the round of its beginning among them; then congestion avoidance from the window reached.
#[test]
fn five_conservative_rounds_then_congestion_avoidance() {
    let mut r = Rounds::new(&FACTS);
    r.round(10, 100_000);
    r.round(20, 120_000);
    for _ in 0..4 {
        assert_eq!(r.controller.slow_start_threshold(), Some(f64::INFINITY));
        r.round(8, 120_000);
    }
    // 31 after the first, then 8 / 4 a round
    assert_eq!(r.controller.window(), 39.0);
    assert_eq!(r.round(2, 120_000), [39.25, 39.25 + 1.0 / 39.25]);
    assert_eq!(r.controller.slow_start_threshold(), Some(39.25));
}

#[test]
fn slow_start_resumes_where_the_delay_was_a_spike() {
    let mut r = Rounds::new(&FACTS);
    r.round(10, 100_000);
    r.round(20, 120_000);
    let windows = r.round(20, 119_999);
    // eight samples below the baseline of 120 ms
    assert_eq!(windows[7], 33.0);
    assert_eq!(windows[8], 34.0);
    // and delay may end it again: 119.999 / 8 is 15 ms
    r.round(8, 135_000);
    assert_eq!(r.round(1, 135_000)[0], 53.25);
}

/// A loss in the first slow start disables HyStart++ for the rest of the connection (4.3).
#[test]
fn after_a_loss_slow_start_is_standard() {
    let mut r = Rounds::new(&FACTS);
    r.round(10, 100_000);
    r.controller.on_timeout(&Timeout { now: r.now, flight_size: 40.0, repeated: false });
    r.round(8, 100_000);
    let windows = r.round(9, 200_000);
    assert_eq!(windows[8], 18.0, "one a packet, no matter how delay grows, up to the threshold of 20");
}

/// L = 8 unpaced, unlimited if paced, or the L of byte counting.
#[test]
fn how_much_one_acknowledgement_counts() {
    for (facts, growth) in [
        (FACTS, 8.0),
        (PathFacts { paced: true, ..FACTS }, 20.0),
        (PathFacts { byte_counting: Some(2.0), ..FACTS }, 2.0),
    ] {
        let mut r = Rounds::new(&facts);
        r.controller.on_ack(&ack(20.0));
        assert_eq!(r.controller.window(), 10.0 + growth);
    }
}

/// RFC 4015, 3.2: the window follows the flight, the threshold is what it was.
#[test]
fn a_spurious_timeout_is_undone() {
    for kind in KINDS {
        let mut c = build(&format!(r#"{{ "kind": "{kind}" }}"#), &FACTS);
        c.on_loss(&Loss { now: Time::from_ms(1), flight_size: 40.0 });
        let event = Timeout { now: Time::from_ms(2), flight_size: 20.0, repeated: false };
        c.on_timeout(&event);
        c.on_timeout(&Timeout { flight_size: 1.0, repeated: true, ..event });
        assert_eq!((c.window(), c.slow_start_threshold()), (1.0, Some(10.0)));
        c.on_spurious_timeout(19.0);
        assert_eq!((c.window(), c.slow_start_threshold()), (19.0, Some(20.0)), "pipe_prev is max(20, 20)");
        c.on_spurious_timeout(100.0);
        assert_eq!(c.window(), 19.0, "once");
        let mut first = build(&format!(r#"{{ "kind": "{kind}" }}"#), &FACTS);
        first.on_timeout(&event);
        first.on_spurious_timeout(21.0);
        assert_eq!(first.slow_start_threshold(), Some(f64::INFINITY), "it was in its first slow start");
    }
    // laws that keep more than half: the threshold is not twice theirs
    for kind in ["cubic", "scalable", "bic", "highspeed", "westwood", "dctcp", "prague"] {
        let mut c = build(&format!(r#"{{ "kind": "{kind}" }}"#), &PathFacts { initial_window: 400.0, ..FACTS });
        c.on_ack(&ack(1.0));
        c.on_loss(&Loss { now: Time::from_ms(150), flight_size: 400.0 });
        let threshold = c.slow_start_threshold().unwrap();
        c.on_timeout(&Timeout { now: Time::from_ms(200), flight_size: 300.0, repeated: false });
        c.on_spurious_timeout(299.0);
        assert_eq!((c.window(), c.slow_start_threshold()), (299.0, Some(threshold.max(300.0))), "{kind}");
    }
    // without a threshold: no more than the window before
    for kind in ["ledbat", "copa"] {
        let mut c = build(&format!(r#"{{ "kind": "{kind}" }}"#), &FACTS);
        let before = c.window();
        c.on_timeout(&Timeout { now: Time::from_ms(2), flight_size: before, repeated: false });
        assert!(c.window() < before + 1e-9, "{kind}");
        c.on_spurious_timeout(before - 0.5);
        assert_eq!(c.window(), (before - 0.5).max(if kind == "copa" { 2.0 } else { 1.0 }), "{kind}");
    }
    let mut fast = build(r#"{ "kind": "fast", "alpha": "50 packets" }"#, &FACTS);
    fast.on_timeout(&Timeout { now: Time::from_ms(2), flight_size: 10.0, repeated: false });
    assert_eq!(fast.window(), 2.0);
    fast.on_spurious_timeout(12.0);
    assert_eq!(fast.window(), 10.0, "no more than before");
}

#[test]
fn standard_slow_start_is_omitted_from_the_canonical_form() {
    for kind in KINDS {
        let standard: ControllerParams =
            serde_json::from_str(&format!(r#"{{ "kind": "{kind}", "slow_start": "standard" }}"#)).unwrap();
        assert!(!serde_json::to_string(&standard).unwrap().contains("slow_start"));
        let other: ControllerParams =
            serde_json::from_str(&format!(r#"{{ "kind": "{kind}", "slow_start": "hystart++" }}"#)).unwrap();
        assert!(serde_json::to_string(&other).unwrap().contains("hystart++"));
    }
}
