//! Expectations against results.

use crate::common;

use common::{TWO_WAY, toml};
use eddyline_scenario::result::{
    ArrivalsResult, CompletionResult, Cost, FlowResult, GroupResult, LinkResult, ProbeResult, RunResult, TrafficResult,
    jain_index,
};
use eddyline_scenario::{Expectation, check};

fn flow(name: &str, goodput: Option<f64>) -> FlowResult {
    FlowResult { name: name.to_owned(), goodput_bps: goodput, ..FlowResult::default() }
}

fn result() -> RunResult {
    RunResult {
        world: "sim".to_owned(),
        title: String::new(),
        version: String::new(),
        scenario_sha256: String::new(),
        seed: 0,
        flows: vec![
            flow("flow 1", Some(25e6)),
            flow("many[0]", Some(1e6)),
            flow("many[1]", None),
            flow("many[2]", Some(3e6)),
        ],
        links: vec![LinkResult {
            name: "forward".to_owned(),
            utilisation: Some(0.95),
            bottleneck: Some(true),
            ..LinkResult::default()
        }],
        groups: vec![GroupResult {
            name: "many".to_owned(),
            count: 3,
            jain_index: Some(0.9),
            ..GroupResult::default()
        }],
        arrivals: vec![ArrivalsResult {
            name: "pages".to_owned(),
            completion_s: CompletionResult { p90: Some(0.8), ..CompletionResult::default() },
            ..ArrivalsResult::default()
        }],
        probes: vec![ProbeResult { name: "web".to_owned(), responsiveness_rpm: Some(900.0), ..ProbeResult::default() }],
        traffic: vec![TrafficResult {
            name: "movie".to_owned(),
            loss_ratio: Some(0.02),
            jitter_s: Some(0.003),
            ..TrafficResult::default()
        }],
        counters: Default::default(),
        approximations: vec![],
        theory: None,
        sampling: None,
        emulation: None,
        cost: Cost::default(),
    }
}

/// The expectations of the scenario with these tables instead of its own.
fn expectations(tables: &str) -> Vec<Expectation> {
    let (head, _) = TWO_WAY.split_once("[[expect]]").unwrap();
    toml(&format!("{head}{tables}"), &[]).unwrap_or_else(|e| panic!("{e}")).expectations
}

/// Of, value and outcome of one expectation.
fn held(of: &str, what: &str, bound: &str) -> Vec<(String, Option<f64>, bool)> {
    let all = expectations(&format!("[[expect]]\nof = {of:?}\nwhat = \"{what}\"\n{bound}\n"));
    check(&all, &result()).into_iter().map(|o| (o.of, o.value, o.held)).collect()
}

#[test]
fn bounds_hold_or_fail() {
    let one = |of, what, bound| {
        let all = held(of, what, bound);
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].2
    };
    assert!(one("flow.\"flow 1\"", "goodput_bps", "at_least = \"25 Mbit/s\""));
    assert!(!one("flow.'flow 1'", "goodput_bps", "at_least = \"25.1 Mbit/s\""));
    assert!(one("flow.\"flow 1\"", "goodput_bps", "at_most = \"25000 kbit/s\""));
    assert!(!one("flow.\"flow 1\"", "goodput_bps", "at_least = \"1 bit/s\"\nat_most = \"2 bit/s\""));
    assert!(one("link.forward", "utilisation", "near = 1\nwithin = \"5 %\""));
    assert!(!one("link.forward", "utilisation", "near = 1\nwithin = \"4 %\""));
    assert!(one("link.forward", "utilisation", "at_least = \"90 %\""));
    assert!(one("link.forward", "bottleneck", "at_least = 1"));
    assert!(one("traffic.movie", "loss_ratio", "at_most = \"2 %\""));
    assert!(!one("traffic.*", "jitter_s", "at_most = \"2 ms\""));
    assert!(one("flow.many", "jain_index", "at_least = 0.9"), "a table with a count is its group");
    assert!(one("flow.\"many[2]\"", "goodput_bps", "at_least = \"3 Mbit/s\""));
}

#[test]
fn equal_rates_have_an_index_of_one_at_most() {
    let mut equal = result();
    equal.groups[0].jain_index = jain_index(&[1.3; 3]);
    let all = expectations("[[expect]]\nof = \"flow.many\"\nwhat = \"jain_index\"\nat_most = 1\n");
    assert!(check(&all, &equal)[0].held);
}

