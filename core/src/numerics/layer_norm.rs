//! Layer normalization: the elements of a line less their mean, over their standard deviation (J. L. Ba, J. R. Kiros, G. E. Hinton,
//! "Layer Normalization", arXiv:1607.06450).
//!
//! Of n elements xᵢ, all in the type computed in (`f32` for `f16` and `bf16`), with n rounded to it:
//!
//! 1. m = (Σ xᵢ) / n by the [`tree`], which is [`mean`](super::reduction::mean) before its last rounding;
//! 2. v = (Σ dᵢ²) / n with dᵢ = xᵢ − m, rounded: a lane of the tree starts with d · d and goes on with fma(d, d, acc); lanes and chunks are
//!    added;
//! 3. r = 1 / √(v + epsilon), each of the three operations rounded;
//! 4. yᵢ = fma(dᵢ · r, gammaᵢ, betaᵢ), then rounded to the type, and made canonical. A missing gamma is 1 and a missing beta −0, so that
//!    without them yᵢ is dᵢ · r to the bit.
//!
//! # Special values
//! A line with a NaN or an infinity gives NaN throughout, and so does one whose sum or sum of squares overflows in such a way that d · r is
//! no number. Of one element, or of equal ones whose mean is exact, v is 0 and yᵢ is betaᵢ; but with an epsilon of 0 it is NaN, for 0 · ∞ is.
//!
//! # Errors
//! With u the unit roundoff, k the [depth](tree::depth) of the tree, a = Σ|xᵢ|/n and to first order: the mean is within e = (k + 1) · u · a, and
//! dᵢ within e + u|dᵢ|. The sum of the squares of the exact differences plus a common error c is v + c², for the differences add up to
//! 0: so v is within (k + 4) · u · v + e², and r within (k + 4) / 2 · u + e² / (2v + 2 epsilon) + 2.5 u, relative to it.

use super::arithmetic::Numeric;
use super::blas::ScalarArithmetic;
use super::cast::cast;
use super::tree;
use super::wide::{Wide, WideFloat};

/// A sum of squares with one more difference.
#[inline(always)]
pub fn add_square<C: Wide>(acc: Option<C>, d: C) -> C {
    match acc {
        None => d * d,
        Some(acc) => C::mul_add(d, d, acc),
    }
}

/// What all elements of a line share at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct End<C> {
    /// The mean.
    pub mean: C,
    /// What a difference from it is multiplied by.
    pub scale: C,
}

impl<C: Wide> End<C> {
    /// From the mean and the sum of the squares of the differences of `n` elements.
    #[inline(always)]
    pub fn new(mean: C, squares: C, n: C, epsilon: C) -> Self {
        End { mean, scale: C::ONE / (squares / n + epsilon).sqrt() }
    }

    /// The result of an element; a NaN is not canonical yet.
    #[inline(always)]
    pub fn value(self, x: C, gamma: C, beta: C) -> C {
        C::mul_add((x - self.mean) * self.scale, gamma, beta)
    }
}

