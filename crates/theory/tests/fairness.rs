//! The proportionally fair ideal against the reference values, one-way traffic and its own optimality.

mod common;

use common::{all_close, below, between, close, flow, magnitude, number, numbers, path, problem, values};
use eddyline_path::random::Stream;
use eddyline_theory::TheoryError;
use eddyline_theory::equilibrium::solve;
use eddyline_theory::fairness::{proportional_fair, yardstick};

#[test]
fn the_papers_examples() {
    for (name, v) in values(include_str!("data/two_way_examples.json")).as_object().expect("examples") {
        let (forward, backward) = (numbers(&v["alpha_F"]), numbers(&v["alpha_B"]));
        let (data, ack) = (number(&v["Pp"]), number(&v["Pm"]));
        let out = forward.iter().map(|a| flow(*a, data, ack, &[0], &[1]));
        let flows = out.chain(backward.iter().map(|a| flow(*a, data, ack, &[1], &[0]))).collect();
        let stated = problem(&[number(&v["cF"]), number(&v["cB"])], flows);
        let ideal = proportional_fair(&stated).expect("solved");
        assert!(ideal.polished && ideal.residual < 1e-12, "example {name}: {:e}", ideal.residual);
        all_close(&ideal.rates, &numbers(&v["true_prop_fair_x"]), 1e-6);
        let worth: f64 = ideal.worth.iter().sum();
        close(worth, forward.iter().chain(&backward).sum(), 1e-9);
        let at = solve(&stated).expect("solved").found.remove(0);
        let against = yardstick(&stated, &at, &ideal).expect("of one problem");
        println!("example {name}: {against:?}");
        assert!(against.efficiency <= 1.0 + 1e-12 && against.utility_gap >= -1e-9);
        if name == "1" || name == "5" {
            close(against.efficiency, 1.0, 1e-12);
        } else {
            assert!(against.efficiency < 0.999);
        }
    }
}

#[test]
fn one_way_fast_is_the_ideal() {
    let mut random = Stream::new(3, "ideal", "test");
    for round in 0..60 {
        let links = 2 + below(&mut random, 30);
        let capacity: Vec<f64> = (0..links).map(|_| magnitude(&mut random, 1e6, 1e9)).collect();
        let flows = (0..1 + below(&mut random, 60)).map(|_| {
            let hops = 1 + below(&mut random, 5);
            let data = path(&mut random, links, hops);
            flow(magnitude(&mut random, 1.0, 1000.0), 8000.0, 0.0, &data, &[])
        });
        let stated = problem(&capacity, flows.collect());
        let ideal = proportional_fair(&stated).expect("solved");
        let at = solve(&stated).expect("solved").found.remove(0);
        let most = if ideal.polished { 1e-8 } else { 1e-5 };
        all_close(&ideal.rates, &at.rates, most);
        close(yardstick(&stated, &at, &ideal).expect("of one problem").efficiency, 1.0, 1e-9);
        assert!(ideal.polished, "round {round} without polish: {:e}", ideal.residual);
    }
}

#[test]
fn nothing_feasible_is_better() {
    let mut random = Stream::new(4, "better", "test");
    let mut polished = 0;
    for _ in 0..60 {
        let links = 2 + below(&mut random, 20);
        let capacity: Vec<f64> = (0..links).map(|_| magnitude(&mut random, 1e5, 1e10)).collect();
        let flows = (0..1 + below(&mut random, 40)).map(|_| {
            let (out, back) = (1 + below(&mut random, 5), 1 + below(&mut random, 5));
            let (data, ack) = (path(&mut random, links, out), path(&mut random, links, back));
            flow(magnitude(&mut random, 1.0, 1000.0), between(&mut random, 500.0, 12000.0), 320.0, &data, &ack)
        });
        let mut stated = problem(&capacity, flows.collect());
        stated.unresponsive = capacity.iter().map(|c| 0.3 * c).collect();
        let ideal = proportional_fair(&stated).expect("solved");
        polished += usize::from(ideal.polished);
        assert!(ideal.loads.iter().zip(&capacity).all(|(y, c)| *y <= c * (1.0 + 1e-7)));
        // the gradient's inequality at the maximum of a concave function: FAST's rates are feasible too
        let at = solve(&stated).expect("solved").found.remove(0);
        let gain: f64 =
            (0..stated.flows.len()).map(|s| stated.flows[s].alpha * (at.rates[s] / ideal.rates[s] - 1.0)).sum();
        let total: f64 = stated.flows.iter().map(|f| f.alpha).sum();
        assert!(gain <= 1e-6 * total, "gain {gain}");
    }
    assert!(polished >= 58, "{polished} of 60 polished");
}

#[test]
fn no_flow_no_ideal() {
    assert_eq!(proportional_fair(&problem(&[1e6], Vec::new())), Err(TheoryError::NoFlow));
}
