//! Random networks of up to 50 links and 200 flows: residuals, and a second method that must not find another solution.
//!
//! `EDDYLINE_CASES=10000 cargo test --release -p eddyline-theory ten_thousand:: -- --nocapture` for all of them.

use crate::common;

use common::{below, between, flow, log_uniform, path, problem};
use eddyline_path::random::Stream;
use eddyline_theory::equilibrium::{Equilibrium, Method, Problem, solve};

fn draw(random: &mut Stream) -> Problem {
    let links = 2 + below(random, 49);
    let flows = 1 + below(random, 200);
    let hops = 1 + below(random, 8);
    let capacity: Vec<f64> = (0..links).map(|_| log_uniform(random, 1e6, 1e9)).collect();
    let flows = (0..flows).map(|_| {
        let (out, back) = (1 + below(random, hops), 1 + below(random, hops));
        let (data, ack) = (path(random, links, out), path(random, links, back));
        flow(log_uniform(random, 1.0, 1e3), between(random, 4000.0, 12000.0), 320.0, &data, &ack)
    });
    let mut stated = problem(&capacity, flows.collect());
    match below(random, 4) {
        0 => stated.base_rtt_error = stated.flows.iter().map(|_| between(random, -0.02, 0.05)).collect(),
        1 => {
            let part = random.uniform();
            stated.unresponsive = stated.capacity.iter().map(|c| 0.95 * part * c).collect();
        }
        _ => {}
    }
    stated
}

/// Largest violation of feasibility and complementarity, from the definition and the rates alone: x (q - e) = alpha by
/// construction of q, a full link for every price.
fn violation(stated: &Problem, at: &Equilibrium) -> f64 {
    let mut loads = stated.unresponsive.clone();
    let mut worst = 0.0f64;
    for (s, f) in stated.flows.iter().enumerate() {
        for (path, bits) in [(&f.data, f.packet_bits), (&f.ack, f.ack_bits)] {
            path.iter().for_each(|l| loads[*l as usize] += at.rates[s] * bits);
        }
        worst = worst.max((at.rates[s] * (at.delays[s] - stated.error_of(s)) / f.alpha - 1.0).abs());
        for l in f.data.iter().chain(f.ack.iter()).map(|l| *l as usize) {
            if let Some(p) = at.prices[l] {
                worst = worst.max(if p < 0.0 { f64::INFINITY } else { 0.0 });
                let slack = (1.0 - at.loads[l] / stated.capacity[l]).abs();
                let delay = at.delays[s].max(at.delays[s] - stated.error_of(s));
                worst = worst.max(slack * p / delay);
            }
        }
    }
    loads.iter().zip(&stated.capacity).fold(worst, |m, (y, c)| m.max(y / c - 1.0))
}

/// Queues that grow and shrink with excess load in small steps until they are stationary: an independent algorithm, which
/// finds only equilibria that such queues stay in. `None` where they do not come to rest.
fn queues_at_rest(stated: &Problem, start: f64) -> Option<Vec<f64>> {
    let links = stated.capacity.len();
    let left: Vec<f64> = stated.capacity.iter().zip(&stated.unresponsive).map(|(c, b)| c - b).collect();
    let mut prices = vec![0.0; links];
    for (s, f) in stated.flows.iter().enumerate() {
        for (path, bits) in [(&f.data, f.packet_bits), (&f.ack, f.ack_bits)] {
            path.iter()
                .for_each(|l| prices[*l as usize] += f.alpha * bits / left[*l as usize] + stated.error_of(s).max(0.0));
        }
    }
    prices.iter_mut().for_each(|p| *p *= start);
    for _ in 0..40_000 {
        let mut loads = vec![0.0; links];
        let mut rates = Vec::with_capacity(stated.flows.len());
        for (s, f) in stated.flows.iter().enumerate() {
            let q: f64 = f.data.iter().chain(f.ack.iter()).map(|l| prices[*l as usize]).sum();
            let x = f.alpha / (q - stated.error_of(s)).max(1e-9);
            for (path, bits) in [(&f.data, f.packet_bits), (&f.ack, f.ack_bits)] {
                path.iter().for_each(|l| loads[*l as usize] += x * bits / left[*l as usize]);
            }
            rates.push(x);
        }
        let mut moved = 0.0f64;
        for (p, load) in prices.iter_mut().zip(&loads) {
            let next = *p * load.clamp(0.25, 4.0).sqrt();
            if next > 1e-13 {
                moved = moved.max((load - 1.0).abs());
            }
            *p = next.max(1e-15);
        }
        if moved < 1e-9 {
            return Some(rates);
        }
    }
    None
}

#[test]
fn random_networks() {
    let cases: usize = std::env::var("EDDYLINE_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(300);
    let mut random = Stream::new(21, "ten thousand", "test");
    let (mut failed, mut several, mut rested, mut unlisted, mut searched) = (0, 0, 0, 0, 0);
    let mut worst = 0.0f64;
    for case in 0..cases {
        let stated = draw(&mut random);
        let solved = match solve(&stated) {
            Ok(solved) if solved.converged => solved,
            other => {
                failed += 1;
                println!("case {case}: {:?}", other.map(|s| s.found[0].residual));
                continue;
            }
        };
        several += usize::from(solved.found.len() > 1);
        searched += usize::from(solved.method == Method::MultiStart);
        worst = solved.found.iter().fold(worst, |m, at| m.max(at.residual).max(violation(&stated, at)));
        if case % 10 == 0 {
            for start in [1.0, 0.2] {
                let Some(rates) = queues_at_rest(&stated, start) else { continue };
                rested += 1;
                let same = |e: &&Equilibrium| e.rates.iter().zip(&rates).all(|(a, b)| (a / b - 1.0).abs() < 1e-4);
                if solved.found.iter().find(same).is_none() {
                    unlisted += 1;
                    println!("case {case}: queues come to rest where nothing is listed");
                }
            }
        }
    }
    println!(
        "{cases} networks: {failed} without convergence, largest residual {worst:.1e}, {several} with several equilibria, \
         {searched} by multi-start; queues came to rest {rested} times, {unlisted} of them unlisted"
    );
    assert!(failed * 1000 <= cases, "{failed} of {cases} without convergence");
    assert!(worst < 1e-8, "residual {worst:e}");
    assert!(rested > 0);
    assert_eq!(unlisted, 0);
}

/// A network whose equilibrium, the only one known, is reached from one random start in some hundreds, and by no
/// queues.
#[test]
fn the_hardest_of_ten_thousand() {
    let mut random = Stream::new(21, "ten thousand", "test");
    let mut stated = draw(&mut random);
    for _ in 0..6370 {
        stated = draw(&mut random);
    }
    let solved = solve(&stated).expect("solved");
    assert!(solved.converged, "{:e}", solved.found[0].residual);
    let worst = solved.found.iter().fold(0.0f64, |m, at| m.max(at.residual).max(violation(&stated, at)));
    assert!(worst < 1e-8, "{worst:e}");
}
