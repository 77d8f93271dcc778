//! The hyperbolic tangent, and the logistic function.
//!
//! Both are quotients of sums with an exponential e^y = 2^n · (1 + hi + lo), which stay sums of two numbers each up to the end; one
//! division gives 1/denominator, and the quotient is then corrected by its exact remainder.

use super::common::*;
use super::exp::*;

/// As [`exp_parts32`], the second number being what the rounding of the first has lost.
#[inline(always)]
fn exp_pair32(x: f32) -> (i32, f32, f32) {
    let (n, r, lo) = exp_parts32(x, 0.0);
    let hi = r + lo;
    (n, hi, (r - hi) + lo)
}

/// As [`exp_pair32`].
#[inline(always)]
fn exp_pair64(x: f64) -> (i64, f64, f64) {
    let (n, r, lo) = exp_parts64(x, 0.0);
    let hi = r + lo;
    (n, hi, (r - hi) + lo)
}

/// (a + a_rest) / (b + b_rest).
#[inline(always)]
fn quotient32(a: f32, a_rest: f32, b: f32, b_rest: f32) -> f32 {
    let inverse = 1.0 / b;
    let q = a * inverse;
    let remainder = q.mul_add(-b, a) + q.mul_add(-b_rest, a_rest);
    remainder.mul_add(inverse, q)
}

/// As [`quotient32`].
#[inline(always)]
fn quotient64(a: f64, a_rest: f64, b: f64, b_rest: f64) -> f64 {
    let inverse = 1.0 / b;
    let q = a * inverse;
    let remainder = q.mul_add(-b, a) + q.mul_add(-b_rest, a_rest);
    remainder.mul_add(inverse, q)
}

/// The hyperbolic tangent: (e^2|x| − 1) / (e^2|x| + 1), with the sign of x.
#[inline(always)]
pub(super) fn tanh32(x: f32) -> f32 {
    let y = if x.abs() < 10.0 { x.abs() } else { 10.0 };
    let (n, hi, lo) = exp_pair32(y + y);
    let power = power_of_two32(n);
    let product = power * hi;
    let minus = power - 1.0;
    let minus_rest = (power - minus) - 1.0;
    let a = minus + product;
    let a_rest = power.mul_add(lo, ((minus - a) + product) + minus_rest);
    let plus = power + 1.0;
    let plus_rest = (power - plus) + 1.0;
    let b = plus + product;
    let b_rest = power.mul_add(lo, ((plus - b) + product) + plus_rest);
    let result = with_sign32(quotient32(a, a_rest, b, b_rest), x);
    if x.is_nan() { NAN32 } else { result }
}

/// As [`tanh32`].
#[inline(always)]
pub(super) fn tanh64(x: f64) -> f64 {
    let y = if x.abs() < 20.0 { x.abs() } else { 20.0 };
    let (n, hi, lo) = exp_pair64(y + y);
    let power = power_of_two64(n);
    let product = power * hi;
    let minus = power - 1.0;
    let minus_rest = (power - minus) - 1.0;
    let a = minus + product;
    let a_rest = power.mul_add(lo, ((minus - a) + product) + minus_rest);
    let plus = power + 1.0;
    let plus_rest = (power - plus) + 1.0;
    let b = plus + product;
    let b_rest = power.mul_add(lo, ((plus - b) + product) + plus_rest);
    let result = with_sign64(quotient64(a, a_rest, b, b_rest), x);
    if x.is_nan() { NAN64 } else { result }
}

/// 1 / (1 + e^−x): with e = e^−|x|, 1 / (1 + e) for a positive x, and e / (1 + e) for a negative one.
#[inline(always)]
pub(super) fn sigmoid32(x: f32) -> f32 {
    let y = if x.abs() < 104.0 { -x.abs() } else { -104.0 };
    let (n, hi, lo) = exp_pair32(y);
    let e = 1.0 + hi;
    let e_rest = ((1.0 - e) + hi) + lo;
    // Far below 1 the exponential is nothing in the denominator.
    let power = power_of_two32(if n > -60 { n } else { -60 });
    let product = power * e;
    let b = 1.0 + product;
    let b_rest = power.mul_add(e_rest, (1.0 - b) + product);
    let positive: bool = x >= 0.0;
    let a = if positive { 1.0 } else { e };
    let a_rest = if positive { 0.0 } else { e_rest };
    let exponent: i32 = if positive { 0 } else { n };
    let result = scale32(quotient32(a, a_rest, b, b_rest), exponent);
    if x.is_nan() { NAN32 } else { result }
}

/// As [`sigmoid32`].
#[inline(always)]
pub(super) fn sigmoid64(x: f64) -> f64 {
    let y = if x.abs() < 746.0 { -x.abs() } else { -746.0 };
    let (n, hi, lo) = exp_pair64(y);
    let e = 1.0 + hi;
    let e_rest = ((1.0 - e) + hi) + lo;
    let power = power_of_two64(if n > -120 { n } else { -120 });
    let product = power * e;
    let b = 1.0 + product;
    let b_rest = power.mul_add(e_rest, (1.0 - b) + product);
    let positive: bool = x >= 0.0;
    let a = if positive { 1.0 } else { e };
    let a_rest = if positive { 0.0 } else { e_rest };
    let exponent: i64 = if positive { 0 } else { n };
    let result = scale64(quotient64(a, a_rest, b, b_rest), exponent);
    if x.is_nan() { NAN64 } else { result }
}
