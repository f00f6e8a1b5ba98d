//! Functions of complex numbers that are the same on every platform.
//!
//! num-complex has the type and its arithmetic. Its functions call the platform's mathematical library as soon as any
//! dependency enables the feature `std` of num-traits, and its division overflows where the quotient does not; those are
//! here, by `libm` and in one order of operations. Use no other function of [`Complex`], and never its operator `/`.

pub use num_complex::Complex64 as Complex;

/// See the module's documentation.
pub trait ComplexFunctions: Sized {
    /// The modulus.
    #[must_use]
    fn modulus(self) -> f64;
    /// The argument in (-pi, pi].
    #[must_use]
    fn argument(self) -> f64;
    /// e to this power.
    #[must_use]
    fn exponential(self) -> Self;
    /// `1 - e^-z`, without loss of digits near zero.
    #[must_use]
    fn one_minus_exp_neg(self) -> Self;
    /// An integer power, by repeated multiplication.
    #[must_use]
    fn power(self, n: usize) -> Self;
    /// The quotient, by Smith's algorithm (1962).
    #[must_use]
    fn over(self, divisor: Self) -> Self;
}

impl ComplexFunctions for Complex {
    fn modulus(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    fn argument(self) -> f64 {
        libm::atan2(self.im, self.re)
    }

    fn exponential(self) -> Self {
        let size = libm::exp(self.re);
        if self.im == 0.0 {
            return Self::new(size, 0.0);
        }
        Self::new(size * libm::cos(self.im), size * libm::sin(self.im))
    }

    fn one_minus_exp_neg(self) -> Self {
        let half = libm::sin(0.5 * self.im);
        // 1 - e^-a cos b = -expm1(-a) cos b + 2 sin^2(b/2)
        let re = -libm::expm1(-self.re) * libm::cos(self.im) + 2.0 * half * half;
        Self::new(re, libm::exp(-self.re) * libm::sin(self.im))
    }

    fn power(self, n: usize) -> Self {
        (0..n).fold(Self::ONE, |product, _| product * self)
    }

    fn over(self, b: Self) -> Self {
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
