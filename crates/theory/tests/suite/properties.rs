//! What must hold on any network; drawn from fixed seeds.

use crate::common;

use common::{all_close, below, between, close, flow, log_uniform, path, problem};
use eddyline_path::random::Stream;
use eddyline_theory::TheoryError;
use eddyline_theory::closed_form::{self, Direction, DuplexFlow};
use eddyline_theory::equilibrium::{Equilibria, Equilibrium, Method, Problem, solve};

/// Recomputes everything from the definition, apart from the solver's own residual.
fn holds(problem: &Problem, at: &Equilibrium, tolerance: f64) {
    let mut loads = problem.unresponsive.clone();
    let mut min_delay = vec![f64::INFINITY; loads.len()];
    for (s, f) in problem.flows.iter().enumerate() {
        let seen = at.delays[s] - problem.error_of(s);
        assert!((at.rates[s] * seen / f.alpha - 1.0).abs() < tolerance, "x q = alpha");
        let known: Option<f64> = f.data.iter().chain(f.ack.iter()).map(|l| at.prices[*l as usize]).sum();
        if let Some(sum) = known {
            assert!((sum - at.delays[s]).abs() <= tolerance * at.delays[s].abs(), "q is the sum of the prices");
        }
        if let (Some(forward), Some(reverse)) = (at.forward_delays[s], at.reverse_delays[s]) {
            assert!((forward + reverse - at.delays[s]).abs() <= tolerance * at.delays[s].abs());
        }
        for l in f.data.iter() {
            loads[*l as usize] += at.rates[s] * f.packet_bits;
            min_delay[*l as usize] = min_delay[*l as usize].min(at.delays[s]);
        }
        for l in f.ack.iter() {
            loads[*l as usize] += at.rates[s] * f.ack_bits;
            min_delay[*l as usize] = min_delay[*l as usize].min(at.delays[s]);
        }
    }
    for l in 0..loads.len() {
        let c = problem.capacity[l];
        close(at.loads[l], loads[l], 1e-12);
        if min_delay[l].is_finite() {
            assert!(loads[l] <= c * (1.0 + tolerance), "link {l} carries {} of {c}", loads[l]);
        }
        match at.prices[l] {
            Some(p) => {
                assert!(p >= 0.0);
                assert_eq!(p > 0.0, at.bottlenecks[l]);
                if p > 0.0 {
                    assert!(
                        (1.0 - loads[l] / c) * (p / min_delay[l]) < tolerance,
                        "price {p} at load {}",
                        loads[l] / c
                    );
                }
            }
            None => assert!(at.bottlenecks[l]),
        }
    }
}

fn all_hold(problem: &Problem, solved: &Equilibria, tolerance: f64) {
    assert!(solved.converged);
    assert!(!solved.found.is_empty());
    solved.found.iter().for_each(|at| holds(problem, at, tolerance));
}

fn random_problem(random: &mut Stream, links: usize, flows: usize, hops: usize) -> Problem {
    let capacity: Vec<f64> = (0..links).map(|_| log_uniform(random, 1e6, 1e9)).collect();
    let flows = (0..flows)
        .map(|_| {
            let (out, back) = (1 + below(random, hops), 1 + below(random, hops));
            let (data, ack) = (path(random, links, out), path(random, links, back));
            flow(log_uniform(random, 1.0, 1000.0), between(random, 4000.0, 12000.0), 320.0, &data, &ack)
        })
        .collect();
    problem(&capacity, flows)
}

