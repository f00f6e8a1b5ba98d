//! The Markov chain of flows that arrive and leave over one duplex link: independent values, closed forms, truncation,
//! stability.

use crate::common;

use common::{between, close, number, values};
use eddyline_path::random::Stream;
use eddyline_theory::TheoryError;
use eddyline_theory::closed_form::Bottleneck;
use eddyline_theory::population::{
    DuplexLoad, MAX_STATES, Stationary, asymptotic, balanced_limit, stationary, truncated,
};

const TOLERANCE: f64 = 1e-8;

/// The link of the two-way paper's Fig. 5.
fn fig_5(rho_f: f64) -> DuplexLoad {
    let lambda = rho_f / 1.04;
    DuplexLoad { lambda_f: lambda, lambda_b: lambda, mean_bits: 1e6, c_f: 1e6, c_b: 2e6, b: 0.04 }
}

/// Any duplex link with both directions loaded by `rho`: lambda_F / lambda_B = theta.
fn balanced(rho: f64, b: f64, c_f: f64, c_b: f64) -> DuplexLoad {
    let (f, back) = ((c_f - b * c_b) / (1.0 - b * b), (c_b - b * c_f) / (1.0 - b * b));
    DuplexLoad { lambda_f: rho * f / 1e6, lambda_b: rho * back / 1e6, mean_bits: 1e6, c_f, c_b, b }
}

fn solved(load: &DuplexLoad) -> Stationary {
    let found = stationary(load, TOLERANCE, MAX_STATES).expect("stable").expect("not too large");
    assert!(found.error <= TOLERANCE);
    close(found.idle + found.forward + found.backward + found.both, 1.0, 1e-10);
    found
}

#[test]
fn independent_values() {
    for v in values(include_str!("data/flow_population.json")).as_array().expect("a list") {
        let load = fig_5(number(&v["rho_F"]));
        close(load.lambda_f, number(&v["lam"]), 1e-12);
        let found = solved(&load);
        let [t_f, t_b] = found.transfer_times(&load);
        for (got, key) in [
            (found.idle, "idle"),
            (found.forward, "lF"),
            (found.backward, "lB"),
            (found.mean_forward, "En"),
            (found.mean_backward, "Em"),
            (t_f.expect("arrivals"), "TF"),
            (t_b.expect("arrivals"), "TB"),
        ] {
            close(got, number(&v[key]), 1e-6);
        }
        // the states n = 23 k, m = 49 k: below 1e-10 the independent computation's own truncation shows (by up to 14 %)
        let both = number(&v["both"]);
        close(found.both, both, if both > 1e-10 { 1e-6 } else { 0.15 });
    }
}

#[test]
fn one_direction_is_processor_sharing() {
    // M/M/1-PS: E[n] = rho / (1 - rho), whichever link is full
    for rho in [0.1, 0.5, 0.9, 0.99] {
        let forward = DuplexLoad { lambda_f: rho, lambda_b: 0.0, mean_bits: 1e6, c_f: 1e6, c_b: 1e6, b: 0.04 };
        let found = solved(&forward);
        close(found.mean_forward, rho / (1.0 - rho), 1e-7);
        close(found.idle, 1.0 - rho, 1e-7);
        close(found.forward, rho, 1e-7);
        assert_eq!((found.mean_backward, found.backward, found.both), (0.0, 0.0, 0.0));
        assert_eq!(found.transfer_times(&forward)[1], None);
        let narrow = DuplexLoad { c_f: 1e9, c_b: 4e4, ..forward };
        let found = solved(&narrow);
        close(found.mean_forward, rho / (1.0 - rho), 1e-7);
        close(found.backward, rho, 1e-7);
        let backward = DuplexLoad { lambda_f: 0.0, lambda_b: rho, ..forward };
        close(solved(&backward).mean_backward, rho / (1.0 - rho), 1e-7);
    }
    let nothing = DuplexLoad { lambda_f: 0.0, lambda_b: 0.0, ..fig_5(0.5) };
    assert_eq!(solved(&nothing).idle, 1.0);
}

