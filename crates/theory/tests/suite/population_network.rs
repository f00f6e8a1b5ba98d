//! The population of a scenario: the method that is chosen, and its results.

use crate::common;

use common::{close, fast_flow, link, network};
use eddyline_path::loss::LossParams;
use eddyline_path::queue::{AckPriorityParams, DropTailParams, Limit, QueueParams};
use eddyline_path::traffic::{CbrParams, SizeParams, TrafficParams};
use eddyline_scenario::Network;
use eddyline_scenario::network::{Arrivals, Link, Traffic};
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

fn acks_first(mut network: Network, ack_packet: u32) -> Network {
    network.links.iter_mut().for_each(|l| l.queue = QueueParams::AckPriority(AckPriorityParams::default()));
    network.arrivals.iter_mut().for_each(|a| a.flow.ack_packet = ack_packet);
    network
}

/// Acknowledgements of a quarter of a packet go first. Data of both directions fill both links whatever the numbers of flows,
/// P x + a y = c, those of one direction its own: a chain with four sets of rates, solved here by iteration.
#[test]
fn acknowledgements_first() {
    let net = acks_first(fig_5(0.416), 250);
    let (b, c) = (0.25, [1.0, 2.0]);
    let both = [(c[0] - b * c[1]) / (1.0 - b * b), (c[1] - b * c[0]) / (1.0 - b * b)];
    let (rate, size) = (0.4, 40);
    let serve = |n: usize, m: usize| match (n > 0, m > 0) {
        (true, true) => both,
        (there, back) => [if there { c[0] } else { 0.0 }, if back { c[1] } else { 0.0 }],
    };
    let (step, mut p) = (1.0 / 4.0, vec![vec![0.0; size + 1]; size + 1]);
    p[0][0] = 1.0;
    for _ in 0..2_000 {
        let mut next = p.clone();
        for (n, row) in p.iter().enumerate() {
            for (m, held) in row.iter().enumerate() {
                let done = serve(n, m);
                for (to, speed) in [
                    ((n + 1, m), if n < size { rate } else { 0.0 }),
                    ((n, m + 1), if m < size { rate } else { 0.0 }),
                    ((n.saturating_sub(1), m), done[0]),
                    ((n, m.saturating_sub(1)), done[1]),
                ] {
                    if speed > 0.0 {
                        next[to.0][to.1] += held * speed * step;
                        next[n][m] -= held * speed * step;
                    }
                }
            }
        }
        p = next;
    }
    let mean: f64 = p.iter().enumerate().map(|(n, row)| n as f64 * row.iter().sum::<f64>()).sum();
    let options = PopulationOptions { arrivals: Some(400_000), ..PopulationOptions::default() };
    let first = population(&net, &options).expect("answered");
    assert_eq!(first.method, "flow-level");
    close(first.mean_flows["down"].expect("finite"), mean, 1.5 * first.error.expect("known"));
    // as FIFOs there are other numbers of flows
    let fifo = {
        let mut net = net;
        net.links.iter_mut().for_each(|l| l.queue = QueueParams::default());
        net
    };
    let fifo = answer(&fifo);
    assert_eq!(fifo.method, "chain");
    assert!((fifo.mean_flows["down"].expect("finite") / mean - 1.0).abs() > 0.05, "{fifo:?}, {mean}");
}

/// Acknowledgements of half a packet fill the 4 Mbit/s before data fill the 10: M/M/1 with priority, the data behind them
/// served when there are none.
#[test]
fn data_wait_for_acknowledgements_that_fill_their_link() {
    let mut net = acks_first(fig_5(0.416), 500);
    net.links = [10_000_000, 4_000_000].map(|rate| Link { rate: Rate::from_bps(rate), ..net.links[0].clone() }).into();
    net.links[1].name = "backward".to_owned();
    (net.arrivals[0].rate_per_s, net.arrivals[1].rate_per_s) = (3.2, 0.8);
    let p = population(&net, &PopulationOptions { arrivals: Some(400_000), ..PopulationOptions::default() });
    let p = p.expect("answered");
    // transfers of 1 Mbit at 8 and at 4 Mbit/s
    let (urgent, other) = (3.2 / 8.0, 0.8 / 4.0);
    let mean = urgent / (1.0 - urgent);
    close(p.mean_flows["down"].expect("finite"), mean, 1.5 * p.error.expect("known"));
    let residual = urgent / 8.0 + other / 4.0;
    let time = 0.25 / (1.0 - urgent) + residual / ((1.0 - urgent) * (1.0 - urgent - other));
    close(p.mean_flows["up"].expect("finite"), 0.8 * time, 1.5 * p.error.expect("known"));
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

/// What the model leaves out is said of the links and flows that have it, of no others.
#[test]
fn what_is_left_out_is_said() {
    let noted = |change: fn(&mut Network)| {
        let mut n = fig_5(0.5);
        n.links.push(link("aside", 1_000_000, 10));
        change(&mut n);
        answer(&n).notes
    };
    let none = noted(|n| {
        n.links[2].loss = LossParams::Independent(0.1);
        n.links[0].queue = QueueParams::DropTail(DropTailParams { limit: Limit::Packets(20) });
    });
    assert!(none.is_empty(), "{none:?}");
    for (note, change) in [
        (
            "link forward: loss is not modelled",
            (|n| n.links[0].loss = LossParams::Independent(0.1)) as fn(&mut Network),
        ),
        ("link backward: loss is not modelled", |n| n.links[1].corrupt = 0.1),
        ("flow up: congestion control of acknowledgements", |n| n.arrivals[1].flow.tcp.ack_congestion_control = true),
        ("flow up: the receive window is not modelled", |n| n.arrivals[1].flow.receive_window = Some(3000)),
        ("link forward: the queue holds less than the alpha", |n| {
            n.links[0].queue = QueueParams::DropTail(DropTailParams { limit: Limit::Packets(19) });
        }),
        ("link backward: the queue holds less than the alpha", |n| {
            n.links[1].queue = QueueParams::DropTail(DropTailParams { limit: Limit::Bytes(19_999) });
        }),
    ] {
        let notes = noted(change);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with(note), "{notes:?}");
    }
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