#[test]
fn duplex_links_agree_with_the_closed_form() {
    let mut random = Stream::new(1, "duplex", "test");
    let mut by_solver = 0;
    for _ in 0..300 {
        let (cf, cb) = (log_uniform(&mut random, 1e5, 1e10), log_uniform(&mut random, 1e5, 1e10));
        let duplex: Vec<DuplexFlow> = (0..1 + below(&mut random, 20))
            .map(|_| DuplexFlow {
                alpha: log_uniform(&mut random, 1.0, 1e4),
                packet_bits: between(&mut random, 500.0, 12000.0),
                ack_bits: between(&mut random, 0.0, 600.0),
                direction: if random.uniform() < 0.5 { Direction::Forward } else { Direction::Backward },
            })
            .collect();
        let flows = duplex.iter().map(|f| {
            let (data, ack) = if f.direction == Direction::Forward { (0, 1) } else { (1, 0) };
            // access links that cannot fill, one a flow, must not matter
            flow(f.alpha, f.packet_bits, f.ack_bits, &[data, 2], &[ack])
        });
        let stated = problem(&[cf, cb, 10.0 * (cf + cb)], flows.collect());
        let solved = solve(&stated).expect("solved");
        let formula = closed_form::duplex(&duplex, cf, cb).expect("flows");
        all_close(
            &solved.found[0].rates,
            &formula.rates,
            if solved.method == Method::ClosedForm { 1e-9 } else { 1e-6 },
        );
        all_hold(&stated, &solved, 1e-8);

        // the same through the general solver: a flow that splits the classes and takes next to nothing
        let mut split = stated.clone();
        split.capacity[2] = 1e3 * cf.max(cb);
        split.flows.push(flow(1e-9 * duplex[0].alpha, 8000.0, 320.0, &[0], &[2]));
        let general = solve(&split).expect("solved");
        by_solver += usize::from(general.method != Method::ClosedForm);
        all_hold(&split, &general, 1e-8);
        let rates = &general.found[0].rates[..duplex.len()];
        all_close(rates, &formula.rates, 1e-6);
    }
    assert!(by_solver > 150, "the general solver saw {by_solver} cases only");
}

#[test]
fn random_networks_satisfy_the_conditions() {
    let mut random = Stream::new(2, "networks", "test");
    let (mut several, mut proven) = (0, 0);
    for _ in 0..300 {
        let links = 2 + below(&mut random, 19);
        let flows = 1 + below(&mut random, 30);
        let mut stated = random_problem(&mut random, links, flows, 4);
        if random.uniform() < 0.3 {
            stated.base_rtt_error = (0..flows).map(|_| between(&mut random, -0.01, 0.02)).collect();
        }
        if random.uniform() < 0.3 {
            let part = random.uniform();
            stated.unresponsive = stated.capacity.iter().map(|c| 0.99 * part * c).collect();
        }
        let solved = solve(&stated).expect("solved");
        all_hold(&stated, &solved, 1e-8);
        match solved.unique {
            Some(true) => {
                proven += 1;
                assert_eq!(solved.found.len(), 1);
            }
            Some(false) => several += 1,
            None => {}
        }
    }
    assert!(proven > 0, "no uniqueness proven");
    println!("{several} of 300 with several equilibria, {proven} proven unique");
}

#[test]
fn a_proof_of_uniqueness_is_never_contradicted() {
    let mut random = Stream::new(8, "proofs", "test");
    let mut proven = 0;
    for _ in 0..400 {
        let links = 2 + below(&mut random, 5);
        let flows = 1 + below(&mut random, 5);
        let stated = random_problem(&mut random, links, flows, 3);
        let solved = solve(&stated).expect("solved");
        if solved.unique != Some(true) {
            let indices: Option<i32> = solved.found.iter().map(|e| e.index.map(i32::from)).sum();
            assert!(indices.is_none_or(|sum| sum == 1), "equilibria are missing: indices sum to {indices:?}");
            continue;
        }
        proven += 1;
        // an alpha or a capacity elsewhere must move the answer continuously: no jump to another branch
        let mut near = stated.clone();
        near.flows[0].alpha *= 1.0 + 1e-7;
        let moved = solve(&near).expect("solved");
        all_close(&moved.found[0].rates, &solved.found[0].rates, 1e-4);
    }
    assert!(proven > 50, "only {proven} proven");
}

