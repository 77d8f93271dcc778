//! The definitions of the element-wise operations, one trait for each family of types that offers the same ones.
//!
//! They are associated functions under names of their own, not methods: `f32::min` of the standard library and
//! [`RealNumeric::min_nan`] differ in their NaN, and must not be mistaken for one another.

use super::half::{bf16_from_f32, f16_from_f32, f32_from_bf16, f32_from_f16};
use super::nan::Canonical;
use crate::element::{Complex, Element, Float, Integer, Real, bf16, f16};

/// What every element type offers.
pub trait Numeric: Canonical {
    /// +0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// `a + b`: rounded once for floats, wrapping for integers, by parts for complex numbers.
    fn add(a: Self, b: Self) -> Self;
    /// `a − b`, likewise.
    fn sub(a: Self, b: Self) -> Self;
    /// `a · b`: rounded once for floats, wrapping for integers. For complex numbers the real part is
    /// `fma(−a.im, b.im, a.re · b.re)` and the imaginary part `fma(a.im, b.re, a.re · b.im)`.
    fn mul(a: Self, b: Self) -> Self;
    /// `a = b` of IEEE 754: NaN equals nothing, −0 equals +0. Complex numbers are equal if both parts are.
    fn equal(a: Self, b: Self) -> bool;
}

/// What has a sign: signed integers, floats and complex numbers.
pub trait Negate: Numeric {
    /// `−a`: wrapping for integers; for floats, and each part of a complex number, the sign bit flipped, a NaN's too.
    fn negate(a: Self) -> Self;
}

/// Signed integers and floats.
pub trait Absolute: Negate + Real {
    /// `|a|`: wrapping for integers, so that the smallest is its own; for floats the sign bit cleared, a NaN's too.
    fn absolute(a: Self) -> Self;
}

/// What integers and real floats offer.
pub trait RealNumeric: Numeric + Real {
    /// −∞, or the smallest integer: what the largest of no elements is.
    const LEAST: Self;
    /// +∞, or the largest integer: what the smallest of no elements is.
    const GREATEST: Self;
    /// `a / b`: rounded once for floats; for integers truncated, 0 if `b` is 0, and wrapping for `MIN / −1`.
    fn div(a: Self, b: Self) -> Self;
    /// The smaller, −0 being smaller than +0; NaN if either is.
    fn min_nan(a: Self, b: Self) -> Self;
    /// The larger, −0 being smaller than +0; NaN if either is.
    fn max_nan(a: Self, b: Self) -> Self;
    /// The smaller, −0 being smaller than +0; if one is NaN, the other.
    fn min_num(a: Self, b: Self) -> Self;
    /// The larger, −0 being smaller than +0; if one is NaN, the other.
    fn max_num(a: Self, b: Self) -> Self;
    /// `a < b` of IEEE 754: false with a NaN, −0 equals +0.
    fn less(a: Self, b: Self) -> bool;
    /// `a ≤ b`, likewise.
    fn less_equal(a: Self, b: Self) -> bool;
    /// Element `i` of the sequence `start, start + step, …`: for integers `start + i · step`, wrapping; for floats
    /// `fma(i, step, start)`, `i` having been rounded to the type. The 16-bit floats do this in `f32` and round the result.
    fn iota(start: Self, step: Self, i: u64) -> Self;
}

/// What integers offer beyond that. `b` of a shift counts as unsigned.
pub trait IntegerNumeric: RealNumeric + Integer {
    /// The remainder of the truncated division, with the sign of `a`; `a` if `b` is 0.
    fn rem(a: Self, b: Self) -> Self;
    /// Bitwise complement.
    fn bit_not(a: Self) -> Self;
    /// Bitwise and.
    fn bit_and(a: Self, b: Self) -> Self;
    /// Bitwise or.
    fn bit_or(a: Self, b: Self) -> Self;
    /// Bitwise exclusive or.
    fn bit_xor(a: Self, b: Self) -> Self;
    /// `a` shifted left by `b`; 0 from the width on.
    fn shift_left(a: Self, b: Self) -> Self;
    /// `a` shifted right by `b`, filled with the sign of a signed `a`; from the width on, nothing but the filling.
    fn shift_right(a: Self, b: Self) -> Self;
}

/// What real floats offer beyond that.
pub trait FloatNumeric: RealNumeric + Absolute + Float {
    /// `√a`, rounded once; √−0 is −0.
    fn square_root(a: Self) -> Self;
}

/// What complex numbers offer.
pub trait ComplexNumeric: Negate {
    /// The sign bit of the imaginary part flipped, a NaN's too.
    fn conjugate(a: Self) -> Self;
}