/// Mean times of transfer where one link is always full: discriminatory processor sharing of two exponential classes
/// with weights 1 and b, mean services 1/mu c and b/mu c (Fayolle, Mitrani, Iasnogorodski, J. ACM 27, 1980).
fn discriminatory(load: &DuplexLoad) -> [f64; 2] {
    let service = load.c_f / load.mean_bits;
    let (rho_n, rho_m) = (load.lambda_f / service, load.b * load.lambda_b / service);
    let (left, rest) = (1.0 - rho_n - rho_m, 2.0 - rho_n - rho_m);
    [
        (1.0 + rho_m * (load.b - 1.0) / rest) / (service * left),
        (load.b + rho_n * (1.0 - load.b) / rest) / (service * left),
    ]
}

#[test]
fn theta_zero_and_infinite_are_discriminatory_processor_sharing() {
    for b in [0.0, 0.04, 0.5, 0.999] {
        // l_F always full: theta = 0
        let load = DuplexLoad { lambda_f: 0.4, lambda_b: 0.8, mean_bits: 2e6, c_f: 2e6, c_b: 1e9, b };
        let load = DuplexLoad {
            lambda_b: if b > 0.5 { 0.4 } else { 0.8 },
            c_b: if b > 0.0 { 2.1e6 / b } else { 1e15 },
            ..load
        };
        let wanted = discriminatory(&load);
        let found = solved(&load);
        if b > 0.0 {
            found.transfer_times(&load).into_iter().zip(wanted).for_each(|(t, w)| close(t.expect("arrivals"), w, 1e-7));
            assert_eq!((found.backward, found.both), (0.0, 0.0));
            close(found.forward, load.loads()[0], 1e-7);
            // and the mirror image: theta infinite
            let mirror =
                DuplexLoad { lambda_f: load.lambda_b, lambda_b: load.lambda_f, c_f: load.c_b, c_b: load.c_f, ..load };
            let mirrored = solved(&mirror);
            close(mirrored.mean_backward, found.mean_forward, 1e-10);
            assert_eq!((mirrored.forward, mirrored.both), (0.0, 0.0));
        } else {
            close(found.mean_forward, 0.4 / 0.6, 1e-7);
        }
    }
}

#[test]
fn large_acknowledgements_by_symmetry() {
    // f_F = (m + n/b) / (c_F / b): with b > 1 the links change roles
    let load = DuplexLoad { lambda_f: 0.2, lambda_b: 0.3, mean_bits: 1e6, c_f: 1.2e6, c_b: 1.1e6, b: 2.5 };
    let mirror = DuplexLoad { c_f: load.c_b / load.b, c_b: load.c_f / load.b, b: 1.0 / load.b, ..load };
    let (found, mirrored) = (solved(&load), solved(&mirror));
    close(load.loads()[0], mirror.loads()[1], 1e-12);
    close(found.mean_forward, mirrored.mean_forward, 1e-7);
    close(found.mean_backward, mirrored.mean_backward, 1e-7);
    close(found.forward, mirrored.backward, 1e-7);
    close(found.backward, mirrored.forward, 1e-7);
    assert!(found.forward > 0.1 && found.backward > 0.1);
    // acknowledgements as large as data, links alike: both full whenever there is a flow
    let alike = DuplexLoad { b: 1.0, c_f: 1e6, c_b: 1e6, ..load };
    let found = solved(&alike);
    close(found.both, 0.5, 1e-7);
    close(found.mean_forward + found.mean_backward, 1.0, 1e-7);
}

