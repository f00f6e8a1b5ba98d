//! The stack's own NewReno and CUBIC beside ours in the same stack, over loss rates and buffers.

use crate::cubic_law;
use crate::networks;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use networks::{bottleneck, network_with, run};

const LOSSES: [f64; 3] = [0.0001, 0.001, 0.01];
/// A quarter of the bandwidth-delay product, the product, and four times that, in packets.
const BUFFERS: [u32; 3] = [10, 40, 160];

/// Throughput and mean window of a flow at a loss rate and a buffer. The tests of this file share points: each is simulated once.
fn measure(controller: &str, loss: f64, buffer: u32) -> [f64; 2] {
    type Points = HashMap<(String, u64, u32), Arc<OnceLock<[f64; 2]>>>;
    static POINTS: OnceLock<Mutex<Points>> = OnceLock::new();
    let point = {
        let mut points = POINTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(points.entry((controller.to_owned(), loss.to_bits(), buffer)).or_default())
    };
    *point.get_or_init(|| simulate(controller, loss, buffer))
}

fn simulate(controller: &str, loss: f64, buffer: u32) -> [f64; 2] {
    // the rarest losses take longest to average
    let seconds = if loss < 0.001 { 100.0 } else { 60.0 };
    let text = bottleneck(seconds, controller, buffer, "packet = \"1240 B\"");
    let text = text.replacen("delay =", &format!("loss = {loss}\ndelay ="), 1);
    let network = network_with(&format!("warmup = \"10 s\"\nseed = 3\n{text}"), vec![cubic_law::kind()]);
    let flow = &run(&network).result.flows[0];
    [flow.throughput_bps.expect("a rate"), flow.window_packets.mean.expect("a window")]
}

/// The largest relative difference of two controllers in throughput or mean window, over all losses and buffers.
fn difference(one: &str, other: &str) -> f64 {
    let points = LOSSES.into_iter().flat_map(|loss| BUFFERS.map(|buffer| (loss, buffer)));
    points.map(|(loss, buffer)| difference_at(one, other, loss, buffer)).fold(0.0, f64::max)
}

/// The same at one point.
fn difference_at(one: &str, other: &str, loss: f64, buffer: u32) -> f64 {
    let pairs = measure(one, loss, buffer).into_iter().zip(measure(other, loss, buffer));
    pairs.map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn newreno_is_newreno() {
    let difference = difference("kind = \"noq-newreno\"", "kind = \"newreno\"");
    assert!(difference < 0.05, "{difference}");
}

/// The rules that the stack has differently, all switched to its own.
const RULES_OF_THE_STACK: &str =
    "kind = \"rules\", by_time = true, constant_slope = true, from_lowered_maximum = true, credit = true";

/// CUBIC differs by some 20 % in window. With four rules of its friendly window as the stack has them there is next to no difference from
/// the stack's, and with the same four as RFC 9438 has them little from ours.
#[test]
fn cubic_differs_by_the_rules_of_its_friendly_window() {
    let (stack, own) = ("kind = \"noq-cubic\"", "kind = \"cubic\"");
    let rules = [difference(stack, RULES_OF_THE_STACK), difference(own, "kind = \"rules\"")];
    assert!(rules.iter().all(|difference| *difference < 0.05), "{rules:?}");
    let by_rule = difference_at(stack, own, 0.001, 40);
    assert!(by_rule > 0.1, "{by_rule}");
}

/// Each of the rules matters: with any one of them as in RFC 9438, the law is no longer the stack's.
#[test]
fn each_rule_of_the_friendly_window_matters() {
    let worst = |controller: &str| {
        let points = [(0.001, 40), (0.01, 40)];
        points
            .map(|(loss, buffer)| difference_at("kind = \"noq-cubic\"", controller, loss, buffer))
            .into_iter()
            .fold(0.0, f64::max)
    };
    let same = worst(RULES_OF_THE_STACK);
    for rule in ["by_time", "constant_slope", "from_lowered_maximum", "credit"] {
        let without = worst(&RULES_OF_THE_STACK.replace(&format!(", {rule} = true"), ""));
        assert!(without > 2.0 * same && without > 0.02, "{rule}: {without} against {same}");
    }
}
