//! The example through a scenario file.

use std::ops::ControlFlow;
use std::path::Path;

use eddyline_example_controller::aimd;
use eddyline_scenario::result::RunResult;
use eddyline_scenario::{Vocabulary, load_file_with};
use eddyline_sim::Options;

fn run(overrides: &[(&str, &str)]) -> RunResult {
    let vocabulary = Vocabulary::new(vec![aimd()]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("aimd.toml");
    let overrides: Vec<_> = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let scenario = load_file_with(&vocabulary, &file, &overrides).unwrap();
    let outcome = eddyline_sim::run(&scenario.network, &Options::default(), &mut |_| ControlFlow::Continue(()));
    outcome.unwrap().result
}

/// Floyd, Handley and Padhye's mean window, within 15 %: losses are random here, not evenly spaced, and the window does not
/// grow in the round trips of recovery.
#[test]
fn its_mean_window_is_the_closed_forms() {
    for decrease in [0.5, 0.8] {
        let result = run(&[("flow.ours.controller.decrease", &decrease.to_string())]);
        let mean = result.flows[0].window_packets.mean.unwrap();
        let closed_form = (1.0 * (1.0 + decrease) / (2.0 * (1.0 - decrease) * 1e-3_f64)).sqrt();
        assert!((mean / closed_form - 1.0).abs() < 0.15, "decrease {decrease}: {mean}, not {closed_form}");
    }
}

/// With Reno's increase and decrease it sends the same packets as Reno.
#[test]
fn half_and_one_are_newreno() {
    let ours = run(&[("duration", "40 s")]);
    let theirs = run(&[("duration", "40 s"), ("flow.ours.controller.kind", "newreno")]);
    assert_eq!(ours.flows[0].controller, "aimd");
    assert_eq!(theirs.flows[0].controller, "newreno");
    assert_eq!(ours.counters, theirs.counters);
    assert!(ours.flows[0].retransmits.unwrap() > 20, "there were losses");
    assert_eq!(ours.flows[0].window_packets, theirs.flows[0].window_packets);
}

#[test]
fn a_bad_parameter_is_named() {
    let vocabulary = Vocabulary::new(vec![aimd()]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("aimd.toml");
    let overrides = [("flow.ours.controller.decrease".to_owned(), "1.5".to_owned())];
    let message = load_file_with(&vocabulary, &file, &overrides).unwrap_err().to_string();
    assert!(message.contains("decrease: 1.5 is out of range; at least 0.01, at most 0.99"), "{message}");
}
