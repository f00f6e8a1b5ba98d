//! Flows that count the queueing of their data alone, or their acknowledgements' by what they load.

use crate::common;

use std::sync::Arc;

use common::{
    all_close, below, between, close, fast_flow, flow, link, log_uniform, network, number, numbers, path, problem,
    values,
};
use eddyline_cc::{ControllerParams, Delay};
use eddyline_path::random::Stream;
use eddyline_scenario::Network;
use eddyline_scenario::network::Flow;
use eddyline_theory::equilibrium::{Method, Problem, solve};
use eddyline_theory::fairness::proportional_fair;
use eddyline_theory::{TheoryError, Which, equilibria_document, fairness_document, run};
use eddyline_units::Packets;

/// w = P- / P+ for every flow.
fn weighted(stated: Problem) -> Problem {
    let ack_wait = stated.flows.iter().map(|f| f.ack_bits / f.packet_bits).collect();
    Problem { ack_wait, ..stated }
}

fn forward(stated: Problem) -> Problem {
    Problem { ack_wait: vec![0.0; stated.flows.len()], ..stated }
}

fn fast(mut flow: Flow, delay: Delay, ack_alpha: Option<f64>) -> Flow {
    let ControllerParams::Fast(params) = &*flow.controller else { unreachable!("it is") };
    let params = eddyline_cc::FastParams { delay, ack_alpha: ack_alpha.map(Packets::new), ..params.clone() };
    flow.controller = Arc::new(ControllerParams::Fast(params));
    flow
}

#[test]
fn weighted_is_proportional_fairness_in_the_papers_examples() {
    for (name, v) in values(include_str!("data/two_way_examples.json")).as_object().expect("examples") {
        let (out, back) = (numbers(&v["alpha_F"]), numbers(&v["alpha_B"]));
        let (data, ack) = (number(&v["Pp"]), number(&v["Pm"]));
        let there = out.iter().map(|a| flow(*a, data, ack, &[0], &[1]));
        let flows = there.chain(back.iter().map(|a| flow(*a, data, ack, &[1], &[0]))).collect();
        let solved = solve(&weighted(problem(&[number(&v["cF"]), number(&v["cB"])], flows))).expect("solved");
        assert_eq!((solved.unique, solved.found.len()), (Some(true), 1), "example {name}");
        all_close(&solved.found[0].rates, &numbers(&v["true_prop_fair_x"]), 1e-6);
    }
}

/// Example 2 by hand: both links full, x3 P + (x1 + x2) P- = c and (x1 + x2) P + x3 P- = c.
#[test]
fn example_2() {
    let flows = vec![
        flow(300.0, 8000.0, 320.0, &[0], &[1]),
        flow(200.0, 8000.0, 320.0, &[0], &[1]),
        flow(100.0, 8000.0, 320.0, &[1], &[0]),
    ];
    let solved = solve(&weighted(problem(&[1e8, 1e8], flows))).expect("solved");
    let x = 1e8 / 8320.0;
    all_close(&solved.found[0].rates, &[0.6 * x, 0.4 * x, x], 1e-9);
    all_close(&solved.found[0].rates, &[7212.0, 4808.0, 12019.0], 1e-4);
}

/// Two-way networks of up to six duplex links, flows both ways over some of them; data packets of one size or of many.
fn two_way(random: &mut Stream, one_size: bool) -> Problem {
    let duplexes = 1 + below(random, 6);
    let capacity: Vec<f64> = (0..2 * duplexes).map(|_| log_uniform(random, 1e6, 1e9)).collect();
    let flows = (0..2 + below(random, 12)).map(|_| {
        let hops = 1 + below(random, 3);
        let crossed = path(random, duplexes, hops);
        let side = below(random, 2) as u32;
        let data: Vec<u32> = crossed.iter().map(|d| 2 * d + side).collect();
        let ack: Vec<u32> = crossed.iter().rev().map(|d| 2 * d + 1 - side).collect();
        let packet = if one_size { 8320.0 } else { between(random, 4000.0, 12000.0) };
        flow(log_uniform(random, 5.0, 500.0), packet, between(random, 100.0, 1000.0), &data, &ack)
    });
    problem(&capacity, flows.collect())
}

