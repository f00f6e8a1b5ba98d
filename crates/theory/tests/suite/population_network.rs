//! The population of a scenario: the method that is chosen, and its results.

use crate::common;

use common::{close, fast_flow, link, network};
use eddyline_path::traffic::{CbrParams, SizeParams, TrafficParams};
use eddyline_scenario::Network;
use eddyline_scenario::network::{Arrivals, Traffic};
use eddyline_theory::TheoryError;
use eddyline_theory::population::{Population, PopulationMethod, PopulationOptions, population};
use eddyline_units::{Bytes, Rate, Time};

/// Files of 125 kB on the wire: packets of 1,000 bytes, 40 of them header.
fn files(name: &str, rate_per_s: f64, data: &[u32], ack: &[u32]) -> Arrivals {
    let size = SizeParams::Exponential { mean: Bytes::new(120_000) };
    Arrivals { name: name.to_owned(), rate_per_s, size, listed: None, flow: fast_flow(name, 20.0, data, ack) }
}

/// Fig. 5 of the two-way paper.
fn fig_5(rho: f64) -> Network {
    let rate = rho / 1.04;
    Network {
        arrivals: vec![files("down", rate, &[0], &[1]), files("up", rate, &[1], &[0])],
        ..network(vec![link("forward", 1_000_000, 10), link("backward", 2_000_000, 10)], Vec::new())
    }
}

fn answer(network: &Network) -> Population {
    population(network, &PopulationOptions::default()).expect("answered")
}

fn shares_sum_to_one(p: &Population) {
    close(p.idle.expect("known") + p.bottleneck.values().sum::<f64>(), 1.0, 1e-9);
}

#[test]
fn the_chain_where_it_applies() {
    let p = answer(&fig_5(0.5));
    assert_eq!((p.method, p.stable, p.notes.len()), ("chain", true, 0));
    close(p.load["forward"], 0.5, 1e-12);
    close(p.idle.expect("known"), 0.3709745771357218, 1e-6);
    close(p.bottleneck["forward"], 0.4827262108037546, 1e-6);
    close(p.bottleneck["backward"], 0.14629921206052351, 1e-6);
    close(p.mean_flows["down"].expect("finite"), 0.9601869037792476, 1e-6);
    close(p.mean_transfer_time_s["up"].expect("finite"), 1.2112590028958135, 1e-6);
    assert!(p.error.expect("known") <= 1e-8);
    shares_sum_to_one(&p);
    let json = serde_json::to_value(&p).expect("serialises");
    assert_eq!(json["method"], "chain");
    assert!(json["bottleneck"]["both"].as_f64().expect("a number") < 1e-20);
    assert_eq!(json["several"], json["bottleneck"]["both"]);
}

/// A link may be called as the share of several is.
#[test]
fn a_link_called_both_keeps_its_share() {
    let mut net = fig_5(0.5);
    net.links[0].name = "both".to_owned();
    let p = answer(&net);
    close(p.bottleneck["both"], 0.4827262108037546, 1e-6);
    assert_eq!(p.bottleneck.len(), 2);
    assert!(p.several.expect("known") < 1e-20);
    shares_sum_to_one(&p);
}

#[test]
fn the_simulation_otherwise() {
    let chain = answer(&fig_5(0.5));
    let options = PopulationOptions {
        method: PopulationMethod::FlowLevel,
        arrivals: Some(500_000),
        ..PopulationOptions::default()
    };
    let p = population(&fig_5(0.5), &options).expect("answered");
    assert_eq!(p.method, "flow-level");
    let mean = p.mean_flows["down"].expect("finite");
    close(mean, chain.mean_flows["down"].expect("finite"), 1.5 * p.error.expect("known"));
    shares_sum_to_one(&p);
    // other sizes, other packets, flows that stay: not the chain
    let mut other = fig_5(0.5);
    other.arrivals[0].size = SizeParams::Fixed { size: Bytes::new(120_000) };
    assert_eq!(answer(&other).method, "flow-level");
    let mut other = fig_5(0.5);
    other.arrivals[1].flow.packet = 500;
    assert_eq!(answer(&other).method, "flow-level");
    let mut other = fig_5(0.5);
    other.flows.push(fast_flow("stays", 20.0, &[0], &[1]));
    let with = answer(&other);
    assert_eq!((with.method, with.idle), ("flow-level", Some(0.0)));
    assert!(with.mean_flows["down"].expect("finite") > 1.5 * mean);
    // one class with n_0 static flows: a queue with n (1 + n_0) / (1 + n_0 + n) of the server, E[n] = (1 + n_0)
    // rho / (1 - rho)
    let mut alone = fig_5(0.5);
    alone.arrivals.truncate(1);
    alone.flows.push(fast_flow("stays", 20.0, &[0], &[1]));
    let p = answer(&alone);
    let rho = 0.5 / 1.04;
    close(p.mean_flows["down"].expect("finite"), 2.0 * rho / (1.0 - rho), 1.5 * p.error.expect("known"));
}

