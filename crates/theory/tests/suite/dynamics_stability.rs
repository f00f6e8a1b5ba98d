//! Perturbed dynamics follow the characteristic roots, each link model in its own dynamics.
//!
//! `EDDYLINE_CASES=500 cargo test -p eddyline-theory dynamics_stability:: -- --nocapture` for as many as the
//! record in `docs/theory/stability.md` is about.

use crate::common;

use std::f64::consts::PI;
use std::sync::Arc;

use common::cases::{Kind, draw};
use common::{between, fast_flow, link, network};
use eddyline_cc::{ControllerParams, FastParams};
use eddyline_path::random::Stream;
use eddyline_scenario::Network;
use eddyline_scenario::series::{FLOW, Quantity};
use eddyline_theory::fluid::{BaseRtts, DynamicsOptions, Filter, Perturbation, Sending, perturbed};
use eddyline_theory::stability::{
    Characteristic, OperatingPoint, Options, UpdatePeriod, rightmost, stability_at, zeros_right_up_to,
};
use eddyline_theory::{Equilibrium, LinkModel, TheoryError, WindowLaw, equilibria};
use eddyline_units::Time;

/// How links respond to windows, and which window the law multiplies.
type Model = (LinkModel, WindowLaw);

const PRINTED: [Model; 2] = [(LinkModel::Integrator, WindowLaw::Present), (LinkModel::AckClocked, WindowLaw::Present)];

const ALL: [Model; 4] = [
    PRINTED[0],
    PRINTED[1],
    (LinkModel::Integrator, WindowLaw::AtSending),
    (LinkModel::AckClocked, WindowLaw::AtSending),
];

fn named((links, law): Model) -> String {
    let law = match law {
        WindowLaw::Present => "eq. 2",
        WindowLaw::AtSending => "window at sending",
    };
    format!("{}, {law}", links.name())
}

/// A case is near the boundary where a disturbance changes by less than this share in the longest round trip.
const MARGIN: f64 = 0.02;

/// Powers of e by which a disturbance is to grow or shrink while it is watched.
const FOLDS: f64 = 8.0;

fn exact((link_model, law): Model) -> DynamicsOptions {
    DynamicsOptions {
        link_model,
        law,
        sending: Sending::Window,
        base_rtt: BaseRtts::Exact,
        start_up: false,
        tolerance: 1e-10,
        max_steps: 300_000,
        ..DynamicsOptions::default()
    }
}

/// What the roots predict for a network in an equilibrium.
struct Predicted {
    stable: bool,
    /// Real and imaginary part of the rightmost root in 1/s.
    root: (f64, f64),
    /// Real part of the next one.
    next: f64,
    /// Roots right of the axis beyond those that the verdict counts; `None` where the count failed.
    beyond: Option<usize>,
    /// The longest round trip in seconds.
    longest: f64,
}

fn predicted(n: &Network, at: &Equilibrium, model: Model) -> Predicted {
    let options = Options { margins: false, roots: 4, law: model.1, ..Options::default() };
    let answer = stability_at(n, at, model.0, &options).expect("judged");
    let point = OperatingPoint::new(n, at, UpdatePeriod::Controller, false).expect("a point").with_law(model.1);
    let longest = point.round_trips().expect("a queue").1;
    let f = Characteristic::new(&point, model.0);
    let all = || zeros_right_up_to(&f, 1e-7 / longest, 1.0, 8.0 * f.band(1.0));
    let beyond = match (model.0, answer.unstable_roots) {
        // there are none beyond the bound of integrators, and with one queue none beyond that of the ack-clocked model
        (_, counted) if model.0 == LinkModel::Integrator || point.links.len() == 1 => counted.map(|_| 0),
        (_, counted) => counted.and_then(|n| all()?.checked_sub(n)),
    };
    let next = answer.roots.get(1).map_or(f64::NEG_INFINITY, |r| r.0);
    Predicted { stable: answer.stable, root: answer.roots[0], next, beyond, longest }
}

