//! Sines and cosines.
//!
//! x = n · π/2 + r, r a sum of two numbers, and a polynomial each for the sine and the cosine of r, chosen by n. Up to a bound, n · π/2
//! is subtracted in three parts, by `fma` (Cody and Waite, as for the exponentials). Past it, the bits of 2/π that matter are multiplied
//! by the integer that `x` is but for its exponent: in integers, so that nothing is lost (M. Payne and R. Hanek, "Radian reduction for
//! trigonometric functions", 1983).

use super::common::*;

/// Up to here [`sin_small32`] and [`cos_small32`] hold.
pub(super) const SMALL32: f32 = 65536.0;
/// Up to here [`sin_small64`] and [`cos_small64`] hold.
pub(super) const SMALL64: f64 = 1073741824.0;

const TWO_BY_PI32: f32 = std::f32::consts::FRAC_2_PI;
const HALF_PI_A32: f32 = std::f32::consts::FRAC_PI_2;
const HALF_PI_B32: f32 = -4.371139e-8;
const HALF_PI_C32: f32 = -1.7151245e-15;
const PI_HI32: f32 = std::f32::consts::PI;
const PI_LO32: f32 = -8.742278e-8;
const TWO_BY_PI64: f64 = std::f64::consts::FRAC_2_PI;
const HALF_PI_A64: f64 = std::f64::consts::FRAC_PI_2;
const HALF_PI_B64: f64 = 6.123233995736766e-17;
const HALF_PI_C64: f64 = -1.4973849048591698e-33;
const PI_HI64: f64 = std::f64::consts::PI;
const PI_LO64: f64 = 1.2246467991473532e-16;

/// n modulo 4 in its two lowest bits, and r as a sum, for |x| ≤ [`SMALL32`].
#[inline(always)]
fn reduce_small32(x: f32) -> (u32, f32, f32) {
    let shifted = x.mul_add(TWO_BY_PI32, ROUND32);
    let k = shifted - ROUND32;
    // Exact, and so is the product in two parts.
    let first = k.mul_add(-HALF_PI_A32, x);
    let product = k * -HALF_PI_B32;
    let product_rest = k.mul_add(-HALF_PI_B32, -product);
    let (r, rest) = two_sum32(first, product);
    (shifted.to_bits(), r, rest + k.mul_add(-HALF_PI_C32, product_rest))
}

/// As [`reduce_small32`].
#[inline(always)]
fn reduce_small64(x: f64) -> (u64, f64, f64) {
    let shifted = x.mul_add(TWO_BY_PI64, ROUND64);
    let k = shifted - ROUND64;
    let first = k.mul_add(-HALF_PI_A64, x);
    let product = k * -HALF_PI_B64;
    let product_rest = k.mul_add(-HALF_PI_B64, -product);
    let (r, rest) = two_sum64(first, product);
    (shifted.to_bits(), r, rest + k.mul_add(-HALF_PI_C64, product_rest))
}

/// As [`reduce_small32`], for |x| ≥ 2^16, finite.
#[inline(always)]
fn reduce_large32(x: f32) -> (u32, f32, f32) {
    // 2/π, after 32 bits of its integer part.
    const BITS: [u64; 8] =
        [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];
    let bits: u32 = x.to_bits();
    let m: u64 = ((bits & 0x007f_ffff) | 0x0080_0000) as u64;
    // Bits worth 4 or more in the product can go; from here on 96 bits are enough, in which the product is taken modulo 4.
    let start: u32 = ((bits >> 23) & 255).wrapping_sub(120);
    let word: u32 = (start >> 5) & 7;
    let shift: u32 = 32 - (start & 31);
    let a: u64 = BITS[(word & 7) as usize];
    let b: u64 = BITS[((word + 1) & 7) as usize];
    let c: u64 = BITS[((word + 2) & 7) as usize];
    let d: u64 = BITS[((word + 3) & 7) as usize];
    let w0: u64 = ((a << 32 | b) >> shift) & 0xffff_ffff;
    let w1: u64 = ((b << 32 | c) >> shift) & 0xffff_ffff;
    let w2: u64 = ((c << 32 | d) >> shift) & 0xffff_ffff;
    let p1: u64 = m * w1 + ((m * w2) >> 32);
    let p0: u64 = m * w0 + (p1 >> 32);
    let product: u64 = (p0 << 32) | (p1 & 0xffff_ffff);
    let n: u32 = ((product >> 62) + ((product >> 61) & 1)) as u32;
    // Two bits of integer are gone; what is left is a signed fraction.
    let fraction: u64 = product << 2;
    let negative: bool = fraction >> 63 != 0;
    let magnitude: u64 = if negative { fraction.wrapping_neg() } else { fraction };
    let zeros: u32 = magnitude.leading_zeros();
    let normal: u64 = magnitude << (zeros & 63);
    let unit = power_of_two32(-24 - zeros as i32);
    let hi = (normal >> 40) as f32 * unit;
    let lo = ((normal >> 16) & 0x00ff_ffff) as f32 * (unit * 5.9604645e-8);
    let r = hi * HALF_PI_A32;
    let rest = hi.mul_add(HALF_PI_A32, -r) + hi.mul_add(HALF_PI_B32, lo * HALF_PI_A32);
    let flip: bool = negative != (bits >> 31 != 0);
    let turns: u32 = if bits >> 31 != 0 { n.wrapping_neg() } else { n };
    (turns, if flip { -r } else { r }, if flip { -rest } else { rest })
}

