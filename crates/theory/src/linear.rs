//! Dense LU with partial pivoting.
//!
//! Written out because the order of the operations has to be the same on every platform.

/// Factors of a square matrix, P A = L U.
#[derive(Debug)]
pub(crate) struct DenseLu {
    n: usize,
    /// Row-major; L below the diagonal (ones not stored), U on and above.
    lu: Vec<f64>,
    rows: Vec<usize>,
    odd: bool,
}

/// A pivot below this share of the largest entry of its row counts as zero.
const SINGULAR: f64 = 1e-13;

impl DenseLu {
    /// Factors the row-major `n` by `n` matrix `a`; `None` where it is singular or not finite.
    pub fn factor(n: usize, mut a: Vec<f64>) -> Option<Self> {
        debug_assert_eq!(a.len(), n * n);
        // rows may be in different units, so pivots are judged against their own row
        let mut weight = Vec::with_capacity(n);
        for row in a.chunks_exact(n.max(1)) {
            let largest = row.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            if !(largest > 0.0 && largest.is_finite()) {
                return None;
            }
            weight.push(1.0 / largest);
        }
        let mut rows: Vec<usize> = (0..n).collect();
        let mut odd = false;
        for k in 0..n {
            let (mut best, mut at) = (0.0, k);
            for i in k..n {
                let size = a[i * n + k].abs() * weight[i];
                if size > best {
                    (best, at) = (size, i);
                }
            }
            if !(best > SINGULAR && best.is_finite()) {
                return None;
            }
            if at != k {
                for j in 0..n {
                    a.swap(k * n + j, at * n + j);
                }
                weight.swap(k, at);
                rows.swap(k, at);
                odd = !odd;
            }
            let (upper, lower) = a.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] / pivot_row[k];
                row[k] = factor;
                if factor != 0.0 {
                    for (target, source) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                        *target -= factor * source;
                    }
                }
            }
        }
        Some(Self { n, lu: a, rows, odd })
    }

    /// Solves A x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut x: Vec<f64> = self.rows.iter().map(|r| b[*r]).collect();
        for i in 0..n {
            let row = &self.lu[i * n..i * n + i];
            let sum: f64 = row.iter().zip(&x).map(|(l, v)| l * v).sum();
            x[i] -= sum;
        }
        for i in (0..n).rev() {
            let row = &self.lu[i * n + i + 1..(i + 1) * n];
            let sum: f64 = row.iter().zip(&x[i + 1..]).map(|(u, v)| u * v).sum();
            x[i] = (x[i] - sum) / self.lu[i * n + i];
        }
        x
    }

    /// The sign of the determinant, 1 or -1.
    pub fn sign(&self) -> i8 {
        let negative = (0..self.n).filter(|i| self.lu[i * self.n + i] < 0.0).count() % 2 == 1;
        if negative == self.odd { 1 } else { -1 }
    }
}

/// A basis of the vectors v with A v = 0, for the rows of A given one by one; `n` is the length of v.
///
/// The rows hold small whole numbers (how often a flow crosses a link), so what remains of a dependent row is rounding
/// and `1e-9` distinguishes it from an independent one.
pub(crate) fn null_space(n: usize, rows: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
    // echelon rows, each scaled to 1 at its pivot column and 0 at earlier pivots
    let mut echelon: Vec<(usize, Vec<f64>)> = Vec::new();
    let mut free = vec![true; n];
    for mut row in rows {
        if echelon.len() == n {
            break;
        }
        for (column, known) in &echelon {
            let factor = row[*column];
            if factor != 0.0 {
                for (target, source) in row.iter_mut().zip(known) {
                    *target -= factor * source;
                }
                row[*column] = 0.0;
            }
        }
        let largest =
            row.iter().enumerate().fold((0, 0.0f64), |m, (j, v)| if v.abs() > m.1 { (j, v.abs()) } else { m });
        if largest.1 > 1e-9 {
            let pivot = row[largest.0];
            for v in &mut row {
                *v = if v.abs() > 1e-12 { *v / pivot } else { 0.0 };
            }
            free[largest.0] = false;
            echelon.push((largest.0, row));
        }
    }
    let vector = |j: usize| {
        let mut v = vec![0.0; n];
        v[j] = 1.0;
        for (column, row) in echelon.iter().rev() {
            let sum: f64 = row.iter().zip(&v).map(|(a, b)| a * b).sum();
            v[*column] = if sum.abs() > 1e-9 { -sum } else { 0.0 };
        }
        v
    };
    (0..n).filter(|j| free[*j]).map(vector).collect()
}
