//! Elementary functions, with the same bits on every device.
//!
//! They are made of IEEE 754's `+ − · / √`, of `fma`, and of operations on bits, in an order that this code lays down; kernels repeat it
//! line by line (`kernels/include/warpwave_math.h`). There are no tables but the bits of 2/π, and `f32` is computed in `f32`, but
//! for powers, which need more. There is no branch in what loops call, but the one for large arguments of sine and cosine, so that they are
//! vectorised; a single value takes a shorter way, with branches. On GPUs `power` of `f32`, `f16` and `bf16` goes at the
//! rate of `f64` for it.
//!
//! # Errors
//! The largest that were found, in units of the last place of the exact result: for `f32` among all 2^32 arguments (for `power`, 10^8
//! pairs), against doubles; for `f64` among 10^6 arguments, most of them of uniform logarithm, against MPFR.
//!
//! | operation | [`Math`] | function | `f32` | `f64` | method |
//! |---|---|---|---|---|---|
//! | `exp` | `exponential` | eᵃ | 0.86 | 0.84 | 2ⁿ · e^r, r by Cody and Waite's reduction, and a polynomial |
//! | `exp2` | `exponential2` | 2ᵃ | 0.91 | 0.95 | likewise |
//! | `expm1` | `exponential_minus1` | eᵃ − 1 | 0.97 | 0.91 | likewise, its last sum with compensation |
//! | `log` | `logarithm` | log a | 0.86 | 0.86 | a polynomial of m − 1 (`f32`), fdlibm's of (m − 1)/(m + 1) (`f64`) |
//! | `log2` | `logarithm2` | log₂ a | 0.93 | 0.83 | likewise; exact for powers of two |
//! | `log1p` | `logarithm_plus1` | log(1 + a) | 0.90 | 0.78 | likewise |
//! | `sin` | `sine` | sin a | 0.82 | 0.79 | reduction by Cody and Waite or by Payne and Hanek, exact for all arguments |
//! | `cos` | `cosine` | cos a | 0.82 | 0.78 | likewise |
//! | `sinpi` | `sine_pi` | sin πa | 1.00 | 0.98 | exact reduction, the same polynomials |
//! | `cospi` | `cosine_pi` | cos πa | 0.81 | 0.80 | likewise |
//! | `tanh` | `hyperbolic_tangent` | tanh a | 0.85 | 0.78 | a quotient of sums with e^2a, corrected |
//! | `sigmoid` | `logistic` | 1 / (1 + e⁻ᵃ) | 0.78 | 0.75 | likewise with e^−a |
//! | `erf` | `error_function` | erf a | 0.98 | 0.90 | a polynomial up to 1, 1 − e^−Q above |
//! | `pow` | `power` | aᵇ | 0.54 | 1.08 | 2^(b · log₂ a) in `f64` (`f32`), e^(b · log a) with Dekker's arithmetic in pairs (`f64`) |
//! | `rsqrt` | `reciprocal_root` | 1/√a | 0.51 | 0.51 | the operations of IEEE 754, and one Newton step |
//! | `cbrt` | `cube_root` | ∛a | 0.51 | 0.51 | Householder's iteration for a^−⅓, and one Newton step |
//!
//! `f16` and `bf16` are computed in `f32` and rounded once more: half a unit in the last place of their own, and 2^−13 (`f16`) or 2^−16
//! (`bf16`) more at most. [`contract::max_ulp`](super::contract::max_ulp) has all of this for programs. The polynomials are minimax fits of our own, rounded to the type one coefficient after another, lowest power
//! first, and the rest fitted anew. Each file names its sources.
//!
//! # Special values
//! C99's Annex F: limits and exact values, zeros with their signs, `power` of all pairs of zeros, ones, infinities, NaNs and integers.
//! Denormal arguments and results are like others. 1/√−0 is −∞; sin πa of an integer has the sign of a, and cos πa of a half is +0
//! (IEEE 754-2019). A result that is NaN is the canonical one; `power` of NaN and 0, and of 1 and NaN, is 1.

