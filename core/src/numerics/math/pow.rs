//! Powers.
//!
//! Of `f32`, |x|^y = 2^(y · log₂ |x|) in `f64`. Of `f64` it is e^(y · log |x|), the logarithm and its product with y as sums of two numbers.
//! Either way log m = 2 · artanh s, s = (m − 1) / (m + 1); in `f64` s and the first two terms of the series in s² have the double precision
//! (T. J. Dekker, "A floating-point technique for extending the available precision", 1971), and a polynomial does for the rest. Special
//! values as in C99, Annex F.9.4.4.

use super::common::*;
use super::exp::*;
use super::log::log_parts64;

/// k + log₂(1 + r), to 2^−36 of itself; r from √½ − 1 to √2 − 1.
#[inline(always)]
pub(super) fn log2_short64(k: f64, r: f64) -> f64 {
    let s = r / (r + 2.0);
    let z = s * s;
    let z2 = z * z;
    let q = poly!(z, z2; 2.8853900817901468, 0.9617966732753579, 0.5770835962413388, 0.4116721065781846, 0.3407405025056763);
    s.mul_add(q, k)
}

/// 2^x for |`x`| up to 1000, to 2^−28.9 of itself; of integers exact.
#[inline(always)]
pub(super) fn exp2_short64(x: f64) -> f64 {
    let shifted = x + ROUND64;
    let r = x - (shifted - ROUND64);
    let r2 = r * r;
    let p = poly!(r, r2;
        1.0, 0.693147202855066, 0.2402264791362895, 0.05550332471125832, 0.009618437357658874,
        0.0013398874414031203, 0.0001535336191502007);
    f64::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// log `x` as a sum of two numbers, for `x` positive and finite.
#[inline(always)]
pub(super) fn log_pair64(x: f64) -> (f64, f64) {
    let (k, above) = log_parts64(x);
    let m = above + 1.0;
    let below = m + 1.0;
    let below_rest = m - (below - 1.0);
    let inverse = 1.0 / below;
    let s = above * inverse;
    let s_rest = (s.mul_add(-below, above) - s * below_rest) * inverse;
    let z = s * s;
    let z_rest = s.mul_add(s, -z) + (s + s) * s_rest;
    let z2 = z * z;
    let q = poly!(z, z2;
        0.20000000000001142, 0.142857142850428, 0.11111111261267233, 0.09090892064457141, 0.07693384364292583,
        0.06628271479979451, 0.06599480956125113);
    let third = 0.3333333333333333;
    let term = z * q;
    let sum = third + term;
    let sum_rest = ((third - sum) + term) + 1.850371707708594e-17;
    let v = z * sum;
    let v_rest = z.mul_add(sum, -v) + z.mul_add(sum_rest, z_rest * sum);
    let product = s * v;
    let product_rest = s.mul_add(v, -product) + s.mul_add(v_rest, s_rest * v);
    let artanh = s + product;
    let artanh_rest = ((s - artanh) + product) + (product_rest + s_rest);
    let base = k * LN2_SHORT64;
    let twice = artanh + artanh;
    let hi = base + twice;
    let lo = ((base - hi) + twice) + k.mul_add(LN2_REST64, artanh_rest + artanh_rest);
    (hi, lo)
}

/// x^y.
#[inline(always)]
pub(super) fn pow32(x: f32, y: f32) -> f32 {
    let magnitude = x.abs();
    let wide = magnitude as f64;
    let (k, r) = log_parts64(wide);
    let log = log2_short64(k, r);
    let log = if wide == 0.0 { f64::NEG_INFINITY } else { log };
    let infinite: bool = magnitude == f32::INFINITY;
    let log = if infinite { f64::INFINITY } else { log };
    // As far as the size of the exponent makes a difference; and a NaN becomes a number.
    let exponent = if y.abs() < 1.0995116e12 { y } else { with_sign32(1.0995116e12, y) };
    let product = exponent as f64 * log;
    let end = if product > 0.0 { 160.0 } else { -160.0 };
    let result = exp2_short64(if product.abs() < 160.0 { product } else { end }) as f32;
    // Whether y is an integer, and whether it is an even one, as all are from 2^24 on.
    let size = if y.abs() < 16777216.0 { y.abs() } else { 16777216.0 };
    let small = if size < 8388608.0 { size } else { 8388608.0 };
    let whole: bool = (small + 8388608.0) - 8388608.0 == small;
    let even: bool = (0.5 * size + 8388608.0) - 8388608.0 == 0.5 * size;
    let odd: bool = whole & !even;
    let result = if odd { f32::from_bits(result.to_bits() | (x.to_bits() & 0x8000_0000)) } else { result };
    let undefined: bool = (x < 0.0) & !whole & !infinite;
    let result = if undefined | x.is_nan() | y.is_nan() { NAN32 } else { result };
    // Not `||`: a branch around all of the above would keep a loop from being vectorised.
    if (y == 0.0) | (x == 1.0) { 1.0 } else { result }
}

/// As [`pow32`].
#[inline(always)]
pub(super) fn pow64(x: f64, y: f64) -> f64 {
    let magnitude = x.abs();
    let (log, log_rest) = log_pair64(magnitude);
    let log = if magnitude == 0.0 { f64::NEG_INFINITY } else { log };
    let infinite: bool = magnitude == f64::INFINITY;
    let log = if infinite { magnitude } else { log };
    // As far as the size of the exponent makes a difference; and a NaN becomes a number.
    let exponent = if y.abs() < 1.8446744073709552e19 { y } else { with_sign64(1.8446744073709552e19, y) };
    let product = exponent * log;
    let product_rest = exponent.mul_add(log, -product) + exponent * log_rest;
    let inside: bool = product.abs() < 747.0;
    let end = if product > 0.0 { 747.0 } else { -747.0 };
    let argument = if inside { product } else { end };
    let (n, hi, lo) = exp_parts64(argument, if inside { product_rest } else { 0.0 });
    let sum = 1.0 + hi;
    let result = scale64(sum + (((1.0 - sum) + hi) + lo), n);
    // Whether y is an integer, and whether it is an even one, as all are from 2^53 on.
    let size = if y.abs() < 9007199254740992.0 { y.abs() } else { 9007199254740992.0 };
    let small = if size < 4503599627370496.0 { size } else { 4503599627370496.0 };
    let whole: bool = (small + 4503599627370496.0) - 4503599627370496.0 == small;
    let even: bool = (0.5 * size + 4503599627370496.0) - 4503599627370496.0 == 0.5 * size;
    let odd: bool = whole & !even;
    let result = if odd { f64::from_bits(result.to_bits() | (x.to_bits() & 0x8000_0000_0000_0000)) } else { result };
    let undefined: bool = (x < 0.0) & !whole & !infinite;
    let result = if undefined | x.is_nan() | y.is_nan() { NAN64 } else { result };
    // Not `||`: a branch around all of the above would keep a loop from being vectorised.
    if (y == 0.0) | (x == 1.0) { 1.0 } else { result }
}
