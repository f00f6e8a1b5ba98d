//! Large networks: accuracy where sparse structure matters. Time limits are generous; `cargo bench` is for the
//! rest.

use crate::common;

use common::{below, between, close, flow, log_uniform, path, problem};
use eddyline_path::random::Stream;
use eddyline_theory::equilibrium::{Problem, solve};
use std::time::Instant;

fn timed(name: &str, stated: &Problem) -> eddyline_theory::Equilibria {
    let begun = Instant::now();
    let solved = solve(stated).expect("solved");
    let residual = solved.found.iter().fold(0.0f64, |m, e| m.max(e.residual));
    println!(
        "{name}: {:?}, {}, {} found, residual {residual:e}, unique {:?}",
        begun.elapsed(),
        solved.method.name(),
        solved.found.len(),
        solved.unique
    );
    assert!(solved.converged, "{name}: residual {residual:e}");
    solved
}

/// A ring of links: data over four in a row, acknowledgements over the preceding four.
fn ring(links: u32, flows: usize, mut start: impl FnMut(usize) -> u32) -> Problem {
    let over = |first: u32| -> Vec<u32> { (0..4).map(|i| (first + i) % links).collect() };
    let flows = (0..flows).map(|s| {
        let at = start(s);
        flow(5.0, 12000.0, 320.0, &over(at), &over((at + links - 4) % links))
    });
    problem(&vec![100e6; links as usize], flows.collect())
}

#[test]
fn a_thousand_flows_on_fifty_links() {
    let mut random = Stream::new(1, "fifty", "test");
    for round in 0..10 {
        let capacity: Vec<f64> = (0..50).map(|_| log_uniform(&mut random, 1e7, 1e9)).collect();
        let flows = (0..1000).map(|_| {
            let (out, back) = (1 + below(&mut random, 5), 1 + below(&mut random, 5));
            let (data, ack) = (path(&mut random, 50, out), path(&mut random, 50, back));
            flow(log_uniform(&mut random, 1.0, 100.0), between(&mut random, 4000.0, 12000.0), 320.0, &data, &ack)
        });
        let stated = problem(&capacity, flows.collect());
        timed(&format!("50 links, 1000 flows, {round}"), &stated);
    }
}

#[test]
fn a_thousand_links_in_a_ring() {
    let even = ring(1000, 100_000, |s| (s % 1000) as u32);
    let solved = timed("even ring", &even);
    let at = &solved.found[0];
    // all alike: 400 flows' data and 400 flows' acknowledgements on each link
    let x = 100e6 / (400.0 * 12320.0);
    at.rates.iter().for_each(|rate| close(*rate, x, 1e-9));
    // eight neighbours see every price pattern of period eight that sums to nothing as none at all
    assert!(at.prices.iter().all(Option::is_none));

    let mut random = Stream::new(2, "ring", "test");
    timed("random ring", &ring(1000, 100_000, |_| below(&mut random, 1000) as u32));
    timed("sparse ring", &ring(1000, 3_000, |_| below(&mut random, 1000) as u32));
}

#[test]
fn hundreds_of_links_at_random() {
    let mut random = Stream::new(3, "hundreds", "test");
    for links in [100, 200, 400] {
        let capacity: Vec<f64> = (0..links).map(|_| log_uniform(&mut random, 1e7, 1e9)).collect();
        let flows = (0..5 * links).map(|_| {
            let (out, back) = (1 + below(&mut random, 4), 1 + below(&mut random, 4));
            let (data, ack) = (path(&mut random, links, out), path(&mut random, links, back));
            flow(log_uniform(&mut random, 1.0, 100.0), between(&mut random, 4000.0, 12000.0), 320.0, &data, &ack)
        });
        timed(&format!("{links} links"), &problem(&capacity, flows.collect()));
    }
}

#[test]
fn three_thousand_full_links_in_a_row() {
    // a flow a link and one over each two neighbours; the last link twins the first
    let links = 3000;
    let mut random = Stream::new(4, "row", "test");
    let mut capacity: Vec<f64> = (0..links).map(|_| between(&mut random, 1e7, 2e7)).collect();
    let last = links as u32;
    capacity.push(capacity[0]);
    let mut flows = vec![flow(10.0, 8000.0, 0.0, &[0, last], &[])];
    for l in 1..last {
        flows.push(flow(between(&mut random, 5.0, 50.0), 8000.0, 0.0, &[l], &[]));
        let pair = if l == 1 { vec![0, last, 1] } else { vec![l - 1, l] };
        flows.push(flow(between(&mut random, 5.0, 50.0), 8000.0, 0.0, &pair, &[]));
    }
    let solved = timed("row", &problem(&capacity, flows));
    let at = &solved.found[0];
    for (l, price) in at.prices.iter().enumerate() {
        assert_eq!(price.is_none(), l == 0 || l == links, "link {l}: {price:?}");
    }
    assert!(at.forward_delays.iter().all(Option::is_some));
}

#[test]
fn random_routes_through_the_large_solver() {
    let mut random = Stream::new(5, "dense", "test");
    let capacity: Vec<f64> = (0..600).map(|_| log_uniform(&mut random, 1e8, 1e9)).collect();
    let flows = (0..20_000).map(|_| {
        let (out, back) = (2 + below(&mut random, 7), 2 + below(&mut random, 7));
        let (data, ack) = (path(&mut random, 600, out), path(&mut random, 600, back));
        flow(log_uniform(&mut random, 1.0, 100.0), between(&mut random, 4000.0, 12000.0), 320.0, &data, &ack)
    });
    let solved = timed("dense", &problem(&capacity, flows.collect()));
    assert_eq!(solved.method, eddyline_theory::equilibrium::Method::SmoothingNewton);
    assert!(solved.found[0].prices.iter().all(Option::is_some));
}
