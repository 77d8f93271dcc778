//! The definitions against independent computations: exact integers, and arithmetic of higher precision.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod nan;

use super::reduction;
use super::{
    Absolute, CastFrom, ComplexNumeric, FloatNumeric, IntegerNumeric, Negate, Numeric, RealNumeric, cast, select, tree,
};
use crate::element::{Complex32, Complex64, Element, Float, bf16, f16};
use proptest::prelude::*;
use std::fmt::Debug;

const NAN32: u32 = 0x7fc0_0000;
const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// Equal to the bit.
#[track_caller]
fn same<T: Element>(got: T, expected: T) {
    assert_eq!(bytemuck::bytes_of(&got), bytemuck::bytes_of(&expected), "got {got:?}, expected {expected:?}");
}

/// Every pair of 8-bit integers against 16-bit arithmetic cut down to 8 bits.
#[test]
fn integers_exhaustively_in_eight_bits() {
    for (a, b) in (i8::MIN..=i8::MAX).flat_map(|a| (i8::MIN..=i8::MAX).map(move |b| (a, b))) {
        let (wide_a, wide_b) = (i16::from(a), i16::from(b));
        same(i8::add(a, b), (wide_a + wide_b) as i8);
        same(i8::sub(a, b), (wide_a - wide_b) as i8);
        same(i8::mul(a, b), (wide_a * wide_b) as i8);
        same(i8::div(a, b), if b == 0 { 0 } else { (wide_a / wide_b) as i8 });
        same(i8::rem(a, b), if b == 0 { a } else { (wide_a % wide_b) as i8 });
        same(i8::min_nan(a, b), a.min(b));
        same(i8::max_nan(a, b), a.max(b));
        let count = u32::from(b as u8);
        same(i8::shift_left(a, b), if count >= 8 { 0 } else { (wide_a << count) as i8 });
        same(i8::shift_right(a, b), (wide_a >> count.min(15)) as i8);
        let (ua, ub) = (a as u8, b as u8);
        same(u8::shift_right(ua, ub), if count >= 8 { 0 } else { ua >> count });
        same(u8::shift_left(ua, ub), if count >= 8 { 0 } else { (u16::from(ua) << count) as u8 });
        same(u8::div(ua, ub), ua.checked_div(ub).unwrap_or(0));
        same(u8::rem(ua, ub), ua.checked_rem(ub).unwrap_or(ua));
    }
    for a in i8::MIN..=i8::MAX {
        same(i8::negate(a), (-i16::from(a)) as i8);
        same(i8::absolute(a), i16::from(a).abs() as i8);
        same(i8::bit_not(a), -1 - a);
    }
}

#[test]
fn integer_edges_in_every_width() {
    macro_rules! check {
        ($($t:ty),*) => { $(
            same(<$t>::div(<$t>::MIN, 0), 0);
            same(<$t>::rem(<$t>::MIN, 0), <$t>::MIN);
            same(<$t>::shift_left(1, <$t>::BITS as $t), 0);
            same(<$t>::shift_left(1, <$t>::BITS as $t - 1), 1 << (<$t>::BITS - 1));
            same(<$t>::shift_right(<$t>::MAX, <$t>::MAX), 0);
            same(<$t>::iota(<$t>::MAX, 1, 1), <$t>::MIN);
            same(<$t>::iota(3, 5, u64::MAX), (3 as $t).wrapping_sub(5));
        )* };
    }
    check!(i8, i16, i32, i64, u8, u16, u32, u64);
    macro_rules! check_signed {
        ($($t:ty),*) => { $(
            same(<$t>::div(<$t>::MIN, -1), <$t>::MIN);
            same(<$t>::rem(<$t>::MIN, -1), 0);
            same(<$t>::div(-7, 2), -3);
            same(<$t>::rem(-7, 2), -1);
            same(<$t>::shift_right(-5, -1), -1);
            same(<$t>::shift_right(-5, 1), -3);
            same(<$t>::shift_left(-5, -1), 0);
            same(<$t>::negate(<$t>::MIN), <$t>::MIN);
            same(<$t>::absolute(<$t>::MIN), <$t>::MIN);
        )* };
    }
    check_signed!(i8, i16, i32, i64);
}

