//! What the functions share: polynomials, powers of two, exact sums.

pub(super) const NAN32: f32 = f32::from_bits(0x7fc0_0000);
pub(super) const NAN64: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
/// ln 2 in two parts, and in two parts of which the first, times an exponent, is exact.
pub(super) const LN2_HI32: f32 = std::f32::consts::LN_2;
pub(super) const LN2_LO32: f32 = -1.9046542e-9;
pub(super) const LN2_SHORT32: f32 = 0.693_145_75;
pub(super) const LN2_REST32: f32 = 1.4286068e-6;
pub(super) const LN2_HI64: f64 = std::f64::consts::LN_2;
pub(super) const LN2_LO64: f64 = 2.3190468138462996e-17;
pub(super) const LN2_SHORT64: f64 = 0.6931471805598903;
pub(super) const LN2_REST64: f64 = 5.497923018708371e-14;
/// 1/ln 2 in two parts.
pub(super) const LOG2E_HI32: f32 = std::f32::consts::LOG2_E;
pub(super) const LOG2E_LO32: f32 = 1.925963e-8;
pub(super) const LOG2E_HI64: f64 = std::f64::consts::LOG2_E;
pub(super) const LOG2E_LO64: f64 = 2.0355273740931033e-17;
/// 1.5 · 2^23 and 1.5 · 2^52: adding one rounds a smaller number to an integer, which is then in the low bits of the sum.
pub(super) const ROUND32: f32 = 12582912.0;
pub(super) const ROUND64: f64 = 6755399441055744.0;

/// `poly!(x, x2; c0, c1, …)`: the polynomial c0 + c1·x + …, by Horner's rule in `x2`, the square of `x`, on pairs of coefficients.
/// That takes half as long as Horner's rule in `x`, and one multiplication more.
macro_rules! poly {
    ($x:ident, $x2:ident; $c0:expr) => { $c0 };
    ($x:ident, $x2:ident; $c0:expr, $c1:expr) => { $x.mul_add($c1, $c0) };
    ($x:ident, $x2:ident; $c0:expr, $c1:expr, $($rest:expr),+) => {
        $x2.mul_add(poly!($x, $x2; $($rest),+), $x.mul_add($c1, $c0))
    };
}
pub(super) use poly;

/// 2^n, for the exponents of normal numbers. Others give some number, and do no harm.
#[inline(always)]
pub(super) fn power_of_two32(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// As [`power_of_two32`].
#[inline(always)]
pub(super) fn power_of_two64(n: i64) -> f64 {
    f64::from_bits((n.wrapping_add(1023) as u64) << 52)
}

/// `x` · 2^n for `x` near 1, rounded once, with n from −252 to 254.
#[inline(always)]
pub(super) fn scale32(x: f32, n: i32) -> f32 {
    let half: i32 = n >> 1;
    x * power_of_two32(half) * power_of_two32(n.wrapping_sub(half))
}

/// `x` · 2^n for `x` near 1, rounded once, with n from −2044 to 2046.
#[inline(always)]
pub(super) fn scale64(x: f64, n: i64) -> f64 {
    // An unsigned shift, because AVX2 has no signed one for 64 bits.
    let half: i64 = (((n.wrapping_add(4096) as u64) >> 1) as i64).wrapping_sub(2048);
    x * power_of_two64(half) * power_of_two64(n.wrapping_sub(half))
}

/// `a + b`, and what its rounding lost (Knuth's TwoSum).
#[inline(always)]
pub(super) fn two_sum32(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let part = sum - a;
    let rest = (a - (sum - part)) + (b - part);
    (sum, rest)
}

/// As [`two_sum32`].
#[inline(always)]
pub(super) fn two_sum64(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    let rest = (a - (sum - part)) + (b - part);
    (sum, rest)
}

/// `magnitude`, not negative, with the sign of `sign`.
#[inline(always)]
pub(super) fn with_sign32(magnitude: f32, sign: f32) -> f32 {
    f32::from_bits(magnitude.to_bits() | (sign.to_bits() & 0x8000_0000))
}

/// As [`with_sign32`].
#[inline(always)]
pub(super) fn with_sign64(magnitude: f64, sign: f64) -> f64 {
    f64::from_bits(magnitude.to_bits() | (sign.to_bits() & 0x8000_0000_0000_0000))
}

/// The upper half of the product.
#[inline(always)]
pub(super) fn mul_high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}
