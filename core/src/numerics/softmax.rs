//! Softmax: e^xᵢ / Σ e^xⱼ of a line, and its logarithm.
//!
//! The largest element and the sum are found in one pass (M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax",
//! arXiv:1805.02867), by the [`tree`] along the line. A partial result is a [`State`]: a largest element m, and the sum s of the e^(x − m).
//! An element x by itself is (x, 1). Two of them, the lower lane or chunk first, combine as [`State::join`] says:
//! with d = m₂ − m₁, or 0 if they are equal, and e = exp(−|d|),
//!
//! - if d > 0, to (m₂, fma(s₁, e, s₂)),
//! - else to (m₁, fma(s₂, e, s₁)),
//!
//! and a lane takes one more element x as it would join (x, 1). From the last state (M, S), element x gives exp(x − M) / S for
//! softmax, and (x − M) − log S for its logarithm. `exp` and `log` are those of [`Math`](super::math::Math). `f16` and `bf16` are
//! computed in `f32` and rounded once, at the very end.
//!
//! # Special values
//! −∞ is an element that is masked: its softmax is +0 and its logarithm −∞, and it adds nothing to the sum. If one element is NaN or +∞, or
//! all are −∞, every result of the line is the canonical NaN. An x − M that overflows is −∞. A line of one finite element gives 1, and +0.
//!
//! # Errors
//! With u the unit roundoff of the type computed in, D = Σ pⱼ |xⱼ − M| for the exact softmax p, and to first order in u: S is within
//! (D + 3 · [depth](tree::depth) ) · u of the exact sum, relative to it, because an element passes through as many joins, whose differences
//! add up to |xⱼ − M|, and each multiplies by an exponential with an error of 2u at most. A result pᵢ is within
//! (D + |xᵢ − M| + 3 · depth + 3) · u, relative to it; to which comes what is lost by underflow, of an e^x and of a result.

use super::tree;
use super::wide::{Wide, WideFloat};

/// The largest of some elements, and the sum of their exponentials relative to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State<C> {
    /// The largest element.
    pub max: C,
    /// The sum of e^(x − max).
    pub sum: C,
}

impl<C: Wide> State<C> {
    /// One element.
    #[inline(always)]
    pub fn of(x: C) -> Self {
        State { max: x, sum: C::ONE }
    }

    /// The elements of both; `self` is of the lower lane or chunk.
    #[inline(always)]
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        // Without the comparison, −∞ and −∞ would give NaN.
        let d = if other.max == self.max { C::ZERO } else { other.max - self.max };
        let e = C::exponential_straight(-d.abs());
        let later = d > C::ZERO;
        let (max, scaled, added) =
            if later { (other.max, self.sum, other.sum) } else { (self.max, other.sum, self.sum) };
        State { max, sum: C::mul_add(scaled, e, added) }
    }

    /// A lane with one more element.
    #[inline(always)]
    #[must_use]
    pub fn with(self, x: C) -> Self {
        self.join(State::of(x))
    }

    /// What every element of the line needs.
    #[inline(always)]
    pub fn end(self) -> End<C> {
        // An infinite largest element makes NaN of the line: the difference is 0 or NaN.
        #[allow(clippy::eq_op)]
        let sum = self.sum + (self.max - self.max);
        End { max: self.max, sum, log_sum: C::logarithm_straight(sum) }
    }
}

/// What all elements of a line share at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct End<C> {
    /// The largest element.
    pub max: C,
    /// The sum; NaN if the line has no softmax.
    pub sum: C,
    /// Its logarithm.
    pub log_sum: C,
}

impl<C: Wide> End<C> {
    /// The softmax of an element, or its logarithm; a NaN is not canonical yet.
    #[inline(always)]
    pub fn value(self, log: bool, x: C) -> C {
        let below = x - self.max;
        if log { below - self.log_sum } else { C::exponential_straight(below) / self.sum }
    }
}