/// What every float type does with signs, zeros and NaN; `$quiet` is the canonical NaN's pattern, `$other` another NaN's.
macro_rules! float_edges {
    ($name:ident, $t:ty, $quiet:expr, $other:expr) => {
        #[test]
        fn $name() {
            type T = $t;
            let (zero, one, infinity) = (T::ZERO, T::ONE, <T as RealNumeric>::GREATEST);
            let (minus_zero, nan, other) = (T::negate(zero), T::from_bits($quiet), T::from_bits($other));
            assert!(other.is_nan() && other.to_bits() != nan.to_bits());
            for (a, b) in [(other, one), (one, other), (other, other), (T::negate(nan), infinity)] {
                for op in [T::add, T::sub, T::mul, T::div, T::min_nan, T::max_nan] {
                    same(op(a, b), nan);
                }
                assert!(!T::equal(a, b) && !T::less(a, b) && !T::less_equal(a, b));
            }
            same(T::sub(infinity, infinity), nan);
            same(T::mul(zero, infinity), nan);
            same(T::div(zero, zero), nan);
            same(T::div(one, minus_zero), T::negate(infinity));
            same(T::square_root(T::negate(one)), nan);
            same(T::square_root(minus_zero), minus_zero);
            same(T::min_num(other, one), one);
            same(T::max_num(one, other), one);
            same(T::min_num(other, other), nan);
            same(T::max_num(T::negate(other), other), nan);
            for (small, large) in [(minus_zero, zero), (T::negate(infinity), minus_zero), (zero, one), (one, infinity)]
            {
                for (a, b) in [(small, large), (large, small)] {
                    same(T::min_nan(a, b), small);
                    same(T::max_nan(a, b), large);
                    same(T::min_num(a, b), small);
                    same(T::max_num(a, b), large);
                }
            }
            same(T::min_nan(minus_zero, minus_zero), minus_zero);
            same(T::max_nan(minus_zero, minus_zero), minus_zero);
            assert!(T::equal(zero, minus_zero) && T::less_equal(zero, minus_zero) && !T::less(minus_zero, zero));
            assert!(T::less(zero, one) && !T::less(one, one) && T::less_equal(one, one) && !T::less_equal(one, zero));
            // Bits, payload included.
            assert_eq!(T::negate(other).to_bits(), other.to_bits() ^ minus_zero.to_bits());
            assert_eq!(T::absolute(T::negate(other)).to_bits(), other.to_bits());
            same(T::absolute(minus_zero), zero);
        }
    };
}
float_edges!(f16_edges, f16, 0x7e00, 0x7c01);
float_edges!(bf16_edges, bf16, 0x7fc0, 0x7f81);
float_edges!(f32_edges, f32, NAN32, 0x7f80_0001);
float_edges!(f64_edges, f64, NAN64, 0x7ff0_0000_0000_0001);

/// The 16-bit arithmetic against one rounding from f64, where the product and the sum are exact, and the quotient and the root so
/// close that they round alike: a tie of the narrow type is far from what 53 bits can confuse.
fn narrow_arithmetic_rounds_once<T>(from_bits: impl Fn(u16) -> T)
where
    T: FloatNumeric + CastFrom<f64> + Debug,
    f64: CastFrom<T>,
{
    // Odd strides meet every exponent and many fractions, with both signs; the denormals come whole.
    let some = || (0..=u16::MAX).step_by(509).chain(0..40).chain([0x7f, 0x80, 0x81, 0x3ff, 0x400, 0x401]);
    for a in (0..=u16::MAX).step_by(3) {
        let x = from_bits(a);
        let wide_x: f64 = cast(x);
        same(T::square_root(x), cast(wide_x.sqrt()));
        for b in some() {
            let y = from_bits(b);
            let wide_y: f64 = cast(y);
            same(T::add(x, y), cast(wide_x + wide_y));
            same(T::sub(x, y), cast(wide_x - wide_y));
            same(T::mul(x, y), cast(wide_x * wide_y));
            same(T::div(x, y), cast(wide_x / wide_y));
        }
    }
}

#[test]
fn f16_arithmetic_rounds_once() {
    narrow_arithmetic_rounds_once(f16::from_bits);
}

#[test]
fn bf16_arithmetic_rounds_once() {
    narrow_arithmetic_rounds_once(bf16::from_bits);
}