/// Two programs that share nothing but the problem: complementarity here, cones there. Prices are of bits, so a flow of
/// larger packets has more of them queued with the same alpha: its weight is alpha P+.
#[test]
fn weighted_is_proportional_fairness_on_fifty_networks() {
    for one_size in [true, false] {
        let mut random = Stream::new(50, "weighted", "test");
        let (mut acks_matter, mut worst) = (0, 0.0f64);
        for round in 0..50 {
            let stated = two_way(&mut random, one_size);
            let mut by_bits = stated.clone();
            if !one_size {
                by_bits.flows.iter_mut().for_each(|f| f.alpha *= f.packet_bits);
            }
            let ideal = proportional_fair(&by_bits).expect("solved");
            let published = solve(&stated).expect("solved");
            let solved = solve(&weighted(stated)).expect("solved");
            assert!(solved.converged && solved.unique == Some(true), "network {round}: {:?}", solved.unique);
            let off = |rates: &[f64]| {
                rates.iter().zip(&ideal.rates).fold(0.0f64, |worst, (x, best)| worst.max((x / best - 1.0).abs()))
            };
            worst = worst.max(off(&solved.found[0].rates));
            acks_matter += usize::from(off(&published.found[0].rates) > 0.02);
        }
        assert!(worst < 1e-6, "{worst:e}");
        // the test is meaningful only if the equilibrium of published FAST differs
        assert!(acks_matter >= 40, "{acks_matter} of 50");
    }
}

/// P x + A y = c and A x + P y = c': data of each direction fill their own link.
#[test]
fn forward_fills_both_links() {
    let (p, a, c, d) = (8320.0, 320.0, 1e8, 1e7);
    let flows = vec![flow(100.0, p, a, &[0], &[1]), flow(30.0, p, a, &[1], &[0])];
    let solved = solve(&forward(problem(&[c, d], flows))).expect("solved");
    assert_eq!(solved.unique, Some(true));
    let determinant = p * p - a * a;
    all_close(&solved.found[0].rates, &[(p * c - a * d) / determinant, (p * d - a * c) / determinant], 1e-9);
    all_close(&solved.found[0].loads, &[c, d], 1e-9);
}

