//! The proportionally fair ideal against the reference values, one-way traffic and its own optimality.

use crate::common;

use common::{all_close, below, between, close, flow, log_uniform, number, numbers, path, problem, values};
use eddyline_path::random::Stream;
use eddyline_theory::TheoryError;
use eddyline_theory::equilibrium::solve;
use eddyline_theory::fairness::{EXPONENTS, alpha_fair, fairness_metrics, proportional_fair};

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
        let against = fairness_metrics(&stated, &at, &ideal).expect("of one problem");
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
        let capacity: Vec<f64> = (0..links).map(|_| log_uniform(&mut random, 1e6, 1e9)).collect();
        let flows = (0..1 + below(&mut random, 60)).map(|_| {
            let hops = 1 + below(&mut random, 5);
            let data = path(&mut random, links, hops);
            flow(log_uniform(&mut random, 1.0, 1000.0), 8000.0, 0.0, &data, &[])
        });
        let stated = problem(&capacity, flows.collect());
        let ideal = proportional_fair(&stated).expect("solved");
        let at = solve(&stated).expect("solved").found.remove(0);
        let tolerance = if ideal.polished { 1e-8 } else { 1e-5 };
        all_close(&ideal.rates, &at.rates, tolerance);
        close(fairness_metrics(&stated, &at, &ideal).expect("of one problem").efficiency, 1.0, 1e-9);
        assert!(ideal.polished, "round {round} without polish: {:e}", ideal.residual);
    }
}

