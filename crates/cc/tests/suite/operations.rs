//! Every controller, present and future, through random operations: time passes, packets leave, are acknowledged or lost,
//! timers expire, marks arrive. Nothing may panic; windows stay finite and at least one packet; a loss never enlarges a
//! window
//! and a timeout never leaves it larger than a loss would. `EDDYLINE_FUZZ_CASES` asks for more cases than usual.

use std::collections::VecDeque;

use eddyline_cc::{
    Ack, AnyController, Controller, ControllerParams, KINDS, Loss, Marks, PathFacts, Sent, Stamp, Timeout,
};
use eddyline_units::Time;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Operation {
    Wait(u64),
    Send { limited: bool },
    Ack { sample: bool, limited: bool, recovering: bool },
    AckMany(u8),
    Lose,
    Recovered,
    TimeOut { repeated: bool },
    Spurious,
    Mark,
    Marks { acked: u8, marked: u8 },
    Idle(f64),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        2 => prop_oneof![Just(0), 1u64..1_000_000, 1u64..1_000_000_000_000, Just(1u64 << 60)].prop_map(Operation::Wait),
        6 => any::<bool>().prop_map(|limited| Operation::Send { limited }),
        6 => (any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(sample, limited, recovering)| Operation::Ack { sample, limited, recovering }),
        1 => any::<u8>().prop_map(Operation::AckMany),
        1 => Just(Operation::Lose),
        1 => Just(Operation::Recovered),
        1 => any::<bool>().prop_map(|repeated| Operation::TimeOut { repeated }),
        1 => Just(Operation::Spurious),
        1 => Just(Operation::Mark),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(acked, marked)| Operation::Marks { acked, marked }),
        1 => (1.0f64..100.0).prop_map(Operation::Idle),
    ]
}

fn facts() -> impl Strategy<Value = PathFacts> {
    let counting = prop::option::of(1.0f64..10.0);
    (1u32..65_000, 1u32..4, 1.0f64..1000.0, prop::option::of(0u64..u64::MAX >> 8), counting, any::<bool>()).prop_map(
        |(mss, ack_ratio, initial_window, known, byte_counting, paced)| PathFacts {
            mss,
            packet_bytes: mss + 40,
            ack_bytes: 40,
            ack_ratio,
            initial_window,
            known_base_rtt: known.map(Time::from_ps),
            byte_counting,
            paced,
        },
    )
}

/// A minimal sender: it keeps only what the events report.
struct Harness {
    controller: AnyController,
    now: Time,
    outstanding: VecDeque<(Time, Stamp)>,
}

impl Harness {
    fn flight(&self) -> f64 {
        self.outstanding.len() as f64
    }

    fn ack(&mut self, n: usize, sample: bool, limited: bool, recovering: bool) {
        let n = n.min(self.outstanding.len());
        let Some((sent_at, stamp)) = self.outstanding.drain(..n).next_back() else { return };
        self.controller.on_ack(&Ack {
            now: self.now,
            sent_at,
            received_at: sent_at,
            rtt: sample.then(|| self.now - sent_at),
            acked: n as f64,
            lost: 0.0,
            in_flight: self.flight(),
            stamp,
            cwnd_limited: limited,
            in_recovery: recovering,
        });
    }

    fn apply(&mut self, operation: &Operation) {
        let prior = self.controller.window();
        let loss = Loss { now: self.now, flight_size: self.flight() };
        match operation {
            Operation::Wait(ps) => self.now = self.now.saturating_add(Time::from_ps(*ps)).min(Time::from_ps(1 << 63)),
            Operation::Send { limited } => {
                let sent = Sent {
                    now: self.now,
                    in_flight: self.flight() + 1.0,
                    cwnd_limited: *limited,
                    app_limited: !*limited,
                };
                let stamp = self.controller.on_sent(&sent);
                self.outstanding.push_back((self.now, stamp));
            }
            Operation::Ack { sample, limited, recovering } => self.ack(1, *sample, *limited, *recovering),
            Operation::AckMany(n) => self.ack(usize::from(*n), true, true, false),
            Operation::Lose => {
                self.controller.on_loss(&loss);
                assert!(
                    self.controller.window() <= prior.max(loss.flight_size / 2.0).max(2.0),
                    "a loss must not enlarge the window"
                );
            }
            Operation::Recovered => self.controller.on_recovered(self.now),
            Operation::TimeOut { repeated } => {
                let event = Timeout { now: self.now, flight_size: self.flight(), repeated: *repeated };
                self.controller.on_timeout(&event);
                assert!(self.controller.window() <= prior.max(2.0), "a timeout must not enlarge the window");
                self.outstanding.clear();
            }
            Operation::Spurious => self.controller.on_spurious_timeout(self.flight() + 1.0),
            Operation::Mark => {
                self.controller.on_ecn(&loss);
                assert!(
                    self.controller.window() <= prior.max(loss.flight_size / 2.0).max(2.0),
                    "a mark must not enlarge the window"
                );
            }
            Operation::Marks { acked, marked } => {
                let sent_at = self.outstanding.front().map_or(self.now, |(at, _)| *at);
                let (acked, marked) = (f64::from(*acked), f64::from(*marked));
                self.controller.on_marks(&Marks { now: self.now, sent_at, acked, marked });
            }
            Operation::Idle(packets) => {
                self.controller.on_idle(*packets);
                assert!(self.controller.window() <= prior.max(2.0), "an idle period must not enlarge the window");
            }
        }
    }

    fn check(&self, what: &Operation) {
        let c = &self.controller;
        let window = c.window();
        assert!(window.is_finite() && window >= 1.0, "window {window} after {what:?}");
        for paced in [false, true] {
            let limit = c.flight_limit(paced);
            assert!(limit.is_finite() && limit >= window, "limit {limit} of window {window} after {what:?}");
        }
        assert!(c.slow_start_threshold().is_none_or(|t| t >= 2.0), "threshold after {what:?}");
        let _ = (c.pacing_interval(), c.partial_ack());
    }
}

fn cases() -> u32 {
    std::env::var("EDDYLINE_FUZZ_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(3_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_operation_breaks_a_controller(
        kind in 0..KINDS.len(),
        hystart in any::<bool>(),
        facts in facts(),
        operations in prop::collection::vec(operation(), 1..120),
    ) {
        let example = KINDS[kind].example;
        let other = example.replace(" }", ", \"slow_start\": \"hystart++\" }");
        let params = serde_json::from_str::<ControllerParams>(if hystart { &other } else { example });
        let params = params.unwrap_or_else(|_| serde_json::from_str(example).unwrap());
        prop_assert_eq!(params.name(), KINDS[kind].name);
        let mut harness =
            Harness { controller: params.build(&facts), now: Time::ZERO, outstanding: VecDeque::new() };
        let handshake = Time::from_ms(u64::from(facts.mss) % 100 + 1);
        harness.now = handshake;
        harness.controller.on_handshake(handshake, handshake);
        for operation in &operations {
            harness.apply(operation);
            harness.check(operation);
        }
    }
}
