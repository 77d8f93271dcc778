//! Normal random numbers: the Box–Muller transform of the words of [`philox`] (G. E. P. Box and M. E. Muller, "A Note on the Generation
//! of Random Normal Deviates", 1958).
//!
//! Two uniform numbers u₁ in (0, 1] and u₂ in [0, 1) give two normal ones, r · cos 2πu₂ and r · sin 2πu₂ with r = √(−2 log u₁), by the functions
//! of [`Math`](super::math::Math); an element is fma(z, deviation, mean) of one of them. All of it is computed in `f32` for `f16` and `bf16`, which round
//! once at the end.
//!
//! | type | words of an element | u₁ | 2u₂ |
//! |---|---|---|---|
//! | `f32` `f16` `bf16` | 1 | fma(w, 2⁻³², 2⁻³³), w being the first word, rounded to `f32` | the upper 24 bits of the second word · 2⁻²³ |
//! | `f64` | 2 | (the upper 53 bits of the first two words as a `u64`, plus 1) · 2⁻⁵³ | the upper 53 bits of the other two · 2⁻⁵² |
//!
//! Which words they are depends on the place alone, so that a call gives the same numbers as any number of calls that share it: the
//! element whose first word is w takes the cosine if w mod 2n < n, n being the words of an element, and else the sine; and the
//! words of the pair begin at w, or at w − n. The largest magnitude that occurs is 6.77 for `f32`, `f16` and `bf16`, and 8.58 for `f64`.

use super::blas::ScalarArithmetic;
use super::philox::{self, RandomElement};
use super::reduction::Reducible;
use super::wide::{Wide, WideFloat};

/// What pairs of normal numbers are computed in.
pub trait BoxMuller: Wide {
    /// u₁ and 2u₂ of the words of a pair; `f32` ignores the last two.
    fn uniform(words: [u32; 4]) -> (Self, Self);

    /// The two numbers of a pair: r · cos 2πu₂, r · sin 2πu₂.
    #[inline(always)]
    fn pair(words: [u32; 4]) -> (Self, Self) {
        let (first, twice_second) = Self::uniform(words);
        let log = Self::logarithm_straight(first);
        let r = (-(log + log)).sqrt();
        let (sine, cosine) = Self::sine_cosine_pi(twice_second);
        (r * cosine, r * sine)
    }
}

impl BoxMuller for f32 {
    #[inline(always)]
    fn uniform([first, second, ..]: [u32; 4]) -> (f32, f32) {
        let unit = 1.0 / 4_294_967_296.0;
        ((first as f32).mul_add(unit, unit / 2.0), (second >> 8) as f32 * (1.0 / 8_388_608.0))
    }
}

impl BoxMuller for f64 {
    #[inline(always)]
    fn uniform([a, b, c, d]: [u32; 4]) -> (f64, f64) {
        let upper = |low: u32, high: u32| (u64::from(low) | u64::from(high) << 32) >> 11;
        let unit = 1.0 / 9_007_199_254_740_992.0;
        ((upper(a, b) + 1) as f64 * unit, upper(c, d) as f64 * (2.0 * unit))
    }
}

/// What normal random numbers can be had of: real floats.
pub trait NormalElement: RandomElement + WideFloat + Reducible<Acc: BoxMuller> {}

impl<T: RandomElement + WideFloat + Reducible<Acc: BoxMuller>> NormalElement for T {}

/// The element made of a standard normal number.
#[inline(always)]
pub fn scaled<T: WideFloat>(z: T::Acc, mean: T::Acc, deviation: T::Acc) -> T {
    T::narrow(ScalarArithmetic::mul_add(z, deviation, mean))
}

