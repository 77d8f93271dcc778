//! Reciprocal square root, and cube root.
//!
//! The reciprocal of the square root, rounded twice, gets one Newton step with an exact remainder. The cube root starts from the bits
//! of `x`, whose third, negated, is nearly the logarithm of x^−⅓ (as in W. Kahan's "Computing a real cube root", 1991); two steps of
//! third order (Householder's) without a division follow, and one Newton step for x^⅓ with an exact remainder.

use super::common::*;

/// 1/√x; of −0, −∞, as IEEE 754-2019 has it for rSqrt.
#[inline(always)]
pub(super) fn rsqrt32(x: f32) -> f32 {
    let v = if x > 0.0 { x } else { 1.0 };
    let y = 1.0 / v.sqrt();
    // 1 − v · y².
    let product = v * y;
    let product_rest = v.mul_add(y, -product);
    let remainder = product.mul_add(-y, 1.0) - product_rest * y;
    let result = (0.5 * y).mul_add(remainder, y);
    let result = if x == f32::INFINITY { 0.0 } else { result };
    let result = if x == 0.0 { with_sign32(f32::INFINITY, x) } else { result };
    if x >= 0.0 { result } else { NAN32 }
}

/// As [`rsqrt32`].
#[inline(always)]
pub(super) fn rsqrt64(x: f64) -> f64 {
    let v = if x > 0.0 { x } else { 1.0 };
    let y = 1.0 / v.sqrt();
    let product = v * y;
    let product_rest = v.mul_add(y, -product);
    let remainder = product.mul_add(-y, 1.0) - product_rest * y;
    let result = (0.5 * y).mul_add(remainder, y);
    let result = if x == f64::INFINITY { 0.0 } else { result };
    let result = if x == 0.0 { with_sign64(f64::INFINITY, x) } else { result };
    if x >= 0.0 { result } else { NAN64 }
}

/// The real cube root.
#[inline(always)]
pub(super) fn cbrt32(x: f32) -> f32 {
    let magnitude = x.abs();
    // A zero stays one; infinity and NaN are left aside.
    let inside: bool = magnitude < f32::INFINITY;
    let v = if inside { magnitude } else { 1.0 };
    // Lest the remainder be denormal.
    let tiny: bool = v < 6.617445e-24;
    let root = cbrt_normal32(if tiny { v * 281474976710656.0 } else { v });
    let root = if tiny { root * 1.5258789e-5 } else { root };
    let result = if inside { with_sign32(root, x) } else { x };
    if x.is_nan() { NAN32 } else { result }
}

/// The cube root of `v`, positive and finite, and not so small that the remainder is denormal.
#[inline(always)]
pub(super) fn cbrt_normal32(v: f32) -> f32 {
    let y = f32::from_bits(0x54a2_1d2a_u32.wrapping_sub(v.to_bits() / 3));
    let e = (v * y * y).mul_add(-y, 1.0);
    let y = (y * e).mul_add(e.mul_add(0.22222222, 0.33333334), y);
    let e = (v * y * y).mul_add(-y, 1.0);
    let y = (y * e).mul_add(e.mul_add(0.22222222, 0.33333334), y);
    let y2 = y * y;
    let root = v * y2;
    let square = root * root;
    let square_rest = root.mul_add(root, -square);
    let remainder = square.mul_add(-root, v) - square_rest * root;
    (y2 * 0.33333334).mul_add(remainder, root)
}

/// As [`cbrt32`].
#[inline(always)]
pub(super) fn cbrt64(x: f64) -> f64 {
    let magnitude = x.abs();
    // A zero stays one; infinity and NaN are left aside.
    let inside: bool = magnitude < f64::INFINITY;
    let v = if inside { magnitude } else { 1.0 };
    let tiny: bool = v < 1.1830521861667747e-271;
    let v = if tiny { v * 3.2451855365842673e32 } else { v };
    // The upper half of the bits, by three.
    let third: u64 = ((v.to_bits() >> 32) * 0x5555_5556) >> 32;
    let y = f64::from_bits(0x553e_f0ff_u64.wrapping_sub(third) << 32);
    let e = (v * y * y).mul_add(-y, 1.0);
    let y = (y * e).mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), y);
    let e = (v * y * y).mul_add(-y, 1.0);
    let y = (y * e).mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), y);
    let y2 = y * y;
    let root = v * y2;
    let square = root * root;
    let square_rest = root.mul_add(root, -square);
    let remainder = square.mul_add(-root, v) - square_rest * root;
    let root = (y2 * 0.3333333333333333).mul_add(remainder, root);
    let root = if tiny { root * 1.4551915228366852e-11 } else { root };
    let result = if inside { with_sign64(root, x) } else { x };
    if x.is_nan() { NAN64 } else { result }
}
