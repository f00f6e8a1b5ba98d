//! The papers' examples and the values of an independent computation.

use crate::common;

use common::{all_close, close, flow, number, numbers, problem, values};
use eddyline_theory::closed_form::{self, Bottleneck, Direction, DuplexFlow};
use eddyline_theory::equilibrium::{Equilibria, Method, Problem, solve};
use serde_json::Value;

const CLOSED: f64 = 1e-9;
const SOLVED: f64 = 1e-6;

/// Flows of an example in the order of its rates: those forward, then those backward.
fn example(v: &Value) -> (Problem, Vec<DuplexFlow>) {
    let (pp, pm) = (number(&v["Pp"]), number(&v["Pm"]));
    let forward = numbers(&v["alpha_F"]).into_iter().map(|a| (a, Direction::Forward));
    let backward = numbers(&v["alpha_B"]).into_iter().map(|a| (a, Direction::Backward));
    let duplex: Vec<DuplexFlow> = forward
        .chain(backward)
        .map(|(alpha, direction)| DuplexFlow { alpha, packet_bits: pp, ack_bits: pm, direction })
        .collect();
    let flows = duplex.iter().map(|f| match f.direction {
        Direction::Forward => flow(f.alpha, pp, pm, &[0], &[1]),
        Direction::Backward => flow(f.alpha, pp, pm, &[1], &[0]),
    });
    (problem(&[number(&v["cF"]), number(&v["cB"])], flows.collect()), duplex)
}

#[test]
fn two_way_examples() {
    let examples = values(include_str!("data/two_way_examples.json"));
    for (name, v) in examples.as_object().expect("a table") {
        let (problem, duplex) = example(v);
        let formula = closed_form::duplex(&duplex, problem.capacity[0], problem.capacity[1]).expect("flows");
        let wanted = match v["bottleneck"].as_str().expect("a word") {
            "F" => Bottleneck::Forward,
            "B" => Bottleneck::Backward,
            _ => Bottleneck::Both,
        };
        assert_eq!(formula.bottleneck, wanted, "example {name}");
        close(formula.delay, number(&v["q"]), CLOSED);
        all_close(&formula.rates, &numbers(&v["x"]), CLOSED);
        all_close(&formula.utilisation, &[number(&v["UF"]), number(&v["UB"])], CLOSED);
        let [forward, backward] = closed_form::saturating_delays(&duplex, problem.capacity[0], problem.capacity[1]);
        close(forward, number(&v["delay_F"]), CLOSED);
        close(backward, number(&v["delay_B"]), CLOSED);

        let solved = solve(&problem).expect("solved");
        assert_eq!((solved.method, solved.unique, solved.found.len()), (Method::ClosedForm, Some(true), 1));
        let at = &solved.found[0];
        assert!(at.residual < 1e-14);
        all_close(&at.rates, &numbers(&v["x"]), CLOSED);
        at.delays.iter().for_each(|q| close(*q, number(&v["q"]), CLOSED));
        let full = [number(&v["saturation_F"]), number(&v["saturation_B"])];
        let loads: Vec<f64> = at.loads.iter().zip(&problem.capacity).map(|(y, c)| y / c).collect();
        all_close(&loads, &full, CLOSED);
        let goodput: Vec<f64> = at.rates.iter().map(|x| x * number(&v["Pp"])).collect();
        all_close(&goodput, &numbers(&v["goodput"]), CLOSED);
        if wanted == Bottleneck::Both {
            assert_eq!(at.prices, [None, None]);
            assert_eq!(at.bottlenecks, [true, true]);
            assert!(at.forward_delays.iter().chain(&at.reverse_delays).all(Option::is_none));
        } else {
            let on_f = wanted == Bottleneck::Forward;
            assert_eq!(at.bottlenecks, [on_f, !on_f]);
            close(at.prices[usize::from(!on_f)].expect("known"), number(&v["q"]), CLOSED);
            assert_eq!(at.prices[usize::from(on_f)], Some(0.0));
        }
    }
}

#[test]
fn vbr_as_its_mean() {
    let v = values(include_str!("data/vbr_theory.json"));
    let examples = values(include_str!("data/two_way_examples.json"));
    let (mut problem, _) = example(&examples["3"]);
    // twenty copies of a film whose 908 frames of 5,032 bits in 70 s make 65,272 bit/s
    problem.unresponsive[1] = 20.0 * 65_272.0;
    let at = solve(&problem).expect("solved").found.remove(0);
    all_close(&at.rates, &numbers(&v["x"]), CLOSED);
}

#[test]
fn asymmetric_letter() {
    for v in values(include_str!("data/asymmetric.json")).as_array().expect("a list") {
        let (cb, pf, kf) = (number(&v["cb"]), number(&v["Pf"]), number(&v["kf"]));
        close(closed_form::asymmetry_factor(100e6, cb, pf, 320.0), kf, CLOSED);
        let throughput = number(&v["throughput_bps"]);
        close(closed_form::asymmetric_throughput(&[1000.0], 100e6, kf)[0], throughput, CLOSED);
        close(closed_form::asymmetric_delay(&[1000.0], 100e6, pf, kf), number(&v["q0"]), CLOSED);
        let at =
            solve(&problem(&[100e6, cb], vec![flow(1000.0, pf, 320.0, &[0], &[1])])).expect("solved").found.remove(0);
        close(at.rates[0] * pf, throughput, CLOSED);
        close(at.delays[0], number(&v["q0"]), CLOSED);
    }
}