/// Element `i` of a call that starts at word `offset`; the count of words wraps.
pub fn element<T: NormalElement>(
    (seed, subsequence, offset): (u64, u64, u64),
    i: u64,
    mean: T::Acc,
    deviation: T::Acc,
) -> T {
    let first = offset.wrapping_add(i.wrapping_mul(T::WORDS));
    let start = first & !T::WORDS;
    let words = [0, 1, 2, 3].map(|word| philox::word(seed, subsequence, start.wrapping_add(word)));
    let (cosine, sine) = T::Acc::pair(words);
    scaled(if first == start { cosine } else { sine }, mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{bf16, f16};
    use crate::numerics::cast;
    use crate::numerics::math::Math;

    fn standard<T: NormalElement>(len: u64) -> Vec<T> {
        let (zero, one) = (cast(0_u64), cast(1_u64));
        (0..len).map(|i| element((42, 7, 3), i, zero, one)).collect()
    }

    /// The distribution function of the normal distribution, from the error function.
    fn below(x: f64) -> f64 {
        0.5 + 0.5 * f64::error_function(x / std::f64::consts::SQRT_2)
    }

    /// Mean, variance, skewness and kurtosis within 4.5 times the standard deviations of their estimates, and the distance of Kolmogorov
    /// and Smirnov below what one sample in 10,000 exceeds. `grid`: the distance between numbers of the type near 1.
    fn is_normal<T: NormalElement>(value: impl Fn(T) -> f64, grid: f64) {
        let n = 200_000;
        let mut x: Vec<f64> = standard::<T>(n).into_iter().map(value).collect();
        let moment = |k: i32| x.iter().map(|x| x.powi(k)).sum::<f64>() / n as f64;
        let deviation = |variance: f64| 4.5 * (variance / n as f64).sqrt() + grid * grid;
        assert!(moment(1).abs() < deviation(1.0), "mean {}", moment(1));
        assert!((moment(2) - 1.0).abs() < deviation(2.0), "variance {}", moment(2));
        assert!(moment(3).abs() < deviation(15.0), "skewness {}", moment(3));
        assert!((moment(4) - 3.0).abs() < deviation(96.0), "kurtosis {}", moment(4));
        // Of neighbours, which share a pair, and of the next, which do not.
        for lag in [1, 2, 3] {
            let together = x.windows(lag + 1).map(|x| x[0] * x[lag]).sum::<f64>() / n as f64;
            assert!(together.abs() < deviation(1.0), "correlation {together} at {lag}");
        }
        x.sort_by(f64::total_cmp);
        let distance = x.iter().enumerate().map(|(i, &x)| (below(x) - i as f64 / n as f64).abs()).fold(0.0, f64::max);
        assert!(distance < 2.23 / (n as f64).sqrt() + 1.0 / n as f64 + 0.4 * grid, "distance {distance}");
    }

    #[test]
    fn they_are_normal() {
        is_normal::<f32>(f64::from, 0.0);
        is_normal::<f64>(|x| x, 0.0);
        is_normal::<f16>(|x| x.to_f64(), 2f64.powi(-10));
        is_normal::<bf16>(|x| x.to_f64(), 2f64.powi(-7));
    }

    /// Words of which the numbers are known, and those of the greatest magnitude. A u₁ of 0 would be an infinity.
    #[test]
    fn extreme_words() {
        let all = u32::MAX;
        assert_eq!(f32::uniform([0, 0, 0, 0]), (2f32.powi(-33), 0.0));
        assert_eq!(f32::uniform([all, all, 0, 0]), (1.0, 2.0 - 2f32.powi(-23)));
        assert_eq!(f64::uniform([0; 4]), (2f64.powi(-53), 0.0));
        assert_eq!(f64::uniform([all; 4]), (1.0, 2.0 - 2f64.powi(-52)));
        assert_eq!(f32::pair([0, 0, 0, 0]).0, (66.0 * std::f32::consts::LN_2).sqrt());
        assert_eq!(f64::pair([0; 4]), ((106.0 * std::f64::consts::LN_2).sqrt(), 0.0));
        // u₁ = 1: the number is 0. u₂ = 1/4, 1/2, 3/4.
        assert_eq!(f32::pair([all, 0, 0, 0]), (0.0, 0.0));
        let r = f32::pair([0; 4]).0;
        assert_eq!(f32::pair([0, 1 << 30, 0, 0]), (0.0, r));
        assert_eq!(f32::pair([0, 1 << 31, 0, 0]), (-r, 0.0));
        assert_eq!(f32::pair([0, 3 << 30, 0, 0]), (0.0, -r));
        assert_eq!(f64::pair([0, 0, 0, 1 << 30]).0, 0.0);
    }

    /// Every start gives the numbers that one long call gives, at the end of the count of words too.
    #[test]
    fn numbers_depend_on_the_place_alone() {
        fn check<T: NormalElement>() {
            let (zero, one) = (cast(0_u64), cast(1_u64));
            for offset in [0, 1, 2, 3, 1 << 34, u64::MAX - 5] {
                let of = |skip: u64, i: u64| element::<T>((1, 2, offset.wrapping_add(skip * T::WORDS)), i, zero, one);
                for i in 0..9 {
                    assert_eq!(of(0, i), of(i, 0), "{offset} {i}");
                    assert!(of(0, i) != of(0, i + 1), "{offset} {i}");
                }
            }
        }
        check::<f32>();
        check::<f64>();
        check::<f16>();
        check::<bf16>();
    }

    /// Both numbers of a pair against the textbook's formula in f64.
    #[test]
    fn pairs_follow_the_formula() {
        for i in 0..2000_u64 {
            let words = [0, 1, 2, 3].map(|word| philox::word(5, 6, 4 * i + word));
            let formula = |(u, v): (f64, f64)| {
                let (r, angle) = ((-2.0 * u.ln()).sqrt(), std::f64::consts::PI * v);
                (r * angle.cos(), r * angle.sin())
            };
            let (u, v) = f32::uniform(words);
            let (x, y) = formula((f64::from(u), f64::from(v)));
            let (got_x, got_y) = f32::pair(words);
            assert!((f64::from(got_x) - x).abs() <= 5e-7 * x.abs() + 1e-7, "{got_x} {x}");
            assert!((f64::from(got_y) - y).abs() <= 5e-7 * y.abs() + 1e-7, "{got_y} {y}");
            let (x, y) = formula(f64::uniform(words));
            let (got_x, got_y) = f64::pair(words);
            assert!((got_x - x).abs() <= 1e-14 && (got_y - y).abs() <= 1e-14, "{got_x} {got_y} {x} {y}");
        }
    }

    #[test]
    fn mean_and_deviation() {
        for i in 0..100 {
            let (z, x) = (element::<f32>((1, 2, 3), i, 0.0, 1.0), element::<f32>((1, 2, 3), i, -7.5, 0.25));
            assert_eq!(x, z.mul_add(0.25, -7.5));
            assert_eq!(element::<f16>((1, 2, 3), i, -7.5, 0.25), f16::from_f32(x));
            assert_eq!(element::<bf16>((1, 2, 3), i, 3.0, 0.0), bf16::from_f32(3.0));
        }
    }
}
