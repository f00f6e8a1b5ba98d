//! The solver of delay differential equations against exact solutions.

use std::ops::ControlFlow;

use eddyline_theory::fluid::dde::{DdeError, Past, Settings, Statistics, System, solve};

fn settings(tolerance: f64) -> Settings {
    Settings {
        tolerance,
        first_step: 1e-3,
        longest_step: 0.5,
        shortest_step: 1e-12,
        max_steps: 1_000_000,
        fixed: false,
    }
}

fn fixed(step: f64) -> Settings {
    Settings { first_step: step, longest_step: step, fixed: true, ..settings(1.0) }
}

fn run<S: System>(mut system: S, end: f64, y: &[f64], settings: &Settings) -> (Vec<f64>, Statistics) {
    solve(&mut system, (0.0, end), y, settings, &mut |_, _, _| ControlFlow::Continue(())).expect("solved")
}

/// x' = -x(t - 1), x = 1 before 0: polynomials of degree n on [n - 1, n].
struct Scalar {
    stop: f64,
}

impl System for Scalar {
    fn unknowns(&self) -> usize {
        1
    }
    fn rates(&mut self, t: f64, _y: &[f64], past: &Past, dy: &mut [f64], _events: &mut [f64]) {
        dy[0] = -past.value(0, t - 1.0);
    }
    fn next_stop(&self) -> f64 {
        self.stop
    }
    fn stopped(&mut self, _t: f64, _y: &mut [f64], _past: &Past) {
        self.stop = if self.stop < 6.0 { self.stop + 1.0 } else { f64::INFINITY };
    }
    fn scales(&self, _y: &[f64], scales: &mut [f64]) {
        scales[0] = 1.0;
    }
}

/// sum over k <= t + 1 of (-1)^k (t - k + 1)^k / k!
fn scalar_exact(t: f64) -> f64 {
    let mut sum = 0.0;
    let mut factorial = 1.0;
    for k in 0..=(t + 1.0).floor() as i32 {
        factorial *= f64::from(k.max(1));
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * (t - f64::from(k) + 1.0).powi(k) / factorial;
    }
    sum
}

#[test]
fn a_scalar_equation_with_delay_is_exact_while_its_polynomials_are() {
    // a fifth-order method with a history of order four reproduces degree 5 up to where the history has degree 4
    for t in [0.5, 1.5, 2.5, 3.5] {
        let (y, _) = run(Scalar { stop: 1.0 }, t, &[1.0], &fixed(0.25));
        assert!((y[0] - scalar_exact(t)).abs() < 1e-9, "{} instead of {} at {t}", y[0], scalar_exact(t));
    }
}

#[test]
fn the_error_is_within_the_tolerance() {
    let mut last = f64::INFINITY;
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let (y, _) = run(Scalar { stop: 1.0 }, 9.3, &[1.0], &settings(tolerance));
        let error = (y[0] - scalar_exact(9.3)).abs();
        assert!(error < 20.0 * tolerance && error <= last, "{error:e} at {tolerance:e}");
        last = error;
    }
}

/// Equations with smooth solutions.
#[derive(Clone, Copy)]
enum Smooth {
    /// y' = y cos t: e^(sin t).
    Ordinary,
    /// x' = cos t for a quarter of a turn, x' = -x(t - pi / 2) from there on: sin t.
    Lap,
    /// x'(t) = x(t - x / 4) / (t - x / 4 + 1), a delay that the state sets: t + 1.
    State,
}

impl System for Smooth {
    fn unknowns(&self) -> usize {
        1
    }
    fn rates(&mut self, t: f64, y: &[f64], past: &Past, dy: &mut [f64], _events: &mut [f64]) {
        dy[0] = match self {
            Self::Ordinary => y[0] * t.cos(),
            Self::Lap => {
                let half = std::f64::consts::FRAC_PI_2;
                if t < half { t.cos() } else { -past.value(0, t - half) }
            }
            Self::State => {
                let at = t - 0.25 * y[0];
                if at < 0.0 { 1.0 } else { past.value(0, at) / (at + 1.0) }
            }
        };
    }
    fn scales(&self, _y: &[f64], scales: &mut [f64]) {
        scales[0] = 1.0;
    }
}

/// Error at `end` with fixed steps.
fn error(system: Smooth, end: f64, start: f64, step: f64, exact: f64) -> f64 {
    (run(system, end, &[start], &fixed(step)).0[0] - exact).abs()
}

#[test]
fn order_on_an_ordinary_equation_is_five() {
    let errors: Vec<f64> =
        [0.1, 0.05, 0.025].iter().map(|h| error(Smooth::Ordinary, 4.0, 1.0, *h, 4.0f64.sin().exp())).collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        println!("order {order:.2}: {:e} {:e}", pair[0], pair[1]);
        assert!((4.6..5.6).contains(&order), "{errors:?}");
    }
}

