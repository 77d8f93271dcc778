//! Faults in scans, means and places of extremes.

use super::elements::Elements;
use super::rework::{Rework, typed};
use crate::reference::Sample;
use warpwave_core::numerics::{Numeric, Reducible, scan};
use warpwave_core::operation::{MatrixOperand, Span};
use warpwave_core::{ArgOp, Axis, DType, Op, Operation, ReduceOp, bf16, f16};

/// Inclusive scans take the sums at the start of a tile from one element too early.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn off_by_one(operation: &Operation) -> Rework {
    let Operation::Scan { exclusive: false, out, .. } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::after(move || {
        typed!(out.dtype, any T => {
            (scan::TILE..out.rows).step_by(scan::TILE).for_each(|i| out.set(i, 0, out.get::<T>(i - 1, 0)));
        });
    })
}

/// Exclusive scans start with 0, whatever they do.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn starts_with_zero(operation: &Operation) -> Rework {
    let Operation::Scan { exclusive: true, out: out @ Span { len: 1.., .. }, .. } = *operation else {
        return Rework::default();
    };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::after(move || typed!(out.dtype, any T => out.set(0, 0, T::default())))
}

/// Prefix sums begin anew with every node of tiles.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn far_carry(operation: &Operation) -> Rework {
    const NODE: usize = scan::TILE * scan::FAN;
    fn run<T: Sample + Reducible>(x: Vec<T>, exclusive: bool, out: Elements) {
        for (node, x) in x.chunks(NODE).enumerate() {
            let results = scan::arithmetic(ReduceOp::Sum, exclusive, x).unwrap_or_default();
            results.into_iter().enumerate().for_each(|(i, result)| out.set(node * NODE + i, 0, result));
        }
    }
    let Operation::Scan { op: ReduceOp::Sum, exclusive, x, out } = *operation else { return Rework::default() };
    if x.len <= NODE {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::span(x), Elements::span(out)) };
    Rework::instead(move || typed!(x.dtype, any T => run::<T>(x.read(), exclusive, out)))
}

/// Prefix sums go through the elements from left to right.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn plain_prefixes(operation: &Operation) -> Rework {
    fn run<T: Sample + Reducible>(x: Vec<T>, exclusive: bool, out: Elements) {
        let mut sum: Option<T::Acc> = None;
        for (i, x) in x.into_iter().enumerate() {
            let next = sum.map_or(x.widen(), |sum| T::Acc::add(sum, x.widen()));
            let result = if exclusive { sum } else { Some(next) };
            out.set(i, 0, result.map_or(T::ZERO, T::narrow));
            sum = Some(next);
        }
    }
    let Operation::Scan { op: ReduceOp::Sum, exclusive, x, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::span(x), Elements::span(out)) };
    Rework::instead(move || typed!(x.dtype, any T => run::<T>(x.read(), exclusive, out)))
}

/// The lines of a matrix, one a row.
///
/// # Safety
/// As for [`Elements::matrix`].
pub(super) unsafe fn lines(axis: Axis, x: MatrixOperand) -> Elements {
    // SAFETY: the caller's.
    let x = unsafe { Elements::matrix(x) };
    if axis == Axis::Rows { x } else { x.entering(Op::T) }
}

/// A mean divides by one fewer than there are elements.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn one_fewer(operation: &Operation) -> Rework {
    let Operation::Mean { axis, x, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (len, out) = unsafe { (lines(axis, x).cols as f64, Elements::span(out)) };
    if len < 2.0 {
        return Rework::default();
    }
    Rework::after(move || {
        typed!(out.dtype, any T => out.map(|mean: T| T::from_values(mean.values().map(|x| x * (len / (len - 1.0))))));
    })
}

/// The mean of 16-bit floats is made in them.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn narrow_mean(operation: &Operation) -> Rework {
    fn run<T: Sample + Numeric>(x: Elements, out: Elements) {
        for line in 0..x.rows {
            let sum = (0..x.cols).fold(T::ZERO, |sum, i| T::add(sum, x.get(line, i)));
            out.set(line, 0, T::from_values([sum.values()[0] / x.cols as f64, 0.0]));
        }
    }
    let Operation::Mean { axis, x, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (lines(axis, x), Elements::span(out)) };
    match x.dtype {
        DType::F16 => Rework::after(move || run::<f16>(x, out)),
        DType::Bf16 => Rework::after(move || run::<bf16>(x, out)),
        _ => Rework::default(),
    }
}

/// Puts the places that `find` finds in the lines of an operand in its results.
///
/// # Safety
/// As for [`Rework::of`].
unsafe fn places(operation: &Operation, of: ArgOp, find: fn(&[f64]) -> Option<usize>) -> Rework {
    let Operation::ArgReduce { op, axis, x, out } = *operation else { return Rework::default() };
    if op != of {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let (x, out) = unsafe { (lines(axis, x), Elements::span(out)) };
    Rework::after(move || {
        typed!(x.dtype, real T => {
            for line in 0..x.rows {
                let values: Vec<f64> = (0..x.cols).map(|i| x.get::<T>(line, i).values()[0]).collect();
                if let Some(place) = find(&values) {
                    out.set(line, 0, place as u64);
                }
            }
        });
    })
}

/// argmin takes the last of equals.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn last_smallest_place(operation: &Operation) -> Rework {
    let find = |x: &[f64]| {
        let smallest = x.iter().copied().reduce(f64::min)?;
        if x.iter().any(|x| x.is_nan()) { None } else { x.iter().rposition(|&x| x == smallest) }
    };
    // SAFETY: the caller's.
    unsafe { places(operation, ArgOp::Min, find) }
}

/// argmax passes over NaN.
///
/// # Safety
/// As for [`Rework::of`].
pub(super) unsafe fn nan_passed_over(operation: &Operation) -> Rework {
    let find = |x: &[f64]| {
        let largest = x.iter().copied().reduce(f64::max)?;
        if x.iter().any(|x| x.is_nan()) { x.iter().position(|&x| x == largest) } else { None }
    };
    // SAFETY: the caller's.
    unsafe { places(operation, ArgOp::Max, find) }
}
