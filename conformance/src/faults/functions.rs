//! Faults in elementary functions.

use super::Fault;
use super::elements::{Elements, Input};
use super::rework::{Rework, typed};
use crate::reference::Sample;
use std::f64::consts::PI;
use warpwave_core::{BinaryOp, Operation, UnaryOp};

/// What a device with the fault makes of an element, in `f64`: the right result is the second argument.
type Wrong = fn(f64, f64) -> f64;

/// The function that has the fault, and what becomes of it.
fn wrong(fault: Fault) -> Option<(UnaryOp, Wrong)> {
    Some(match fault {
        Fault::PlatformExponential => (UnaryOp::Exp, |x, _| x.exp()),
        // Subtracts from large angles a multiple of 2π that is itself rounded.
        Fault::LargeAnglesUnreduced => {
            (
                UnaryOp::Sin,
                |x, right| if x.abs() > 65_536.0 { (x - (x / (2.0 * PI)).round() * (2.0 * PI)).sin() } else { right },
            )
        }
        // Of 1/√x as by the instruction of a GPU, some 12 bits are right.
        Fault::ApproximateRsqrt => (UnaryOp::Rsqrt, |_, right| f64::from_bits(right.to_bits() & !0 << 40)),
        // 1 + x has lost what makes log1p worth calling.
        Fault::NaiveLogarithm => {
            (UnaryOp::Log1p, |x, right| if right.is_nan() { right } else { (1.0 + x as f32).ln().into() })
        }
        _ => return None,
    })
}

/// Another function than the one asked for.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn wrong_function(fault: Fault, operation: &Operation) -> Rework {
    let (Some((of, wrong)), Operation::Unary { op, x, out }) = (wrong(fault), *operation) else {
        return Rework::default();
    };
    if op != of {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::span(x), Elements::span(out)) };
    // The output may be the input.
    Rework::around(
        move || -> Vec<f64> {
            let mut values = Vec::new();
            typed!(x.dtype, float T => values = x.read::<T>().into_iter().map(|x: T| x.values()[0]).collect());
            values
        },
        move |x| {
            typed!(out.dtype, float T => {
                for (i, &x) in x.iter().enumerate() {
                    let right = out.get::<T>(i, 0);
                    let result = wrong(x, right.values()[0]);
                    // A NaN stays the one that it is.
                    out.set(i, 0, if result.is_nan() { right } else { T::from_values([result, 0.0]) });
                }
            });
        },
    )
}

/// What is not a number stays none, whatever power is asked for.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn power_of_nan(operation: &Operation) -> Rework {
    let Operation::Binary { op: BinaryOp::Pow, a, b, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (a, b, out) = unsafe { (Input::of(a), Input::of(b), Elements::span(out)) };
    Rework::around(
        move || -> Vec<usize> {
            let mut places = Vec::new();
            typed!(out.dtype, float T => {
                let is_nan = |i: &usize| a.get::<T>(*i).has_nan() || b.get::<T>(*i).has_nan();
                places = (0..out.rows).filter(is_nan).collect();
            });
            places
        },
        move |places| {
            typed!(out.dtype, float T => {
                places.into_iter().for_each(|i| out.set(i, 0, T::from_values([f64::NAN, 0.0])));
            });
        },
    )
}

/// Denormal powers of e become zeros.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn denormal_exponentials(operation: &Operation) -> Rework {
    let Operation::Unary { op: UnaryOp::Exp, out, .. } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::after(move || {
        typed!(out.dtype, float T => out.map(|x: T| {
            // Half a unit in the last place of 1 and the smallest number make the smallest normal one.
            if x.values()[0] < T::TINY * (0.5 / T::UNIT) { T::from_values([0.0, 0.0]) } else { x }
        }));
    })
}
