//! Exponentials.
//!
//! e^x = 2^n · e^r with n = round(x / ln 2), where x − n · ln 2 loses nothing: ln 2 comes in two parts (W. J. Cody and W. Waite,
//! "Software Manual for the Elementary Functions", 1980), and an `fma` makes the first difference exact.
//!
//! Arguments are clamped to where the result still changes, in a way that also replaces a NaN by a number; so the compiler cannot
//! take the choice of the canonical NaN at the end for superfluous.

use super::common::*;

/// n, and e^r − 1 as a sum of two numbers, for `x + rest` = n · ln 2 + r; `x` finite and within the range of `exp`.
#[inline(always)]
pub(super) fn exp_parts32(x: f32, rest: f32) -> (i32, f32, f32) {
    let shifted = x.mul_add(LOG2E_HI32, ROUND32);
    let n: i32 = shifted.to_bits().wrapping_sub(ROUND32.to_bits()) as i32;
    let k = shifted - ROUND32;
    let head = k.mul_add(-LN2_HI32, x);
    let tail = k.mul_add(-LN2_LO32, rest);
    let r = head + tail;
    let low = (head - r) + tail;
    let r2 = r * r;
    let q = poly!(r, r2; 0.5, 0.16666666, 0.041666485, 0.008333541, 0.0013933228, 0.00019767026);
    (n, r, r2.mul_add(q, low))
}

/// As [`exp_parts32`].
#[inline(always)]
pub(super) fn exp_parts64(x: f64, rest: f64) -> (i64, f64, f64) {
    let shifted = x.mul_add(LOG2E_HI64, ROUND64);
    let n: i64 = shifted.to_bits().wrapping_sub(ROUND64.to_bits()) as i64;
    let k = shifted - ROUND64;
    let head = k.mul_add(-LN2_HI64, x);
    let tail = k.mul_add(-LN2_LO64, rest);
    let r = head + tail;
    let low = (head - r) + tail;
    let r2 = r * r;
    let q = poly!(r, r2;
        0.5, 0.16666666666666677, 0.041666666666666574, 0.008333333333321171, 0.0013888888888944392, 0.00019841269887759563,
        2.480158719642029e-5, 2.7557242180570673e-6, 2.7557386586957743e-7, 2.5109857805413178e-8, 2.087977200392417e-9);
    // What is left of r, times the derivative.
    (n, r, r2.mul_add(q, low.mul_add(r, low)))
}

/// e^x.
#[inline(always)]
pub(super) fn exp32(x: f32) -> f32 {
    let y = if x > -104.0 { x } else { -104.0 };
    let y = if y > 89.0 { 89.0 } else { y };
    let (n, hi, lo) = exp_parts32(y, 0.0);
    let result = scale32(1.0 + (hi + lo), n);
    if x.is_nan() { NAN32 } else { result }
}

/// As [`exp32`].
#[inline(always)]
pub(super) fn exp64(x: f64) -> f64 {
    let y = if x > -746.0 { x } else { -746.0 };
    let y = if y > 710.0 { 710.0 } else { y };
    let (n, hi, lo) = exp_parts64(y, 0.0);
    let result = scale64(1.0 + (hi + lo), n);
    if x.is_nan() { NAN64 } else { result }
}

/// 2^x.
#[inline(always)]
pub(super) fn exp2_32(x: f32) -> f32 {
    let y = if x > -151.0 { x } else { -151.0 };
    let y = if y > 129.0 { 129.0 } else { y };
    let shifted = y + ROUND32;
    let n: i32 = shifted.to_bits().wrapping_sub(ROUND32.to_bits()) as i32;
    let r = y - (shifted - ROUND32);
    let r2 = r * r;
    let q = poly!(r, r2; 0.2402265, 0.055503618, 0.009618074, 0.0013390376, 0.00015457954);
    let result = scale32(1.0 + r.mul_add(LN2_HI32, r2 * q), n);
    if x.is_nan() { NAN32 } else { result }
}

/// As [`exp2_32`].
#[inline(always)]
pub(super) fn exp2_64(x: f64) -> f64 {
    let y = if x > -1076.0 { x } else { -1076.0 };
    let y = if y > 1025.0 { 1025.0 } else { y };
    let shifted = y + ROUND64;
    let n: i64 = shifted.to_bits().wrapping_sub(ROUND64.to_bits()) as i64;
    let r = y - (shifted - ROUND64);
    let r2 = r * r;
    let q = poly!(r, r2;
        0.24022650695910133, 0.05550410866482164, 0.009618129107593326, 0.0013333558146400855, 0.00015403530458086385,
        1.5252733848454711e-5, 1.3215434814021518e-6, 1.0178053838175187e-7, 7.073860581549192e-9, 4.456343064741507e-10);
    let result = scale64(1.0 + r.mul_add(LN2_HI64, r2 * q), n);
    if x.is_nan() { NAN64 } else { result }
}

/// e^x − 1.
#[inline(always)]
pub(super) fn expm1_32(x: f32) -> f32 {
    let y = if x > -20.0 { x } else { -20.0 };
    let y = if y > 89.0 { 89.0 } else { y };
    let (n, hi, lo) = exp_parts32(y, 0.0);
    // Half the result, lest 2^128 overflow: t · (1 + hi + lo) − ½ with t = 2^(n−1).
    let t = power_of_two32(n.wrapping_sub(1));
    let base = t - 0.5;
    let base_rest = (t - base) - 0.5;
    let product = t * hi;
    let sum = base + product;
    let sum_rest = (base - sum) + product;
    let half = sum + (sum_rest + t.mul_add(lo, base_rest));
    let result = if x.abs() < 2.9802322e-8 { x } else { half + half };
    if x.is_nan() { NAN32 } else { result }
}

/// As [`expm1_32`].
#[inline(always)]
pub(super) fn expm1_64(x: f64) -> f64 {
    let y = if x > -40.0 { x } else { -40.0 };
    let y = if y > 710.0 { 710.0 } else { y };
    let (n, hi, lo) = exp_parts64(y, 0.0);
    let t = power_of_two64(n.wrapping_sub(1));
    let base = t - 0.5;
    let base_rest = (t - base) - 0.5;
    let product = t * hi;
    let sum = base + product;
    let sum_rest = (base - sum) + product;
    let half = sum + (sum_rest + t.mul_add(lo, base_rest));
    let result = if x.abs() < 5.551115123125783e-17 { x } else { half + half };
    if x.is_nan() { NAN64 } else { result }
}