#[test]
fn nothing_feasible_is_better() {
    let mut random = Stream::new(4, "better", "test");
    let mut polished = 0;
    for _ in 0..60 {
        let links = 2 + below(&mut random, 20);
        let capacity: Vec<f64> = (0..links).map(|_| log_uniform(&mut random, 1e5, 1e10)).collect();
        let flows = (0..1 + below(&mut random, 40)).map(|_| {
            let (out, back) = (1 + below(&mut random, 5), 1 + below(&mut random, 5));
            let (data, ack) = (path(&mut random, links, out), path(&mut random, links, back));
            flow(log_uniform(&mut random, 1.0, 1000.0), between(&mut random, 500.0, 12000.0), 320.0, &data, &ack)
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

/// One flow over L links and one on each of them: alpha-fair rates have a closed form (Bonald and Massoulie 2001, here
/// with weights), the long one gets w0 / (w0 + w L^(1/e)) of each link.
#[test]
fn a_line_of_links() {
    for exponent in [0.1, 0.3, 0.5, 0.9, 1.0, 1.1, 2.0, 3.0, 8.0, 20.0] {
        for (links, long, short) in [(1, 3.0, 7.0), (2, 10.0, 10.0), (5, 40.0, 2.0), (12, 1.0, 1.0)] {
            let all: Vec<u32> = (0..links).collect();
            let mut flows = vec![flow(long, 8000.0, 0.0, &all, &[])];
            flows.extend(all.iter().map(|l| flow(short, 8000.0, 0.0, &[*l], &[])));
            let stated = problem(&vec![8e6; links as usize], flows);
            let ideal = alpha_fair(&stated, exponent).unwrap_or_else(|e| panic!("{exponent}, {links} links: {e}"));
            let wanted = 1000.0 * long / (long + short * libm::pow(f64::from(links), 1.0 / exponent));
            close(ideal.rates[0], wanted, 1e-6);
            close(ideal.rates[1], 1000.0 - wanted, 1e-6);
            // FAST is proportionally fair here, and its worth that of the ideal shrunk as `efficiency` says
            let at = solve(&stated).expect("solved").found.remove(0);
            let against = fairness_metrics(&stated, &at, &ideal).expect("of one problem");
            let worth = |rates: &[f64], by: f64| -> f64 {
                let of = |alpha: f64, x: f64| match exponent {
                    1.0 => alpha * libm::log(by * x),
                    e => libm::pow(alpha, e) * libm::pow(by * x, 1.0 - e) / (1.0 - e),
                };
                stated.flows.iter().zip(rates).map(|(f, x)| of(f.alpha, *x)).sum()
            };
            assert!(against.efficiency <= 1.0 + 1e-9, "{exponent}: {}", against.efficiency);
            close(worth(&at.rates, 1.0), worth(&ideal.rates, against.efficiency), 1e-7);
        }
    }
}

/// The gradient's inequality at the maximum of a concave function: no feasible rates, FAST's among them, lie uphill.
#[test]
fn nothing_feasible_is_better_at_any_exponent() {
    let mut random = Stream::new(5, "exponents", "test");
    for round in 0..60 {
        let exponent = log_uniform(&mut random, 0.2, 5.0);
        let links = 2 + below(&mut random, 12);
        let capacity: Vec<f64> = (0..links).map(|_| log_uniform(&mut random, 1e6, 1e8)).collect();
        let flows = (0..1 + below(&mut random, 20)).map(|_| {
            let (out, back) = (1 + below(&mut random, 4), 1 + below(&mut random, 4));
            let (data, ack) = (path(&mut random, links, out), path(&mut random, links, back));
            flow(log_uniform(&mut random, 5.0, 200.0), between(&mut random, 4000.0, 12000.0), 320.0, &data, &ack)
        });
        let stated = problem(&capacity, flows.collect());
        let ideal = alpha_fair(&stated, exponent).unwrap_or_else(|e| panic!("round {round}, {exponent}: {e}"));
        assert!(ideal.loads.iter().zip(&capacity).all(|(y, c)| *y <= c * (1.0 + 1e-7)));
        let at = solve(&stated).expect("solved").found.remove(0);
        let slope: Vec<f64> =
            stated.flows.iter().zip(&ideal.rates).map(|(f, x)| libm::pow(f.alpha / x, exponent)).collect();
        let paid: f64 = slope.iter().zip(&ideal.rates).map(|(u, x)| u * x).sum();
        let gain: f64 = slope.iter().zip(at.rates.iter().zip(&ideal.rates)).map(|(u, (x, best))| u * (x - best)).sum();
        assert!(gain <= 1e-6 * paid, "round {round}, exponent {exponent}: gain {gain} of {paid}");
    }
}

#[test]
fn exponents_out_of_range() {
    let one = problem(&[8e6], vec![flow(10.0, 8000.0, 0.0, &[0], &[])]);
    for exponent in [0.0, -1.0, 0.099, 20.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(alpha_fair(&one, exponent), Err(TheoryError::OutOfRange { .. })), "{exponent}");
    }
    for exponent in [*EXPONENTS.start(), *EXPONENTS.end()] {
        close(alpha_fair(&one, exponent).expect("solved").rates[0], 1000.0, 1e-9);
    }
}

#[test]
fn no_flow_no_ideal() {
    assert_eq!(proportional_fair(&problem(&[1e6], Vec::new())), Err(TheoryError::NoFlow));
}

/// Long and short flows over two links of different rates: the optimum by bisection of its condition, at every exponent.
#[test]
fn links_whose_prices_differ_by_many_orders() {
    for exponent in [0.1, 0.5, 2.0, 5.0, 10.0, 15.0, 20.0] {
        for (a, b) in [(10e6, 6e6), (100e6, 6e6), (1e9, 1e6), (1e10, 1e5)] {
            let flows = vec![
                flow(20.0, 8000.0, 0.0, &[0, 1], &[]),
                flow(20.0, 8000.0, 0.0, &[0], &[]),
                flow(20.0, 8000.0, 0.0, &[1], &[]),
            ];
            let stated = problem(&[a, b], flows);
            let ideal = alpha_fair(&stated, exponent).unwrap_or_else(|e| panic!("{exponent}, {a} and {b}: {e}"));
            let (full_a, full_b) = (a / 8000.0, b / 8000.0);
            // x^-e = (A - x)^-e + (B - x)^-e, as powers of ratios to x
            let excess = |x: f64| libm::pow(x / (full_a - x), exponent) + libm::pow(x / (full_b - x), exponent) - 1.0;
            let (mut low, mut high) = (0.0, full_b);
            for _ in 0..200 {
                let x = (low + high) / 2.0;
                if excess(x) < 0.0 { low = x } else { high = x }
            }
            close(ideal.rates[0], low, 1e-9);
            close(ideal.rates[1], full_a - low, 1e-9);
            close(ideal.rates[2], full_b - low, 1e-9);
            // two links that nothing shares have nothing to do with each other
            let apart = problem(&[a, b], vec![flow(20.0, 8000.0, 0.0, &[0], &[]), flow(20.0, 8000.0, 0.0, &[1], &[])]);
            all_close(&alpha_fair(&apart, exponent).expect("solved").rates, &[full_a, full_b], 1e-9);
        }
    }
}

/// The smallest x / alpha is at most that of max-min, and not less than its share of `sum alpha (x / alpha)^(1 - e)` allows: all of
/// max-min's rates are feasible, and none of them is smaller than its smallest.
#[test]
fn the_largest_exponent_is_nearly_max_min() {
    let mut random = Stream::new(6, "water", "test");
    let exponent = *EXPONENTS.end();
    for round in 0..200 {
        let links = 2 + below(&mut random, 12);
        let capacity: Vec<f64> = (0..links).map(|_| log_uniform(&mut random, 1e5, 1e10)).collect();
        let flows = (0..1 + below(&mut random, 20)).map(|_| {
            let hops = 1 + below(&mut random, 4);
            flow(log_uniform(&mut random, 5.0, 200.0), 8000.0, 0.0, &path(&mut random, links, hops), &[])
        });
        let stated = problem(&capacity, flows.collect());
        let ideal = alpha_fair(&stated, exponent).unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert!(ideal.residual < 1e-9, "round {round}: {:e}", ideal.residual);
        assert!(ideal.loads.iter().zip(&capacity).all(|(y, c)| *y <= c * (1.0 + 1e-9)));
        let level = (0..links).fold(f64::INFINITY, |least, l| {
            let alphas = stated.flows.iter().filter(|f| f.data.contains(&(l as u32))).map(|f| f.alpha);
            least.min(capacity[l] / 8000.0 / alphas.fold(0.0, |sum, alpha| sum + alpha))
        });
        let shares = stated.flows.iter().zip(&ideal.rates).map(|(f, x)| (x / f.alpha, f.alpha));
        let (least, alpha) = shares.fold((f64::INFINITY, 0.0), |least, one| if one.0 < least.0 { one } else { least });
        let total: f64 = stated.flows.iter().map(|f| f.alpha).sum();
        let allowed = libm::pow(alpha / total, 1.0 / (exponent - 1.0));
        assert!(
            least <= level * (1.0 + 1e-9) && least >= level * allowed * (1.0 - 1e-9),
            "round {round}: {least}, {level}"
        );
    }
}