/// The softmax of `at(0), …, at(len − 1)`, or its logarithm.
pub fn softmax<T: WideFloat>(log: bool, len: usize, at: impl Fn(usize) -> T) -> Vec<T> {
    let lane = |acc: Option<State<T::Acc>>, i: usize| match acc {
        None => State::of(at(i).widen()),
        Some(acc) => acc.with(at(i).widen()),
    };
    let Some(state) = tree::reduce(len, lane, State::join) else { return Vec::new() };
    let end = state.end();
    (0..len).map(|i| T::narrow(end.value(log, at(i).widen()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{bf16, f16};
    use crate::numerics::tree::depth;

    /// A sequence without pattern, in [0, 1).
    fn unit(i: usize) -> f64 {
        let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Compares with two passes in a wider arithmetic: f64 for f32, and a sum with compensation and differences that are exact for f64.
    fn within<T: WideFloat>(x: &[T], value: impl Fn(T) -> f64, u: f64, half_ulp: f64, tiny: f64) {
        let x64: Vec<f64> = x.iter().map(|&x| value(x)).collect();
        let max = x64.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut rest) = (0.0_f64, 0.0_f64);
        for &x in &x64 {
            let (next, e) = (sum + (x - max).exp(), (x - max).exp());
            rest += if sum > e { (sum - next) + e } else { (e - next) + sum };
            sum = next;
        }
        let sum = sum + rest;
        let spread: f64 = x64.iter().map(|x| (x - max).exp() / sum * (max - x)).sum();
        let (plain, log) = (softmax(false, x.len(), |i| x[i]), softmax(true, x.len(), |i| x[i]));
        let common = spread + 3.0 * depth(x.len()) as f64;
        for (i, &x) in x64.iter().enumerate() {
            let p = (x - max).exp() / sum;
            // A tenth more, for the terms of second order and the reference's own errors.
            let bound = 1.1 * p * ((common + (max - x) + 4.0) * u + half_ulp) + tiny * (1.0 + x64.len() as f64 * p);
            assert!((value(plain[i]) - p).abs() <= bound, "{i}: {} instead of {p}", value(plain[i]));
            let l = (x - max) - sum.ln();
            let bound = 1.1 * ((common + 2.0 * (max - x) + 3.0 * sum.ln() + l.abs()) * u + l.abs() * half_ulp) + tiny;
            assert!((value(log[i]) - l).abs() <= bound, "{i}: {} instead of {l}", value(log[i]));
        }
    }

    #[test]
    fn near_the_exact_values() {
        for len in [1, 2, 3, 7, 1000, 1025, 8192, 8193, 20_000] {
            for scale in [1e-3, 1.0, 30.0, 200.0] {
                let x: Vec<f64> = (0..len).map(|i| scale * (unit(i) - 0.5)).collect();
                let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
                within(&narrow, f64::from, 2f64.powi(-24), 0.0, 2f64.powi(-149));
                // The reference's own differences and exponentials have errors like those of the definition.
                within(&x, |x| x, 2f64.powi(-52), 0.0, f64::from_bits(1));
                let halves: Vec<f16> = x.iter().map(|&x| f16::from_f64(x)).collect();
                within(&halves, |x| x.to_f64(), 2f64.powi(-24), 2f64.powi(-11), 2f64.powi(-25));
                let brains: Vec<bf16> = x.iter().map(|&x| bf16::from_f64(x)).collect();
                within(&brains, |x| x.to_f64(), 2f64.powi(-24), 2f64.powi(-8), 2f64.powi(-134));
            }
        }
    }

    #[test]
    fn known_values() {
        fn check<T: WideFloat + crate::numerics::CastFrom<f32>>(greatest: T) {
            let of = |x: &[T], log| softmax(log, x.len(), |i| x[i]);
            assert_eq!(of(&[], false), []);
            assert_eq!(of(&[T::ONE], false), [T::ONE]);
            assert_eq!(of(&[T::ONE], true), [T::ZERO]);
            // Equal elements, where the exponentials are exact.
            let quarter = crate::numerics::cast::<f32, T>(0.25);
            assert_eq!(of(&[greatest; 4], false), [quarter; 4]);
            // The smallest differ from the largest by all there is.
            let extremes = [T::negate(greatest), greatest];
            assert_eq!(of(&extremes, false), [T::ZERO, T::ONE]);
            assert_eq!(of(&extremes, true)[1], T::ZERO);
        }
        check(f32::MAX);
        check(f64::MAX);
        check(f16::MAX);
        check(bf16::MAX);
        // Numbers past the range of exp: 1 / (1 + e^-1), and its complement.
        let x = [1000.0_f64, 1001.0];
        assert_eq!(softmax(false, 2, |i| x[i]), [0.2689414213699951, 0.7310585786300049]);
    }

    #[test]
    fn masks_and_lines_without_a_softmax() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let of = |x: &[f32], log| softmax(log, x.len(), |i| x[i]);
        let bits = |x: Vec<f32>| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        // Masked elements in front, between and behind, in one lane and in several.
        assert_eq!(bits(of(&[-inf, 2.0, -inf, 2.0, -inf], false)), [0, 0x3f00_0000, 0, 0x3f00_0000, 0]);
        assert_eq!(of(&[-inf, 2.0, -inf], true), [-inf, 0.0, -inf]);
        let mut long = vec![-inf; 5000];
        long[4321] = -7.0;
        assert_eq!(of(&long, false).iter().filter(|&&p| p != 0.0).collect::<Vec<_>>(), [&1.0]);
        for bad in
            [&[-inf][..], &[-inf; 3000], &[1.0, inf], &[inf], &[-inf, inf, 0.0], &[nan, 1.0], &[1.0, -nan], &[inf, inf]]
        {
            for log in [false, true] {
                assert_eq!(bits(of(bad, log)), vec![0x7fc0_0000; bad.len()], "{bad:?} {log}");
            }
        }
        // In whichever lane or chunk it is.
        for place in [0, 1023, 1024, 8191, 8192, 9999] {
            for bad in [inf, nan] {
                let x: Vec<f32> = (0..10_000).map(|i| if i == place { bad } else { -1.0 }).collect();
                assert!(bits(of(&x, false)).iter().all(|&bits| bits == 0x7fc0_0000), "{bad} at {place}");
            }
        }
    }

    /// The state of many elements does not depend on which was the largest: what came before is scaled.
    #[test]
    fn a_larger_element_scales_what_came_before() {
        let state = State::of(0.0_f64).with(3.0).with(1.0);
        assert_eq!(state.max, 3.0);
        assert!((state.sum - (1.0 + (-3.0_f64).exp() + (-2.0_f64).exp())).abs() < 1e-15);
        assert_eq!(State::of(1.0_f32).with(2.0), State::of(1.0_f32).join(State::of(2.0)));
    }
}
