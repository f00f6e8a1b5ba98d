//! The solver for large networks against the one for small ones.

mod common;

use common::{all_close, below, between, flow, magnitude, path, problem};
use eddyline_path::random::Stream;
use eddyline_theory::equilibrium::{LargeProblem, Problem, solve, solve_large};

fn draw(random: &mut Stream, links: usize, flows: usize, hops: usize) -> Problem {
    let capacity: Vec<f64> = (0..links).map(|_| magnitude(random, 1e7, 1e9)).collect();
    let flows = (0..flows).map(|_| {
        let (out, back) = (1 + below(random, hops), 1 + below(random, hops));
        let (data, ack) = (path(random, links, out), path(random, links, back));
        flow(magnitude(random, 1.0, 100.0), between(random, 4000.0, 12000.0), 320.0, &data, &ack)
    });
    problem(&capacity, flows.collect())
}

#[test]
fn both_solvers_agree() {
    let mut random = Stream::new(1, "both", "test");
    let (mut failed, mut other, rounds) = (0, 0, 600);
    for round in 0..rounds {
        let (links, flows) = (2 + below(&mut random, 60), 1 + below(&mut random, 300));
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