#[test]
fn flows_are_conserved() {
    // what arrives completes: rho_F = P(l_F full) + load of l_F while it is not, so each link's load is at least its
    // share
    let mut random = Stream::new(1, "population", "test");
    for _ in 0..30 {
        let b = between(&mut random, 0.0, 1.5);
        let (c_f, c_b) = (between(&mut random, 0.3e6, 3e6), between(&mut random, 0.3e6, 3e6));
        let lambda_f = between(&mut random, 0.01, 1.0);
        let raw = DuplexLoad { lambda_f, lambda_b: between(&mut random, 0.01, 1.0), mean_bits: 1e6, c_f, c_b, b };
        let rho = raw.loads()[0].max(raw.loads()[1]);
        let scale = between(&mut random, 0.05, 0.9) / rho;
        let load = DuplexLoad { lambda_f: raw.lambda_f * scale, lambda_b: raw.lambda_b * scale, ..raw };
        let found = solved(&load);
        let [f, b] = load.loads();
        assert!(
            found.forward + found.both <= f + 1e-7 && found.backward + found.both <= b + 1e-7,
            "{load:?} {found:?}"
        );
        assert!(found.idle >= 1.0 - f - b - 1e-7);
    }
}

#[test]
fn extremes() {
    // very light loads: M/M/infinity up to the first order, nothing under- or overflows
    for rho in [1e-100, 1e-30, 1e-9, 1e-4] {
        let found = solved(&fig_5(rho));
        close(found.mean_forward, rho / 1.04, 3.0 * rho.max(1e-12));
        close(found.idle, 1.0, 3.0 * rho.max(1e-12));
    }
    // directions, links and sizes of any ratio
    let mut random = Stream::new(3, "population", "extremes");
    for _ in 0..30 {
        let mut any = |low: f64, high: f64| common::log_uniform(&mut random, low, high);
        let (lambda_f, lambda_b, b) = (any(1e-6, 1e3), any(1e-6, 1e3), any(1e-4, 10.0));
        let raw =
            DuplexLoad { lambda_f, lambda_b, mean_bits: any(1e3, 1e12), c_f: any(1e3, 1e12), c_b: any(1e3, 1e12), b };
        let scale = any(0.1, 0.9) / raw.loads()[0].max(raw.loads()[1]);
        let load = DuplexLoad { lambda_f: lambda_f * scale, lambda_b: lambda_b * scale, ..raw };
        let Some(found) = stationary(&load, TOLERANCE, MAX_STATES).expect("stable") else {
            // many flows of one direction to each of the other: rough, and reported as such
            assert!(asymptotic(&load).expect("found").error > 0.5, "{load:?}");
            continue;
        };
        assert!(found.mean_forward > 0.0 && found.mean_backward > 0.0, "{load:?} {found:?}");
        let always = load.bottleneck(1.0, 0.0);
        if always == load.bottleneck(0.0, 1.0) && always != Bottleneck::Both {
            let [f, b] = load.loads();
            close(found.idle, 1.0 - f.max(b), 1e-6);
        }
    }
}

#[test]
fn the_truncation_bound_holds() {
    for load in [fig_5(0.8), fig_5(0.95), balanced(0.9, 0.04, 1e6, 1e6), balanced(0.9, 0.04, 1e6, 2e6)] {
        let truth = stationary(&load, 1e-11, MAX_STATES).expect("stable").expect("not too large");
        let mut compared = 0;
        for tolerance in [1e-3, 1e-5, 1e-7] {
            let found = stationary(&load, tolerance, MAX_STATES).expect("stable").expect("not too large");
            for (got, wanted) in [(found.mean_forward, truth.mean_forward), (found.mean_backward, truth.mean_backward)]
            {
                assert!((got / wanted - 1.0).abs() <= found.error, "{found:?} {truth:?}");
            }
            for (got, wanted) in [
                (found.idle, truth.idle),
                (found.forward, truth.forward),
                (found.backward, truth.backward),
                (found.both, truth.both),
            ] {
                assert!((got - wanted).abs() <= found.error, "{found:?} {truth:?}");
            }
            compared += 1;
        }
        assert_eq!(compared, 3);
        // cuts that are much too narrow, above and at the sides, say so
        let levels = (truth.mean_forward + truth.mean_backward) * 2.0;
        for (top, reach) in [(levels as u32, 8.0), (levels as u32 * 20, 0.5), (levels as u32 * 8, 1.5)] {
            let found = truncated(&load, top, reach).expect("stable");
            let error = (found.mean_forward / truth.mean_forward - 1.0).abs();
            assert!(error <= found.error.max(1e-9), "top {top} reach {reach}: {error:e} {found:?}");
        }
    }
}