/// Casts from the 16-bit floats to every type, for every pattern: exact, or by the rule written out.
#[test]
fn casts_of_sixteen_bit_floats_exhaustively() {
    fn check<T: Float>(x: T, exact: f64)
    where
        f32: CastFrom<T>,
        f64: CastFrom<T>,
        i8: CastFrom<T>,
        u16: CastFrom<T>,
        i64: CastFrom<T>,
        u64: CastFrom<T>,
        Complex32: CastFrom<T>,
    {
        if exact.is_nan() {
            same(cast::<T, f32>(x), f32::from_bits(NAN32));
            same(cast::<T, f64>(x), f64::from_bits(NAN64));
        } else {
            same(cast::<T, f64>(x), exact);
            assert_eq!(f64::from(cast::<T, f32>(x)).to_bits(), exact.to_bits());
        }
        // NaN compares false everywhere below and ends as 0.
        let clamp = |low: i128, high: i128| -> i128 {
            if exact >= high as f64 {
                high
            } else if exact <= low as f64 {
                low
            } else {
                exact.trunc() as i128
            }
        };
        assert_eq!(i128::from(cast::<T, i8>(x)), clamp(-128, 127));
        assert_eq!(i128::from(cast::<T, u16>(x)), clamp(0, 65535));
        assert_eq!(i128::from(cast::<T, i64>(x)), clamp(i64::MIN.into(), i64::MAX.into()));
        assert_eq!(i128::from(cast::<T, u64>(x)), clamp(0, u64::MAX.into()));
        let z: Complex32 = cast(x);
        same(z.re, cast::<T, f32>(x));
        same(z.im, 0.0);
    }
    for bits in 0..=u16::MAX {
        let (h, b) = (f16::from_bits(bits), bf16::from_bits(bits));
        check(h, h.to_f64_const());
        check(b, b.to_f64_const());
        // To the same type: the bits. To the other: once rounded from the exact value.
        same(cast::<f16, f16>(h), h);
        same(cast::<bf16, bf16>(b), b);
        same(cast::<f16, bf16>(h), cast(h.to_f64_const()));
        same(cast::<bf16, f16>(b), cast(b.to_f64_const()));
    }
}

#[test]
fn casts_of_integers() {
    for x in i16::MIN..=i16::MAX {
        same(cast::<i16, i8>(x), x as i8);
        same(cast::<i16, u64>(x), x as u64);
        same(cast::<i16, f16>(x), cast(f64::from(x)));
        same(cast::<i16, bf16>(x), cast(f64::from(x)));
        same(cast::<i32, bf16>(x.into()), cast(f64::from(x)));
        same(cast::<i64, f16>(x.into()), cast(f64::from(x)));
    }
    // One past the tie between 2^62 and its upper neighbour in bf16, 2^62 + 2^55; f64 cannot hold that one.
    let tie = (1i64 << 62) + (1 << 54);
    assert_eq!(cast::<i64, bf16>(tie).to_f64_const(), 2f64.powi(62));
    assert_eq!(cast::<i64, bf16>(tie + 1).to_f64_const(), 2f64.powi(62) + 2f64.powi(55));
    assert_eq!(cast::<i64, bf16>(-tie - 1).to_f64_const(), -(2f64.powi(62) + 2f64.powi(55)));
    assert_eq!(cast::<i64, bf16>(i64::MIN).to_f64_const(), -(2f64.powi(63)));
    same(cast::<u64, bf16>(u64::MAX), cast(2f64.powi(64)));
    same(cast::<u64, f16>(65519), f16::MAX);
    same(cast::<u64, f16>(65520), f16::INFINITY);
    same(cast::<i64, f16>(-65520), f16::NEG_INFINITY);
    same(cast::<u64, f32>(u64::MAX), 2f32.powi(64));
    same(cast::<u64, f32>((1 << 40) + (1 << 16)), 2f32.powi(40));
    same(cast::<u64, f32>((1 << 40) + (1 << 16) + 1), 2f32.powi(40) + 2f32.powi(17));
    same(cast::<i64, f64>(i64::MAX), 2f64.powi(63));
}

