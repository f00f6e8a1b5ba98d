//! The history of a solution: piecewise polynomials.

use std::cell::Cell;
use std::collections::VecDeque;

/// The solution over one step.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Where it begins.
    pub start: f64,
    /// How long it is, above 0.
    pub length: f64,
    /// Five coefficients an unknown, in the form of Hairer, Norsett and Wanner.
    pub(super) form: Vec<[f64; 5]>,
}

impl Piece {
    pub(super) fn new(unknowns: usize) -> Self {
        Self { start: 0.0, length: 1.0, form: vec![[0.0; 5]; unknowns] }
    }

    /// A straight line.
    pub(super) fn line(&mut self, start: f64, length: f64, y: &[f64], dy: &[f64]) {
        (self.start, self.length) = (start, length);
        for ((form, y), dy) in self.form.iter_mut().zip(y).zip(dy) {
            *form = [*y, length * dy, 0.0, 0.0, 0.0];
        }
    }

    /// Where it ends.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.start + self.length
    }

    /// Unknown `i` at time `t`.
    #[inline]
    #[must_use]
    pub fn value(&self, i: usize, t: f64) -> f64 {
        let a = (t - self.start) / self.length;
        let b = 1.0 - a;
        let [r1, r2, r3, r4, r5] = self.form[i];
        r1 + a * (r2 + b * (r3 + a * (r4 + b * r5)))
    }

    /// Unknown `i` and its derivative at time `t`.
    #[inline]
    #[must_use]
    pub fn both(&self, i: usize, t: f64) -> (f64, f64) {
        let a = (t - self.start) / self.length;
        let b = 1.0 - a;
        let [r1, r2, r3, r4, r5] = self.form[i];
        let p = r4 + b * r5;
        let q = r3 + a * p;
        let w = r2 + b * q;
        let slope = w + a * (b * (p - a * r5) - q);
        (r1 + a * w, slope / self.length)
    }
}

/// The history of a solution. Before its start the solution is a straight line, constant unless the system says
/// otherwise.
#[derive(Debug)]
pub struct Past {
    pub(super) pieces: VecDeque<Piece>,
    pub(super) initial: Vec<f64>,
    /// Slopes before the start.
    pub(super) slopes: Vec<f64>,
    pub(super) begin: f64,
    /// The present step: first guess or last iterate.
    pub(super) trial: Piece,
    /// Whether a delayed argument was within it.
    pub(super) touched: Cell<bool>,
}

impl Past {
    pub(super) fn new(begin: f64, y: &[f64], slopes: Vec<f64>) -> Self {
        Self {
            pieces: VecDeque::new(),
            initial: y.to_vec(),
            slopes,
            begin,
            trial: Piece::new(y.len()),
            touched: Cell::new(false),
        }
    }

    fn end(&self) -> f64 {
        self.pieces.back().map_or(self.begin, Piece::end)
    }

    /// The piece at `t`; `None` before the start.
    fn at(&self, t: f64) -> Option<&Piece> {
        if t > self.end() {
            self.touched.set(true);
            return Some(&self.trial);
        }
        let after = self.pieces.partition_point(|p| p.start <= t);
        if after == 0 { None } else { self.pieces.get(after - 1) }
    }

    /// Unknown `i` at time `t`.
    #[must_use]
    pub fn value(&self, i: usize, t: f64) -> f64 {
        self.at(t).map_or_else(|| self.first(i, t), |p| p.value(i, t))
    }

    /// Unknown `i` before the start.
    fn first(&self, i: usize, t: f64) -> f64 {
        self.initial[i] + self.slopes[i] * (t - self.begin)
    }

    /// Unknown `i` and its derivative at time `t`, from the right where it jumps.
    #[must_use]
    pub fn both(&self, i: usize, t: f64) -> (f64, f64) {
        self.at(t).map_or_else(|| (self.first(i, t), self.slopes[i]), |p| p.both(i, t))
    }

    /// The time a at which what leaves a queue at `u` entered it, a + p(a) = u, where unknown `i` is p >= 0, its delay;
    /// and p'(a).
    #[must_use]
    pub fn entered(&self, i: usize, u: f64) -> (f64, f64) {
        let end = self.end();
        let last = self.pieces.back().map_or(self.initial[i], |p| p.value(i, end)).max(0.0);
        let piece = if u > end + last {
            self.touched.set(true);
            &self.trial
        } else {
            let after = self.pieces.partition_point(|p| p.start + p.form[i][0].max(0.0) <= u);
            match after.checked_sub(1).and_then(|at| self.pieces.get(at)) {
                Some(piece) => piece,
                // a + p + p' (a - begin) = u
                None => {
                    let (delay, slope) = (self.initial[i], self.slopes[i]);
                    return (self.begin + (u - self.begin - delay) / (1.0 + slope), slope);
                }
            }
        };
        invert(piece, i, u)
    }
}

/// Solves a + p(a) = u on a piece, by Newton's method within a shrinking bracket.
fn invert(piece: &Piece, i: usize, u: f64) -> (f64, f64) {
    let form = &piece.form[i];
    if form[0] == 0.0 && form[1] == 0.0 && form[2] == 0.0 {
        return (u, 0.0);
    }
    let (mut low, mut high) = (piece.start, piece.end().min(u).max(piece.start));
    let mut a = (u - form[0].max(0.0)).clamp(low, high);
    for _ in 0..60 {
        let (p, slope) = piece.both(i, a);
        let residual = a + p - u;
        if residual > 0.0 {
            high = a;
        } else {
            low = a;
        }
        let step = residual / (1.0 + slope);
        if residual == 0.0 || step.abs() <= 2e-16 * a.abs() {
            return (a, slope);
        }
        let next = a - step;
        // an emptying queue has slope -1, where Newton's step is undefined
        a = if next > low && next < high { next } else { 0.5 * (low + high) };
        if high - low <= 2e-16 * high.abs() {
            break;
        }
    }
    (a, piece.both(i, a).1)
}
