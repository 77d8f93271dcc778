//! Logarithms.
//!
//! x = 2^k · m with m around 1, and log x = k · ln 2 + log m. In `f32` log m is a polynomial in r = m − 1 between −1/3 and 1/3. In
//! `f64` it is r − r²/2 + s · (r²/2 + R(s²)) with s = r / (2 + r), between √½ and √2, as in fdlibm (K. C. Ng, Sun Microsystems,
//! 1993). Either way the sum of k · ln 2 and r, the two large terms, keeps what its rounding loses.

use super::common::*;

/// k and m − 1, for `x` positive and finite.
#[inline(always)]
fn log_parts32(x: f32) -> (f32, f32) {
    let denormal: bool = x.to_bits() < 0x0080_0000;
    let bits: u32 = if denormal { (x * 8388608.0).to_bits() } else { x.to_bits() };
    // From 2/3 to 4/3.
    let e: i32 = (bits.wrapping_sub(0x3f2a_aaab) as i32) >> 23;
    let m = f32::from_bits(bits.wrapping_sub((e as u32) << 23));
    let k: i32 = e.wrapping_sub(if denormal { 23 } else { 0 });
    (k as f32, m - 1.0)
}

/// As [`log_parts32`], from √½ to √2.
#[inline(always)]
pub(super) fn log_parts64(x: f64) -> (f64, f64) {
    let denormal: bool = x.to_bits() < 0x0010_0000_0000_0000;
    let bits: u64 = if denormal { (x * 4503599627370496.0).to_bits() } else { x.to_bits() };
    // The exponent, as an unsigned number of 2048 more.
    let above: u64 = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd).wrapping_add(0x8000_0000_0000_0000) >> 52;
    let e: u64 = above.wrapping_sub(2048);
    let m = f64::from_bits(bits.wrapping_sub(e << 52));
    // An integer becomes a float by an addition, because AVX2 has no conversion from 64 bits.
    let k: u64 = e.wrapping_sub(if denormal { 52 } else { 0 });
    (f64::from_bits(k.wrapping_add(ROUND64.to_bits())) - ROUND64, m - 1.0)
}

/// (log(1 + r) − r + r²/2) / r³.
#[inline(always)]
fn log_cubic32(r: f32, r2: f32) -> f32 {
    poly!(r, r2; 0.33333215, -0.24999805, 0.20010445, -0.1668016, 0.14005344, -0.121888936, 0.13986671, -0.12871052)
}

/// s, and r²/2 + R, where log(1 + r) = r − r²/2 + s · (r²/2 + R); given r²/2.
#[inline(always)]
fn log_curve64(r: f64, half_square: f64) -> (f64, f64) {
    let s = r / (2.0 + r);
    let z = s * s;
    let z2 = z * z;
    let q = poly!(z, z2;
        0.33333333333333676, 0.1999999999970458, 0.14285714371886607, 0.11111099207890864, 0.09091786627391091,
        0.07656901943431016, 0.07399295987818195);
    (s, (z + z).mul_add(q, half_square))
}

/// k · ln 2 + log(1 + r) + `more`.
#[inline(always)]
pub(super) fn log_sum32(k: f32, r: f32, more: f32) -> f32 {
    let base = k * LN2_SHORT32;
    let hi = base + r;
    let lo = (base - hi) + r;
    let r2 = r * r;
    hi + r2.mul_add(-0.5, (r2 * r).mul_add(log_cubic32(r, r2), k.mul_add(LN2_REST32, lo + more)))
}

/// As [`log_sum32`].
#[inline(always)]
pub(super) fn log_sum64(k: f64, r: f64, more: f64) -> f64 {
    let base = k * LN2_SHORT64;
    let hi = base + r;
    let lo = (base - hi) + r;
    let half_square = 0.5 * r * r;
    let (s, curve) = log_curve64(r, half_square);
    hi + (s.mul_add(curve, k.mul_add(LN2_REST64, lo + more)) - half_square)
}

/// The result, `x` being the argument: a NaN below 0, and the limits.
#[inline(always)]
fn log_limits32(x: f32, result: f32) -> f32 {
    let bits: u32 = x.to_bits();
    let limit = if x == 0.0 { f32::NEG_INFINITY } else { NAN32 };
    let limit = if bits == 0x7f80_0000 { x } else { limit };
    // Positive and finite.
    let inside: bool = bits.wrapping_sub(1) < 0x7f7f_ffff;
    if inside { result } else { limit }
}

