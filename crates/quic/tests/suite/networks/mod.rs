//! Scenario texts for the tests of this folder, and their results in worlds `quic` and `sim`.

use std::ops::ControlFlow;
use std::sync::Arc;

use eddyline_cc::{CustomKind, KINDS};
use eddyline_quic::Crypto;
use eddyline_scenario::{Format, Input, Network, Vocabulary, load_with};
use eddyline_sim::{LogSelection, Options, Outcome};

/// The network of a scenario text that may use the stack's controllers.
pub fn network(toml: &str) -> Network {
    network_with(toml, Vec::new())
}

/// The same, with more kinds.
pub fn network_with(toml: &str, kinds: Vec<Arc<dyn CustomKind>>) -> Network {
    let kinds = eddyline_quic::kinds().into_iter().chain(kinds).collect();
    let vocabulary = Vocabulary::new(kinds).expect("names that no other kind has");
    let input = Input { text: toml, format: Format::Toml, name: "test.toml", folder: None };
    match load_with(&vocabulary, &input, &[]) {
        Ok(scenario) => scenario.network,
        Err(errors) => panic!("{errors}\n{toml}"),
    }
}

/// Runs a network in world `quic`.
pub fn run(network: &Network) -> Outcome {
    eddyline_quic::run(network, &Options::default(), &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a scenario text in world `quic`.
pub fn quic(toml: &str) -> Outcome {
    run(&network(toml))
}

/// As [`quic`], protected by `crypto`, with the packet log and series.
pub fn logged(toml: &str, crypto: Crypto) -> Outcome {
    let options = Options { series: true, packet_log: Some(LogSelection::All), ..Options::default() };
    eddyline_quic::run_with(&network(toml), &options, crypto, &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a scenario text in world `sim`.
pub fn sim(toml: &str) -> Outcome {
    eddyline_sim::run(&network(toml), &Options::default(), &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// One flow over 10 Mbit/s and 40 ms of round trip, with a queue of `queue` packets.
pub fn bottleneck(duration_s: f64, controller: &str, queue: u32, more: &str) -> String {
    format!(
        "duration = \"{duration_s} s\"\n\
         [[link]]\nname = \"f\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nqueue = {{ kind = \"droptail\", limit = \"{queue} packets\" }}\n\
         [[link]]\nname = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         [[flow]]\nname = \"one\"\ncontroller = {{ {controller} }}\ndata = [\"f\"]\nack = [\"b\"]\n{more}\n"
    )
}

/// Every kind with its required parameters, those of the stack too.
pub fn controllers() -> Vec<String> {
    let own = KINDS.iter().map(|kind| kind.example.replace("\": ", "\" = "));
    let trimmed = own.map(|kind| kind.trim_matches(|c| "{} ".contains(c)).to_owned());
    trimmed.chain(["noq-cubic", "noq-newreno", "noq-bbr3"].map(|name| format!("kind = \"{name}\""))).collect()
}
