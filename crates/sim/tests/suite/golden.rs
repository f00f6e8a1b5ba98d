//! Determinism: the same file and seed give the same bytes, in every build and on every platform. The digests in
//! `golden/digests.txt` are of the result document without its cost; `EDDYLINE_BLESS=1` writes them anew, only for
//! intended changes of results.

use crate::scenarios;

use std::fmt::Write as _;
use std::path::PathBuf;

use eddyline_scenario::Network;
use eddyline_sim::{Options, Outcome};
use scenarios::{network, outcome};
use sha2::{Digest, Sha256};

const SCENARIOS: [&str; 4] = ["chain", "example-2", "losses", "module"];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden")
}

fn golden(name: &str) -> Network {
    network(&std::fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap())
}

fn recorded(network: &Network) -> Outcome {
    outcome(network, &Options { series: true, ..Options::default() })
}

/// The result document with its cost left out, as text.
fn document(outcome: &Outcome) -> String {
    serde_json::to_string(&outcome.result).unwrap()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

fn row(name: &str) -> String {
    let outcome = recorded(&golden(name));
    let series = outcome.series.as_ref().unwrap();
    let values: Vec<u8> = series.value.iter().chain(&series.time_s).flat_map(|v| v.to_le_bytes()).collect();
    let n = outcome.result.counters;
    format!(
        "{name:<12} {:>9} {:>9} {:>8} {} {}\n",
        n.events.unwrap(),
        n.packets_sent.unwrap(),
        n.packets_dropped.unwrap(),
        digest(document(&outcome).as_bytes()),
        digest(&values)
    )
}

#[test]
fn the_digests_of_the_golden_scenarios() {
    let head = "# scenario     events      sent  dropped result           series\n";
    let table: String = std::iter::once(head.to_owned()).chain(SCENARIOS.iter().map(|s| row(s))).collect();
    let file = folder().join("digests.txt");
    if std::env::var_os("EDDYLINE_BLESS").is_some() {
        std::fs::write(&file, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), table, "results changed; see the first lines of this test");
}

#[test]
fn repeated_runs_are_identical() {
    for name in SCENARIOS {
        let (a, b) = (recorded(&golden(name)), recorded(&golden(name)));
        assert_eq!(document(&a), document(&b), "{name}");
        assert_eq!(a.series, b.series, "{name}");
    }
}

/// Another seed changes only scenarios with random elements.
#[test]
fn the_seed_matters_only_where_something_is_random() {
    for (name, random) in [("chain", false), ("example-2", false), ("module", false), ("losses", true)] {
        let mut network = golden(name);
        let base = recorded(&network);
        network.seed += 1;
        let mut changed = recorded(&network);
        changed.result.seed -= 1;
        assert_eq!(document(&base) != document(&changed), random, "{name}");
    }
}

/// Random streams are per entity: an additional link with loss changes no other draws.
#[test]
fn random_streams_are_independent() {
    let mut network = golden("losses");
    let base = recorded(&network).result;
    let mut extra = network.links[0].clone();
    extra.name = "unused".to_owned();
    network.links.push(extra);
    let changed = recorded(&network).result;
    assert_eq!(base.flows, changed.flows);
}