macro_rules! integers {
    ($($t:ty, $unsigned:ty);* $(;)?) => { $(
        impl Numeric for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { a.wrapping_add(b) }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self { a.wrapping_sub(b) }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self { a.wrapping_mul(b) }
            #[inline(always)]
            fn equal(a: Self, b: Self) -> bool { a == b }
        }

        impl RealNumeric for $t {
            const LEAST: Self = <$t>::MIN;
            const GREATEST: Self = <$t>::MAX;
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self { if b == 0 { 0 } else { a.wrapping_div(b) } }
            #[inline(always)]
            fn min_nan(a: Self, b: Self) -> Self { if b < a { b } else { a } }
            #[inline(always)]
            fn max_nan(a: Self, b: Self) -> Self { if b > a { b } else { a } }
            #[inline(always)]
            fn min_num(a: Self, b: Self) -> Self { Self::min_nan(a, b) }
            #[inline(always)]
            fn max_num(a: Self, b: Self) -> Self { Self::max_nan(a, b) }
            #[inline(always)]
            fn less(a: Self, b: Self) -> bool { a < b }
            #[inline(always)]
            fn less_equal(a: Self, b: Self) -> bool { a <= b }
            #[inline(always)]
            fn iota(start: Self, step: Self, i: u64) -> Self { start.wrapping_add((i as $t).wrapping_mul(step)) }
        }

        impl IntegerNumeric for $t {
            #[inline(always)]
            fn rem(a: Self, b: Self) -> Self { if b == 0 { a } else { a.wrapping_rem(b) } }
            #[inline(always)]
            fn bit_not(a: Self) -> Self { !a }
            #[inline(always)]
            fn bit_and(a: Self, b: Self) -> Self { a & b }
            #[inline(always)]
            fn bit_or(a: Self, b: Self) -> Self { a | b }
            #[inline(always)]
            fn bit_xor(a: Self, b: Self) -> Self { a ^ b }
            #[inline(always)]
            fn shift_left(a: Self, b: Self) -> Self {
                let count = b as $unsigned;
                if count < <$t>::BITS as $unsigned { a.wrapping_shl(count as u32) } else { 0 }
            }
            #[inline(always)]
            fn shift_right(a: Self, b: Self) -> Self {
                let count = b as $unsigned;
                let past = a.wrapping_shr(<$t>::BITS - 1).wrapping_shr(1);
                if count < <$t>::BITS as $unsigned { a.wrapping_shr(count as u32) } else { past }
            }
        }
    )* };
}
integers! { i8, u8; i16, u16; i32, u32; i64, u64; u8, u8; u16, u16; u32, u32; u64, u64 }

macro_rules! signed_integers {
    ($($t:ty),*) => { $(
        impl Negate for $t {
            #[inline(always)]
            fn negate(a: Self) -> Self { a.wrapping_neg() }
        }
        impl Absolute for $t {
            #[inline(always)]
            fn absolute(a: Self) -> Self { a.wrapping_abs() }
        }
    )* };
}
signed_integers!(i8, i16, i32, i64);

macro_rules! signs {
    ($($t:ty),*) => { $(
        impl Negate for $t {
            #[inline(always)]
            fn negate(a: Self) -> Self { <$t>::from_bits(a.to_bits() ^ (1 << (size_of::<$t>() * 8 - 1))) }
        }
        impl Absolute for $t {
            #[inline(always)]
            fn absolute(a: Self) -> Self { <$t>::from_bits(a.to_bits() & !(1 << (size_of::<$t>() * 8 - 1))) }
        }
    )* };
}
signs!(f16, bf16, f32, f64);

