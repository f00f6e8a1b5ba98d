//! The stack's own NewReno and CUBIC beside ours in the same stack, over loss rates and buffers.

mod cubic_law;
mod networks;

use eddyline_scenario::result::FlowResult;
use networks::{bottleneck, network_with, run};

/// Throughput and mean window over loss rates and buffers, a quarter, one and four bandwidth-delay products.
fn measured(controller: &str) -> Vec<[f64; 2]> {
    let mut values = Vec::new();
    for loss in ["0.0001", "0.001", "0.01"] {
        for buffer in [10, 40, 160] {
            let text = bottleneck(300.0, controller, buffer, "packet = \"1240 B\"");
            let text = text.replacen("delay =", &format!("loss = {loss}\ndelay ="), 1);
            let network = network_with(&format!("warmup = \"20 s\"\nseed = 3\n{text}"), vec![cubic_law::kind()]);
            let result = run(&network).result;
            let flow: &FlowResult = &result.flows[0];
            values.push([flow.throughput_bps.expect("a rate"), flow.window_packets.mean.expect("a window")]);
        }
    }
    values
}

/// The largest relative difference of two sets of measurements.
fn difference(one: &[[f64; 2]], other: &[[f64; 2]]) -> f64 {
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    pairs.map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn newreno_is_newreno() {
    let apart = difference(&measured("kind = \"noq-newreno\""), &measured("kind = \"newreno\""));
    assert!(apart < 0.01, "{apart}");
}

/// CUBIC differs by up to 22 % in window, because the stack has the friendly window of RFC 8312 and a credit; with these rules switched
/// to the stack's there is no difference, and with them switched to RFC 9438's none from ours.
#[test]
fn cubic_differs_by_the_rules_of_its_friendly_window() {
    let (stack, own) = (measured("kind = \"noq-cubic\""), measured("kind = \"cubic\""));
    let rules = |on: &str| measured(&format!("kind = \"rules\"{on}"));
    let as_stack = rules(", constant_slope = true, from_lowered_maximum = true, credit = true");
    let as_rfc = rules("");
    let apart = [
        difference(&stack, &own),
        difference(&stack, &as_stack),
        difference(&own, &as_rfc),
        difference(&stack, &rules(", from_lowered_maximum = true, credit = true")),
        difference(&stack, &rules(", constant_slope = true, credit = true")),
        difference(&stack, &rules(", constant_slope = true, from_lowered_maximum = true")),
    ];
    assert!(apart[1] < 0.05 && apart[2] < 0.05, "{apart:?}");
    // each rule alone makes a difference
    assert!(apart[0] > 0.05 && apart[3..].iter().all(|apart| *apart > 0.05), "{apart:?}");
}