mod common;
mod erf;
mod error;
mod exp;
mod hyperbolic;
mod log;
mod pow;
mod root;
mod single;
mod trig;

pub(super) use error::max_ulp;

use super::arithmetic::FloatNumeric;
use super::half::{bf16_from_f32, f16_from_f32, f32_from_bf16, f32_from_f16};
use crate::element::{bf16, f16};

/// Elementary functions of real floats, as the [module](self) says.
pub trait Math: FloatNumeric {
    /// Up to this magnitude [`sine_small`](Self::sine_small) and [`cosine_small`](Self::cosine_small) hold.
    const SMALL: Self;
    /// eᵃ.
    #[inline(always)]
    fn exponential(a: Self) -> Self {
        Self::exponential_straight(a)
    }
    /// [`exponential`](Self::exponential) to the bit, without a branch: for loops, which are vectorised.
    fn exponential_straight(a: Self) -> Self;
    /// 2ᵃ.
    fn exponential2(a: Self) -> Self;
    /// eᵃ − 1, precise near 0.
    fn exponential_minus1(a: Self) -> Self;
    /// The natural logarithm.
    #[inline(always)]
    fn logarithm(a: Self) -> Self {
        Self::logarithm_straight(a)
    }
    /// [`logarithm`](Self::logarithm) to the bit, without a branch: for loops, which are vectorised.
    fn logarithm_straight(a: Self) -> Self;
    /// The logarithm to base 2.
    #[inline(always)]
    fn logarithm2(a: Self) -> Self {
        Self::logarithm2_straight(a)
    }
    /// [`logarithm2`](Self::logarithm2) to the bit, without a branch: for loops, which are vectorised.
    fn logarithm2_straight(a: Self) -> Self;
    /// log(1 + a), precise near 0.
    fn logarithm_plus1(a: Self) -> Self;
    /// The sine, of any argument.
    fn sine(a: Self) -> Self;
    /// The cosine, of any argument.
    fn cosine(a: Self) -> Self;
    /// [`sine`](Self::sine) to the bit, for |a| ≤ [`SMALL`](Self::SMALL) and for NaN; without a branch. Past that, a wrong number.
    ///
    /// For loops: one test whether a block has a larger argument, and the block is vectorised.
    fn sine_small(a: Self) -> Self;
    /// [`cosine`](Self::cosine), likewise.
    fn cosine_small(a: Self) -> Self;
    /// sin πa and cos πa.
    fn sine_cosine_pi(a: Self) -> (Self, Self);
    /// sin πa.
    fn sine_pi(a: Self) -> Self;
    /// cos πa.
    fn cosine_pi(a: Self) -> Self;
    /// The hyperbolic tangent.
    fn hyperbolic_tangent(a: Self) -> Self;
    /// 1 / (1 + e⁻ᵃ), the logistic function.
    fn logistic(a: Self) -> Self;
    /// The error function.
    fn error_function(a: Self) -> Self;
    /// aᵇ.
    #[inline(always)]
    fn power(a: Self, b: Self) -> Self {
        Self::power_straight(a, b)
    }
    /// [`power`](Self::power) to the bit, without a branch: for loops, which are vectorised.
    fn power_straight(a: Self, b: Self) -> Self;
    /// 1/√a.
    fn reciprocal_root(a: Self) -> Self;
    /// The real cube root.
    #[inline(always)]
    fn cube_root(a: Self) -> Self {
        Self::cube_root_straight(a)
    }
    /// [`cube_root`](Self::cube_root) to the bit, without a branch: for loops, which are vectorised.
    fn cube_root_straight(a: Self) -> Self;
}

macro_rules! one_argument {
    (wide $t:ty: $($name:ident = $function:path),* $(,)?) => { $(
        #[inline(always)]
        fn $name(a: Self) -> Self { $function(a) }
    )* };
    (narrow $widen:ident, $narrow:ident: $($name:ident),* $(,)?) => { $(
        #[inline(always)]
        fn $name(a: Self) -> Self { $narrow(<f32 as Math>::$name($widen(a))) }
    )* };
}

