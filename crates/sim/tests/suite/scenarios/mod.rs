//! Scenario texts and their results, for the tests of this folder.
#![allow(dead_code, reason = "every test file uses a part")]

use std::ops::ControlFlow;

use eddyline_path::random::Stream;
use eddyline_scenario::result::{FlowResult, LinkResult, RunResult};
use eddyline_scenario::{Format, Input, Network, load};
use eddyline_sim::{Options, Outcome, run};

/// The network of a scenario text.
pub fn network(toml: &str) -> Network {
    let input = Input { text: toml, format: Format::Toml, name: "test.toml", folder: None };
    match load(&input, &[]) {
        Ok(scenario) => scenario.network,
        Err(errors) => panic!("{errors}\n{toml}"),
    }
}

/// Runs a network to its end.
pub fn outcome(network: &Network, options: &Options) -> Outcome {
    run(network, options, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"))
}

/// The result of a scenario text.
pub fn result_of(toml: &str) -> RunResult {
    outcome(&network(toml), &Options::default()).result
}

/// Two links, `f` and `b`, each with half of the round trip as delay.
pub fn duplex(c_f: f64, c_b: f64, rtt_s: f64) -> String {
    let link = |name: &str, rate: f64| {
        format!("[[link]]\nname = \"{name}\"\nrate = \"{rate:.0} bit/s\"\ndelay = \"{} us\"\n", rtt_s / 2.0 * 1e6)
    };
    link("f", c_f) + &link("b", c_b)
}

/// The first lines of a scenario.
pub fn head(duration_s: f64, warmup_s: f64, seed: u64) -> String {
    format!("duration = \"{duration_s} s\"\nwarmup = \"{warmup_s} s\"\nseed = {seed}\n")
}

/// A flow with 1,000 bytes of payload and 40 of header; `more` is appended.
pub fn flow(name: &str, controller: &str, data: &str, ack: &str, more: &str) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\ncontroller = {{ {controller} }}\ndata = [\"{data}\"]\nack = [\"{ack}\"]\n\
         packet = \"1040 B\"\n{more}\n"
    )
}

/// A flow of a result by name.
pub fn flow_result<'a>(result: &'a RunResult, name: &str) -> &'a FlowResult {
    result.flows.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no flow {name}"))
}

/// A link of a result by name.
pub fn link<'a>(result: &'a RunResult, name: &str) -> &'a LinkResult {
    result.links.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("no link {name}"))
}

/// Uniform on a logarithmic scale.
pub fn log_uniform(random: &mut Stream, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.uniform())
}

/// The mean of some values, and its standard error.
pub fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}

/// Whether `got` is within a relative `tolerance` of `want`.
#[track_caller]
pub fn near(got: f64, want: f64, tolerance: f64, what: &str) {
    let off = (got / want - 1.0).abs();
    assert!(off <= tolerance, "{what}: {got} against {want}, off by {:.3} %", off * 100.0);
}
