//! The error function.
//!
//! Up to 1, x + x · P(x²). From there on 1 − e^−Q(x − 2), where Q is a polynomial for −log erfc, fitted so that the error of the whole is
//! even, and what the rounding of its last sum loses goes into the exponential too. (The exponential of a polynomial, in place of
//! rational functions, is an idea of N. Juffa's.)

use super::common::*;
use super::exp::*;

/// The error function.
#[inline(always)]
pub(super) fn erf32(x: f32) -> f32 {
    let magnitude = x.abs();
    let z = x * x;
    let z2 = z * z;
    let p = poly!(z, z2;
        0.12837917, -0.37612626, 0.11283579, -0.026853355, 0.005187201, -0.0007998475, 7.810084e-5);
    let near = magnitude.mul_add(p, magnitude);
    let u = if magnitude < 4.0 { magnitude - 2.0 } else { 2.0 };
    let u2 = u * u;
    let line = u.mul_add(4.41816, 5.364941);
    let curve = poly!(u, u2; 0.92375433, 0.016486922, -0.0035474529, 0.00070863625, -0.00018696518);
    let q = u2.mul_add(curve, line);
    let q_rest = u2.mul_add(curve, line - q);
    let (n, hi, lo) = exp_parts32(-q, -q_rest);
    let power = power_of_two32(n);
    let far = (hi + lo).mul_add(-power, 1.0 - power);
    let result = with_sign32(if magnitude < 1.0 { near } else { far }, x);
    if x.is_nan() { NAN32 } else { result }
}

/// As [`erf32`].
#[inline(always)]
pub(super) fn erf64(x: f64) -> f64 {
    let magnitude = x.abs();
    let z = x * x;
    let z2 = z * z;
    let p = poly!(z, z2;
        0.12837916709551256, -0.37612638903183376, 0.11283791670939435, -0.02686617064246542, 0.005223977601464994,
        -0.000854832572954962, 0.00012055288149826462, -1.4924616562602756e-5, 1.6446037433922426e-6,
        -1.6198497995868556e-7, 1.3679262387406713e-8, -7.723643707901719e-10);
    let near = magnitude.mul_add(p, magnitude);
    let u = if magnitude < 6.0 { magnitude - 2.0 } else { 4.0 };
    let u2 = u * u;
    let line = u.mul_add(4.418160805994414, 5.364941264616636);
    let curve = poly!(u, u2;
        0.9237508418239503, 0.016465118137379303, -0.0035707563479539413,
        0.000732399377976352, -0.00013530932997101998, 2.0706470907128394e-5, -1.952189062343122e-6,
        -2.0372823836096838e-7, 1.7317481116105505e-7, -5.76949216985778e-8, 1.3987444313588355e-8,
        -2.6101914307227346e-9, 2.580562800346192e-10, 7.155917850385286e-11, -3.6862295501846635e-11,
        4.916038088724194e-12);
    let q = u2.mul_add(curve, line);
    let q_rest = u2.mul_add(curve, line - q);
    let (n, hi, lo) = exp_parts64(-q, -q_rest);
    let power = power_of_two64(n);
    let far = (hi + lo).mul_add(-power, 1.0 - power);
    let result = with_sign64(if magnitude < 1.0 { near } else { far }, x);
    if x.is_nan() { NAN64 } else { result }
}