/// As [`reduce_large32`], for |x| ≥ 2^30, finite.
#[inline(always)]
fn reduce_large64(x: f64) -> (u64, f64, f64) {
    // 2/π, after 64 bits of its integer part.
    const BITS: [u64; 20] = [
        0,
        0xa2f9_836e_4e44_1529,
        0xfc27_57d1_f534_ddc0,
        0xdb62_9599_3c43_9041,
        0xfe51_63ab_debb_c561,
        0xb724_6e3a_424d_d2e0,
        0x0649_2eea_09d1_921c,
        0xfe1d_eb1c_b129_a73e,
        0xe882_35f5_2ebb_4484,
        0xe99c_7026_b45f_7e41,
        0x3991_d639_8353_39f4,
        0x9c84_5f8b_bdf9_283b,
        0x1ff8_97ff_de05_980f,
        0xef2f_118b_5a0a_6d1f,
        0x6d36_7ecf_27cb_09b7,
        0x4f46_3f66_9e5f_ea2d,
        0x7527_bac7_ebe5_f17b,
        0x3d07_39f7_8a52_92ea,
        0x6bfb_5fb1_1f8d_5d08,
        0x5603_3046_fc7b_6bab,
    ];
    let bits: u64 = x.to_bits();
    let m: u64 = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    let start: u32 = (((bits >> 52) & 2047) as u32).wrapping_sub(1013);
    let word: u32 = (start >> 6) & 31;
    let word: u32 = if word > 16 { 16 } else { word };
    let shift: u32 = start & 63;
    let a: u64 = BITS[word as usize];
    let b: u64 = BITS[(word + 1) as usize];
    let c: u64 = BITS[(word + 2) as usize];
    let d: u64 = BITS[(word + 3) as usize];
    let w0: u64 = (a << shift) | (b >> 1 >> (63 - shift));
    let w1: u64 = (b << shift) | (c >> 1 >> (63 - shift));
    let w2: u64 = (c << shift) | (d >> 1 >> (63 - shift));
    let carried: u64 = mul_high(m, w2);
    let p1: u64 = m.wrapping_mul(w1).wrapping_add(carried);
    let carry: u64 = if p1 < carried { 1 } else { 0 };
    let p0: u64 = m.wrapping_mul(w0).wrapping_add(mul_high(m, w1)).wrapping_add(carry);
    let n: u64 = (p0 >> 62) + ((p0 >> 61) & 1);
    let upper: u64 = (p0 << 2) | (p1 >> 62);
    let lower: u64 = p1 << 2;
    let negative: bool = upper >> 63 != 0;
    let borrow: u64 = if lower == 0 { 0 } else { 1 };
    let upper: u64 = if negative { upper.wrapping_neg().wrapping_sub(borrow) } else { upper };
    let lower: u64 = if negative { lower.wrapping_neg() } else { lower };
    // No double comes so near to a multiple of π/2 that the upper word is 0.
    let zeros: u32 = upper.leading_zeros() & 63;
    let normal: u64 = (upper << zeros) | (lower >> 1 >> (63 - zeros));
    let below: u64 = lower << zeros;
    let unit = power_of_two64(-53 - zeros as i64);
    let hi = (normal >> 11) as f64 * unit;
    let lo = (((normal & 0x7ff) << 42) | (below >> 22)) as f64 * (unit * 1.1102230246251565e-16);
    let r = hi * HALF_PI_A64;
    let rest = hi.mul_add(HALF_PI_A64, -r) + hi.mul_add(HALF_PI_B64, lo * HALF_PI_A64);
    let flip: bool = negative != (bits >> 63 != 0);
    let turns: u64 = if bits >> 63 != 0 { n.wrapping_neg() } else { n };
    (turns, if flip { -r } else { r }, if flip { -rest } else { rest })
}

