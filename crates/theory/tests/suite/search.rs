//! Several equilibria in parts that are too large for enumeration.

use crate::common;

use std::sync::Arc;

use common::{number, numbers, problem, values};
use eddyline_theory::equilibrium::{Method, Problem, ProblemFlow, solve};
use serde_json::Value;

/// Three duplex links with three equilibria, `copies` times, and a flow of next to no weight over all of them.
fn copies_of_three(v: &Value, copies: usize) -> Problem {
    let three = &v["three_duplex_links"];
    let (alphas, capacity) = (numbers(&three["alpha"]), numbers(&three["c"]));
    let crossed = |matrix: &Value, s: usize, copy: usize| -> Arc<[u32]> {
        let rows = matrix.as_array().expect("rows");
        let links = (0..rows.len()).filter(|l| number(&rows[*l][s]) > 0.0);
        links.map(|l| (l + copy * rows.len()) as u32).collect()
    };
    let mut flows = Vec::new();
    for copy in 0..copies {
        for (s, alpha) in alphas.iter().enumerate() {
            flows.push(ProblemFlow {
                alpha: *alpha,
                packet_bits: 8000.0,
                ack_bits: 320.0,
                data: crossed(&three["Rp"], s, copy),
                ack: crossed(&three["Rm"], s, copy),
            });
        }
    }
    let all: Vec<u32> = (0..(copies * capacity.len()) as u32).collect();
    flows.push(ProblemFlow { alpha: 1e-9, packet_bits: 8000.0, ack_bits: 0.0, data: all.into(), ack: Arc::new([]) });
    let capacity: Vec<f64> = (0..copies).flat_map(|_| capacity.clone()).collect();
    problem(&capacity, flows)
}

#[test]
fn copies_have_powers_of_three() {
    let v = values(include_str!("data/several_equilibria.json"));
    let wanted: Vec<Vec<f64>> =
        v["three_duplex_links"]["eq"].as_array().expect("a list").iter().map(|e| numbers(&e["x"])).collect();
    let solved = solve(&copies_of_three(&v, 2)).expect("solved");
    assert_eq!((solved.method, solved.unique), (Method::MultiStart, Some(false)));
    assert!(solved.converged);
    // none that is false: each half of each is one of the three
    for at in &solved.found {
        for half in at.rates.chunks_exact(3) {
            let near = |w: &&Vec<f64>| w.iter().zip(half).all(|(a, b)| (a / b - 1.0).abs() < 1e-6);
            assert!(wanted.iter().find(near).is_some(), "{half:?} is none of the three");
        }
    }
    println!("{} of 9 found", solved.found.len());
    // of the nine, the four in which both halves are such as queues stay in must be there
    let stable = solved.found.iter().filter(|e| e.index == Some(1)).count();
    assert!(stable >= 4, "{stable}");
}