#[test]
fn fig_5_to_the_end() {
    let found = solved(&fig_5(0.98));
    // the forward link's work is that of one queue in the end: E[n + b m] ~ (lambda_F + b^2 lambda_B) / (1 - rho)
    let work = found.mean_forward + 0.04 * found.mean_backward;
    close(work, fig_5(0.98).lambda_f * (1.0 + 0.04 * 0.04) / 0.02, 0.03);
    let rough = asymptotic(&fig_5(0.98)).expect("found");
    close(rough.mean_forward + rough.mean_backward, found.mean_forward + found.mean_backward, 0.005);
    let beyond = asymptotic(&fig_5(0.9999)).expect("found");
    close((beyond.mean_forward + 0.04 * beyond.mean_backward) * 1e-4, (1.0 + 0.04 * 0.04) / 1.04, 0.001);
}

#[test]
fn balanced_loads_grow_with_the_square() {
    // E[N] (1 - rho)^2 tends to balanced_limit, from above, by a relative 0.8 (1 - rho) and less; 0.62 is what Fig. 5's
    // link has at load 0.95 when both directions are loaded alike, other links and loads lie within 10 %
    for (b, c_b, limit) in [(0.04, 1e6, 0.54245), (0.0, 1e6, std::f64::consts::FRAC_2_PI), (0.04, 2e6, 0.59701)] {
        let formula = (1.0 + c_b / 1e6) * (1.0 + c_b / 1e6) * (1e6 - b * c_b) * (c_b - b * 1e6)
            / (2.0 * std::f64::consts::PI * c_b * c_b * (1.0 + b) * (1.0 + b));
        close(balanced_limit(&balanced(0.5, b, 1e6, c_b)), formula, 1e-12);
        close(formula, limit, 1e-4);
        for rho in [0.9, 0.95] {
            let load = balanced(rho, b, 1e6, c_b);
            load.loads().iter().for_each(|l| close(*l, rho, 1e-12));
            let found = solved(&load);
            let mean = found.mean_forward + found.mean_backward;
            let scaled = mean * (1.0 - rho) * (1.0 - rho);
            assert!(scaled > limit && scaled < limit * (1.0 + 1.0 * (1.0 - rho)), "{b} {c_b} {rho}: {scaled}");
            close(scaled, 0.62, 0.1);
            let rough = asymptotic(&load).expect("found");
            close(rough.mean_forward + rough.mean_backward, mean, rough.error);
            if (c_b, rho) == (2e6, 0.95) {
                close(scaled, 0.6217, 1e-4);
            }
        }
    }
    // far beyond the chain's reach the two asymptotic answers agree
    for rho in [0.999, 0.9999] {
        let load = balanced(rho, 0.04, 1e6, 1e6);
        let found = asymptotic(&load).expect("found");
        let scaled = (found.mean_forward + found.mean_backward) * (1.0 - rho) * (1.0 - rho);
        close(scaled, balanced_limit(&load), 3.0 * (1.0 - rho));
    }
}

#[test]
fn service_has_its_maximum_on_the_dividing_line() {
    let load = fig_5(0.5);
    let extremes = load.service_extremes();
    close(extremes.maximum, 3.0 / 1.04, 1e-12);
    close(extremes.at_share, 23.0 / 72.0, 1e-12);
    close(extremes.forward_only, 1.0, 1e-12);
    close(extremes.backward_only, 2.0, 1e-12);
    close(load.service(extremes.at_share), extremes.maximum, 1e-12);
    let mut last = extremes.backward_only;
    for i in 1..=1000 {
        let share = f64::from(i) / 1000.0;
        let now = load.service(share);
        // up to the line, down behind it: the ends are the minima
        assert!(if share <= extremes.at_share { now > last } else { now < extremes.maximum }, "{share}");
        assert!(now <= extremes.maximum && now >= extremes.forward_only - 1e-12);
        last = now;
    }
    // a link that is always full: the best is on an axis
    let always = DuplexLoad { c_b: 1e9, ..load };
    let extremes = always.service_extremes();
    close(extremes.maximum, 25.0, 1e-12);
    assert_eq!(extremes.at_share, 0.0);
    close(DuplexLoad { b: 3.0, ..load }.service_extremes().maximum, 1.0, 0.5);
}

