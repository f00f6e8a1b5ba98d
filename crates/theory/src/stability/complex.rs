//! Complex numbers and small dense complex matrices.
//!
//! Written out so that what comes from them is + - * / and square root and `libm` in one order, the same on every
//! platform.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// 0.
    pub const ZERO: Self = Self::new(0.0, 0.0);
    /// 1.
    pub const ONE: Self = Self::new(1.0, 0.0);

    /// `re + i im`.
    #[must_use]
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    /// The modulus.
    #[must_use]
    pub fn abs(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    /// The argument in (-pi, pi].
    #[must_use]
    pub fn arg(self) -> f64 {
        libm::atan2(self.im, self.re)
    }

    /// e to this power.
    #[must_use]
    pub fn exp(self) -> Self {
        let size = libm::exp(self.re);
        if self.im == 0.0 {
            return Self::new(size, 0.0);
        }
        Self::new(size * libm::cos(self.im), size * libm::sin(self.im))
    }

    /// `1 - e^-z`, without loss of digits near zero.
    #[must_use]
    pub fn one_less_exp_neg(self) -> Self {
        let half = libm::sin(0.5 * self.im);
        // 1 - e^-a cos b = -expm1(-a) cos b + 2 sin^2(b/2)
        let re = -libm::expm1(-self.re) * libm::cos(self.im) + 2.0 * half * half;
        Self::new(re, libm::exp(-self.re) * libm::sin(self.im))
    }

    /// Whether both parts are finite.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// A whole power.
    #[must_use]
    pub fn powi(self, n: usize) -> Self {
        (0..n).fold(Self::ONE, |product, _| product * self)
    }
}

impl From<f64> for Complex {
    fn from(re: f64) -> Self {
        Self::new(re, 0.0)
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self::new(self.re + b.re, self.im + b.im)
    }
}

impl AddAssign for Complex {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self::new(self.re - b.re, self.im - b.im)
    }
}

impl SubAssign for Complex {
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re)
    }
}

impl Mul<f64> for Complex {
    type Output = Self;
    fn mul(self, b: f64) -> Self {
        Self::new(self.re * b, self.im * b)
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        // Smith's division: no overflow where the quotient has none
        if b.re.abs() >= b.im.abs() {
            let r = b.im / b.re;
            let d = b.re + b.im * r;
            Self::new((self.re + self.im * r) / d, (self.im - self.re * r) / d)
        } else {
            let r = b.re / b.im;
            let d = b.re * r + b.im;
            Self::new((self.re * r + self.im) / d, (self.im * r - self.re) / d)
        }
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.re, -self.im)
    }
}

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
                let factor = a[i * n + k] / pivot;
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
                x[i * n + column] = x[i * n + column] / self.lu[i * n + i];
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