/// How far windows are from where they were, relatively: a list of (time, deviation of each flow).
fn deviations(
    n: &Network,
    at: &Equilibrium,
    push: &[Perturbation],
    options: &DynamicsOptions,
    span: f64,
    every: f64,
) -> Vec<(f64, Vec<f64>)> {
    let mut n = n.clone();
    n.duration = Time::from_secs_f64(span);
    n.record_interval = Time::from_secs_f64(every);
    let d = perturbed(&n, at, push, options).expect("followed to the end");
    let mut all: Vec<(f64, Vec<f64>)> = Vec::new();
    for (s, flow) in n.flows.iter().enumerate() {
        let sent = |path: &[u32], bytes: u32| {
            path.iter()
                .map(|l| n.links[*l as usize].rate.transmission_time(u64::from(bytes)).as_secs_f64())
                .sum::<f64>()
        };
        let trip =
            n.propagation_rtt(flow).as_secs_f64() + sent(&flow.data, flow.packet) + sent(&flow.ack, flow.ack_packet);
        let w0 = at.rates[s] * (trip + at.delays[s]);
        for (i, (t, w)) in d.series.of(FLOW, s as u32, Quantity::CwndPackets).into_iter().enumerate() {
            if all.len() <= i {
                all.push((t, Vec::new()));
            }
            all[i].1.push(w / w0 - 1.0);
        }
    }
    all
}

/// Perturbations of all flows, different in size and sign, short enough to excite a pattern of frequency `omega`.
fn perturbations(random: &mut Stream, n: &Network, p: &Predicted, size: f64) -> Vec<Perturbation> {
    let over_s = if p.root.1 > 0.0 { p.longest.min(2.0 * PI / p.root.1) } else { p.longest };
    n.flows.iter().map(|_| Perturbation { share: size * between(random, -1.0, 1.0), over_s }).collect()
}

/// What became of a disturbance.
struct Followed {
    /// Growth rate in 1/s of the largest deviation over the third and the last quarter of the time.
    rate: f64,
    /// The largest deviation in the last quarter over that in the first.
    change: f64,
}

fn followed(all: &[(f64, Vec<f64>)], span: f64) -> Followed {
    let top = |from: f64, to: f64| {
        let inside = all.iter().filter(|(t, _)| *t > from * span && *t <= to * span);
        inside.flat_map(|(_, v)| v).fold(0.0f64, |m, v| m.max(v.abs()))
    };
    let last = top(0.75, 1.0 + 1e-9);
    Followed { rate: (last / top(0.5, 0.75)).ln() / (0.25 * span), change: last / top(0.0, 0.25) }
}