#[test]
fn lyapunov_function_falls_below_load_one() {
    let mut random = Stream::new(2, "population", "drift");
    for _ in 0..200 {
        let b = between(&mut random, 0.0, 2.0);
        let (c_f, c_b) = (between(&mut random, 0.3, 3.0), between(&mut random, 0.3, 3.0));
        let (lambda_f, lambda_b) = (between(&mut random, 0.01, 1.0), between(&mut random, 0.01, 1.0));
        let raw = DuplexLoad { lambda_f, lambda_b, mean_bits: 1.0, c_f, c_b, b };
        let scale = between(&mut random, 0.1, 0.97) / raw.loads()[0].max(raw.loads()[1]);
        let load = DuplexLoad { lambda_f: lambda_f * scale, lambda_b: lambda_b * scale, ..raw };
        assert!(load.is_stable());
        // large enough: the bound is negative
        let mut p = 2.0;
        while load.drift_bound(p) >= -0.5 * (1.0 - load.loads()[0].max(load.loads()[1])) {
            p *= 2.0;
            assert!(p < 1e4, "{load:?}");
        }
        let bound = load.drift_bound(p);
        let far = load.drift_radius(p);
        for i in 0..=60 {
            for scale in [1.0, 3.0, 100.0] {
                // a state on the ray, at the radius from which the proof holds
                let share = f64::from(i) / 60.0;
                let [f, b] = load.seconds_per_bit(share, 1.0 - share);
                let count = scale * far / f.max(b) + 1.0;
                let (n, m) = (libm::ceil(count * share), libm::ceil(count * (1.0 - share)));
                let drift = load.drift(n, m, p);
                assert!(drift <= bound / 4.0, "{load:?} p {p} at ({n}, {m}): {drift} against {bound}");
            }
        }
    }
}

#[test]
fn above_load_one_it_grows() {
    // on each side of the dividing line, and on it
    for (lambda_f, lambda_b, saturated) in
        [(1.5, 0.5, Bottleneck::Forward), (0.5, 2.5, Bottleneck::Backward), (1.15, 2.45, Bottleneck::Both)]
    {
        let load = DuplexLoad { lambda_f, lambda_b, ..fig_5(0.5) };
        let growth = load.growth().expect("unstable");
        assert_eq!(growth.saturated, saturated);
        close(growth.forward / growth.backward, lambda_f / lambda_b, 1e-12);
        // the fluid's own equation: what is not completed is added
        let each = load.completion(growth.forward, growth.backward);
        close(growth.forward, lambda_f - growth.forward * each, 1e-12);
        close(growth.backward, lambda_b - growth.backward * each, 1e-12);
        assert!(!load.is_stable());
        assert!(matches!(stationary(&load, 1e-6, MAX_STATES), Err(TheoryError::OutOfRange { .. })));
    }
    assert_eq!(fig_5(0.99).growth(), None);
    assert_eq!(fig_5(1.0).growth(), None);
    assert!(!fig_5(1.0).is_stable());
}

#[test]
fn invalid_loads_are_errors() {
    for load in [
        DuplexLoad { mean_bits: 0.0, ..fig_5(0.5) },
        DuplexLoad { c_f: -1.0, ..fig_5(0.5) },
        DuplexLoad { lambda_b: f64::NAN, ..fig_5(0.5) },
        DuplexLoad { b: f64::INFINITY, ..fig_5(0.5) },
    ] {
        assert!(matches!(stationary(&load, 1e-6, MAX_STATES), Err(TheoryError::OutOfRange { .. })));
        assert!(truncated(&load, 10, 5.0).is_err());
    }
    // too large for the states allowed is no failure
    assert_eq!(stationary(&fig_5(0.99), 1e-6, 1000).expect("stable"), None);
}
