//! The solver for large networks against the one for small ones.

use crate::common;

use common::{all_close, below, between, flow, log_uniform, path, problem};
use eddyline_path::random::Stream;
use eddyline_theory::TheoryError;
use eddyline_theory::equilibrium::{FlowRow, FlowTable, LargeProblem, Problem, solve, solve_large};

fn draw(random: &mut Stream, links: usize, flows: usize, hops: usize) -> Problem {
    let capacity: Vec<f64> = (0..links).map(|_| log_uniform(random, 1e7, 1e9)).collect();
    let flows = (0..flows).map(|_| {
        let (out, back) = (1 + below(random, hops), 1 + below(random, hops));
        let (data, ack) = (path(random, links, out), path(random, links, back));
        flow(log_uniform(random, 1.0, 100.0), between(random, 4000.0, 12000.0), 320.0, &data, &ack)
    });
    problem(&capacity, flows.collect())
}

#[test]
fn both_solvers_agree() {
    let mut random = Stream::new(1, "both", "test");
    let (mut failed, mut other, rounds) = (0, 0, 600);
    for round in 0..rounds {
        // as many of each order of magnitude
        let links = log_uniform(&mut random, 2.0, 62.0) as usize;
        let flows = log_uniform(&mut random, 1.0, 301.0) as usize;
        let mut stated = draw(&mut random, links, flows, 8);
        if round % 3 == 0 {
            stated.base_rtt_error = stated.flows.iter().map(|_| between(&mut random, -0.01, 0.02)).collect();
        }
        let small = solve(&stated).expect("solved");
        let large = solve_large(&LargeProblem::from(&stated)).expect("solved");
        if !large.converged {
            failed += 1;
            println!("round {round}: {links} links, {flows} flows: residual {:e}", large.found[0].residual);
            continue;
        }
        let at = &large.found[0];
        let near = |rates: &[f64]| rates.iter().zip(&at.rates).all(|(a, b)| (a / b - 1.0).abs() < 1e-6);
        match small.found.iter().find(|e| near(&e.rates)) {
            Some(same) => {
                all_close(&at.delays, &same.delays, 1e-6);
                assert_eq!(at.bottlenecks, same.bottlenecks);
            }
            None => other += 1,
        }
    }
    println!("{failed} of {rounds} did not converge, {other} found an equilibrium that the small solver did not");
    assert!(failed <= 2, "{failed}");
    assert!(other <= 2, "{other}");
}

#[test]
fn invalid_problems_are_errors() {
    let row = FlowRow { alpha: 10.0, packet_bits: 8000.0, ack_bits: 320.0, base_rtt_error: 0.0 };
    let with = |row: FlowRow, data: &[u32], capacity: &[f64]| {
        let mut flows = FlowTable::default();
        flows.push(row, data, &[1]);
        solve_large(&LargeProblem { unresponsive: vec![0.0; capacity.len()], capacity: capacity.to_vec(), flows })
    };
    let good = with(row, &[0], &[1e6, 1e6]).expect("solved");
    assert!(good.converged);
    assert!((good.found[0].rates[0] - 125.0).abs() < 1e-9);
    assert!(matches!(with(FlowRow { alpha: f64::NAN, ..row }, &[0], &[1e6, 1e6]), Err(TheoryError::OutOfRange { .. })));
    assert!(matches!(with(row, &[], &[1e6, 1e6]), Err(TheoryError::NoPath { flow: 0 })));
    assert!(matches!(with(row, &[7], &[1e6, 1e6]), Err(TheoryError::OutOfRange { .. })));
    let zero = with(row, &[0], &[0.0, 1e6]).expect_err("refused");
    assert_eq!(zero.to_string(), "the rate of link 0 is 0; it must be above 0 and finite");
    let none = solve_large(&LargeProblem { capacity: vec![1e6], unresponsive: vec![0.0], flows: FlowTable::default() });
    assert_eq!(none.expect("nothing to solve").found[0].prices, [Some(0.0)]);
}

#[test]
fn parts_without_a_common_link_and_links_without_a_flow() {
    let flows = vec![flow(10.0, 8000.0, 320.0, &[0], &[1]), flow(20.0, 8000.0, 0.0, &[2], &[3])];
    let stated = problem(&[1e6, 1e6, 2e6, 1e9, 1e6], flows);
    for solved in [solve(&stated), solve_large(&LargeProblem::from(&stated))] {
        let solved = solved.expect("solved");
        assert!(solved.converged);
        all_close(&solved.found[0].rates, &[125.0, 250.0], 1e-9);
        assert_eq!(solved.found[0].bottlenecks, [true, false, true, false, false]);
    }
}

#[test]
fn random_routes_of_fifty_thousand_flows() {
    let mut random = Stream::new(6, "scale", "test");
    let links = 500;
    let mut flows = FlowTable::with_capacity(50_000, 600_000);
    for _ in 0..50_000 {
        let row = FlowRow {
            alpha: between(&mut random, 1.0, 200.0),
            packet_bits: between(&mut random, 4000.0, 12000.0),
            ack_bits: 320.0,
            base_rtt_error: 0.0,
        };
        let (out, back) = (2 + below(&mut random, 7), 2 + below(&mut random, 7));
        let (data, ack) = (path(&mut random, links, out), path(&mut random, links, back));
        flows.push(row, &data, &ack);
    }
    let capacity = (0..links).map(|_| between(&mut random, 1e8, 1e10)).collect();
    let solved = solve_large(&LargeProblem { capacity, unresponsive: vec![0.0; links], flows }).expect("solved");
    assert!(solved.found[0].residual < 1e-10, "{:e}", solved.found[0].residual);
}