/// A sum over the flows of a table holds for one flow too, so that its count may be varied.
#[test]
fn a_group_of_one_flow_is_that_flow() {
    let sum = || held("flow.'flow 1'", "goodput_bps.sum", "at_least = \"25 Mbit/s\"");
    assert_eq!(sum(), held("flow.'flow 1'", "goodput_bps", "at_least = \"25 Mbit/s\""));
    assert_eq!(sum().len(), 1);
    let (head, _) = TWO_WAY.split_once("[[expect]]").unwrap();
    for (of, what) in [
        ("flow.*", "goodput_bps.sum"),
        ("flow.'many[0]'", "goodput_bps.sum"),
        ("flow.'flow 1'", "goodput_bps.sd"),
        ("flow.'flow 1'", "goodput_bps.smu"),
    ] {
        let text = format!("{head}[[expect]]\nof = \"{of}\"\nwhat = \"{what}\"\nat_least = \"1 bit/s\"\n");
        assert!(toml(&text, &[]).unwrap_err().to_string().contains("is not in the result"), "{of} {what}");
    }
}

/// Counts and rates a minute have no unit that is a share.
#[test]
fn counts_are_plain_numbers() {
    let bound = |what: &str, bound: &str| {
        let (head, _) = TWO_WAY.split_once("[[expect]]").unwrap();
        let table = format!("[[expect]]\nof = \"flow.'flow 1'\"\nwhat = \"{what}\"\nat_most = {bound}\n");
        toml(&format!("{head}{table}"), &[]).map(|s| s.expectations[0].at_most).map_err(|e| e.to_string())
    };
    assert_eq!(bound("timeouts", "3"), Ok(Some(3.0)));
    assert_eq!(bound("timeouts", "\"3\""), Ok(Some(3.0)));
    assert_eq!(bound("retransmits", "\"100 packets\""), Ok(Some(100.0)));
    assert_eq!(bound("responsiveness_rpm", "\"500 /min\""), Ok(Some(500.0)));
    for (what, wrong) in [("timeouts", "\"3 %\""), ("responsiveness_rpm", "\"100 %\""), ("retransmits", "\"many\"")] {
        let refused = bound(what, wrong).unwrap_err();
        assert!(refused.contains("it is a number without unit"), "{refused}");
    }
}

#[test]
fn a_missing_value_fails() {
    assert_eq!(
        held("flow.'many[1]'", "goodput_bps", "at_least = \"0 bit/s\""),
        [("flow.\"many[1]\"".to_owned(), None, false)]
    );
    assert_eq!(held("flow.'flow 1'", "rtt_s.mean", "at_most = \"1 h\""), [("flow.\"flow 1\"".to_owned(), None, false)]);
    assert_eq!(held("link.backward", "utilisation", "at_least = 0"), [("link.backward".to_owned(), None, false)]);
}

#[test]
fn dynamic_flows_and_probes_have_expectations() {
    let paths = "data = [\"forward\"]\nack = [\"backward\"]\n";
    let size = "{ kind = \"fixed\", size = \"50 kB\" }";
    let pages =
        format!("name = \"pages\"\nrate = \"2 /s\"\nsize = {size}\ncontroller = {{ kind = \"reno\" }}\n{paths}");
    let tables = format!("[[arrivals]]\n{pages}[[probe]]\nname = \"web\"\n{paths}");
    let held = |of: &str, what: &str, bound: &str| {
        let all = expectations(&format!("{tables}[[expect]]\nof = {of:?}\nwhat = \"{what}\"\n{bound}\n"));
        check(&all, &result()).into_iter().map(|o| (o.of, o.value, o.held)).collect::<Vec<_>>()
    };
    for of in ["arrivals.pages", "arrivals.*"] {
        let outcomes = held(of, "completion_s.p90", "at_most = \"500 ms\"");
        assert_eq!(outcomes, [("arrivals.pages".to_owned(), Some(0.8), false)]);
    }
    for of in ["probe.web", "probe.*"] {
        let outcomes = held(of, "responsiveness_rpm", "at_least = 800");
        assert_eq!(outcomes, [("probe.web".to_owned(), Some(900.0), true)]);
    }
    assert_eq!(held("probe.web", "http_s.p99", "at_most = \"1 s\""), [("probe.web".to_owned(), None, false)]);
}

#[test]
fn a_star_matches_every_entity() {
    let all = held("flow.*", "goodput_bps", "at_least = \"2 Mbit/s\"");
    assert_eq!(all.iter().map(|(_, _, held)| *held).collect::<Vec<_>>(), [true, false, false, true]);
}

#[test]
fn expectations_of_other_worlds_are_skipped() {
    assert!(held("link.*", "utilisation", "at_least = 0\nworld = \"kernel\"").is_empty());
    let own = toml(TWO_WAY, &[]).unwrap().expectations;
    assert_eq!(own.len(), 2);
    let outcomes = check(&own, &result());
    assert_eq!(outcomes.len(), 1);
    let first = &outcomes[0];
    assert_eq!((first.file.as_str(), first.line, first.bound.as_str()), ("case.toml", Some(61), "at least 20 Mbit/s"));
    assert_eq!(first.why.as_deref(), Some("a download must survive an upload"));
}