#[test]
fn casts_of_wide_floats() {
    for (x, expected) in
        [(f64::NAN, 0), (-f64::NAN, 0), (127.9, 127), (128.0, 127), (-128.9, -128), (1e300, 127), (-0.9, 0)]
    {
        same(cast::<f64, i8>(x), expected);
        same(cast::<f32, i8>(x as f32), expected);
    }
    for (x, expected) in
        [(-1.0, 0), (f64::NEG_INFINITY, 0), (f64::INFINITY, u64::MAX), (1.5e19, 15_000_000_000_000_000_000)]
    {
        same(cast::<f64, u64>(x), expected);
    }
    same(cast::<f64, i64>(2f64.powi(63)), i64::MAX);
    same(cast::<f64, f32>(-f64::NAN), f32::from_bits(NAN32));
    same(cast::<f32, f64>(f32::from_bits(0xff80_0001)), f64::from_bits(NAN64));
    same(cast::<f64, f32>(1.0 + 2f64.powi(-24)), 1.0);
    same(cast::<f64, f32>(1.0 + 2f64.powi(-24) + 2f64.powi(-50)), 1.0 + f32::EPSILON);
    same(cast::<f64, f32>(2f64.powi(-150)), 0.0);
    same(cast::<f64, f32>(2f64.powi(-149)), f32::from_bits(1));
    same(cast::<f64, f32>(1e39), f32::INFINITY);
    // To the same type a NaN keeps its payload.
    same(cast::<f32, f32>(f32::from_bits(0xff80_0001)), f32::from_bits(0xff80_0001));
    same(cast::<Complex64, Complex32>(Complex64::new(0.1, -0.0)), Complex32::new(0.1, -0.0));
    same(cast::<u8, Complex64>(7), Complex64::new(7.0, 0.0));
}

#[test]
fn complex_arithmetic() {
    let (a, b) = (Complex32::new(3.0, -2.0), Complex32::new(-5.0, 7.0));
    same(Complex32::add(a, b), Complex32::new(-2.0, 5.0));
    same(Complex32::sub(a, b), Complex32::new(8.0, -9.0));
    same(Complex32::mul(a, b), Complex32::new(-1.0, 31.0));
    // a.im · b.im is 1 − 2^-46, which without fma would round to 1 and cancel.
    let (up, down) = (1.0 + 2f32.powi(-23), 1.0 - 2f32.powi(-23));
    same(Complex32::mul(Complex32::new(1.0, up), Complex32::new(1.0, down)).re, 2f32.powi(-46));
    // And a.re · b.im is the one that is rounded first.
    same(Complex32::mul(Complex32::new(up, 1.0), Complex32::new(-1.0, down)).im, 0.0);
    same(Complex32::mul(Complex32::new(1.0, up), Complex32::new(down, -1.0)).im, -(2f32.powi(-46)));
    same(Complex64::conjugate(Complex64::new(1.0, 0.0)), Complex64::new(1.0, -0.0));
    same(Complex64::negate(Complex64::new(1.0, -0.0)), Complex64::new(-1.0, 0.0));
    let z = Complex64::add(Complex64::new(-f64::NAN, 1.0), Complex64::ONE);
    same(z, Complex64::new(f64::from_bits(NAN64), 1.0));
    assert!(Complex64::equal(Complex64::new(0.0, 1.0), Complex64::new(-0.0, 1.0)));
    assert!(!Complex64::equal(Complex64::new(0.0, 1.0), Complex64::new(0.0, 2.0)));
}

#[test]
fn sequences_and_selection() {
    // Fused: 3 · 0.1 + 0.1 rounds once, and differs from the sum of roundings in one of these.
    for i in 0..2000u64 {
        let product = i as f64 * f64::from(0.1f32);
        let sum = product + f64::from(0.7f32);
        // Both are exact: 11 + 24 bits.
        same(f32::iota(0.7, 0.1, i), sum as f32);
        same(
            bf16::iota(bf16::ONE, bf16::from_f32(0.1), i),
            cast((i as f32).mul_add(bf16::from_f32(0.1).to_f32(), 1.0)),
        );
    }
    same(f32::iota(0.0, 1.0, (1 << 24) + 1), 2f32.powi(24));
    same(f16::iota(f16::ZERO, f16::ONE, 70_000), f16::INFINITY);
    same(f64::iota(f64::INFINITY, f64::NEG_INFINITY, 1), f64::from_bits(NAN64));
    let nan = f32::from_bits(0xff80_0001);
    same(select(0, 1.0, nan), nan);
    for mask in 1..=255 {
        same(select(mask, nan, 1.0), nan);
    }
}

