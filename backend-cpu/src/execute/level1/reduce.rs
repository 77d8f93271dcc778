//! `dot` and `asum`.

use super::{Vector, tree};
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::numerics::{Canonical, Numeric};

/// `Σ x · y`, or with `x` conjugated.
///
/// # Safety
/// The vectors have the same length and may be read.
pub(in crate::execute) unsafe fn dot<T: ScalarArithmetic>(
    workers: &Workers,
    conj: bool,
    x: Vector<T>,
    y: Vector<T>,
) -> T {
    // SAFETY: `reduce` asks for ranges within the vectors.
    let chunk = |range| unsafe { dot_chunk(conj, x, y, range) };
    tree::reduce(workers, x.len(), chunk, |a, b| a + b).unwrap_or(T::ZERO).canonical()
}

/// The part of a dot product in one chunk of the tree.
///
/// # Safety
/// `range` is not empty, within the length of both vectors and no longer than a chunk; the vectors may be read.
pub(in crate::execute) unsafe fn dot_chunk<T: ScalarArithmetic>(
    conj: bool,
    x: Vector<T>,
    y: Vector<T>,
    range: Range<usize>,
) -> T {
    // SAFETY: the caller's promise.
    unsafe { if conj { dot_chunk_of(x, y, range, T::conj) } else { dot_chunk_of(x, y, range, std::convert::identity) } }
}

/// [`dot_chunk`], with `of(x)` for `x`.
///
/// # Safety
/// As for [`dot_chunk`].
unsafe fn dot_chunk_of<T: ScalarArithmetic>(
    x: Vector<T>,
    y: Vector<T>,
    range: Range<usize>,
    of: impl Fn(T) -> T + Copy,
) -> T {
    let add = |a, b| a + b;
    let next = |acc, (x, y)| T::mul_add(of(x), y, acc);
    simd::vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            match unsafe { (x.slice(range.clone()), y.slice(range.clone())) } {
                (Some(x), Some(y)) => {
                    let items = |i: usize| x[i..].iter().copied().zip(y[i..].iter().copied());
                    tree::chunk(range.len(), T::MINUS_ZERO, items, next, add)
                }
                _ => {
                    let items = |i: usize| {
                        // SAFETY: the caller's promise.
                        (range.start + i..range.end).map(move |i| unsafe { (x.get(i), y.get(i)) })
                    };
                    tree::chunk(range.len(), T::MINUS_ZERO, items, next, add)
                }
            }
        },
    )
}

/// `Σ |re x| + |im x|`.
///
/// # Safety
/// `x` may be read.
pub(super) unsafe fn asum<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(
    workers: &Workers,
    x: Vector<T>,
) -> T::Magnitude {
    let next = |sum, x: T| x.add_abs1(sum);
    // SAFETY: `reduce` asks for ranges within the vector, which the caller lets us read.
    let chunk = |range| unsafe { chunk_of(x, range, next, |a, b| a + b) };
    tree::reduce(workers, x.len(), chunk, |a, b| a + b).unwrap_or(T::Magnitude::ZERO).canonical()
}

/// Reduces the elements of one chunk, with lanes that start at the default of `A`.
///
/// # Safety
/// `range` is not empty, within the vector and no longer than a chunk; the vector may be read.
pub(super) unsafe fn chunk_of<T: Copy, A: Copy + Default>(
    x: Vector<T>,
    range: Range<usize>,
    next: impl Fn(A, T) -> A + Copy,
    combine: impl Fn(A, A) -> A + Copy,
) -> A {
    simd::vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            match unsafe { x.slice(range.clone()) } {
                Some(x) => {
                    let items = |i: usize| x[i..].iter().copied();
                    tree::chunk(range.len(), A::default(), items, next, combine)
                }
                None => {
                    let items = |i: usize| {
                        // SAFETY: the caller's promise.
                        (range.start + i..range.end).map(move |i| unsafe { x.get(i) })
                    };
                    tree::chunk(range.len(), A::default(), items, next, combine)
                }
            }
        },
    )
}
