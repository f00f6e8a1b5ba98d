//! The simulation flow by flow against the chain, closed forms and the fluid limit.

use crate::common;

use common::{close, flow};
use eddyline_path::random::Stream;
use eddyline_path::traffic::SizeParams;
use eddyline_theory::equilibrium::Problem;
use eddyline_theory::population::{DuplexLoad, FlowClass, MAX_STATES, Simulated, simulate, stationary};
use eddyline_units::Bytes;

const MEAN: Bytes = Bytes::new(125_000);

fn exponential() -> SizeParams {
    SizeParams::Exponential { mean: MEAN }
}

/// Arrivals in one direction of a duplex link with packets of 8,000 and acknowledgements of 320 bits.
fn class(name: &str, rate_per_s: f64, size: SizeParams, data: u32) -> FlowClass {
    let flow = flow(20.0, 8000.0, 320.0, &[data], &[1 - data]);
    FlowClass { name: name.to_owned(), rate_per_s, size, listed: None, bits_per_byte: 8.0, flow }
}

fn links(c_f: f64, c_b: f64) -> Problem {
    Problem { capacity: vec![c_f, c_b], unresponsive: vec![0.0; 2], ..Problem::default() }
}

fn both_ways(load: &DuplexLoad, arrivals: u64, seed: u64) -> Simulated {
    let classes =
        [class("forward", load.lambda_f, exponential(), 0), class("backward", load.lambda_b, exponential(), 1)];
    simulate(&links(load.c_f, load.c_b), &classes, arrivals, seed).expect("simulated")
}

fn load(lambda_f: f64, lambda_b: f64) -> DuplexLoad {
    DuplexLoad { lambda_f, lambda_b, mean_bits: 1e6, c_f: 1e6, c_b: 2e6, b: 0.04 }
}

#[test]
fn chain_and_simulation_agree() {
    // Fig. 5 at three loads, and both directions loaded alike
    let rates =
        [(0.3 / 1.04, 0.3 / 1.04), (0.6 / 1.04, 0.6 / 1.04), (0.9 / 1.04, 0.9 / 1.04), (0.46, 0.98), (0.8, 1.7)];
    for (lambda_f, lambda_b) in rates {
        let load = load(lambda_f, lambda_b);
        let chain = stationary(&load, 1e-8, MAX_STATES).expect("stable").expect("not too large");
        let found = both_ways(&load, 1_000_000, 1);
        let [t_f, t_b] = chain.transfer_times(&load);
        for (got, wanted) in [
            (found.idle, chain.idle),
            (found.alone[0], chain.forward),
            (found.alone[1], chain.backward),
            (found.flows[0], chain.mean_forward),
            (found.flows[1], chain.mean_backward),
            (found.transfer_s[0], t_f.expect("arrivals")),
            (found.transfer_s[1], t_b.expect("arrivals")),
        ] {
            let away = (got.mean - wanted).abs() / got.half_width;
            assert!(away < 2.0, "{load:?}: {got:?} against {wanted}");
            assert!(got.half_width < 0.1 * wanted.max(0.05), "{load:?}: {got:?} against {wanted}");
        }
    }
}

#[test]
fn confidence_intervals_have_their_coverage() {
    let load = load(0.6 / 1.04, 0.6 / 1.04);
    let chain = stationary(&load, 1e-8, MAX_STATES).expect("stable").expect("not too large");
    let seeds = 200;
    let mut inside = [0; 3];
    for seed in 0..seeds {
        let found = both_ways(&load, 60_000, seed);
        for (count, (got, wanted)) in inside.iter_mut().zip([
            (found.idle, chain.idle),
            (found.flows[0], chain.mean_forward),
            (found.transfer_s[1], chain.mean_backward / load.lambda_b),
        ]) {
            *count += u64::from((got.mean - wanted).abs() <= got.half_width);
        }
    }
    // 95 % of 200 with three standard deviations of a binomial count
    inside.iter().for_each(|count| assert!((181..=199).contains(count), "{inside:?} of {seeds}"));
}

