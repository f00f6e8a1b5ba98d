//! `Stepper`: a run that stops for decisions gives the results of one that does not.

use std::ops::ControlFlow;

use eddyline_scenario::network::Network;
use eddyline_scenario::{Format, Input, load};
use eddyline_sim::{Decisions, Options, SimError, Stepper};
use eddyline_units::Time;

const TEXT: &str = r#"
duration = "4 s"
seed = 3

[[link]]
name = "down"
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "15 packets" }
loss = 0.001

[[link]]
name = "up"
rate = "10 Mbit/s"
delay = "10 ms"

[[flow]]
name = "agent's"
controller = { kind = "reno" }
data = ["down"]
ack = ["up"]

[[flow]]
name = "other"
controller = { kind = "newreno" }
data = ["down"]
ack = ["up"]
start = "500 ms"
"#;

fn network(overrides: &[(&str, &str)]) -> Network {
    let overrides: Vec<_> = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    load(&Input { text: TEXT, format: Format::Toml, name: "stepper", folder: None }, &overrides).unwrap().network
}

fn go(_: eddyline_sim::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn stepper(decisions: Decisions) -> Stepper {
    Stepper::new(network(&[]), 0, decisions, &Options::default()).unwrap()
}

/// The result does not depend on how often the run stops.
#[test]
fn stopping_changes_nothing() {
    let whole = stepper(Decisions::Rounds).finish(&mut go).unwrap().result;
    for decisions in
        [Decisions::Rounds, Decisions::Every(Time::from_ps(1_700_000_000)), Decisions::Every(Time::from_ms(300))]
    {
        let mut stopping = stepper(decisions);
        let mut steps = 0;
        while stopping.advance(&mut go).unwrap().is_some() {
            stopping.decide(stopping.window());
            steps += 1;
        }
        assert!(steps > 10, "{decisions:?}");
        let result = stopping.finish(&mut go).unwrap().result;
        assert_eq!(format!("{result:?}"), format!("{whole:?}"), "{decisions:?}");
    }
}

#[test]
fn intervals_have_the_requested_length() {
    let mut every = stepper(Decisions::Every(Time::from_ms(300)));
    let mut ends = Vec::new();
    while let Some(report) = every.advance(&mut go).unwrap() {
        assert_eq!(report.began, ends.last().copied().unwrap_or(Time::ZERO));
        ends.push(report.now);
    }
    // 13 times 300 ms; the remaining 100 ms of 4 s give no report
    assert_eq!(ends, (1..=13).map(|i| Time::from_ms(300 * i)).collect::<Vec<_>>());
    assert_eq!(every.advance(&mut go).unwrap(), None);
}

/// A round ends when a packet sent at its beginning or later is acknowledged.
#[test]
fn rounds_are_round_trips() {
    let mut rounds = stepper(Decisions::Rounds);
    let mut last = Time::ZERO;
    let mut reports = 0;
    while let Some(report) = rounds.advance(&mut go).unwrap() {
        if reports > 0 && report.losses == 0 && report.timeouts == 0 {
            assert_eq!(report.began, last);
            assert!(report.now - report.began >= report.last_rtt.unwrap_or_default().min(Time::from_ms(21)));
        }
        assert!(report.acks > 0);
        last = report.now;
        reports += 1;
        rounds.decide(20.0);
    }
    assert_eq!(rounds.handshake_rtt().map(|t| t.as_ps() / 1_000_000_000), Some(20));
    assert!((80..190).contains(&reports), "{reports} round trips of 21 to 40 ms in 4 s");
}

#[test]
fn a_decision_is_a_window() {
    let mut rounds = stepper(Decisions::Rounds);
    rounds.advance(&mut go).unwrap();
    for window in [5.0, 9.5, 3.0] {
        rounds.decide(window);
        assert_eq!(rounds.window(), window);
        rounds.advance(&mut go).unwrap();
        let report = rounds.advance(&mut go).unwrap().unwrap();
        assert!(report.in_flight <= window, "{} packets in flight", report.in_flight);
    }
    rounds.decide(0.2);
    assert_eq!(rounds.window(), 1.0);
    rounds.decide(f64::NAN);
    assert_eq!(rounds.window(), 1.0);
}

#[test]
fn a_completed_flow_needs_no_decisions() {
    let network = network(&[("flow.\"agent's\".size", "100 kB")]);
    let mut rounds = Stepper::new(network, 0, Decisions::Rounds, &Options::default()).unwrap();
    assert!(!rounds.completed());
    while rounds.advance(&mut go).unwrap().is_some() {}
    assert!(rounds.completed());
    let result = rounds.finish(&mut go).unwrap().result;
    assert!(result.flows[0].completed_at_s.is_some_and(|t| t < 2.0));
    assert!(result.flows[1].goodput_bps.is_some_and(|b| b > 1e6), "the other flow ran to the end");
}

#[test]
fn an_interrupted_run_can_continue() {
    let mut every = stepper(Decisions::Every(Time::from_ms(3_000)));
    let mut asked = 0;
    let stop = &mut |_| {
        asked += 1;
        ControlFlow::Break(())
    };
    assert_eq!(every.advance(stop), Err(SimError::Interrupted));
    assert_eq!(asked, 1);
    assert_eq!(every.advance(&mut go).unwrap().map(|r| r.now), Some(Time::from_ms(3_000)));
    let unknown = Stepper::new(network(&[]), 2, Decisions::Rounds, &Options::default());
    assert!(matches!(unknown.err(), Some(SimError::UnknownEntity(_))));
}