#[test]
fn late_joiners() {
    for v in values(include_str!("data/late_joiners_base_rtt.json")).as_array().expect("a list") {
        let n = number(&v["n"]) as usize;
        let (alpha, c, p) = (number(&v["alpha"]), number(&v["c"]), number(&v["P"]));
        let late = closed_form::late_joiners(&vec![alpha; n], c / p);
        all_close(&late.delays, &numbers(&v["q"]), CLOSED);
        let sum: f64 = late.rates.iter().sum();
        close(sum, c / p, CLOSED);
        let shares: Vec<f64> = late.rates.iter().map(|x| x / sum).collect();
        all_close(&shares, &numbers(&v["share"]), CLOSED);
        close(eddyline_scenario::result::jain_index(&late.rates).expect("rates"), number(&v["jain"]), CLOSED);

        let mut problem = problem(&[c, c], vec![flow(alpha, p, 320.0, &[0], &[1]); n]);
        problem.base_rtt_error = late.errors.clone();
        let solved = solve(&problem).expect("solved");
        assert_eq!((solved.method, solved.unique), (Method::CommonDelay, Some(true)));
        all_close(&solved.found[0].rates, &late.rates, CLOSED);
    }
}

/// The equilibria found are exactly the expected ones.
fn same_set(solved: &Equilibria, wanted: &Value) {
    let wanted = wanted.as_array().expect("a list");
    assert_eq!(solved.found.len(), wanted.len());
    assert!(solved.converged);
    for w in wanted {
        let (x, p) = (numbers(&w["x"]), numbers(&w["p"]));
        let near = |e: &&eddyline_theory::Equilibrium| e.rates.iter().zip(&x).all(|(a, b)| (a - b).abs() < SOLVED * b);
        let found = solved.found.iter().find(near).expect("this equilibrium");
        for (got, wanted) in found.prices.iter().zip(&p) {
            let got = got.expect("a known price");
            assert!((got - wanted).abs() <= SOLVED * wanted, "price {got} for {wanted}");
        }
    }
    // the index theorem
    let sum: i32 = solved.found.iter().map(|e| i32::from(e.index.expect("no full link without price"))).sum();
    assert_eq!(sum, 1);
    assert_ne!(solved.found[0].index, Some(-1));
}

#[test]
fn several_equilibria() {
    let v = values(include_str!("data/several_equilibria.json"));
    let three = &v["three_duplex_links"];
    let alphas = numbers(&three["alpha"]);
    let crossed = |matrix: &Value, s: usize| -> Vec<u32> {
        let rows = matrix.as_array().expect("rows");
        (0..rows.len() as u32).filter(|l| number(&rows[*l as usize][s]) > 0.0).collect()
    };
    let flows = (0..alphas.len())
        .map(|s| flow(alphas[s], 8000.0, 320.0, &crossed(&three["Rp"], s), &crossed(&three["Rm"], s)))
        .collect();
    let solved = solve(&problem(&numbers(&three["c"]), flows)).expect("solved");
    assert_eq!(solved.unique, Some(false));
    same_set(&solved, &three["eq"]);

    for case in v["half_duplex_plus_one"].as_array().expect("a list") {
        let alphas = numbers(&case["alpha"]);
        let flows = vec![flow(alphas[0], 8000.0, 320.0, &[0, 1], &[0]), flow(alphas[1], 8000.0, 320.0, &[0], &[1])];
        let solved = solve(&problem(&numbers(&case["c"]), flows)).expect("solved");
        same_set(&solved, &case["eq"]);
    }
}

#[test]
fn division_of_states() {
    use closed_form::{Division, bottleneck_of_counts, division, theta};
    close(theta(0.04, 1e6, 2e6), (1e6 - 0.08e6) / (2e6 - 0.04e6), CLOSED);
    assert_eq!(division(0.04, 100e6, 1e6), Division::AlwaysBackward);
    assert_eq!(division(0.04, 1e6, 100e6), Division::AlwaysForward);
    assert_eq!(division(1.0, 1e6, 1e6), Division::AlwaysBoth);
    assert!(matches!(division(2.0, 1e6, 1.5e6), Division::Below(_)));
    // Example 4 of the two-way paper: the alphas are 10 to 1, the threshold 16.6 to 1, so it is not close to balance
    close(theta(0.04, 100e6, 10e6), 99.6 / 6.0, CLOSED);
    for (b, cf, cb) in [(0.04, 1e6, 2e6), (0.04, 5e6, 2e6), (0.1, 100e6, 1e6), (2.0, 1e6, 1.5e6), (0.0, 3e6, 1e6)] {
        for n in 0..12 {
            for m in 0..12 {
                if n + m == 0 {
                    continue;
                }
                let (n, m) = (f64::from(n), f64::from(m));
                let full = bottleneck_of_counts(n, m, b, cf, cb) != Bottleneck::Backward;
                let wanted = match division(b, cf, cb) {
                    Division::AlwaysForward | Division::AlwaysBoth => true,
                    Division::AlwaysBackward => false,
                    Division::Above(theta) => n >= theta * m * (1.0 - 1e-12),
                    Division::Below(theta) => n <= theta * m * (1.0 + 1e-12),
                };
                assert_eq!(full, wanted, "n {n} m {m} b {b} cF {cf} cB {cb}");
            }
        }
    }
}