#[test]
fn one_way_traffic_is_proportionally_fair() {
    let mut random = Stream::new(3, "one way", "test");
    for _ in 0..50 {
        let links = 2 + below(&mut random, 30);
        let mut stated = random_problem(&mut random, links, 40, 4);
        // acknowledgements on a link of their own that never fills
        stated.capacity.push(1e13);
        stated.unresponsive.push(0.0);
        for f in &mut stated.flows {
            f.ack = [links as u32].into();
            f.packet_bits = 8000.0;
        }
        let solved = solve(&stated).expect("solved");
        assert_eq!(solved.unique, Some(true));
        all_hold(&stated, &solved, 1e-8);
        // at the maximum of sum alpha log x every feasible change loses: sum alpha (x' - x) / x <= 0
        let at = &solved.found[0];
        for _ in 0..20 {
            let wish: Vec<f64> = at.rates.iter().map(|x| x * between(&mut random, 0.0, 2.0)).collect();
            let mut loads = vec![0.0; links];
            for (f, x) in stated.flows.iter().zip(&wish) {
                f.data.iter().for_each(|l| loads[*l as usize] += x * f.packet_bits);
            }
            let over = loads.iter().zip(&stated.capacity).fold(0.0f64, |m, (y, c)| m.max(y / c)).max(1e-300);
            let gain: f64 = (0..wish.len()).map(|s| stated.flows[s].alpha * (wish[s] / over / at.rates[s] - 1.0)).sum();
            assert!(gain <= 1e-6, "gain {gain}");
        }
    }
}

#[test]
fn scaling_alpha_scales_delays_and_no_rate() {
    let mut random = Stream::new(4, "alpha", "test");
    for _ in 0..60 {
        let links = 2 + below(&mut random, 9);
        let stated = random_problem(&mut random, links, 8, 3);
        let mut scaled = stated.clone();
        scaled.flows.iter_mut().for_each(|f| f.alpha *= 7.0);
        let (a, b) = (solve(&stated).expect("solved"), solve(&scaled).expect("solved"));
        assert_eq!(a.found.len(), b.found.len());
        for (a, b) in a.found.iter().zip(&b.found) {
            all_close(&b.rates, &a.rates, 1e-8);
            let delays: Vec<f64> = a.delays.iter().map(|q| 7.0 * q).collect();
            all_close(&b.delays, &delays, 1e-8);
        }
    }
}

#[test]
fn permuted_flows_permute_the_answer() {
    let mut random = Stream::new(5, "permutation", "test");
    for _ in 0..60 {
        let links = 2 + below(&mut random, 9);
        let stated = random_problem(&mut random, links, 12, 3);
        let mut order: Vec<usize> = (0..12).collect();
        for i in (1..12).rev() {
            order.swap(i, below(&mut random, i + 1));
        }
        let mut permuted = stated.clone();
        permuted.flows = order.iter().map(|s| stated.flows[*s].clone()).collect();
        let (a, b) = (solve(&stated).expect("solved"), solve(&permuted).expect("solved"));
        assert_eq!((a.found.len(), a.unique), (b.found.len(), b.unique));
        for (a, b) in a.found.iter().zip(&b.found) {
            let wanted: Vec<f64> = order.iter().map(|s| a.rates[*s]).collect();
            all_close(&b.rates, &wanted, 1e-8);
        }
    }
}

#[test]
fn same_problem_same_bits() {
    let mut random = Stream::new(6, "bits", "test");
    for links in [4, 12, 30] {
        let stated = random_problem(&mut random, links, 20, 4);
        assert_eq!(solve(&stated), solve(&stated));
    }
}

#[test]
fn split_of_two_equal_links_in_series_is_not_claimed() {
    let flows = vec![flow(50.0, 8000.0, 320.0, &[0, 1], &[2]), flow(20.0, 8000.0, 320.0, &[0, 1], &[2])];
    let solved = solve(&problem(&[10e6, 10e6, 100e6], flows)).expect("solved");
    let at = &solved.found[0];
    assert_eq!(at.prices, [None, None, Some(0.0)]);
    // both lie on the data path, so their sum is known
    close(at.forward_delays[0].expect("known"), at.delays[0], 1e-12);
    assert_eq!(at.reverse_delays[0], Some(0.0));
    assert_eq!(at.bottlenecks, [true, true, false]);
}