/// Random networks (drawn as `common/cases.rs` describes), away from the boundary.
#[test]
fn dynamics_follow_the_roots() {
    let cases: usize = std::env::var("EDDYLINE_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(40);
    for model in ALL {
        let mut random = Stream::new(11, "stability", "cases");
        let mut pushed = Stream::new(11, "stability", "pushes");
        let (mut drawn, mut near, mut short_waves, mut unstable, mut compared) = (0, 0, 0, 0, 0);
        let (mut wrong, mut off): (Vec<String>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut of_kind = [0; 3];
        while compared < cases {
            let (kind, n) = draw(&mut random);
            drawn += 1;
            let solved = equilibria(&n).expect("solved");
            let at = &solved.found[0];
            let p = predicted(&n, at, model);
            if p.root.0.abs() * p.longest < MARGIN {
                near += 1;
                continue;
            }
            if p.beyond != Some(0) {
                short_waves += 1;
                continue;
            }
            compared += 1;
            of_kind[kind as usize] += 1;
            unstable += usize::from(!p.stable);
            let span = FOLDS / p.root.0.abs() + 4.0 * p.longest;
            // what grows has to stay small enough to be linear
            let push = perturbations(&mut pushed, &n, &p, if p.stable { 1e-5 } else { 1e-6 });
            let every = (PI / p.root.1.max(1e-9) / 6.0).min(span / 400.0);
            let seen = followed(&deviations(&n, at, &push, &exact(model), span, every), span);
            // six powers of e are predicted; what is left then of a decay may be slower roots that were hardly excited
            let agrees = if p.stable {
                seen.change < 0.2 && (seen.rate < 0.0 || seen.change < 0.01)
            } else {
                seen.change > 5.0 && seen.rate > 0.0
            };
            if !agrees {
                let Followed { rate, change } = seen;
                wrong.push(format!("case {drawn}, {kind:?}: root {:?}, change {change}, rate {rate}", p.root));
            }
            off.push((seen.rate / p.root.0 - 1.0).abs());
        }
        off.sort_by(f64::total_cmp);
        let percent = |part: usize| 100.0 * off[off.len() * part / 100];
        println!(
            "{}: {compared} cases ({} one way, {} both ways, {} with several queues) of {drawn} drawn; left out: {near} near the \
             boundary, {short_waves} that grow in shorter waves than the verdict is about; {unstable} unstable; {} disagree; \
             rates of growth and decay off by {:.1} % (median), {:.1} % (three of four)",
            named(model),
            of_kind[Kind::OneWay as usize],
            of_kind[Kind::BothWays as usize],
            of_kind[Kind::Several as usize],
            wrong.len(),
            percent(50),
            percent(75),
        );
        assert!(wrong.is_empty(), "{}: {wrong:#?}", named(model));
        assert!(unstable > 0 && unstable < compared, "{unstable} of {compared} unstable");
        // rates are from maxima over a quarter of the time, some of them of oscillations of a few periods, with other
        // roots not far behind
        assert!(percent(50) < 5.0, "{}", percent(50));
    }
}

/// Most ACK-clocked networks of several flows are near the boundary, by patterns within a round trip that hardly decay.
/// They do not grow either: sixty round trips later nothing is larger than the margin allows, and mostly the push is
/// gone.
#[test]
fn slowly_decaying_patterns_do_not_grow() {
    let (mut random, mut pushed) = (Stream::new(15, "stability", "cases"), Stream::new(15, "stability", "pushes"));
    let model = (LinkModel::AckClocked, WindowLaw::Present);
    let mut changes = Vec::new();
    while changes.len() < 25 {
        let (_, n) = draw(&mut random);
        let at = equilibria(&n).expect("solved").found.remove(0);
        let p = predicted(&n, &at, model);
        if p.root.0.abs() * p.longest >= MARGIN || p.root.0 > 0.0 || p.beyond != Some(0) {
            continue;
        }
        let span = 60.0 * p.longest;
        // as long as the round trip: the flow's own patterns are hardly excited
        let push: Vec<Perturbation> = n
            .flows
            .iter()
            .map(|_| Perturbation { share: 1e-5 * between(&mut pushed, -1.0, 1.0), over_s: 0.0 })
            .collect();
        let seen = followed(&deviations(&n, &at, &push, &exact(model), span, span / 2000.0), span);
        assert!(seen.change < (MARGIN * 45.0).exp(), "root {:?}, change {}", p.root, seen.change);
        changes.push(seen.change);
    }
    changes.sort_by(f64::total_cmp);
    println!("remaining share of the perturbation: {:.1e} (median), {:.1e} (max)", changes[12], changes[24]);
    assert!(changes[12] < 0.05, "{changes:?}");
}

/// Near the boundary: gains are scaled until the rightmost root is so little left or right of the axis that dozens of
/// oscillations can be watched, whose frequency is its imaginary part.
#[test]
fn frequency_near_the_boundary_is_the_roots() {
    for model in PRINTED {
        let mut random = Stream::new(12, "stability", "cases");
        let mut pushed = Stream::new(12, "stability", "pushes");
        let (mut found, mut drawn) = ([0; 3], 0);
        let (mut worst, mut worst_rate) = (0.0f64, 0.0f64);
        while found[0] < 2 || found[1] + found[2] < 2 {
            let (kind, n) = draw(&mut random);
            drawn += 1;
            // flows both ways on one link have almost the same round trip, so ACK-clocked patterns that hardly decay
            // come first
            let crowded = kind == Kind::BothWays && model.0 == LinkModel::AckClocked;
            if found[kind as usize] >= 2 || crowded {
                continue;
            }
            // a hundredth of a power of e a round trip, growing and damped
            for target in [0.01, -0.01] {
                let Some((n, at, p)) = tuned(&n, model, target) else { break };
                found[kind as usize] += 1;
                let span = 4.0 * p.longest + 120.0 * PI / p.root.1;
                let every = PI / p.root.1 / 20.0;
                let all = deviations(&n, &at, &perturbations(&mut pushed, &n, &p, 1e-5), &exact(model), span, every);
                let (omega, rate) = oscillation(&all, span);
                worst = worst.max((omega / p.root.1 - 1.0).abs());
                worst_rate = worst_rate.max((rate - p.root.0).abs() * p.longest);
                assert!((omega / p.root.1 - 1.0).abs() < 0.05, "{model:?} {kind:?}: {omega}, root {:?}", p.root);
                assert_eq!(rate > 0.0, p.root.0 > 0.0, "{model:?} {kind:?}: {rate}, root {:?}", p.root);
            }
        }
        println!(
            "{}: {found:?} cases of {drawn} drawn; frequency off by at most {:.2} %, growth by {worst_rate:.4} a round trip",
            named(model),
            100.0 * worst
        );
    }
}

/// Each sender's own average of round-trip times, with the window at sending: FAST's, and VFAST's of either clock and source. Its
/// weights up and down are equal here; with two there is no linear law.
#[test]
fn averages_of_senders_decay_as_their_roots() {
    let model = (LinkModel::Integrator, WindowLaw::AtSending);
    let vfast = r#""kind": "vfast", "psi_up": PSI, "psi_down": PSI, "#;
    let mut roots = Vec::new();
    for (psi, ack_every, keys) in [
        ("0.6", 1, r#""kind": "fast""#.to_owned()),
        ("0.6", 1, format!(r#"{vfast} "mean_rtt": "average""#)),
        ("0.02", 1, format!(r#"{vfast} "smoothing": "ack""#)),
        ("0.6", 1, format!(r#"{vfast} "smoothing": "update""#)),
        ("0.6", 1, format!(r#"{vfast} "smoothing": "update", "mean_rtt": "srtt_of_average""#)),
        ("0.6", 2, r#""kind": "fast""#.to_owned()),
    ] {
        let keys = keys.replace("PSI", psi);
        let params: ControllerParams =
            serde_json::from_str(&format!(r#"{{ "alpha": "40 packets", "gamma": 1.0, {keys} }}"#))
                .expect("a controller");
        let mut n = network(
            vec![link("there", 120_000_000, 10), link("back", 1_000_000_000, 10)],
            vec![fast_flow("one", 1.0, &[0], &[1])],
        );
        n.flows[0].controller = Arc::new(params);
        n.flows[0].tcp.ack_every = ack_every;
        let at = equilibria(&n).expect("solved").found.remove(0);
        let options = Options { margins: false, roots: 1, law: model.1, filter: true, ..Options::default() };
        let (rate, omega) = stability_at(&n, &at, model.0, &options).expect("judged").roots[0];
        let period = 2.0 * PI / omega;
        let push = [Perturbation { share: 1e-4, over_s: 0.05 }];
        let averaged = DynamicsOptions { filter: Filter::Fast, ..exact(model) };
        let seen = oscillation(&deviations(&n, &at, &push, &averaged, 5.0 * period, period / 200.0), 5.0 * period);
        // zeros and heights of half waves are read at 200 points a period, of waves that decay by 2.6 powers of e in one
        assert!((seen.0 / omega - 1.0).abs() < 0.01, "{keys}: {seen:?}, root {rate} {omega}");
        assert!((seen.1 / rate - 1.0).abs() < 0.02, "{keys}: {seen:?}, root {rate} {omega}");
        roots.push(rate);
    }
    assert_eq!(roots[0], roots[1]);
    assert!(roots[1..].windows(2).all(|two| (two[0] / two[1] - 1.0).abs() > 0.05), "{roots:?}");
}

/// `n` with all gains scaled so that the rightmost root is complex, its real part `target` over the longest round trip,
/// and the next root well to the left; `None` where no gain does that.
fn tuned(n: &Network, model: Model, target: f64) -> Option<(Network, Equilibrium, Predicted)> {
    let at = equilibria(n).expect("solved").found.remove(0);
    let scaled = |factor: f64| {
        let mut n = n.clone();
        for flow in &mut n.flows {
            let ControllerParams::Fast(params) = &*flow.controller else { unreachable!("all are FAST") };
            let params = FastParams { gamma: params.gamma * factor, ..params.clone() };
            flow.controller = Arc::new(ControllerParams::Fast(params));
        }
        n
    };
    let off = |factor: f64| {
        let point = OperatingPoint::new(&scaled(factor), &at, UpdatePeriod::Controller, false)
            .expect("a point")
            .with_law(model.1);
        let longest = point.round_trips().expect("a queue").1;
        rightmost(&Characteristic::new(&point, model.0), 1).found[0].at.re * longest - target
    };
    let (mut low, mut high) = (0.05, 50.0);
    if off(low) > 0.0 || off(high) < 0.0 {
        return None;
    }
    for _ in 0..30 {
        let middle = f64::sqrt(low * high);
        if off(middle) > 0.0 { high = middle } else { low = middle }
    }
    let n = scaled(low);
    let p = predicted(&n, &at, model);
    let hit = (p.root.0 * p.longest - target).abs() < 1e-6 && p.root.1 > 0.0 && p.beyond == Some(0);
    // one oscillation at a time
    (hit && p.next * p.longest < target - 0.03).then_some((n, at, p))
}

/// Frequency in rad/s, from zero crossings, and growth rate in 1/s, from the sizes of half waves, over the second half
/// of the time, of the flow that oscillates most.
fn oscillation(all: &[(f64, Vec<f64>)], span: f64) -> (f64, f64) {
    let late: Vec<&(f64, Vec<f64>)> = all.iter().filter(|(t, _)| *t > 0.5 * span).collect();
    let size = |s: usize| late.iter().fold(0.0f64, |m, (_, v)| m.max(v[s].abs()));
    let largest = (0..late[0].1.len()).max_by(|a, b| size(*a).total_cmp(&size(*b))).expect("flows");
    let mut crossings = Vec::new();
    let mut peaks = Vec::new();
    let mut peak = 0.0f64;
    for pair in late.windows(2) {
        let ((t0, a), (t1, b)) = (pair[0], pair[1]);
        let (a, b) = (a[largest], b[largest]);
        peak = peak.max(b.abs());
        if (a > 0.0) != (b > 0.0) {
            crossings.push(t0 + (t1 - t0) * a / (a - b));
            peaks.push(std::mem::take(&mut peak));
        }
    }
    let n = crossings.len();
    let time = crossings[n - 1] - crossings[0];
    // the first half wave may have begun before
    (PI * (n - 1) as f64 / time, (peaks[n - 1] / peaks[1]).ln() / (crossings[n - 1] - crossings[1]))
}

#[test]
fn without_a_perturbation_nothing_changes() {
    let mut random = Stream::new(13, "stability", "cases");
    for _ in 0..10 {
        let (_, n) = draw(&mut random);
        let at = equilibria(&n).expect("solved").found.remove(0);
        for model in ALL {
            let all = deviations(&n, &at, &vec![Perturbation::default(); n.flows.len()], &exact(model), 2.0, 0.1);
            let max = all.iter().flat_map(|(_, v)| v).fold(0.0f64, |m, v| m.max(v.abs()));
            assert!(max < 1e-8, "{model:?}: {max:e}");
        }
    }
}

#[test]
fn invalid_perturbations_are_errors() {
    let (_, n) = draw(&mut Stream::new(14, "stability", "cases"));
    let at = equilibria(&n).expect("solved").found.remove(0);
    let wrong = |push: &[Perturbation]| perturbed(&n, &at, push, &exact(PRINTED[0])).expect_err("refused");
    assert!(matches!(wrong(&[]), TheoryError::Length { given: 0, .. }));
    let all = |push: Perturbation| vec![push; n.flows.len()];
    assert!(matches!(
        wrong(&all(Perturbation { share: 1.0, over_s: 0.0 })),
        TheoryError::OutOfRange { value: 1.0, .. }
    ));
    assert!(matches!(
        wrong(&all(Perturbation { share: 0.1, over_s: -1.0 })),
        TheoryError::OutOfRange { value: -1.0, .. }
    ));
    assert!(matches!(wrong(&all(Perturbation { share: f64::NAN, over_s: 0.0 })), TheoryError::OutOfRange { .. }));
    let joint = perturbed(&n, &at, &all(Perturbation::default()), &exact((LinkModel::Joint, WindowLaw::Present)))
        .expect_err("refused");
    assert_eq!(joint, TheoryError::NoDynamics);
}