/// The sine of n · π/2 + r + rest.
#[inline(always)]
fn sin_of32(n: u32, r: f32, rest: f32) -> f32 {
    let z = r * r;
    let z2 = z * z;
    let nearly = z.mul_add(-0.5, 1.0);
    let s = poly!(z, z2; -0.16666654, 0.008332098, -0.00019506023);
    let sine = r + (z * r).mul_add(s, rest * nearly);
    let c = poly!(z, z2; 0.04166664, -0.001388713, 2.4412086e-5);
    let cosine = nearly + (z.mul_add(-0.5, 1.0 - nearly) + z2.mul_add(c, -r * rest));
    let value = if (n & 1) == 0 { sine } else { cosine };
    f32::from_bits(value.to_bits() ^ ((n & 2) << 30))
}

/// As [`sin_of32`].
#[inline(always)]
fn sin_of64(n: u64, r: f64, rest: f64) -> f64 {
    let z = r * r;
    let z2 = z * z;
    let nearly = z.mul_add(-0.5, 1.0);
    let s = poly!(z, z2;
        -0.16666666666666624, 0.008333333333320325, -0.0001984126982806559, 2.755731306859788e-6, -2.505065813354024e-8,
        1.5890886869598678e-10);
    let sine = r + (z * r).mul_add(s, rest * nearly);
    let c = poly!(z, z2;
        0.041666666666666574, -0.0013888888888869775, 2.4801587286786753e-5, -2.7557313579064577e-7, 2.0875618852679877e-9,
        -1.1354275414202467e-11);
    let cosine = nearly + (z.mul_add(-0.5, 1.0 - nearly) + z2.mul_add(c, -r * rest));
    let value = if (n & 1) == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ ((n & 2) << 62))
}

/// The sine, for |x| ≤ [`SMALL32`] and NaN.
#[inline(always)]
pub(super) fn sin_small32(x: f32) -> f32 {
    let y = if x.abs() <= SMALL32 { x } else { 0.0 };
    let (n, r, rest) = reduce_small32(y);
    let result = if x == 0.0 { x } else { sin_of32(n, r, rest) };
    if x.is_nan() { NAN32 } else { result }
}

/// The cosine, for |x| ≤ [`SMALL32`] and NaN.
#[inline(always)]
pub(super) fn cos_small32(x: f32) -> f32 {
    let y = if x.abs() <= SMALL32 { x } else { 0.0 };
    let (n, r, rest) = reduce_small32(y);
    let result = sin_of32(n.wrapping_add(1), r, rest);
    if x.is_nan() { NAN32 } else { result }
}

/// The sine, for |x| ≤ [`SMALL64`] and NaN.
#[inline(always)]
pub(super) fn sin_small64(x: f64) -> f64 {
    let y = if x.abs() <= SMALL64 { x } else { 0.0 };
    let (n, r, rest) = reduce_small64(y);
    let result = if x == 0.0 { x } else { sin_of64(n, r, rest) };
    if x.is_nan() { NAN64 } else { result }
}

/// The cosine, for |x| ≤ [`SMALL64`] and NaN.
#[inline(always)]
pub(super) fn cos_small64(x: f64) -> f64 {
    let y = if x.abs() <= SMALL64 { x } else { 0.0 };
    let (n, r, rest) = reduce_small64(y);
    let result = sin_of64(n.wrapping_add(1), r, rest);
    if x.is_nan() { NAN64 } else { result }
}

/// The sine of x + `quarter` · π/2, for |x| > [`SMALL32`].
#[cold]
#[inline(never)]
fn sin_large32(x: f32, quarter: u32) -> f32 {
    let finite: bool = x.abs() < f32::INFINITY;
    let (n, r, rest) = reduce_large32(if finite { x } else { SMALL32 });
    let result = sin_of32(n.wrapping_add(quarter), r, rest);
    if finite { result } else { NAN32 }
}

/// The sine of x + `quarter` · π/2, for |x| > [`SMALL64`].
#[cold]
#[inline(never)]
fn sin_large64(x: f64, quarter: u64) -> f64 {
    let finite: bool = x.abs() < f64::INFINITY;
    let (n, r, rest) = reduce_large64(if finite { x } else { SMALL64 });
    let result = sin_of64(n.wrapping_add(quarter), r, rest);
    if finite { result } else { NAN64 }
}

