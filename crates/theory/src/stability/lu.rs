//! LU factors of small dense complex matrices.

use super::complex::{Complex, ComplexFunctions as _};

/// LU factors of a small complex matrix.
#[derive(Debug)]
pub(super) struct Lu {
    n: usize,
    lu: Vec<Complex>,
    rows: Vec<usize>,
    odd: bool,
}

impl Lu {
    /// Factors the row-major matrix `a`; a zero pivot is kept (the determinant is then zero).
    pub fn factor(n: usize, mut a: Vec<Complex>) -> Self {
        let mut rows: Vec<usize> = (0..n).collect();
        let mut odd = false;
        for k in 0..n {
            let size = |i: usize| a[i * n + k].re.abs() + a[i * n + k].im.abs();
            let at = (k + 1..n).fold(k, |at, i| if size(i) > size(at) { i } else { at });
            if at != k {
                for j in 0..n {
                    a.swap(k * n + j, at * n + j);
                }
                rows.swap(k, at);
                odd = !odd;
            }
            let pivot = a[k * n + k];
            if pivot == Complex::ZERO {
                continue;
            }
            for i in k + 1..n {
                let factor = a[i * n + k].over(pivot);
                a[i * n + k] = factor;
                for j in k + 1..n {
                    let change = factor * a[k * n + j];
                    a[i * n + j] -= change;
                }
            }
        }
        Self { n, lu: a, rows, odd }
    }

    /// The determinant.
    pub fn det(&self) -> Complex {
        let product = (0..self.n).fold(Complex::ONE, |d, i| d * self.lu[i * self.n + i]);
        if self.odd { -product } else { product }
    }

    /// The inverse times the columns of the row-major matrix `b`.
    pub fn solve(&self, b: &[Complex]) -> Vec<Complex> {
        let n = self.n;
        let mut x: Vec<Complex> = self.rows.iter().flat_map(|r| b[r * n..(r + 1) * n].iter().copied()).collect();
        for column in 0..n {
            for i in 0..n {
                for j in 0..i {
                    let change = self.lu[i * n + j] * x[j * n + column];
                    x[i * n + column] -= change;
                }
            }
            for i in (0..n).rev() {
                for j in i + 1..n {
                    let change = self.lu[i * n + j] * x[j * n + column];
                    x[i * n + column] -= change;
                }
                x[i * n + column] = x[i * n + column].over(self.lu[i * n + i]);
            }
        }
        x
    }

    /// The trace of the inverse times `b`: the logarithmic derivative of the determinant where `b` is the matrix's
    /// derivative.
    pub fn trace_of_inverse_times(&self, b: &[Complex]) -> Complex {
        let x = self.solve(b);
        (0..self.n).fold(Complex::ZERO, |sum, i| sum + x[i * self.n + i])
    }
}