/// As [`log_limits32`].
#[inline(always)]
fn log_limits64(x: f64, result: f64) -> f64 {
    let bits: u64 = x.to_bits();
    let limit = if x == 0.0 { f64::NEG_INFINITY } else { NAN64 };
    let limit = if bits == 0x7ff0_0000_0000_0000 { x } else { limit };
    let inside: bool = bits.wrapping_sub(1) < 0x7fef_ffff_ffff_ffff;
    if inside { result } else { limit }
}

/// The natural logarithm.
#[inline(always)]
pub(super) fn log32(x: f32) -> f32 {
    let (k, r) = log_parts32(x);
    log_limits32(x, log_sum32(k, r, 0.0))
}

/// As [`log32`].
#[inline(always)]
pub(super) fn log64(x: f64) -> f64 {
    let (k, r) = log_parts64(x);
    log_limits64(x, log_sum64(k, r, 0.0))
}

/// k + log₂(1 + r); exact where r is 0.
#[inline(always)]
pub(super) fn log2_sum32(k: f32, r: f32) -> f32 {
    let product = r * LOG2E_HI32;
    let rest = r.mul_add(LOG2E_HI32, -product);
    let hi = k + product;
    let lo = (k - hi) + product;
    let r2 = r * r;
    let cubic = r2 * r * log_cubic32(r, r2);
    let tail = r2.mul_add(-0.5 * LOG2E_HI32, cubic.mul_add(LOG2E_HI32, r.mul_add(LOG2E_LO32, lo + rest)));
    hi + tail
}

/// As [`log2_sum32`].
#[inline(always)]
pub(super) fn log2_sum64(k: f64, r: f64) -> f64 {
    let product = r * LOG2E_HI64;
    let rest = r.mul_add(LOG2E_HI64, -product);
    let hi = k + product;
    let lo = (k - hi) + product;
    let half = 0.5 * r;
    let half_square = half * r;
    let half_square_rest = half.mul_add(r, -half_square);
    let (s, curve) = log_curve64(r, half_square);
    let small = r.mul_add(LOG2E_LO64, half_square_rest.mul_add(-LOG2E_HI64, lo + rest));
    let tail = half_square.mul_add(-LOG2E_HI64, (s * curve).mul_add(LOG2E_HI64, small));
    hi + tail
}

/// The logarithm to base 2; of a power of two, exact.
#[inline(always)]
pub(super) fn log2_32(x: f32) -> f32 {
    let (k, r) = log_parts32(x);
    log_limits32(x, log2_sum32(k, r))
}

/// As [`log2_32`].
#[inline(always)]
pub(super) fn log2_64(x: f64) -> f64 {
    let (k, r) = log_parts64(x);
    log_limits64(x, log2_sum64(k, r))
}

/// log(1 + x).
///
/// With k and m from 1 + x rounded, r = x · 2^−k + (2^−k − 1) comes from `x` itself.
#[inline(always)]
pub(super) fn log1p_32(x: f32) -> f32 {
    let e: i32 = ((1.0 + x).to_bits().wrapping_sub(0x3f2a_aaab) as i32) >> 23;
    let scaled = f32::from_bits(x.to_bits().wrapping_sub((e as u32) << 23));
    // From 2^126 on the power is nothing beside 1.
    let small: i32 = if e > 126 { 126 } else { e };
    let power = power_of_two32(-small);
    let base = power - 1.0;
    let r = base + scaled;
    let rest = (base - r) + scaled;
    // log(1 + r + rest), to the first order in the rest and the second in r.
    let result = log_sum32(e as f32, r, r.mul_add(-rest, rest));
    let result = if x == 0.0 { x } else { result };
    let result = if x == -1.0 { f32::NEG_INFINITY } else { result };
    let result = if x == f32::INFINITY { x } else { result };
    if x >= -1.0 { result } else { NAN32 }
}

/// As [`log1p_32`].
#[inline(always)]
pub(super) fn log1p_64(x: f64) -> f64 {
    let bits: u64 = (1.0 + x).to_bits();
    let above: u64 = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd).wrapping_add(0x8000_0000_0000_0000) >> 52;
    let e: u64 = above.wrapping_sub(2048);
    let scaled = f64::from_bits(x.to_bits().wrapping_sub(e << 52));
    let small: u64 = if above > 3070 { 1022 } else { e };
    let power = f64::from_bits(1023u64.wrapping_sub(small) << 52);
    let base = power - 1.0;
    let r = base + scaled;
    let rest = (base - r) + scaled;
    let k = f64::from_bits(e.wrapping_add(ROUND64.to_bits())) - ROUND64;
    let result = log_sum64(k, r, r.mul_add(-rest, rest));
    let result = if x == 0.0 { x } else { result };
    let result = if x == -1.0 { f64::NEG_INFINITY } else { result };
    let result = if x == f64::INFINITY { x } else { result };
    if x >= -1.0 { result } else { NAN64 }
}
