//! Double-double arithmetic: unevaluated sums of two `f64`, of about 106 bits.
//!
//! T. J. Dekker, *A floating-point technique for extending the available precision*, Numerische Mathematik 18 (1971);
//! D. E. Knuth's sum of two numbers; the error of a product by one `fma`. The relative error of each operation is a few
//! units of 2⁻¹⁰⁴, which the bounds it is used in do not notice.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, with `low` no more than half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Double {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl Double {
    pub(crate) const ZERO: Double = Double { high: 0.0, low: 0.0 };
    pub(crate) const ONE: Double = Double { high: 1.0, low: 0.0 };

    /// `a + b`, exactly.
    pub(crate) fn sum(a: f64, b: f64) -> Double {
        let high = a + b;
        let b_part = high - a;
        Double { high, low: (a - (high - b_part)) + (b - b_part) }
    }

    /// `a · b`, exactly unless it underflows.
    pub(crate) fn product(a: f64, b: f64) -> Double {
        let high = a * b;
        Double { high, low: a.mul_add(b, -high) }
    }

    /// `a / b`: the quotient, and what its remainder adds.
    pub(crate) fn quotient(a: f64, b: f64) -> Double {
        let high = a / b;
        Double { high, low: (-high).mul_add(b, a) / b }
    }

    /// `√self`: the root, and one step of Newton's iteration.
    pub(crate) fn sqrt(self) -> Double {
        let high = self.high.sqrt();
        if high == 0.0 {
            return Double::ZERO;
        }
        Double { high, low: (self - Double::product(high, high)).value() / (2.0 * high) }
    }

    pub(crate) fn abs(self) -> Double {
        if self.high < 0.0 { -self } else { self }
    }

    /// Rounded to `f64`.
    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }
}

impl From<f64> for Double {
    fn from(high: f64) -> Double {
        Double { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Double;

    fn add(self, other: Double) -> Double {
        let high = Double::sum(self.high, other.high);
        let low = Double::sum(self.low, other.low);
        let middle = Double::sum(high.high, high.low + low.high);
        Double::sum(middle.high, middle.low + low.low)
    }
}

impl Neg for Double {
    type Output = Double;

    fn neg(self) -> Double {
        Double { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Double;

    fn sub(self, other: Double) -> Double {
        self + -other
    }
}

impl Mul for Double {
    type Output = Double;

    fn mul(self, other: Double) -> Double {
        let high = Double::product(self.high, other.high);
        Double::sum(high.high, high.low + self.high.mul_add(other.low, self.low * other.high))
    }
}

impl Div for Double {
    type Output = Double;

    /// The quotient of the first parts, and twice what its remainder adds.
    fn div(self, other: Double) -> Double {
        let mut quotient = Double::from(self.high / other.high);
        for _ in 0..2 {
            let remainder = self - quotient * other;
            quotient = quotient + Double::from(remainder.high / other.high);
        }
        quotient
    }
}

/// A complex number, or a real one with the imaginary part 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pair {
    pub(crate) re: Double,
    pub(crate) im: Double,
}

impl Pair {
    pub(crate) const ZERO: Pair = Pair { re: Double::ZERO, im: Double::ZERO };
    pub(crate) const ONE: Pair = Pair { re: Double::ONE, im: Double::ZERO };

    pub(crate) fn new([re, im]: [f64; 2]) -> Pair {
        Pair { re: re.into(), im: im.into() }
    }

    pub(crate) fn conj(self) -> Pair {
        Pair { re: self.re, im: -self.im }
    }

    /// The modulus, rounded.
    pub(crate) fn modulus(self) -> f64 {
        if self.im == Double::ZERO { self.re.value().abs() } else { self.re.value().hypot(self.im.value()) }
    }
}

impl Add for Pair {
    type Output = Pair;

    fn add(self, other: Pair) -> Pair {
        Pair { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Pair {
    type Output = Pair;

    fn sub(self, other: Pair) -> Pair {
        Pair { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Pair {
    type Output = Pair;

    fn mul(self, other: Pair) -> Pair {
        let zero = Double::ZERO;
        if self.im == zero && other.im == zero {
            return Pair { re: self.re * other.re, im: zero };
        }
        Pair { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products and sums of 50-bit integers have up to 101 bits: compared in exact 128-bit integers.
    #[test]
    fn integers_of_a_hundred_bits() {
        let exact = |x: Double| x.high as i128 + x.low as i128;
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 14) as i64 - (1 << 49)
        };
        for _ in 0..10_000 {
            let (a, b, c, d) = (next(), next(), next(), next());
            let product = |a: i64, b: i64| Double::product(a as f64, b as f64);
            assert_eq!(exact(product(a, b)), i128::from(a) * i128::from(b));
            let sum = product(a, b) - product(c, d);
            assert_eq!(exact(sum), i128::from(a) * i128::from(b) - i128::from(c) * i128::from(d));
        }
    }

    #[test]
    fn quotient_and_root_have_a_hundred_bits() {
        for n in 1..1000 {
            let n = f64::from(n);
            let third = Double::quotient(n, 3.0) * Double::from(3.0) - Double::from(n);
            assert!(third.value().abs() <= n * 2f64.powi(-100), "{n} / 3");
            let inverse = Double::ONE / Double::quotient(n, 3.0) * Double::quotient(n, 3.0) - Double::ONE;
            assert!(inverse.value().abs() <= 2f64.powi(-100), "1 / ({n} / 3)");
            let root = Double::from(n).sqrt();
            assert!((root * root - Double::from(n)).value().abs() <= n * 2f64.powi(-100), "√{n}");
        }
        assert_eq!(Double::ZERO.sqrt(), Double::ZERO);
    }

    #[test]
    fn complex_products() {
        let z = Pair::new([2.0, 3.0]) * Pair::new([5.0, -7.0]);
        assert_eq!((z.re.value(), z.im.value()), (31.0, 1.0));
        assert_eq!((z.conj().im.value(), Pair::new([3.0, 4.0]).modulus()), (-1.0, 5.0));
    }
}