/// The layer normalization of `at(0), …, at(len − 1)`; `gamma(i)` and `beta(i)` give `None` where there are none.
pub fn layer_norm<T: WideFloat>(
    len: usize,
    epsilon: T::Acc,
    at: impl Fn(usize) -> T,
    gamma: impl Fn(usize) -> Option<T>,
    beta: impl Fn(usize) -> Option<T>,
) -> Vec<T> {
    let n: T::Acc = cast(len as u64);
    let x = |i: usize| at(i).widen();
    let add = |a: T::Acc, b: T::Acc| a + b;
    let Some(sum) = tree::reduce(len, |acc, i| acc.map_or(x(i), |acc| acc + x(i)), add) else { return Vec::new() };
    let mean = sum / n;
    let squares = tree::reduce(len, |acc, i| add_square(acc, x(i) - mean), add);
    let end = End::new(mean, squares.unwrap_or_default(), n, epsilon);
    let value = |i: usize| {
        let (gamma, beta) = (gamma(i).map_or(T::Acc::ONE, T::widen), beta(i).map_or(T::Acc::MINUS_ZERO, T::widen));
        T::narrow(end.value(x(i), gamma, beta))
    };
    (0..len).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Scalar, bf16, f16};
    use crate::numerics::tree::depth;

    fn plain<T: WideFloat>(x: &[T], epsilon: T::Acc) -> Vec<T> {
        layer_norm(x.len(), epsilon, |i| x[i], |_| None, |_| None)
    }

    /// Integers, whose mean and variance are known exactly; against the bound that the page derives.
    fn within<T: WideFloat>(from: impl Fn(i32) -> T, value: impl Fn(T) -> f64, u: f64, half_ulp: f64) {
        for len in [2_usize, 3, 10, 1025, 8193, 20_000] {
            let numbers: Vec<i32> = (0..len).map(|i| 100 + (i * i * 7 + i * 13) as i32 % 27).collect();
            let n = len as i128;
            let (sum, squares) = numbers.iter().fold((0, 0), |(s, q), &x| (s + i128::from(x), q + i128::from(x * x)));
            let variance = (n * squares - sum * sum) as f64 / (n * n) as f64;
            let epsilon = 0.25;
            let x: Vec<T> = numbers.iter().map(|&x| from(x)).collect();
            let (gamma, beta) = (|i: usize| from(i as i32 % 5 - 2), |i: usize| from(i as i32 % 3));
            let accumulated: T::Acc = Scalar::from_f64(epsilon);
            let affine = layer_norm(len, accumulated, |i| x[i], |i| Some(gamma(i)), |i| Some(beta(i)));
            let k = depth(len) as f64;
            let e = (k + 1.0) * u * sum as f64 / len as f64;
            let r = 1.0 / (variance + epsilon).sqrt();
            let scale = (k + 4.0) / 2.0 * u + e * e / (2.0 * (variance + epsilon)) + 2.5 * u;
            for (i, &number) in numbers.iter().enumerate() {
                let d = (n * i128::from(number) - sum) as f64 / len as f64;
                let (gamma, beta) = (value(gamma(i)), value(beta(i)));
                let exact = d * r * gamma + beta;
                let error = gamma.abs() * r * (e + d.abs() * (scale + 2.0 * u)) + exact.abs() * (u + half_ulp);
                let got = value(affine[i]);
                assert!((got - exact).abs() <= 1.01 * error + 1e-300, "{len} {i}: {got} instead of {exact}");
            }
        }
    }
    #[test]
    fn near_the_exact_values() {
        within(|i| i as f32, f64::from, 2f64.powi(-24), 0.0);
        within(f64::from, |x| x, 2f64.powi(-53), 2f64.powi(-50));
        within(|i| f16::from_f32(i as f32), |x| x.to_f64(), 2f64.powi(-24), 2f64.powi(-11));
        within(|i| bf16::from_f32(i as f32), |x| x.to_f64(), 2f64.powi(-24), 2f64.powi(-8));
    }

    #[test]
    fn known_values() {
        // Mean 2, variance 4: all exact.
        assert_eq!(plain(&[0.0_f32, 4.0], 0.0), [-1.0, 1.0]);
        assert_eq!(plain(&[0.0_f64, 4.0, 0.0, 4.0], 12.0), [-0.5, 0.5, -0.5, 0.5]);
        let x = [f16::ZERO, f16::from_f32(4.0)];
        let affine = layer_norm(2, 0.0, |i| x[i], |_| Some(f16::from_f32(3.0)), |i| Some(x[i]));
        assert_eq!(affine, [f16::from_f32(-3.0), f16::from_f32(7.0)]);
        assert_eq!(layer_norm(2, 0.0, |i| x[i], |_| None, |_| Some(x[1])), [f16::from_f32(3.0), f16::from_f32(5.0)]);
        // A large common part: the mean of the squares less the square of the mean would be 0 or worse.
        assert_eq!(plain(&[16_777_212.0_f32, 16_777_214.0], 0.0), [-1.0, 1.0]);
    }

    #[test]
    fn edges() {
        assert_eq!(plain::<f32>(&[], 1.0), []);
        // One element, and equal ones: the difference is 0.
        assert_eq!(plain(&[5.0_f32], 1e-5)[0].to_bits(), 0);
        assert_eq!(layer_norm(1, 1e-5, |_| 5.0_f32, |_| Some(-2.0), |_| Some(3.0)), [3.0]);
        assert_eq!(plain(&[5.0_f64; 9000], 1e-5), [0.0; 9000]);
        // Without an epsilon that is 0 · ∞.
        assert_eq!(plain(&[5.0_f32], 0.0)[0].to_bits(), 0x7fc0_0000);
        for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for place in [0, 1023, 8192] {
                let x: Vec<f32> = (0..9000).map(|i| if i == place { bad } else { i as f32 }).collect();
                assert!(plain(&x, 1e-5).iter().all(|y| y.to_bits() == 0x7fc0_0000), "{bad} at {place}");
            }
        }
        // Without gamma and beta nothing is added: the sign of a zero stays.
        let x = [-f32::from_bits(1), f32::from_bits(1)];
        assert_eq!(plain(&x, 1e30).iter().map(|y| y.to_bits()).collect::<Vec<_>>(), [0x8000_0000, 0]);
    }
}
