//! `nrm2`.

use super::reduce::chunk_of;
use super::{Vector, tree};
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::Canonical;
use warpwave_core::numerics::blas::{Blue, ScalarArithmetic, SumOfSquares, WideSquares};
use warpwave_core::{Complex32, Complex64};

/// `√Σ|x|²`.
///
/// # Safety
/// `x` may be read.
pub(super) unsafe fn nrm2<T: Norm>(workers: &Workers, x: Vector<T>) -> T::Magnitude {
    // SAFETY: `reduce` asks for ranges within the vector, which the caller lets us read.
    let chunk = |range| unsafe { T::chunk(x, range) };
    tree::reduce(workers, x.len(), chunk, T::Squares::combine).unwrap_or_default().norm().canonical()
}

/// How the squares of one chunk are summed.
pub(super) trait Norm: ScalarArithmetic<Magnitude: Canonical> {
    /// The sum for the elements of `range`.
    ///
    /// # Safety
    /// `range` is not empty, within the vector and no longer than a chunk; the vector may be read.
    unsafe fn chunk(x: Vector<Self>, range: Range<usize>) -> Self::Squares;
}

macro_rules! wide {
    ($($t:ty),*) => { $(
        impl Norm for $t {
            unsafe fn chunk(x: Vector<Self>, range: Range<usize>) -> WideSquares {
                let next = |sum, x: Self| x.add_squares(sum);
                // SAFETY: the caller's promise.
                unsafe { chunk_of(x, range, next, WideSquares::combine) }
            }
        }
    )* };
}
wide!(f32, Complex32);

/// An element as its components.
trait Parts: Copy {
    /// Folds the real and then the imaginary part into `acc`.
    fn fold<A>(self, acc: A, f: impl Fn(A, f64) -> A) -> A;
}

impl Parts for f64 {
    #[inline(always)]
    fn fold<A>(self, acc: A, f: impl Fn(A, f64) -> A) -> A {
        f(acc, self)
    }
}

impl Parts for Complex64 {
    #[inline(always)]
    fn fold<A>(self, acc: A, f: impl Fn(A, f64) -> A) -> A {
        f(f(acc, self.re), self.im)
    }
}

macro_rules! blue {
    ($($t:ty),*) => { $(
        impl Norm for $t {
            unsafe fn chunk(x: Vector<Self>, range: Range<usize>) -> Blue {
                // SAFETY: the caller's promise.
                unsafe { blue(x, range) }
            }
        }
    )* };
}
blue!(f64, Complex64);

/// Blue's three sums. Each is a pass of its own over the chunk, with selects instead of branches; nearly always the
/// second is the only one needed.
///
/// # Safety
/// As for [`Norm::chunk`].
unsafe fn blue<T: Parts>(x: Vector<T>, range: Range<usize>) -> Blue {
    // SAFETY: the caller's promise.
    unsafe {
        if all_mid(x, range.clone()) {
            return Blue { mid: pass(x, range, std::convert::identity), ..Blue::default() };
        }
        Blue { small: pass(x, range.clone(), small), mid: pass(x, range.clone(), mid), big: pass(x, range, big) }
    }
}

/// The sum of the squares of `of(component)`.
///
/// # Safety
/// As for [`Norm::chunk`].
unsafe fn pass<T: Parts>(x: Vector<T>, range: Range<usize>, of: impl Fn(f64) -> f64 + Copy) -> f64 {
    let square = |sum: f64, x: f64| of(x).mul_add(of(x), sum);
    let next = |sum, x: T| x.fold(sum, square);
    let add = |a, b| a + b;
    // SAFETY: the caller's promise.
    unsafe { chunk_of(x, range, next, add) }
}

/// Whether no component adds to the sums of the small and of the big.
///
/// # Safety
/// As for [`Norm::chunk`].
unsafe fn all_mid<T: Parts>(x: Vector<T>, range: Range<usize>) -> bool {
    let next = |all, x: T| x.fold(all, |all, x| all & is_mid(x));
    simd::vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            unsafe {
                match x.slice(range.clone()) {
                    Some(x) => x.iter().copied().fold(true, next),
                    None => range
                        .map(
                            #[inline(always)]
                            |i| x.get(i),
                        )
                        .fold(true, next),
                }
            }
        },
    )
}

/// Whether a component adds to the middle sum alone: NaN does, and 0 adds nothing to any.
#[inline(always)]
fn is_mid(x: f64) -> bool {
    let outside = (x.abs() > Blue::BIG) | (x.abs() < Blue::SMALL);
    !outside | (x == 0.0)
}

/// What a component adds the square of to the middle sum.
#[inline(always)]
fn mid(x: f64) -> f64 {
    if is_mid(x) { x } else { 0.0 }
}

/// What a component adds the square of to the sum of the small.
#[inline(always)]
fn small(x: f64) -> f64 {
    if x.abs() < Blue::SMALL { x * Blue::SMALL_SCALE } else { 0.0 }
}

/// What a component adds the square of to the sum of the big.
#[inline(always)]
fn big(x: f64) -> f64 {
    if x.abs() > Blue::BIG { x * Blue::BIG_SCALE } else { 0.0 }
}
