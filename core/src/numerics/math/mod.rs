//! Elementary functions.

mod common;
mod erf;
mod exp;
mod hyperbolic;
mod log;
mod pow;
mod root;
mod trig;

use super::arithmetic::FloatNumeric;
use super::half::{bf16_from_f32, f16_from_f32, f32_from_bf16, f32_from_f16};
use crate::element::{bf16, f16};

/// Elementary functions of real floats, as the [module](self) says.
pub trait Math: FloatNumeric {
    /// Up to this magnitude [`sine_small`](Self::sine_small) and [`cosine_small`](Self::cosine_small) hold.
    const SMALL: Self;
    /// eᵃ.
    fn exponential(a: Self) -> Self;
    /// 2ᵃ.
    fn exponential2(a: Self) -> Self;
    /// eᵃ − 1, precise near 0.
    fn exponential_minus1(a: Self) -> Self;
    /// The natural logarithm.
    fn logarithm(a: Self) -> Self;
    /// The logarithm to base 2.
    fn logarithm2(a: Self) -> Self;
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
    fn power(a: Self, b: Self) -> Self;
    /// 1/√a.
    fn reciprocal_root(a: Self) -> Self;
    /// The real cube root.
    fn cube_root(a: Self) -> Self;
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
        exponential = exp::exp32, exponential2 = exp::exp2_32, exponential_minus1 = exp::expm1_32,
        logarithm = log::log32, logarithm2 = log::log2_32, logarithm_plus1 = log::log1p_32,
        sine = trig::sin32, cosine = trig::cos32, sine_small = trig::sin_small32, cosine_small = trig::cos_small32,
        sine_pi = trig::sinpi32, cosine_pi = trig::cospi32,
        hyperbolic_tangent = hyperbolic::tanh32, logistic = hyperbolic::sigmoid32, error_function = erf::erf32,
        reciprocal_root = root::rsqrt32, cube_root = root::cbrt32,
    }
    #[inline(always)]
    fn sine_cosine_pi(a: Self) -> (Self, Self) {
        trig::sincospi32(a)
    }
    #[inline(always)]
    fn power(a: Self, b: Self) -> Self {
        pow::pow32(a, b)
    }
}

impl Math for f64 {
    const SMALL: Self = trig::SMALL64;
    one_argument! { wide f64:
        exponential = exp::exp64, exponential2 = exp::exp2_64, exponential_minus1 = exp::expm1_64,
        logarithm = log::log64, logarithm2 = log::log2_64, logarithm_plus1 = log::log1p_64,
        sine = trig::sin64, cosine = trig::cos64, sine_small = trig::sin_small64, cosine_small = trig::cos_small64,
        sine_pi = trig::sinpi64, cosine_pi = trig::cospi64,
        hyperbolic_tangent = hyperbolic::tanh64, logistic = hyperbolic::sigmoid64, error_function = erf::erf64,
        reciprocal_root = root::rsqrt64, cube_root = root::cbrt64,
    }
    #[inline(always)]
    fn sine_cosine_pi(a: Self) -> (Self, Self) {
        trig::sincospi64(a)
    }
    #[inline(always)]
    fn power(a: Self, b: Self) -> Self {
        pow::pow64(a, b)
    }
}

macro_rules! narrow_floats {
    ($($t:ident, $small:literal, $widen:ident, $narrow:ident);* $(;)?) => { $(
        impl Math for $t {
            const SMALL: Self = $t::from_bits($small);
            one_argument! { narrow $widen, $narrow:
                exponential, exponential2, exponential_minus1, logarithm, logarithm2, logarithm_plus1, sine_small, cosine_small,
                sine, cosine, sine_pi, cosine_pi, hyperbolic_tangent, logistic, error_function, reciprocal_root, cube_root,
            }
            #[inline(always)]
            fn sine_cosine_pi(a: Self) -> (Self, Self) {
                let (sine, cosine) = trig::sincospi32($widen(a));
                ($narrow(sine), $narrow(cosine))
            }
            #[inline(always)]
            fn power(a: Self, b: Self) -> Self { $narrow(pow::pow32($widen(a), $widen(b))) }
        }
    )* };
}
// Of `f16` every number, of `bf16` those up to 2^16.
narrow_floats! { f16, 0x7bff, f32_from_f16, f16_from_f32; bf16, 0x4780, f32_from_bf16, bf16_from_f32 }

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
