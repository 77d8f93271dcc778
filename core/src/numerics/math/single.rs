//! One value at a time: arguments as they mostly are take a way of their own, without the choices that limits, denormal numbers and special
//! values need, and with branches that a processor foresees. What they compute is what the other files say, to the bit; a kernel has no use
//! for the difference.

use super::common::*;
use super::exp::{exp_parts32, exp_parts64, exp32 as straight_exp32, exp64 as straight_exp64};
use super::log::*;
use super::pow::{exp2_short64, log_pair64, log2_short64, pow32 as straight_pow32, pow64 as straight_pow64};
use super::root::{cbrt_normal32, cbrt32 as straight_cbrt32};
use super::trig::{SMALL32, cos_small32, sin_small32};

/// The general way, for the arguments that are rare.
macro_rules! rare {
    ($($name:ident = $function:path, ($($x:ident),*): $t:ty;)*) => { $(
        #[cold]
        #[inline(never)]
        fn $name($($x: $t),*) -> $t { $function($($x),*) }
    )* };
}
rare! {
    rare_exp32 = straight_exp32, (x): f32;
    rare_exp64 = straight_exp64, (x): f64;
    rare_log32 = super::log::log32, (x): f32;
    rare_log64 = super::log::log64, (x): f64;
    rare_log2_32 = super::log::log2_32, (x): f32;
    rare_log2_64 = super::log::log2_64, (x): f64;
    rare_sin32 = super::trig::sin32, (x): f32;
    rare_cos32 = super::trig::cos32, (x): f32;
    rare_cbrt32 = straight_cbrt32, (x): f32;
    rare_pow32 = straight_pow32, (x, y): f32;
    rare_pow64 = straight_pow64, (x, y): f64;
}

/// `x` · 2^n, where both are normal.
#[inline(always)]
fn scaled32(x: f32, n: i32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add((n as u32) << 23))
}

/// As [`scaled32`].
#[inline(always)]
fn scaled64(x: f64, n: i64) -> f64 {
    f64::from_bits(x.to_bits().wrapping_add((n as u64) << 52))
}

/// Whether `x` is positive, normal and finite.
#[inline(always)]
fn is_plain32(x: f32) -> bool {
    x.to_bits().wrapping_sub(0x0080_0000) < 0x7f00_0000
}

/// As [`is_plain32`].
#[inline(always)]
fn is_plain64(x: f64) -> bool {
    x.to_bits().wrapping_sub(0x0010_0000_0000_0000) < 0x7fe0_0000_0000_0000
}

#[inline(always)]
pub(super) fn exp32(x: f32) -> f32 {
    // e^±87 is normal.
    if x.abs() < 87.0 {
        let (n, hi, lo) = exp_parts32(x, 0.0);
        scaled32(1.0 + (hi + lo), n)
    } else {
        rare_exp32(x)
    }
}

#[inline(always)]
pub(super) fn exp64(x: f64) -> f64 {
    if x.abs() < 708.0 {
        let (n, hi, lo) = exp_parts64(x, 0.0);
        scaled64(1.0 + (hi + lo), n)
    } else {
        rare_exp64(x)
    }
}

/// What [`log_parts32`] gives for a normal number.
#[inline(always)]
fn parts32(x: f32) -> (f32, f32) {
    let bits = x.to_bits();
    let e = (bits.wrapping_sub(0x3f2a_aaab) as i32) >> 23;
    (e as f32, f32::from_bits(bits.wrapping_sub((e as u32) << 23)) - 1.0)
}

/// What [`log_parts64`] gives for a normal number.
#[inline(always)]
fn parts64(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    let e = (bits.wrapping_sub(0x3fe6_a09e_667f_3bcd) as i64) >> 52;
    (e as f64, f64::from_bits(bits.wrapping_sub((e as u64) << 52)) - 1.0)
}

macro_rules! logarithms {
    ($($name:ident, $t:ty, $is_plain:ident, $parts:ident, $rare:ident, |$k:ident, $r:ident| $sum:expr;)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: $t) -> $t {
            if $is_plain(x) {
                let ($k, $r) = $parts(x);
                $sum
            } else {
                $rare(x)
            }
        }
    )* };
}
logarithms! {
    log32, f32, is_plain32, parts32, rare_log32, |k, r| log_sum32(k, r, 0.0);
    log64, f64, is_plain64, parts64, rare_log64, |k, r| log_sum64(k, r, 0.0);
    log2_32, f32, is_plain32, parts32, rare_log2_32, |k, r| log2_sum32(k, r);
    log2_64, f64, is_plain64, parts64, rare_log2_64, |k, r| log2_sum64(k, r);
}

#[inline(always)]
pub(super) fn sin32(x: f32) -> f32 {
    if x.abs() <= SMALL32 { sin_small32(x) } else { rare_sin32(x) }
}

#[inline(always)]
pub(super) fn cos32(x: f32) -> f32 {
    if x.abs() <= SMALL32 { cos_small32(x) } else { rare_cos32(x) }
}

#[inline(always)]
pub(super) fn cbrt32(x: f32) -> f32 {
    let magnitude = x.abs();
    if (6.617445e-24..f32::INFINITY).contains(&magnitude) {
        with_sign32(cbrt_normal32(magnitude), x)
    } else {
        rare_cbrt32(x)
    }
}

#[inline(always)]
pub(super) fn pow32(x: f32, y: f32) -> f32 {
    // A denormal number is a normal one in `f64`.
    if x.to_bits().wrapping_sub(1) < 0x7f7f_ffff {
        let (k, r) = parts64(x as f64);
        // Not of an infinite y, whose product with log₂ 1 is a NaN.
        let product = y as f64 * log2_short64(k, r);
        if product.abs() < 160.0 {
            return exp2_short64(product) as f32;
        }
    }
    rare_pow32(x, y)
}

#[inline(always)]
pub(super) fn pow64(x: f64, y: f64) -> f64 {
    if is_plain64(x) {
        // For a y past 2^64, where the general way ends, the product is larger than 700, 0 or a NaN.
        let (log, log_rest) = log_pair64(x);
        let product = y * log;
        if product.abs() < 700.0 {
            let product_rest = y.mul_add(log, -product) + y * log_rest;
            let (n, hi, lo) = exp_parts64(product, product_rest);
            let sum = 1.0 + hi;
            return scaled64(sum + (((1.0 - sum) + hi) + lo), n);
        }
    }
    rare_pow64(x, y)
}