/// The sine.
#[inline(always)]
pub(super) fn sin32(x: f32) -> f32 {
    if x.abs() > SMALL32 { sin_large32(x, 0) } else { sin_small32(x) }
}

/// The cosine.
#[inline(always)]
pub(super) fn cos32(x: f32) -> f32 {
    if x.abs() > SMALL32 { sin_large32(x, 1) } else { cos_small32(x) }
}

/// The sine.
#[inline(always)]
pub(super) fn sin64(x: f64) -> f64 {
    if x.abs() > SMALL64 { sin_large64(x, 0) } else { sin_small64(x) }
}

/// The cosine.
#[inline(always)]
pub(super) fn cos64(x: f64) -> f64 {
    if x.abs() > SMALL64 { sin_large64(x, 1) } else { cos_small64(x) }
}

/// n and the parts of r with π · x = n · π/2 + r, but for whole turns.
#[inline(always)]
fn reduce_pi32(x: f32) -> (u32, f32, f32) {
    let magnitude = x.abs();
    // From 2^23 on there are integers only, and from 2^24 on only even ones.
    let odd: bool = magnitude < 16777216.0 && (x.to_bits() & 1) != 0;
    let integer = if odd { 1.0 } else { 0.0 };
    let y = if magnitude < 8388608.0 { x } else { integer };
    let y = y - 2.0 * (y.mul_add(0.5, ROUND32) - ROUND32);
    let shifted = y.mul_add(2.0, ROUND32);
    let r = (shifted - ROUND32).mul_add(-0.5, y);
    let hi = r * PI_HI32;
    (shifted.to_bits(), hi, r.mul_add(PI_HI32, -hi) + r * PI_LO32)
}

/// As [`reduce_pi32`].
#[inline(always)]
fn reduce_pi64(x: f64) -> (u64, f64, f64) {
    let magnitude = x.abs();
    let odd: bool = magnitude < 9007199254740992.0 && (x.to_bits() & 1) != 0;
    let integer = if odd { 1.0 } else { 0.0 };
    let y = if magnitude < 4503599627370496.0 { x } else { integer };
    let y = y - 2.0 * (y.mul_add(0.5, ROUND64) - ROUND64);
    let shifted = y.mul_add(2.0, ROUND64);
    let r = (shifted - ROUND64).mul_add(-0.5, y);
    let hi = r * PI_HI64;
    (shifted.to_bits(), hi, r.mul_add(PI_HI64, -hi) + r * PI_LO64)
}

/// sin πx and cos πx. The sine of an integer is a zero with the sign of `x`, the cosine of a half is +0.
#[inline(always)]
pub(super) fn sincospi32(x: f32) -> (f32, f32) {
    let (n, r, rest) = reduce_pi32(x);
    let sine = sin_of32(n, r, rest);
    let sine = if sine == 0.0 { with_sign32(0.0, x) } else { sine };
    let cosine = sin_of32(n.wrapping_add(1), r, rest) + 0.0;
    let finite: bool = x.abs() < f32::INFINITY;
    (if finite { sine } else { NAN32 }, if finite { cosine } else { NAN32 })
}

/// As [`sincospi32`].
#[inline(always)]
pub(super) fn sincospi64(x: f64) -> (f64, f64) {
    let (n, r, rest) = reduce_pi64(x);
    let sine = sin_of64(n, r, rest);
    let sine = if sine == 0.0 { with_sign64(0.0, x) } else { sine };
    let cosine = sin_of64(n.wrapping_add(1), r, rest) + 0.0;
    let finite: bool = x.abs() < f64::INFINITY;
    (if finite { sine } else { NAN64 }, if finite { cosine } else { NAN64 })
}

/// sin πx.
#[inline(always)]
pub(super) fn sinpi32(x: f32) -> f32 {
    let (sine, _cosine) = sincospi32(x);
    sine
}

/// cos πx.
#[inline(always)]
pub(super) fn cospi32(x: f32) -> f32 {
    let (_sine, cosine) = sincospi32(x);
    cosine
}

/// sin πx.
#[inline(always)]
pub(super) fn sinpi64(x: f64) -> f64 {
    let (sine, _cosine) = sincospi64(x);
    sine
}

/// cos πx.
#[inline(always)]
pub(super) fn cospi64(x: f64) -> f64 {
    let (_sine, cosine) = sincospi64(x);
    cosine
}