#[test]
fn one_class_is_insensitive_to_the_size_distribution() {
    // M/G/1-PS: E[n] = rho / (1 - rho) for every distribution of that mean
    let rho = 0.7;
    let sizes = [
        exponential(),
        SizeParams::Fixed { size: MEAN },
        SizeParams::Pareto { mean: MEAN, shape: 2.5 },
        SizeParams::Lognormal { mean: MEAN, sigma: 1.0 },
        SizeParams::Trace { file: "sizes".to_owned() },
    ];
    for size in sizes {
        let mut class = class("files", rho, size, 0);
        // two sizes in random order; in turns they would be no independent draws, and the number of flows smaller, and
        // a short list played over and over has a mean of its own
        let mut random = Stream::new(4, "sizes", "test");
        class.listed = Some((0..1_000_000).map(|_| if random.below(4) == 0 { 350_000 } else { 50_000 }).collect());
        class.rate_per_s = rho * 1e6 / class.mean_bits();
        let found = simulate(&links(1e6, 1e6), &[class], 2_000_000, 3).expect("simulated");
        let n = found.flows[0];
        assert!((n.mean - rho / (1.0 - rho)).abs() < 1.5 * n.half_width && n.half_width < 0.05, "{n:?}");
        assert!((found.idle.mean - 0.3).abs() < 2.0 * found.idle.half_width);
        assert_eq!(found.alone[1].mean, 0.0);
    }
}

#[test]
fn both_sides_of_load_one() {
    // loads of both directions at 0.95: finite; on the three ways to overload: growth as in the fluid
    let stable = load(0.95 * 0.92 / 0.9984, 0.95 * 1.96 / 0.9984);
    let chain = stationary(&stable, 1e-6, MAX_STATES).expect("stable").expect("not too large");
    let found = both_ways(&stable, 4_000_000, 5);
    let (total, wanted) = (found.flows[0].mean + found.flows[1].mean, chain.mean_forward + chain.mean_backward);
    assert!((total - wanted).abs() < 1.5 * (found.flows[0].half_width + found.flows[1].half_width));
    assert!(found.left[0] < 1000 && found.left[1] < 2000);
    for over in [load(1.3, 0.5), load(0.5, 2.6), load(1.2 * 0.92 / 0.9984, 1.2 * 1.96 / 0.9984)] {
        let growth = over.growth().expect("unstable");
        let found = both_ways(&over, 400_000, 7);
        close(found.left[0] as f64 / found.time_s, growth.forward, 0.06);
        close(found.left[1] as f64 / found.time_s, growth.backward, 0.06);
    }
}

#[test]
fn networks_of_several_bottlenecks() {
    // two one-way links in a row, a long flow over both and a short one over each: FAST is proportionally fair there,
    // for which the number of flows is known: lines have a product form (Bonald and Massoulie, SIGMETRICS 2001)
    let line = Problem { capacity: vec![1e6, 1e6, 1e9], unresponsive: vec![0.0; 3], ..Problem::default() };
    let class = |name: &str, rate_per_s: f64, data: &[u32]| FlowClass {
        name: name.to_owned(),
        rate_per_s,
        size: exponential(),
        listed: None,
        bits_per_byte: 8.0,
        flow: flow(20.0, 8000.0, 0.0, data, &[2]),
    };
    let (rho_0, rho) = (0.2, 0.4);
    let classes = [class("long", rho_0, &[0, 1]), class("a", rho, &[0]), class("b", rho, &[1])];
    let found = simulate(&line, &classes, 300_000, 9).expect("simulated");
    // E[n_i] = rho_i / (1 - rho_0 - rho_i), E[n_0] = rho_0 / (1 - rho_0) (1 + sum of rho_i / (1 - rho_0 - rho_i))
    let short = rho / (1.0 - rho_0 - rho);
    let long = rho_0 / (1.0 - rho_0) * (1.0 + 2.0 * short);
    for (got, wanted) in found.flows.iter().zip([long, short, short]) {
        assert!((got.mean - wanted).abs() < 1.5 * got.half_width && got.half_width < 0.1 * wanted, "{got:?} {wanted}");
    }
    let sum = found.idle.mean + found.several.mean + found.alone.iter().map(|a| a.mean).sum::<f64>();
    close(sum, 1.0, 1e-9);
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    let load = load(0.7, 0.7);
    assert_eq!(both_ways(&load, 50_000, 11), both_ways(&load, 50_000, 11));
    assert_ne!(both_ways(&load, 50_000, 11), both_ways(&load, 50_000, 12));
    // nothing to simulate
    let none = simulate(&links(1e6, 1e6), &[class("files", 0.0, exponential(), 0)], 1000, 1).expect("simulated");
    assert_eq!(none.arrivals, 0);
}