#[test]
fn order_with_a_delay_is_at_least_four() {
    let half = std::f64::consts::FRAC_PI_2;
    let errors: Vec<f64> =
        [8.0, 16.0, 32.0].iter().map(|n| error(Smooth::Lap, 5.0 * half, 0.0, half / n, 1.0)).collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        println!("order {order:.2}: {:e} {:e}", pair[0], pair[1]);
        assert!(order > 3.8, "{errors:?}");
    }
    assert!(error(Smooth::State, 3.0, 1.0, 0.1, 4.0) < 1e-9);
}

/// A delay far shorter than the step: x' = -x(t - d) falls as e^(-z t), z = e^(z d).
struct Short {
    delay: f64,
    z: f64,
}

impl System for Short {
    fn unknowns(&self) -> usize {
        1
    }
    fn rates(&mut self, t: f64, _y: &[f64], past: &Past, dy: &mut [f64], _events: &mut [f64]) {
        let at = t - self.delay;
        dy[0] = if at < 0.0 { -(-self.z * at).exp() } else { -past.value(0, at) };
    }
    fn scales(&self, _y: &[f64], scales: &mut [f64]) {
        scales[0] = 1.0;
    }
}

#[test]
fn steps_may_be_longer_than_delays() {
    let delay: f64 = 1e-4;
    let mut z = 1.0f64;
    for _ in 0..50 {
        z = (z * delay).exp();
    }
    let (y, statistics) = run(Short { delay, z }, 2.0, &[1.0], &settings(1e-8));
    assert!((y[0] - (-2.0 * z).exp()).abs() < 1e-7, "{} instead of {}", y[0], (-2.0 * z).exp());
    assert!(statistics.accepted < 300, "{statistics:?}");
}

/// A queue that gets cos t + drift more than it carries, from empty: it empties, stays empty, and fills again.
struct Queue {
    busy: bool,
    changes: Vec<f64>,
}

impl System for Queue {
    fn unknowns(&self) -> usize {
        1
    }
    fn events(&self) -> usize {
        1
    }
    fn rates(&mut self, t: f64, y: &[f64], _past: &Past, dy: &mut [f64], events: &mut [f64]) {
        let excess = t.cos();
        dy[0] = if self.busy { excess } else { 0.0 };
        events[0] = if self.busy { -y[0] } else { excess };
    }
    fn fire(&mut self, _i: usize, t: f64, y: &mut [f64], _past: &Past) {
        self.busy = !self.busy;
        y[0] = 0.0;
        self.changes.push(t);
    }
    fn scales(&self, _y: &[f64], scales: &mut [f64]) {
        scales[0] = 1.0;
    }
}

#[test]
fn a_queue_empties_and_fills_at_the_exact_times() {
    // the queue is sin t until pi; cos t is negative until 3 pi / 2; then it is 1 + sin t until it is empty at 7 pi /
    // 2, where it only touches zero, and so on
    let pi = std::f64::consts::PI;
    let mut queue = Queue { busy: true, changes: Vec::new() };
    let (y, _) = solve(&mut queue, (0.0, 10.0), &[0.0], &settings(1e-10), &mut |_, _, _| ControlFlow::Continue(()))
        .expect("solved");
    assert!((queue.changes[0] - pi).abs() < 1e-8, "{:?}", queue.changes);
    assert!((queue.changes[1] - 1.5 * pi).abs() < 1e-9, "{:?}", queue.changes);
    assert!((y[0] - (1.0 + 10.0f64.sin())).abs() < 1e-8, "{y:?}");
}

/// Entering and leaving: p grows with slope 1 from 0, so what leaves at u entered at u / 2.
struct Growing;

impl System for Growing {
    fn unknowns(&self) -> usize {
        2
    }
    fn rates(&mut self, t: f64, _y: &[f64], past: &Past, dy: &mut [f64], _events: &mut [f64]) {
        dy[0] = 1.0;
        dy[1] = past.entered(0, t).0;
    }
    fn scales(&self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

#[test]
fn what_leaves_a_growing_queue_entered_it_long_ago() {
    let (y, _) = run(Growing, 4.0, &[0.0, 0.0], &settings(1e-10));
    assert!((y[1] - 4.0).abs() < 1e-9, "{y:?}");
}

#[test]
fn too_many_steps_are_an_error() {
    let few = Settings { max_steps: 10, ..settings(1e-10) };
    let error = solve(&mut Scalar { stop: 1.0 }, (0.0, 50.0), &[1.0], &few, &mut |_, _, _| ControlFlow::Continue(()))
        .expect_err("too many");
    assert!(matches!(error, DdeError::TooManySteps { steps: 10, .. }));
    assert!(error.to_string().starts_with("10 steps were taken by 2.0"), "{error}");
}