/// 100 Mbit/s of data make 3.85 Mbit/s of acknowledgements: on less there is nothing to settle in, with data on the
/// link or not.
#[test]
fn forward_has_no_equilibrium_where_acknowledgements_fill_a_link_first() {
    let down = || flow(100.0, 8320.0, 320.0, &[0], &[1]);
    let up = || flow(30.0, 8320.0, 320.0, &[1], &[0]);
    for flows in [vec![down()], vec![down(), up()]] {
        for (narrow, settles) in [(1e6, false), (3.84e6, false), (3.86e6, true)] {
            let stated = problem(&[1e8, narrow], flows.clone());
            assert!(solve(&weighted(stated.clone())).expect("solved").converged);
            match solve(&forward(stated)) {
                Ok(solved) => assert!(settles && solved.converged, "{narrow}"),
                Err(TheoryError::Unconstrained { flow, link }) => {
                    assert!(!settles, "{narrow}");
                    assert_eq!((flow, link), (Which::Number(0), Which::Number(1)));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// Where the tight link is not of the same flows the reduction sees nothing; a linear program does.
#[test]
fn no_equilibrium_by_proof() {
    // flow 1 and 2 share the way back; only together do their acknowledgements fill it before either link of data is
    // full
    let flows = vec![
        flow(100.0, 8000.0, 400.0, &[0], &[2]),
        flow(100.0, 8000.0, 400.0, &[1], &[2]),
        flow(10.0, 8000.0, 400.0, &[2], &[3]),
    ];
    let none = solve(&forward(problem(&[1e8, 1e8, 4e6, 1e9], flows.clone())));
    assert!(matches!(none, Err(TheoryError::Unconstrained { .. })), "{none:?}");
    let room = solve(&forward(problem(&[1e8, 1e8, 11e6, 1e9], flows))).expect("5 Mbit/s each are not 11");
    assert!(room.converged);
}

/// Two downloads over links of their own share a way back that only acknowledgements use: 20 and 5 Mbit/s of data make 1 Mbit/s of them.
/// Nobody measures its queue, so the links of data alone set the rates; where these do not fit there is no equilibrium, though
/// either download alone has one.
#[test]
fn a_way_back_that_nobody_measures() {
    let flows = |back: &[u32]| vec![flow(40.0, 8000.0, 320.0, &[0], back), flow(40.0, 8000.0, 320.0, &[1], back)];
    let stated = |back: f64| problem(&[20e6, 5e6, back], flows(&[2]));
    let room = solve(&forward(stated(1.01e6))).expect("solved");
    assert!(room.converged && room.unique == Some(true));
    all_close(&room.found[0].rates, &[2500.0, 625.0], 1e-9);
    all_close(&room.found[0].loads, &[20e6, 5e6, 1e6], 1e-9);
    assert_eq!(room.found[0].prices[2], Some(0.0));
    let full = Err(TheoryError::Unconstrained { flow: Which::Number(0), link: Which::Number(2) });
    assert_eq!(solve(&forward(stated(0.99e6))), full);
    // beside a network with several equilibria, which has nothing to do with it
    let several = |back: f64| {
        let mut flows = flows(&[2]);
        flows.extend([flow(40.0, 12000.0, 320.0, &[3, 4], &[3]), flow(40.0, 12000.0, 320.0, &[3], &[4])]);
        let mut both = forward(problem(&[20e6, 5e6, back, 10e6, 3.6e6], flows));
        both.ack_wait[2..].fill(1.0);
        solve(&both)
    };
    assert_eq!(several(0.99e6), full);
    let room = several(1.01e6).expect("solved");
    assert!(
        room.converged && room.found.len() == 3 && room.found.iter().all(|e| (e.rates[0] / 2500.0 - 1.0).abs() < 1e-9)
    );
}

#[test]
fn counting_all_of_it_is_the_published_law() {
    let stated =
        problem(&[1e8, 1e7], vec![flow(100.0, 8320.0, 320.0, &[0], &[1]), flow(30.0, 8320.0, 320.0, &[1], &[0])]);
    let ones = Problem { ack_wait: vec![1.0, 1.0], ..stated.clone() };
    assert_eq!(solve(&ones).unwrap().found, solve(&stated).unwrap().found);
    assert_eq!(solve(&stated).unwrap().method, Method::ClosedForm);
}

#[test]
fn invalid_weights_are_errors() {
    let stated = problem(&[1e8, 1e7], vec![flow(100.0, 8320.0, 320.0, &[0], &[1])]);
    let short = Problem { ack_wait: vec![1.0, 0.5], ..stated.clone() };
    assert!(matches!(solve(&short), Err(TheoryError::Length { given: 2, wanted: 1, .. })));
    for share in [-0.1, f64::NAN, f64::INFINITY] {
        let wrong = Problem { ack_wait: vec![share], ..stated.clone() };
        assert!(matches!(solve(&wrong), Err(TheoryError::OutOfRange { .. })), "{share}");
    }
}

fn duplex(rates: [u64; 2], delay: Delay, ack_alpha: Option<f64>) -> Network {
    let links = vec![link("down", rates[0], 10), link("up", rates[1], 10)];
    let flows = vec![fast_flow("download", 100.0, &[0], &[1]), fast_flow("upload", 30.0, &[1], &[0])];
    network(links, flows.into_iter().map(|f| fast(f, delay, ack_alpha)).collect())
}

#[test]
fn a_scenario_sets_it_and_errors_name_its_flows() {
    let result = eddyline_theory::run(&duplex([100_000_000, 10_000_000], Delay::Weighted, None)).unwrap();
    for (f, alpha) in result.flows.iter().zip([100.0, 30.0]) {
        let (x, out) = (f.packets_per_s.unwrap(), f.forward_queueing_delay_s.unwrap());
        let back = f.reverse_queueing_delay_s.unwrap();
        close(x * (out + 0.04 * back), alpha, 1e-9);
        close(f.queueing_delay_s.unwrap(), out + back, 1e-12);
        // what is in flight
        close(f.window_packets.mean.unwrap(), x * (0.02 + out + back), 1e-9);
    }
    let none = eddyline_theory::run(&duplex([100_000_000, 1_000_000], Delay::Forward, None)).unwrap_err();
    assert_eq!(none, TheoryError::Unconstrained { flow: "download".into(), link: "up".into() });
    assert!(none.to_string().contains("no equilibrium"), "{none}");
    for question in [
        eddyline_theory::stability::stability(
            &duplex([100_000_000, 10_000_000], Delay::Weighted, None),
            eddyline_theory::LinkModel::Integrator,
            &eddyline_theory::stability::Options::default(),
        )
        .err(),
        eddyline_theory::dynamics(&duplex([100_000_000, 10_000_000], Delay::Forward, None), &Default::default()).err(),
    ] {
        assert!(matches!(question, Some(TheoryError::OneWay { .. })), "{question:?}");
    }
}

/// Streams of acknowledgements on 1 Mbit/s where 100 Mbit/s of data would make 4: P- a + P+ y = c', a q = 5, y q' = 30.
#[test]
fn acknowledgements_as_flows_of_their_own() {
    for delay in [Delay::Forward, Delay::Weighted] {
        let result = eddyline_theory::run(&duplex([100_000_000, 1_000_000], delay, Some(5.0))).unwrap();
        let [down, up] = [&result.flows[0], &result.flows[1]];
        let own = if delay == Delay::Forward { [100.0, 30.0] } else { [100.0 - 0.04 * 5.0, 30.0] };
        let q = up.forward_queueing_delay_s.unwrap();
        let (y, a) = (up.packets_per_s.unwrap(), 5.0 / q);
        close(y * 8000.0 + a * 320.0, 1e6, 1e-9);
        close(down.reverse_queueing_delay_s.unwrap(), q, 1e-9);
        close(down.packets_per_s.unwrap() * down.forward_queueing_delay_s.unwrap(), own[0], 1e-9);
        // the upload's acknowledgements are fewer than five packets' worth: each packet has one
        close(down.packets_per_s.unwrap() * 8000.0 + y * 320.0, 1e8, 1e-9);
        close(result.links[1].utilisation.unwrap(), 1.0, 1e-9);
        close(result.links[1].ack_utilisation.unwrap(), a * 320.0 / 1e6, 1e-9);
    }
}

/// The fair ideal has the acknowledgements that senders ask for. Alone on 100 and 1 Mbit/s, the flow fills both links, data
/// the one and fewer acknowledgements the other: no rate is fairer.
#[test]
fn the_fair_ideal_has_fewer_acknowledgements() {
    let mut net = duplex([100_000_000, 1_000_000], Delay::Weighted, Some(5.0));
    let beside = fairness_document(&net, 1.0).expect("solved");
    let settled = equilibria_document(&net).expect("solved");
    let [compared] = &beside.equilibria[..] else { panic!("one equilibrium") };
    for (flow, at) in compared.flows.iter().zip(&settled.equilibria[0].flows) {
        assert_eq!(flow.packets_per_s, at.packets_per_s);
    }
    assert!(compared.efficiency > 0.9 && compared.efficiency <= 1.0, "{}", compared.efficiency);
    net.flows.truncate(1);
    let alone = fairness_document(&net, 1.0).expect("solved");
    close(alone.equilibria[0].flows[0].packets_per_s, 1e8 / 8000.0, 1e-9);
    close(alone.equilibria[0].flows[0].of_ideal, 1.0, 1e-9);
}

/// The document of equilibria and the result of world `theory` say the same of a flow, whatever delay it counts; and
/// what waits is x q, which is alpha only where the sender counts all of it.
#[test]
fn both_documents_say_the_same() {
    for delay in [Delay::RoundTrip, Delay::Forward, Delay::Weighted] {
        let flows = vec![
            fast(fast_flow("down", 20.0, &[0], &[1]), delay, None),
            fast(fast_flow("up", 20.0, &[1], &[0]), delay, None),
        ];
        let net = network(vec![link("forward", 20_000_000, 10), link("backward", 5_000_000, 10)], flows);
        let document = equilibria_document(&net).expect("solved");
        let result = run(&net).expect("solved");
        for (at, result_flow) in document.equilibria[0].flows.iter().zip(&result.flows) {
            let window = at.window_packets.expect("known");
            let waits = at.queueing_delay_s.expect("known");
            assert_eq!(Some(at.packets_per_s), result_flow.packets_per_s);
            close(waits, result_flow.queueing_delay_s.expect("known"), 1e-15);
            close(window, result_flow.window_packets.mean.expect("known"), 1e-15);
            close(window, at.packets_per_s * (0.02 + waits), 1e-9);
            let both = result_flow.forward_queueing_delay_s.expect("known")
                + result_flow.reverse_queueing_delay_s.expect("known");
            close(waits, both, 1e-9);
            let queued = at.packets_per_s * waits;
            match delay {
                Delay::RoundTrip => close(queued, 20.0, 1e-9),
                _ => assert!(queued > 20.0 * 1.01, "{delay:?}: {queued}"),
            }
        }
    }
}
