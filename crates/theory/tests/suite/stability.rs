//! Verdicts, roots, margins and boundaries against closed forms and an independent computation.
//!
//! `EDDYLINE_CASES=300 cargo test -p eddyline-theory stability::` for more random cases than usual.

use crate::common;

use std::f64::consts::PI;

use common::{below, between, close, fast_flow, link, log_uniform, network, number, numbers, path, values};
use eddyline_path::random::Stream;
use eddyline_scenario::Network;
use eddyline_theory::stability::single::{self, Letter, SingleLoop};
use eddyline_theory::stability::{
    Characteristic, Complex, ComplexFunctions as _, Crossing, FlowPoint, OperatingPoint, Options, UpdatePeriod,
    boundary, judge, locally_stable, margins, one_way, rightmost, stability, stability_at, zeros_right_of,
};
use eddyline_theory::{LinkModel, TheoryError, WindowLaw, equilibria};
use eddyline_units::Time;

const MODELS: [LinkModel; 3] = [LinkModel::Integrator, LinkModel::AckClocked, LinkModel::Joint];

/// Random cases: as many as usual, or `EDDYLINE_CASES`.
fn cases(usual: usize) -> usize {
    std::env::var("EDDYLINE_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

fn rightmost_of(point: &OperatingPoint, model: LinkModel) -> Complex {
    rightmost(&Characteristic::new(point, model), 6).found[0].at
}

/// A flow over one link whose windows do nothing: p' = -(a / R) p(t - R).
fn scalar(a: f64, rtt_s: f64) -> OperatingPoint {
    let crossings = vec![Crossing { link: 0, share: a, forward_s: 0.2 * rtt_s }];
    let flow = FlowPoint { rtt_s, gain: 30.0 / rtt_s, rho: 1.0, crossings, ..FlowPoint::default() };
    OperatingPoint { links: vec![0], flows: vec![flow], ..OperatingPoint::default() }
}

/// Flows over `links` queues, each of which is full; one-way traffic where `two_way` is false.
fn random_point(random: &mut Stream, links: usize, flows: usize, max_u: f64, two_way: bool) -> OperatingPoint {
    let mut point = OperatingPoint { links: (0..links).collect(), ..OperatingPoint::default() };
    let mut made = Vec::new();
    for i in 0..flows {
        let rtt_s = between(random, 0.02, 0.2);
        let crossed = 1 + below(random, links);
        let mut path = path(random, links, crossed);
        if i < links && !path.contains(&(i as u32)) {
            path.push(i as u32);
        }
        let mut at: Vec<f64> = path.iter().map(|_| between(random, 0.0, 0.9 * rtt_s)).collect();
        at.sort_by(f64::total_cmp);
        let rate = between(random, 0.1, 1.0);
        let mut share = |_| rate * if two_way { log_uniform(random, 0.04, 1.0) } else { 1.0 };
        let crossing = |(l, forward_s): (&u32, f64), share| Crossing { link: *l as usize, share, forward_s };
        let shares: Vec<f64> = path.iter().map(&mut share).collect();
        let crossings = path.iter().zip(at).zip(shares).map(|(c, s)| crossing(c, s)).collect();
        let gain = log_uniform(random, 0.1, max_u) / rtt_s;
        made.push(FlowPoint { rtt_s, gain, rho: between(random, 0.05, 0.95), crossings, ..FlowPoint::default() });
    }
    if two_way {
        let mut load = vec![0.0; links];
        made.iter().flat_map(|f| &f.crossings).for_each(|c| load[c.link] += c.share);
        made.iter_mut().flat_map(|f| &mut f.crossings).for_each(|c| c.share /= load[c.link]);
    } else {
        // the same packets everywhere: shares are x / c, and cross traffic takes what is left of each link
        let crossings = || made.iter().flat_map(|f| &f.crossings);
        let load = |l: usize| crossings().filter(|c| c.link == l).map(|c| c.share).sum::<f64>();
        let max_load = (0..links).map(load).fold(0.0, f64::max);
        made.iter_mut().flat_map(|f| &mut f.crossings).for_each(|c| c.share /= max_load);
    }
    made.into_iter().for_each(|f| point.add(f));
    point
}

#[test]
fn boundary_of_the_single_loop() {
    let table = values(include_str!("data/stability_boundary.json"));
    for row in table.as_array().expect("rows") {
        let [u, exact, lag] = numbers(row)[..] else { panic!("three numbers") };
        assert!((single::boundary(u) - exact).abs() < 1e-9, "u {u}: {} for {exact}", single::boundary(u));
        assert!((single::boundary_with_lag(u) - lag).abs() < 1e-9);
        // the same from the roots of a network in seconds
        let stable =
            |_: f64, rho: f64| Some(-rightmost_of(&SingleLoop::new(u, rho).point(0.08), LinkModel::Integrator).re);
        // the large gain makes many time scales; the others are looked at from end to end
        let range = if u > 100.0 { (exact - 1e-4, exact + 1e-4) } else { (1e-3, 0.999) };
        let found = boundary(&[u], range, 4, false, stable).remove(0);
        if exact == 0.0 {
            assert!(found.is_empty());
        } else {
            assert_eq!(found.len(), 1, "u {u}");
            assert!((found[0] - exact).abs() < 1e-6, "u {u}: {} for {exact}", found[0]);
        }
    }
    let (u, rho) = single::worst_case();
    assert!((u - 5.86).abs() < 0.01 && (rho - 0.6628).abs() < 5e-5, "{u} {rho}");
}

#[test]
fn scalar_delay_equation() {
    // x' = -a x(t - 1) is stable up to a = pi / 2; its roots are the branches of Lambert's W(-a)
    for rtt in [1e-3, 0.1, 50.0] {
        let w = rightmost_of(&scalar(1.0, rtt), LinkModel::Integrator);
        close(w.re * rtt, -0.318_131_505_204_764_1, 1e-12);
        close(w.im * rtt, 1.337_235_701_430_689_4, 1e-12);
        for (a, stable) in [(0.5 * PI - 1e-6, true), (0.5 * PI + 1e-6, false)] {
            let answer = judge(&scalar(a, rtt), LinkModel::Integrator, &Options::default());
            assert_eq!(answer.stable, stable, "a {a}");
            close(answer.roots[0].1 * rtt, 0.5 * PI, 1e-5);
        }
    }
    let point = scalar(4.0, 1.0);
    for root in rightmost(&Characteristic::new(&point, LinkModel::Integrator), 8).found {
        // W e^W = -a; the window's own pole at -kappa rho is the only other
        let z = root.at;
        let product = z * z.exponential() + Complex::from(4.0);
        assert!(product.modulus() < 1e-10 * 4.0 || (z.re + 30.0).abs() < 1e-6, "{z:?}");
    }
    let answer = judge(&scalar(1.0, 1.0), LinkModel::Integrator, &Options::default());
    close(answer.gain_margin.expect("one"), 0.5 * PI, 1e-9);
    // at |L| = 1, w = 1 and the phase left is pi / 2 - 1
    close(answer.delay_margin_s.expect("one"), 0.5 * PI - 1.0, 1e-9);
}

#[test]
fn margins_of_the_single_loop() {
    for (u, rho) in [(0.5, 0.3), (5.0, 0.8), (2.0, 0.62), (0.2, 0.05)] {
        let l = SingleLoop::new(u, rho);
        let answer = judge(&l.point(0.1), LinkModel::Integrator, &Options::default());
        assert!(answer.stable && l.stable());
        close(answer.delay_margin_s.expect("one"), 0.1 * l.phase_margin() / l.crossover(), 1e-6);
        let k = answer.gain_margin.expect("one");
        assert!(SingleLoop { factor: k * (1.0 - 1e-7), ..l }.stable());
        assert!(!SingleLoop { factor: k * (1.0 + 1e-7), ..l }.stable());
    }
    let unstable = judge(&SingleLoop::new(5.0, 0.6).point(0.1), LinkModel::Integrator, &Options::default());
    let k = unstable.gain_margin.expect("one");
    assert!(k < 1.0 && unstable.delay_margin_s.is_none());
    assert!(SingleLoop { factor: k * (1.0 - 1e-7), ..SingleLoop::new(5.0, 0.6) }.stable());
    assert!(!SingleLoop { factor: k * (1.0 + 1e-7), ..SingleLoop::new(5.0, 0.6) }.stable());
}

#[test]
fn ack_clocked_single_link() {
    // z + u rho + u (1 - rho) e^-z = 0
    for rho in [0.0f64, 0.1, 0.3, 0.45] {
        let u = single::ack_clocked_boundary(rho.max(1e-9));
        for (factor, stable) in [(1.0 - 1e-6, true), (1.0 + 1e-6, false)] {
            let l = SingleLoop::new(u * factor, rho.max(1e-9));
            assert_eq!(judge(&l.point(0.1), LinkModel::AckClocked, &Options::default()).stable, stable, "rho {rho}");
            assert_eq!(l.stable_ack_clocked(), stable);
        }
    }
    assert!(judge(&SingleLoop::new(1000.0, 0.5).point(0.1), LinkModel::AckClocked, &Options::default()).stable);
    // any distribution of round trips, as Tang et al. prove, with and without other traffic on the link
    let mut random = Stream::new(1, "round trips", "test");
    let (mut worst, mut growing) = (f64::NEG_INFINITY, 0);
    let cases = cases(60);
    for case in 0..cases {
        let flows = 1 + below(&mut random, 8);
        let mut point = random_point(&mut random, 1, flows, 1.0, true);
        // one queue is the same for all, and so is gamma
        let (gamma, q) = (log_uniform(&mut random, 0.05, 1.0), log_uniform(&mut random, 1e-3, 0.02));
        for f in &mut point.flows {
            (f.gain, f.rho) = (gamma / f.rtt_s, q / f.rtt_s);
        }
        if case % 2 == 1 {
            point.flows.iter_mut().flat_map(|f| &mut f.crossings).for_each(|c| c.share *= 0.7);
        }
        let options = Options { margins: false, ..Options::default() };
        let answer = judge(&point, LinkModel::Joint, &options);
        assert!(answer.stable && answer.unstable_roots == Some(0), "case {case}: {answer:?}");
        // with the exact clock a slow flow's pattern may grow, slowly; constant windows never let it
        let exact = judge(&point, LinkModel::AckClocked, &options);
        let f = Characteristic::new(&point, LinkModel::AckClocked);
        assert_eq!(zeros_right_of(&f, 1e-6, 0.0), Some(0), "case {case}");
        let longest = point.round_trips().expect("flows").1;
        worst = worst.max(exact.roots[0].0 * longest);
        growing += usize::from(!exact.stable);
    }
    assert!(growing * 5 < cases && worst < 0.1, "{growing} grow, {worst} a round trip at most");
}

#[test]
fn fixed_windows_in_one_way_networks_do_not_grow() {
    let mut random = Stream::new(2, "fixed windows", "test");
    let mut growing = 0;
    for case in 0..30 {
        let (links, flows) = (2 + below(&mut random, 2), 3 + below(&mut random, 4));
        let one = random_point(&mut random, links, flows, 1.0, false);
        let f = Characteristic::new(&one, LinkModel::AckClocked);
        assert_eq!(zeros_right_of(&f, 1e-6, 0.0), Some(0), "case {case}");
        let two = random_point(&mut random, links, flows, 1.0, true);
        let f = Characteristic::new(&two, LinkModel::AckClocked);
        growing += usize::from(zeros_right_of(&f, 1e-6, 0.0).is_some_and(|n| n > 0));
    }
    // with acknowledgements of another size on several queues most do
    assert!(growing > 10, "{growing}");
}

/// Zeros on the right of det M (z) / (z + 1 / R)^n by Nyquist's plot, with nothing of the library but M.
fn nyquist(point: &OperatingPoint) -> usize {
    let f = Characteristic::new(point, LinkModel::Integrator);
    let n = point.links.len();
    let unit = 1.0 / point.flows[0].rtt_s;
    let value = |w: f64| {
        let z = Complex::new(0.0, w);
        let mut a = f.matrix(z);
        let mut det = Complex::ONE;
        for k in 0..n {
            let pivot = a[k * n + k];
            det = (det * pivot).over(z + Complex::from(unit));
            for i in k + 1..n {
                let factor = a[i * n + k].over(pivot);
                for j in k..n {
                    let change = factor * a[k * n + j];
                    a[i * n + j] -= change;
                }
            }
        }
        // a zero at the origin for every combination of prices that no flow notices
        det * (z + Complex::from(unit)).over(z).power(point.undetermined())
    };
    let (top, steps) = (5_000.0, 25_000);
    let mut phase = 0.0;
    let mut last = value(1e-6);
    for i in 1..=steps {
        let next = value(top * f64::from(i) / f64::from(steps));
        phase += next.over(last).argument();
        last = next;
    }
    // the axis upwards is clockwise
    (-phase / PI).round() as usize
}

#[test]
fn the_verdict_agrees_with_nyquist() {
    let mut random = Stream::new(3, "nyquist", "test");
    let (mut unstable, mut settled) = (0, 0);
    let cases = cases(50);
    for case in 0..cases {
        let (links, flows) = (1 + below(&mut random, 3), 1 + below(&mut random, 4));
        let two_way = links > 1;
        let mut point = random_point(&mut random, links, flows.max(links), 8.0, two_way);
        let factor = between(&mut random, 0.5, 1.6);
        point.flows.iter_mut().flat_map(|f| &mut f.crossings).for_each(|c| c.share *= factor);
        if case % 2 == 1 {
            // with the average of round-trip times
            point.flows.iter_mut().for_each(|f| f.filter_s = f.rtt_s / 3.0);
        }
        let wanted = nyquist(&point);
        let f = Characteristic::new(&point, LinkModel::Integrator);
        let roots = rightmost(&f, 8);
        let found: usize =
            roots.found.iter().filter(|r| r.at.re > 0.0).map(|r| if r.at.im == 0.0 { 1 } else { 2 }).sum();
        assert_eq!((roots.right, found), (Some(wanted), wanted), "case {case}: {point:?} {roots:?}");
        settled += usize::from(roots.converged);
        assert!(roots.found.iter().all(|r| r.residual < 1e-9), "case {case}: {roots:?}");
        unstable += usize::from(wanted > 0);
    }
    assert!(10 * unstable > cases && 10 * unstable < 9 * cases && 5 * settled > 4 * cases, "{unstable} {settled}");
}

#[test]
fn the_unit_of_time_does_not_matter() {
    let mut random = Stream::new(4, "units", "test");
    for _ in 0..20 {
        let point = random_point(&mut random, 2, 3, 4.0, true);
        let mut slow = point.clone();
        for f in &mut slow.flows {
            f.rtt_s *= 1000.0;
            f.gain /= 1000.0;
            f.crossings.iter_mut().for_each(|c| c.forward_s *= 1000.0);
        }
        for model in MODELS {
            let (a, b) = (judge(&point, model, &Options::default()), judge(&slow, model, &Options::default()));
            assert_eq!(a.stable, b.stable);
            for (a, b) in a.roots.iter().zip(&b.roots).take(if model == LinkModel::Integrator { 3 } else { 1 }) {
                assert!((a.0 - 1000.0 * b.0).abs() + (a.1 - 1000.0 * b.1).abs() < 1e-6 * (1.0 + a.0.abs() + a.1.abs()));
            }
            if let (Some(a), Some(b)) = (a.gain_margin, b.gain_margin) {
                close(a, b, 1e-6);
            }
            if let (Some(a), Some(b)) = (a.delay_margin_s, b.delay_margin_s) {
                close(1000.0 * a, b, 1e-6);
            }
        }
    }
}

/// A duplex link with data both ways; balanced where `backward` is `bps` too.
fn duplex(bps: u64, backward: u64, alphas: [f64; 2]) -> Network {
    let flows = vec![fast_flow("there", alphas[0], &[0], &[1]), fast_flow("back", alphas[1], &[1], &[0])];
    network(vec![link("forward", bps, 10), link("backward", backward, 10)], flows)
}

#[test]
fn one_way_flows_in_place_of_two_way_ones() {
    let options = Options::default();
    for (backward, bottleneck) in [(10_000_000, 1), (900_000_000, 0)] {
        let network = duplex(100_000_000, backward, [100.0, 30.0]);
        let at = equilibria(&network).expect("solved").found.remove(0);
        let mapped = one_way(&network, bottleneck, UpdatePeriod::Controller, false).expect("mapped");
        for model in MODELS {
            let two = stability_at(&network, &at, model, &options).expect("judged");
            let one = judge(&mapped.point, model, &options);
            assert!(two.stable && one.stable);
            for (a, b) in two.roots.iter().zip(&one.roots) {
                assert!((a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-8 * (a.0.abs() + a.1.abs()), "{a:?} {b:?}");
            }
        }
    }
    // both full, data both ways: the sum of the queues has twice the gain, half of it half a round trip sooner, and
    // their difference runs away where queueing is less than about half of the round trip
    for (alpha, stable) in [(10.0, false), (100.0, true)] {
        let balanced = duplex(10_000_000, 10_000_000, [alpha, alpha]);
        let two = stability(&balanced, LinkModel::Integrator, &Options::default()).expect("judged");
        assert!(two.stable == stable && two.notes.iter().any(|n| n.contains("balanced")), "{two:?}");
        assert_eq!(two.roots[0].0 > 0.0 && two.roots[0].1 == 0.0, !stable);
        let mapped = one_way(&balanced, 0, UpdatePeriod::Controller, false).expect("mapped");
        let one = judge(&mapped.point, LinkModel::Integrator, &options);
        assert!(one.stable && (one.roots[0].0 - two.roots[0].0).abs() > 0.1, "{one:?} {two:?}");
        assert!(!stable || 1.2 * two.gain_margin.expect("one") < one.gain_margin.expect("one"), "{one:?} {two:?}");
    }
    let missing = duplex(10_000_000, 10_000_000, [30.0, 30.0]);
    let off = network(missing.links, vec![fast_flow("alone", 30.0, &[0], &[0])]);
    let error = one_way(&off, 0, UpdatePeriod::Controller, false).expect_err("crossed twice");
    assert!(matches!(error, TheoryError::OutOfRange { value: 2.0, .. }));
}

#[test]
fn balance_is_always_unstable_for_integrators() {
    // one flow, data and acknowledgements exactly fill both links: L = 2 e^-z (z + u) / (z (z + u rho))
    for alpha in [3.0, 30.0, 3000.0] {
        let both = network(
            vec![link("forward", 10_000_000, 10), link("backward", 400_000, 10)],
            vec![fast_flow("alone", alpha, &[0], &[1])],
        );
        let at = equilibria(&both).expect("solved").found.remove(0);
        let answer = stability(&both, LinkModel::Integrator, &Options::default()).expect("judged");
        assert!(!answer.stable && answer.unstable_roots.is_some_and(|n| n > 0), "{answer:?}");
        let point = OperatingPoint::new(&both, &at, UpdatePeriod::Controller, false).expect("a point");
        let f = &point.flows[0];
        // both crossings have one round trip between them and themselves, so the sum of the prices is all there is
        let l = SingleLoop { factor: 2.0, ..SingleLoop::new(0.5, f.rho) };
        assert!(!l.stable());
        for (re, im) in &answer.roots[..2] {
            let z = Complex::new(re * f.rtt_s, im * f.rtt_s);
            let open = l.open_loop(z) + Complex::ONE;
            assert!(open.modulus() < 1e-7, "{z:?} {open:?}");
        }
        assert!(stability(&both, LinkModel::AckClocked, &Options::default()).expect("judged").stable);
        // the joint model keeps patterns that come back after a round trip as they were
        let joint = stability(&both, LinkModel::Joint, &Options::default()).expect("judged");
        assert!(!joint.stable && joint.unstable_roots == Some(0), "{joint:?}");
        let turns = joint.roots[0].1 * f.rtt_s / (2.0 * PI);
        assert!(joint.roots[0].0.abs() < 1e-9 && (turns - turns.round()).abs() < 1e-9, "{joint:?}");
    }
}

#[test]
fn the_letters_loop() {
    // an own grid with as many points as that of the reference: k_f, rho, n P_f and gamma once a round trip
    let reference = values(include_str!("data/stability_counts.json"));
    let mut counts = [0u32; 7];
    for k_f in [0.04, 0.1, 0.2, 0.5, 0.8, 1.0, 2.0, 4.0, 10.0, 40.0] {
        for rho in [0.02, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.98] {
            for (flows, packet_bytes) in [
                (1.0, 40.0),
                (1.0, 500.0),
                (1.0, 1000.0),
                (1.0, 1500.0),
                (2.0, 1000.0),
                (10.0, 1000.0),
                (100.0, 1500.0),
            ] {
                for u in [0.1, 0.25, 0.5] {
                    let letter = Letter { u, rho, k_f, flows, packet_bytes };
                    let loops = [letter.corrected(), letter.printed_without_units(), letter.printed()];
                    counts[0] += 1;
                    for (i, l) in loops.iter().enumerate() {
                        counts[1 + 2 * i] += u32::from(l.stable());
                        counts[2 + 2 * i] += u32::from(l.stable_with_lag());
                    }
                }
            }
        }
    }
    let names = [
        "N",
        "exact_stable",
        "lag_stable",
        "printed_dimcorr_exact_stable",
        "printed_dimcorr_lag_stable",
        "printed_exact_stable",
        "printed_lag_stable",
    ];
    for (name, count) in names.iter().zip(counts) {
        if *name == "printed_dimcorr_exact_stable" {
            // depends on the grid: stable only where 1 + k_f is small
            assert!(count > 0 && count < 840, "{count}");
        } else {
            assert_eq!(f64::from(count), number(&reference[*name]), "{name}");
        }
    }
    // the lag hides that eq. 20 has poles on the right
    assert_eq!(single::right_poles_of_eq_20(1.0), 0);
    assert_eq!(single::right_poles_of_eq_20(2.0), 2);
    let a = Letter { u: 0.5, rho: 0.5, k_f: 4.0, flows: 1.0, packet_bytes: 1000.0 };
    assert_eq!(single::right_poles_of_eq_20(a.printed().factor), 1592);
    // one plus the loop from W to W vanishes where one plus L does: eq. 20's convention is 1 - L
    let z = Complex::new(0.3, 1.7);
    let l = a.corrected();
    let closed = ((Complex::ONE - a.corrected_open_loop(z)) * (z + (z * -1.0).exponential())).over(z);
    assert!((closed - (Complex::ONE + l.open_loop(z))).modulus() < 1e-12);
    close(a.printed_open_loop(Complex::ZERO).re, -a.gain_at_zero(), 1e-12);
    close(a.printed_open_loop_with_lag(Complex::ZERO).re, -a.gain_at_zero(), 1e-12);
    // d / q0 < 1 is neither necessary nor sufficient with integrators, and exactly what makes any gain safe with ACK
    // clocking
    assert!(Letter { u: 5.86, rho: 0.55, ..a }.gain_at_zero() < 1.0 && !SingleLoop::new(5.86, 0.55).stable());
    assert!(Letter { u: 0.5, rho: 0.1, ..a }.gain_at_zero() > 1.0 && SingleLoop::new(0.5, 0.1).stable());
    assert!(SingleLoop::new(1e9, 0.5).stable_ack_clocked() && !SingleLoop::new(1e9, 0.499).stable_ack_clocked());
}

#[test]
fn asymmetry_alone_does_not_matter() {
    // the letter's setting, c_b from 100 Mbit/s down to 0.1: one queue, whichever it is
    for backward in [100_000_000, 1_000_000, 100_000] {
        let letter = network(
            vec![link("forward", 100_000_000, 20), link("backward", backward, 20)],
            vec![fast_flow("flow", 1000.0, &[0], &[1])],
        );
        for model in MODELS {
            let answer = stability(&letter, model, &Options::default()).expect("judged");
            assert!(answer.stable && answer.gain_margin.is_some_and(|k| k > 1.0), "{backward} {answer:?}");
        }
        // with updates every 20 ms instead the round trip, which asymmetry lengthens, decides
        let at = equilibria(&letter).expect("solved").found.remove(0);
        let options = Options { period: UpdatePeriod::Seconds(0.02), ..Options::default() };
        let point = OperatingPoint::new(&letter, &at, options.period, false).expect("a point");
        let f = &point.flows[0];
        let answer = stability_at(&letter, &at, LinkModel::Integrator, &options).expect("judged");
        assert_eq!(answer.stable, SingleLoop::new(f.gain * f.rtt_s, f.rho).stable());
    }
}

/// FAST multiplies the window at sending. One queue and equal round trips: `1 + (G - 1) e^-z = 0` has then nothing but
/// z = -u, since `w_then / RTT` is the rate of the link, whatever the window was.
#[test]
fn the_window_at_sending_makes_one_ack_clocked_queue_stable_for_any_delay() {
    for (u, rho) in [(0.5, 0.1), (1.0, 0.02), (4.0, 0.05), (8.0, 0.4)] {
        let point = SingleLoop::new(u, rho).point(0.1).with_law(WindowLaw::AtSending);
        let answer = judge(&point, LinkModel::AckClocked, &Options::default());
        assert!(answer.stable && answer.unstable_roots == Some(0), "{answer:?}");
        close(answer.roots[0].0, -u / 0.1, 1e-9);
        assert!(answer.roots[0].1 == 0.0);
        // integrators: z law + e^-z (law + u (1 - rho)) = 0, law = z + u (1 - (1 - rho) e^-z)
        for (re, im) in judge(&point, LinkModel::Integrator, &Options::default()).roots {
            let z = Complex::new(re * 0.1, im * 0.1);
            let (late, kept) = ((z * -1.0).exponential(), 1.0 - rho);
            let law = z + (Complex::ONE - late * kept) * u;
            let closed = z * law + late * (law + Complex::from(u * kept));
            assert!(closed.modulus() < 1e-8 * (1.0 + z.modulus() * z.modulus()) * (1.0 + u), "{z:?} {closed:?}");
        }
    }
}

#[test]
fn every_one_of_several_equilibria() {
    // a flow with data and acknowledgements on the first link and one more link, another that returns over that: three
    // equilibria, one in the middle from which the fluid runs away
    let network = network(
        vec![link("shared", 10_000_000, 10), link("more", 3_600_000, 10)],
        vec![fast_flow("long", 50.0, &[0, 1], &[0]), fast_flow("other", 50.0, &[0], &[1])],
    );
    let solved = equilibria(&network).expect("solved");
    assert_eq!(solved.found.len(), 3);
    for at in &solved.found {
        let answer = stability_at(&network, at, LinkModel::Integrator, &Options::default()).expect("judged");
        let runs_away = at.index == Some(-1);
        assert_eq!(answer.roots.iter().any(|r| r.0 > 0.0 && r.1 == 0.0), runs_away, "{answer:?}");
        assert_eq!(locally_stable(&network, at, LinkModel::Integrator), Some(answer.stable));
        assert!(!runs_away || locally_stable(&network, at, LinkModel::AckClocked) == Some(false));
    }
    assert_eq!(solved.found.iter().filter(|at| at.index == Some(-1)).count(), 1);
}

#[test]
fn ten_flows_give_the_same_result_twice() {
    let mut random = Stream::new(6, "quick", "test");
    let links = vec![link("a", 50_000_000, 5), link("b", 20_000_000, 8), link("c", 30_000_000, 3)];
    let flows = (0..10).map(|i| {
        let (data, ack) = (path(&mut random, 3, 2), path(&mut random, 3, 2));
        let mut flow = fast_flow(&format!("{i}"), log_uniform(&mut random, 20.0, 200.0), &data, &ack);
        flow.access_data = Time::from_ms(below(&mut random, 30) as u64);
        flow
    });
    let network = network(links, flows.collect());
    for model in MODELS {
        let answer = stability(&network, model, &Options::default()).expect("judged");
        assert_eq!(answer.roots.len(), 10);
        let repeated = stability(&network, model, &Options::default()).expect("judged");
        assert_eq!(answer, repeated);
    }
}

#[test]
fn without_flows_it_is_an_error() {
    let empty = network(vec![link("a", 1_000_000, 1)], Vec::new());
    let answer = stability(&empty, LinkModel::Integrator, &Options::default());
    assert!(matches!(answer, Err(TheoryError::NoFlow)));
    let at = equilibria(&empty).expect("solved").found.remove(0);
    assert_eq!(locally_stable(&empty, &at, LinkModel::AckClocked), None);
    let point = OperatingPoint::default();
    let none = margins(&Characteristic::new(&point, LinkModel::AckClocked), true);
    assert!(none.gain.is_none() && none.delay_s.is_none());
    let duplex = duplex(10_000_000, 20_000_000, [30.0, 30.0]);
    let at = equilibria(&duplex).expect("solved").found.remove(0);
    let options = Options { period: UpdatePeriod::Seconds(0.0), ..Options::default() };
    assert!(stability_at(&duplex, &at, LinkModel::Integrator, &options).is_err());
}