#[test]
fn reductions_of_nothing_and_of_specials() {
    let nothing = |_: usize| -> f32 { unreachable!() };
    same(reduction::sum(0, nothing), 0.0);
    same(reduction::prod(0, nothing), 1.0);
    same(reduction::min(0, nothing), f32::INFINITY);
    same(reduction::max(0, nothing), f32::NEG_INFINITY);
    same(reduction::min(0, |_| -> u8 { unreachable!() }), 255);
    same(reduction::max(0, |_| -> i16 { unreachable!() }), i16::MIN);
    same(reduction::sum(2, |_| -0.0f64), -0.0);
    same(reduction::sum(1, |_| f64::from_bits(u64::MAX)), f64::from_bits(NAN64));
    same(reduction::max(3, |i| if i == 1 { -f32::NAN } else { 5.0 }), f32::from_bits(NAN32));
    same(reduction::sum(300, |_| 1u8), 44);
    // 2,049 is no f16; a running sum in f16 would stay at 2,048.
    same(reduction::sum(4096, |_| f16::ONE), f16::from_f32_const(4096.0));
    // Rounded once at the end: 1 + 2^-11 + 2^-11, where each step alone would be lost.
    let tiny = f16::from_f32_const(2f32.powi(-11));
    same(reduction::sum(3, |i| if i == 0 { f16::ONE } else { tiny }), f16::from_bits(0x3c01));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The error of a sum against exact integers, within the depth of the tree times the roundoff.
    #[test]
    fn sums_are_as_exact_as_the_tree_is_shallow(
        values in prop::collection::vec(-1_000_000_000i64..1_000_000_000, 1..20_000)
    ) {
        let sum = reduction::sum(values.len(), |i| values[i] as f32);
        let exact: i64 = values.iter().map(|&v| v as f32 as i64).sum();
        let magnitude: i64 = values.iter().map(|&v| (v as f32 as i64).abs()).sum();
        let bound = tree::depth(values.len()) as f64 * 2f64.powi(-24) * magnitude as f64;
        prop_assert!((f64::from(sum) - exact as f64).abs() <= bound);
    }

    /// Integers, and floats that hold them, are summed exactly in any order.
    #[test]
    fn exact_sums_and_extremes(values in prop::collection::vec(-100i32..100, 1..10_000)) {
        let len = values.len();
        let exact: i32 = values.iter().sum();
        prop_assert_eq!(reduction::sum(len, |i| values[i]), exact);
        prop_assert_eq!(reduction::sum(len, |i| values[i] as f32), exact as f32);
        prop_assert_eq!(reduction::min(len, |i| values[i] as f64), f64::from(*values.iter().min().unwrap()));
        prop_assert_eq!(reduction::max(len, |i| values[i]), *values.iter().max().unwrap());
    }
}

/// Means against exact ones: the sum keeps `f32` for the 16-bit floats, the quotient is rounded once more, of nothing it is NaN.
#[test]
fn means() {
    assert_eq!(reduction::mean(4, |i| i as f32), 1.5);
    assert_eq!(reduction::mean(5000, |_| f16::from_f32(3.0)), f16::from_f32(3.0));
    assert_eq!(reduction::mean(3, |i| Complex64::new(i as f64, 3.0)), Complex64::new(1.0, 3.0));
    assert_eq!(reduction::mean(0, |_| 1.0_f64).to_bits(), 0x7ff8_0000_0000_0000);
    assert_eq!(reduction::mean(3, |_| 1.0_f32 / 3.0), 1.0_f32 / 3.0);
}

/// First of equals, −0 before +0, the first NaN before everything.
#[test]
fn places_of_extremes() {
    let min = |x: &[f32]| reduction::argmin(x.len(), |i| x[i]);
    let max = |x: &[f32]| reduction::argmax(x.len(), |i| x[i]);
    assert_eq!((min(&[]), max(&[])), (None, None));
    assert_eq!((min(&[2.0, 1.0, 1.0, 2.0]), max(&[1.0, 2.0, 2.0, 1.0])), (Some(1), Some(1)));
    assert_eq!((min(&[0.0, -0.0, -0.0]), max(&[-0.0, 0.0, 0.0])), (Some(1), Some(1)));
    assert_eq!(
        (min(&[f32::NEG_INFINITY, 1.0, f32::NAN, -f32::NAN]), max(&[f32::INFINITY, f32::NAN])),
        (Some(2), Some(1))
    );
    assert_eq!(reduction::argmax(3, |i| [i8::MIN, 127, 127][i]), Some(1));
    assert_eq!(reduction::argmin(3, |i| [200_u8, 3, 3][i]), Some(1));
}
