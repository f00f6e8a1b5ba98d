//! Delay differential equations with delays that depend on the state, by the method of steps.
//!
//! An explicit Runge-Kutta pair of order 5(4) (Dormand and Prince 1980) controls the local error; its continuous
//! extension of order 4 (Hairer, Norsett and Wanner, *Solving Ordinary Differential Equations I*, II.6) gives the values of
//! delayed arguments. If a delayed argument falls into the present step, the step is iterated with its own extension until
//! it converges. Known discontinuities are stops: steps end just before them and
//! resume just after. Events (a queue becomes empty) are located on the extension, and a step ends there.

mod past;
mod solve;
mod tableau;

pub use past::{Past, Piece};
pub use solve::{DdeError, Settings, Statistics, solve};

/// A system of delay differential equations y'(t) = f(t, y(t), past).
///
/// Between two calls of [`fire`](Self::fire) or [`stopped`](Self::stopped) f must be as smooth as its arguments:
/// discrete state changes only there.
pub trait System {
    /// Number of unknowns.
    fn unknowns(&self) -> usize;

    /// Number of event functions.
    fn events(&self) -> usize {
        0
    }

    /// Writes y' before the start, where y is a straight line; zeros by default.
    fn history(&self, _dy: &mut [f64]) {}

    /// Writes y' and the event functions at time `t`; an event occurs when its function rises above zero.
    fn rates(&mut self, t: f64, y: &[f64], past: &Past, dy: &mut [f64], events: &mut [f64]);

    /// Event `i` has occurred: change the discrete state so that its function is at most zero. `y` may be set.
    fn fire(&mut self, _i: usize, _t: f64, _y: &mut [f64], _past: &Past) {}

    /// The next time at which f or one of its delayed arguments is not smooth, as far as known.
    fn next_stop(&self) -> f64 {
        f64::INFINITY
    }

    /// The stop at `t` is passed; [`next_stop`](Self::next_stop) must lie beyond it now.
    fn stopped(&mut self, _t: f64, _y: &mut [f64], _past: &Past) {}

    /// A step up to `t` was accepted.
    fn stepped(&mut self, _t: f64, _y: &[f64], _past: &Past) {}

    /// Size of each unknown, to which the tolerance is relative; infinite for unknowns whose error does not matter.
    fn scales(&self, y: &[f64], scales: &mut [f64]);

    /// No delayed argument will precede this time: earlier history may be dropped.
    fn earliest(&self) -> f64 {
        f64::NEG_INFINITY
    }
}
