//! Links that send acknowledgements first: capacity is taken, nothing is waited for.

use crate::common;

use common::{all_close, close, fast_flow, flow, link, network, problem};
use eddyline_path::queue::{AckPriorityParams, QueueParams};
use eddyline_theory::equilibrium::{Problem, solve};
use eddyline_theory::{TheoryError, fairness_document};

const P: f64 = 8320.0;
const A: f64 = 320.0;

/// One flow each way with these alphas, acknowledgements first on the links that say so.
fn duplex(capacity: [f64; 2], alphas: [f64; 2], acks_first: [bool; 2]) -> Problem {
    let flows = vec![flow(alphas[0], P, A, &[0], &[1]), flow(alphas[1], P, A, &[1], &[0])];
    Problem { acks_first: acks_first.to_vec(), ..problem(&capacity, flows) }
}

/// Both links full: P x + A y = c and A x + P y = c'. Alphas set prices, not rates.
#[test]
fn both_links_fill_whatever_the_alphas() {
    for alphas in [[100.0, 30.0], [30.0, 100.0], [1.0, 500.0]] {
        let (c, d) = (100e6, 10e6);
        let solved = solve(&duplex([c, d], alphas, [true, true])).unwrap();
        assert!(solved.converged);
        assert_eq!((solved.unique, solved.found.len()), (Some(true), 1));
        let at = &solved.found[0];
        let determinant = P * P - A * A;
        let rates = [(P * c - A * d) / determinant, (P * d - A * c) / determinant];
        all_close(&at.rates, &rates, 1e-9);
        all_close(&at.delays, &[alphas[0] / rates[0], alphas[1] / rates[1]], 1e-9);
        // acknowledgements wait nowhere, so the whole delay is forward
        assert_eq!(at.reverse_delays, [Some(0.0), Some(0.0)]);
        all_close(&at.loads, &[c, d], 1e-9);
    }
}

/// First on the slow link only: the fast link's price is paid by both, the slow one's by its own data.
#[test]
fn one_link_with_priority() {
    let (c, d) = (100e6, 10e6);
    let solved = solve(&duplex([c, d], [100.0, 30.0], [false, true])).unwrap();
    assert!(solved.converged);
    let at = &solved.found[0];
    let [p, q] = [at.prices[0].unwrap(), at.prices[1].unwrap()];
    close(at.rates[0], 100.0 / p, 1e-9);
    close(at.rates[1], 30.0 / (p + q), 1e-9);
    all_close(&at.loads, &[c, d], 1e-9);
}

/// Without data acknowledgements queue behind each other as in a FIFO: Example 1 of the two-way paper.
#[test]
fn acknowledgements_alone_wait_for_each_other() {
    let flows = || vec![flow(100.0, 8000.0, 320.0, &[0], &[1]), flow(200.0, 8000.0, 320.0, &[0], &[1])];
    let plain = solve(&problem(&[100e6, 1e6], flows())).unwrap();
    let first = solve(&Problem { acks_first: vec![true, true], ..problem(&[100e6, 1e6], flows()) }).unwrap();
    assert_eq!(plain, first);
}

/// 100 Mbit/s down have 3.8 Mbit/s of acknowledgements: on 2 Mbit/s they leave nothing to data that come second.
#[test]
fn data_starve_behind_acknowledgements_that_fill_the_link() {
    let refused = solve(&duplex([100e6, 2e6], [100.0, 30.0], [true, true]));
    assert!(matches!(&refused, Err(TheoryError::Starved { .. })), "{refused:?}");
    // a FIFO has an equilibrium there
    assert!(solve(&duplex([100e6, 2e6], [100.0, 30.0], [false, false])).unwrap().converged);
    // with capacity beyond the acknowledgements' need there is an equilibrium again
    let min_rate = A * 100e6 / P;
    assert!(solve(&duplex([100e6, min_rate * 1.01], [100.0, 30.0], [true, true])).unwrap().converged);
}

#[test]
fn a_list_of_the_wrong_length_is_an_error() {
    let wrong = Problem { acks_first: vec![true], ..duplex([1e8, 1e7], [1.0, 1.0], [true, true]) };
    assert!(matches!(solve(&wrong), Err(TheoryError::Length { given: 1, wanted: 2, .. })));
}

/// Selected by the scenario's queue; what waits is data alone, by Little's law.
#[test]
fn a_scenario_with_the_queue() {
    let mut links = vec![link("f", 100_000_000, 10), link("b", 10_000_000, 10)];
    links.iter_mut().for_each(|l| l.queue = QueueParams::AckPriority(AckPriorityParams::default()));
    let flows = vec![fast_flow("down", 100.0, &[0], &[1]), fast_flow("up", 30.0, &[1], &[0])];
    let result = eddyline_theory::run(&network(links, flows)).unwrap();
    assert!(result.approximations.is_empty(), "{:?}", result.approximations);
    for (flow, alpha) in result.flows.iter().zip([100.0, 30.0]) {
        assert_eq!(flow.reverse_queueing_delay_s, Some(0.0));
        close(flow.packets_per_s.unwrap() * flow.queueing_delay_s.unwrap(), alpha, 1e-9);
    }
    for (link, alpha) in result.links.iter().zip([100.0, 30.0]) {
        close(link.queue_packets.mean.unwrap(), alpha, 1e-9);
        close(link.utilisation.unwrap(), 1.0, 1e-9);
    }
}

/// Both links are full in the fair ideal too, and with one flow each way that determines the rates: P x + A y = c.
#[test]
fn fairness_with_the_queue() {
    let mut links = vec![link("f", 10_000_000, 10), link("b", 4_000_000, 10)];
    links.iter_mut().for_each(|l| l.queue = QueueParams::AckPriority(AckPriorityParams::default()));
    let flows = vec![fast_flow("down", 60.0, &[0], &[1]), fast_flow("up", 30.0, &[1], &[0])];
    let document = fairness_document(&network(links, flows), 1.0).unwrap();
    let (p, a) = (8000.0, 320.0);
    let determinant = p * p - a * a;
    let [at] = &document.equilibria[..] else { panic!("one equilibrium") };
    close(at.flows[0].packets_per_s, (p * 10e6 - a * 4e6) / determinant, 1e-9);
    close(at.flows[1].packets_per_s, (p * 4e6 - a * 10e6) / determinant, 1e-9);
    close(at.throughput, 1.0, 1e-9);
    close(at.efficiency, 1.0, 1e-9);
}