macro_rules! wide_floats {
    ($($t:ident),*) => { $(
        impl Numeric for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { (a + b).canonical() }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self { (a - b).canonical() }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self { (a * b).canonical() }
            #[inline(always)]
            fn equal(a: Self, b: Self) -> bool { a == b }
        }

        impl RealNumeric for $t {
            const LEAST: Self = $t::NEG_INFINITY;
            const GREATEST: Self = $t::INFINITY;
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self { (a / b).canonical() }
            #[inline(always)]
            fn min_nan(a: Self, b: Self) -> Self {
                // Equal operands differ at most in the sign of a zero, which the union of their bits keeps.
                let equal = $t::from_bits(a.to_bits() | b.to_bits());
                let ordered = if a == b { equal } else if a < b { a } else { b };
                if a.is_nan() || b.is_nan() { $t::NAN.canonical() } else { ordered }
            }
            #[inline(always)]
            fn max_nan(a: Self, b: Self) -> Self {
                let equal = $t::from_bits(a.to_bits() & b.to_bits());
                let ordered = if a == b { equal } else if a > b { a } else { b };
                if a.is_nan() || b.is_nan() { $t::NAN.canonical() } else { ordered }
            }
            #[inline(always)]
            fn min_num(a: Self, b: Self) -> Self {
                let min = Self::min_nan(a, b);
                (if a.is_nan() { b } else if b.is_nan() { a } else { min }).canonical()
            }
            #[inline(always)]
            fn max_num(a: Self, b: Self) -> Self {
                let max = Self::max_nan(a, b);
                (if a.is_nan() { b } else if b.is_nan() { a } else { max }).canonical()
            }
            #[inline(always)]
            fn less(a: Self, b: Self) -> bool { a < b }
            #[inline(always)]
            fn less_equal(a: Self, b: Self) -> bool { a <= b }
            #[inline(always)]
            fn iota(start: Self, step: Self, i: u64) -> Self { (i as $t).mul_add(step, start).canonical() }
        }

        impl FloatNumeric for $t {
            #[inline(always)]
            fn square_root(a: Self) -> Self {
                // The compiler drops a choice of the canonical NaN for negative operands: any NaN will do for it. So a NaN goes
                // in canonical, and the one that the processor makes of a negative number loses its sign.
                let root = a.canonical().sqrt();
                if a == 0.0 { a } else { root.abs() }
            }
        }

        impl Numeric for Complex<$t> {
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { Complex::new(a.re + b.re, a.im + b.im).canonical() }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self { Complex::new(a.re - b.re, a.im - b.im).canonical() }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self {
                Complex::new((-a.im).mul_add(b.im, a.re * b.re), a.im.mul_add(b.re, a.re * b.im)).canonical()
            }
            #[inline(always)]
            fn equal(a: Self, b: Self) -> bool { a.re == b.re && a.im == b.im }
        }

        impl Negate for Complex<$t> {
            #[inline(always)]
            fn negate(a: Self) -> Self { Complex::new(<$t>::negate(a.re), <$t>::negate(a.im)) }
        }

        impl ComplexNumeric for Complex<$t> {
            #[inline(always)]
            fn conjugate(a: Self) -> Self { Complex::new(a.re, <$t>::negate(a.im)) }
        }
    )* };
}
wide_floats!(f32, f64);

// `f32` has at least twice the precision of these types and two bits more, so that rounding +, −, ·, / and √ to `f32` and then to the
// type gives what rounding once would (S. A. Figueroa, "When is double rounding innocuous?", 1995). That covers the denormals of
// `bf16` as well, where `f32` loses precision with it: sums there are exact in `f32`; a product is exact from half the smallest
// denormal on, and below that rounds to 0 either way; and a quotient of two 8-bit integers comes no nearer to a halfway point than
// 2^-10 of the last place, of which `f32` keeps 16 bits.
macro_rules! narrow_floats {
    ($($t:ident, $widen:ident, $narrow:ident);* $(;)?) => { $(
        impl Numeric for $t {
            const ZERO: Self = $t::ZERO;
            const ONE: Self = $t::ONE;
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { $narrow($widen(a) + $widen(b)) }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self { $narrow($widen(a) - $widen(b)) }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self { $narrow($widen(a) * $widen(b)) }
            #[inline(always)]
            fn equal(a: Self, b: Self) -> bool { $widen(a) == $widen(b) }
        }

        impl RealNumeric for $t {
            const LEAST: Self = $t::NEG_INFINITY;
            const GREATEST: Self = $t::INFINITY;
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self { $narrow($widen(a) / $widen(b)) }
            #[inline(always)]
            fn min_nan(a: Self, b: Self) -> Self { $narrow(f32::min_nan($widen(a), $widen(b))) }
            #[inline(always)]
            fn max_nan(a: Self, b: Self) -> Self { $narrow(f32::max_nan($widen(a), $widen(b))) }
            #[inline(always)]
            fn min_num(a: Self, b: Self) -> Self { $narrow(f32::min_num($widen(a), $widen(b))) }
            #[inline(always)]
            fn max_num(a: Self, b: Self) -> Self { $narrow(f32::max_num($widen(a), $widen(b))) }
            #[inline(always)]
            fn less(a: Self, b: Self) -> bool { $widen(a) < $widen(b) }
            #[inline(always)]
            fn less_equal(a: Self, b: Self) -> bool { $widen(a) <= $widen(b) }
            #[inline(always)]
            fn iota(start: Self, step: Self, i: u64) -> Self { $narrow((i as f32).mul_add($widen(step), $widen(start))) }
        }

        impl FloatNumeric for $t {
            #[inline(always)]
            fn square_root(a: Self) -> Self { $narrow($widen(a).sqrt()) }
        }
    )* };
}
narrow_floats! { f16, f32_from_f16, f16_from_f32; bf16, f32_from_bf16, bf16_from_f32 }

/// `mask ? a : b`, a bit operation: any `mask` but 0 takes `a`.
#[inline(always)]
pub fn select<T: Element>(mask: u8, a: T, b: T) -> T {
    if mask == 0 { b } else { a }
}