#[test]
fn independent_parts_multiply() {
    let pair = |a: u32, b: u32| [flow(50.0, 8000.0, 320.0, &[a, b], &[a]), flow(50.0, 8000.0, 320.0, &[a], &[b])];
    let flows: Vec<_> = pair(0, 1).into_iter().chain(pair(2, 3)).collect();
    let stated = problem(&[10e6, 3.6e6, 10e6, 4.3e6], flows);
    let solved = solve(&stated).expect("solved");
    assert_eq!(solved.found.len(), 9);
    all_hold(&stated, &solved, 1e-10);
}

#[test]
fn extreme_values_do_not_panic() {
    let sizes = [1e-300, 1e-12, 1.0, 1e12, 1e300, f64::MAX, f64::MIN_POSITIVE];
    for a in sizes {
        for c in sizes {
            for e in [0.0, 1e-9, -1e-9, 1e9, -1e9, 1e300, -1e300] {
                let flows = vec![
                    flow(a, 8000.0, 0.0, &[0, 1], &[0]),
                    flow(1.0, 8000.0, 320.0, &[0], &[1]),
                    flow(1.0, c, 320.0, &[1, 1, 2], &[2, 2]),
                ];
                let mut stated = problem(&[c, 1e6, 1.0], flows);
                stated.base_rtt_error = vec![e, 0.0, 0.0];
                if let Some(solved) = solve(&stated).ok().filter(|s| s.converged) {
                    solved.found.iter().for_each(|at| assert!(at.rates.iter().all(|x| *x > 0.0)));
                }
            }
        }
    }
}

#[test]
fn invalid_problems_are_errors() {
    let one = || vec![flow(10.0, 8000.0, 320.0, &[0], &[1])];
    let mut over = problem(&[1e6, 1e6], one());
    over.unresponsive[1] = 1e6;
    assert!(matches!(solve(&over), Err(TheoryError::Overload { .. })));
    for (alpha, bits, ack) in
        [(0.0, 1.0, 1.0), (f64::NAN, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, -1.0), (f64::INFINITY, 1.0, 1.0)]
    {
        let stated = problem(&[1e6, 1e6], vec![flow(alpha, bits, ack, &[0], &[1])]);
        assert!(matches!(solve(&stated), Err(TheoryError::OutOfRange { .. })));
    }
    assert!(matches!(solve(&problem(&[0.0, 1e6], one())), Err(TheoryError::OutOfRange { .. })));
    assert!(matches!(solve(&problem(&[1e6], one())), Err(TheoryError::OutOfRange { .. })));
    let mut short = problem(&[1e6, 1e6], one());
    short.base_rtt_error = vec![0.0, 0.0];
    assert!(matches!(solve(&short), Err(TheoryError::Length { .. })));
    let nowhere = problem(&[1e6], vec![flow(10.0, 8000.0, 320.0, &[], &[0])]);
    assert!(matches!(solve(&nowhere), Err(TheoryError::NoPath { flow: 0 })));
    let empty = solve(&problem(&[1e6], Vec::new())).expect("nothing to solve");
    assert_eq!(empty.found[0].prices, [Some(0.0)]);
}

#[test]
fn underestimated_base_rtt_can_leave_every_link_slack() {
    let mut stated = problem(&[10e6, 10e6], vec![flow(10.0, 8000.0, 320.0, &[0], &[1])]);
    stated.base_rtt_error = vec![-0.1];
    let at = solve(&stated).expect("solved").found.remove(0);
    close(at.rates[0], 100.0, 1e-12);
    assert_eq!(at.bottlenecks, [false, false]);
}