#[test]
fn unresponsive_traffic_takes_its_mean() {
    let mut taken = fig_5(0.5);
    taken.links[1].rate = Rate::from_bps(3_000_000);
    taken.traffic.push(Traffic {
        name: "steady".to_owned(),
        host: 0,
        path: [1].into(),
        packet: 1000,
        model: TrafficParams::Cbr(CbrParams { rate: Rate::from_bps(1_000_000) }),
        start: Time::ZERO,
        stop: None,
        trace: None,
    });
    let (p, plain) = (answer(&taken), answer(&fig_5(0.5)));
    close(p.mean_flows["up"].expect("finite"), plain.mean_flows["up"].expect("finite"), 1e-9);
    assert!(p.notes[0].contains("steady"));
    taken.links[1].rate = Rate::from_bps(1_000_000);
    let refused = population(&taken, &PopulationOptions::default());
    assert!(matches!(refused, Err(TheoryError::Overload { .. })));
}

#[test]
fn an_unstable_population_is_no_error() {
    let p = answer(&fig_5(1.25));
    assert_eq!((p.stable, p.method, p.error), (false, "fluid", None));
    assert_eq!((p.mean_flows["down"], p.mean_transfer_time_s["up"]), (None, None));
    close(p.growth_per_s["down"], 0.25 / 1.04, 1e-9);
    close(p.growth_per_s["up"], 0.25 / 1.04, 1e-9);
    assert_eq!(p.bottleneck["forward"], 1.0);
    shares_sum_to_one(&p);
    // n / m = theta: both saturated
    let mut line = fig_5(1.0);
    line.arrivals[0].rate_per_s = 2.0 * 0.92 / 0.9984;
    line.arrivals[1].rate_per_s = 2.0 * 1.96 / 0.9984;
    let p = answer(&line);
    assert_eq!((p.bottleneck["forward"], p.bottleneck["backward"]), (0.5, 0.5));
    assert!(p.notes.iter().any(|n| n.contains("no limit")), "{:?}", p.notes);
    // exactly at load 1
    let p = answer(&fig_5(1.04));
    assert!(!p.stable);
    // sizes of which the fluid is not known
    let mut fixed = fig_5(2.0);
    fixed.arrivals[0].size = SizeParams::Fixed { size: Bytes::new(120_000) };
    let p = answer(&fixed);
    assert!(!p.stable && p.growth_per_s.is_empty() && p.idle.is_none());
}

#[test]
fn beyond_the_chain() {
    let options = PopulationOptions { max_states: 20_000, ..PopulationOptions::default() };
    let p = population(&fig_5(0.98), &options).expect("answered");
    assert_eq!(p.method, "asymptotic");
    close(p.mean_flows["down"].expect("finite"), 46.0962, 0.05);
    shares_sum_to_one(&p);
}

#[test]
fn unsupported_scenarios_are_errors() {
    let mut none = fig_5(0.5);
    none.arrivals.clear();
    let message = population(&none, &PopulationOptions::default()).expect_err("no arrivals").to_string();
    assert!(message.contains("arrivals"), "{message}");
    let mut reno = fig_5(0.5);
    reno.arrivals[1].flow.controller =
        std::sync::Arc::new(serde_json::from_str(r#"{"kind": "reno"}"#).expect("reno has defaults"));
    let message = population(&reno, &PopulationOptions::default()).expect_err("no model").to_string();
    assert!(message.contains("reno") && message.contains("up"), "{message}");
}