impl Math for f32 {
    const SMALL: Self = trig::SMALL32;
    one_argument! { wide f32:
        exponential = single::exp32, exponential_straight = exp::exp32, exponential2 = exp::exp2_32,
        exponential_minus1 = exp::expm1_32,
        logarithm = single::log32, logarithm_straight = log::log32, logarithm_plus1 = log::log1p_32,
        logarithm2 = single::log2_32, logarithm2_straight = log::log2_32,
        sine = single::sin32, cosine = single::cos32, sine_small = trig::sin_small32, cosine_small = trig::cos_small32,
        sine_pi = trig::sinpi32, cosine_pi = trig::cospi32,
        hyperbolic_tangent = hyperbolic::tanh32, logistic = hyperbolic::sigmoid32, error_function = erf::erf32,
        reciprocal_root = root::rsqrt32, cube_root = single::cbrt32, cube_root_straight = root::cbrt32,
    }
    #[inline(always)]
    fn sine_cosine_pi(a: Self) -> (Self, Self) {
        trig::sincospi32(a)
    }
    #[inline(always)]
    fn power(a: Self, b: Self) -> Self {
        single::pow32(a, b)
    }
    #[inline(always)]
    fn power_straight(a: Self, b: Self) -> Self {
        pow::pow32(a, b)
    }
}

impl Math for f64 {
    const SMALL: Self = trig::SMALL64;
    one_argument! { wide f64:
        exponential = single::exp64, exponential_straight = exp::exp64, exponential2 = exp::exp2_64,
        exponential_minus1 = exp::expm1_64,
        logarithm = single::log64, logarithm_straight = log::log64, logarithm_plus1 = log::log1p_64,
        logarithm2 = single::log2_64, logarithm2_straight = log::log2_64,
        sine = trig::sin64, cosine = trig::cos64, sine_small = trig::sin_small64, cosine_small = trig::cos_small64,
        sine_pi = trig::sinpi64, cosine_pi = trig::cospi64,
        hyperbolic_tangent = hyperbolic::tanh64, logistic = hyperbolic::sigmoid64, error_function = erf::erf64,
        reciprocal_root = root::rsqrt64, cube_root_straight = root::cbrt64,
    }
    #[inline(always)]
    fn sine_cosine_pi(a: Self) -> (Self, Self) {
        trig::sincospi64(a)
    }
    #[inline(always)]
    fn power(a: Self, b: Self) -> Self {
        single::pow64(a, b)
    }
    #[inline(always)]
    fn power_straight(a: Self, b: Self) -> Self {
        pow::pow64(a, b)
    }
}

macro_rules! narrow_floats {
    ($($t:ident, $small:literal, $widen:ident, $narrow:ident);* $(;)?) => { $(
        impl Math for $t {
            const SMALL: Self = $t::from_bits($small);
            one_argument! { narrow $widen, $narrow:
                exponential_straight, exponential2, exponential_minus1, logarithm_straight, logarithm2_straight, logarithm_plus1,
                sine_small, cosine_small, sine, cosine, sine_pi, cosine_pi, hyperbolic_tangent, logistic, error_function,
                reciprocal_root, cube_root_straight,
            }
            #[inline(always)]
            fn sine_cosine_pi(a: Self) -> (Self, Self) {
                let (sine, cosine) = trig::sincospi32($widen(a));
                ($narrow(sine), $narrow(cosine))
            }
            #[inline(always)]
            fn power_straight(a: Self, b: Self) -> Self { $narrow(pow::pow32($widen(a), $widen(b))) }
        }
    )* };
}
// Of `f16` every number, of `bf16` those up to 2^16.
narrow_floats! { f16, 0x7bff, f32_from_f16, f16_from_f32; bf16, 0x4780, f32_from_bf16, bf16_from_f32 }

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
