//! The Jacobian A D G^T (+ a diagonal) of a component, dense or sparse as its links are coupled.

use super::reduce::Component;
use crate::linear::DenseLu;
use crate::sparse::Pattern;

/// Below this many links dense elimination is faster than sparse.
const DENSE_BELOW: usize = 96;
/// Beyond this many links iterative linear algebra is faster than a dense matrix.
const DENSE_SENSIBLE: usize = 400;
/// Limit on pairs of coupled links for a sparse pattern.
const MAX_COUPLINGS: usize = 20_000_000;
/// Limit on the links of a dense matrix.
const DENSE_MAX: usize = 2_500;

/// Assembles and solves the Newton systems of one component.
#[derive(Debug)]
pub(super) struct System<'a> {
    component: &'a Component,
    n: usize,
    sparse: Option<Sparse>,
}

#[derive(Debug)]
struct Sparse {
    pattern: Pattern,
    diagonal: Vec<usize>,
    /// For each class, each pair of its links: where the entry is.
    positions: Vec<usize>,
}

impl<'a> System<'a> {
    pub fn new(component: &'a Component) -> Self {
        let n = component.links.len();
        let sparse = (n >= DENSE_BELOW).then(|| Sparse::new(component, n)).flatten();
        Self { component, n, sparse }
    }

    /// Whether elimination would take a dense matrix of more rows than is sensible.
    pub fn is_too_dense(&self) -> bool {
        self.n > DENSE_SENSIBLE && self.sparse.is_none()
    }

    /// Whether elimination is impossible.
    pub fn is_out_of_reach(&self) -> bool {
        self.n > DENSE_MAX && self.sparse.is_none()
    }

    /// Solves (A D G^T + diag) x = b for several b, D = diag(`weights`) a value a class.
    ///
    /// With `active`, rows and columns of other links are those of the identity. `None` where the matrix is singular or
    /// too large.
    pub fn solve(
        &self,
        weights: &[f64],
        diagonal: &[f64],
        active: Option<&[bool]>,
        right: &[&[f64]],
    ) -> Option<Vec<Vec<f64>>> {
        let on = |l: usize| active.is_none_or(|a| a[l]);
        if let Some(sparse) = &self.sparse {
            let values = sparse.assemble(self.component, weights, diagonal, &on);
            if let Some(solved) = sparse.pattern.solve(&values, right) {
                return Some(solved);
            }
        }
        if self.n > DENSE_MAX {
            return None;
        }
        let lu = DenseLu::factor(self.n, self.dense(weights, diagonal, &on))?;
        Some(right.iter().map(|b| lu.solve(b)).collect())
    }

    /// Sign of the determinant of A D G^T over the active links; `None` where it is zero or the network large.
    pub fn sign(&self, weights: &[f64], active: &[bool]) -> Option<i8> {
        if self.n > DENSE_BELOW {
            return None;
        }
        let zeros = vec![0.0; self.n];
        DenseLu::factor(self.n, self.dense(weights, &zeros, &|l| active[l])).map(|lu| lu.sign())
    }

    fn dense(&self, weights: &[f64], diagonal: &[f64], on: &impl Fn(usize) -> bool) -> Vec<f64> {
        let n = self.n;
        let mut matrix = vec![0.0; n * n];
        for (class, d) in self.component.classes.iter().zip(weights) {
            for a in class.entries.iter().filter(|e| on(e.link)) {
                for b in class.entries.iter().filter(|e| on(e.link)) {
                    matrix[a.link * n + b.link] += a.load * d * b.delay;
                }
            }
        }
        for l in 0..n {
            matrix[l * n + l] = if on(l) { matrix[l * n + l] + diagonal[l] } else { 1.0 };
        }
        matrix
    }
}

impl Sparse {
    /// `None` if the matrix would be nearly dense.
    fn new(component: &Component, n: usize) -> Option<Self> {
        let couplings: usize = component.classes.iter().map(|c| c.entries.len() * c.entries.len()).sum();
        if couplings > MAX_COUPLINGS {
            return None;
        }
        let cliques: Vec<Vec<usize>> =
            component.classes.iter().map(|c| c.entries.iter().map(|e| e.link).collect()).collect();
        let max_entries = (n * n / 4).min(20_000_000);
        let pattern = Pattern::new(n, cliques.iter().map(Vec::as_slice), max_entries)?;
        let diagonal = (0..n).map(|l| pattern.position(l, l)).collect();
        let pairs = cliques.iter().flat_map(|c| c.iter().flat_map(move |a| c.iter().map(move |b| (*a, *b))));
        let positions = pairs.map(|(a, b)| pattern.position(a, b)).collect();
        Some(Self { pattern, diagonal, positions })
    }

    fn assemble(
        &self,
        component: &Component,
        weights: &[f64],
        diagonal: &[f64],
        on: &impl Fn(usize) -> bool,
    ) -> Vec<f64> {
        let mut values = vec![0.0; self.pattern.len()];
        let mut positions = self.positions.iter();
        for (class, d) in component.classes.iter().zip(weights) {
            for a in &class.entries {
                for (b, at) in class.entries.iter().zip(&mut positions) {
                    if on(a.link) && on(b.link) {
                        values[*at] += a.load * d * b.delay;
                    }
                }
            }
        }
        for (l, at) in self.diagonal.iter().enumerate() {
            values[*at] = if on(l) { values[*at] + diagonal[l] } else { 1.0 };
        }
        values
    }
}
