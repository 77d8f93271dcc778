//! The routines that change every element of a vector by itself.

use super::{GRAIN, Vector};
use crate::simd;
use crate::workers::Workers;
use warpwave_core::Element;
use warpwave_core::numerics::blas::{self, ScalarArithmetic};

/// `y = x`.
///
/// # Safety
/// The vectors have the same length and do not overlap; `x` may be read and `y` written.
pub(super) unsafe fn copy<T: Copy + Send + Sync>(workers: &Workers, x: Vector<T>, y: Vector<T>) {
    // SAFETY: the caller's promise.
    unsafe { update(workers, x, y, |x, _| x) }
}

/// `x ↔ y`.
///
/// # Safety
/// The vectors have the same length and do not overlap; both may be written.
pub(super) unsafe fn swap<T: Element>(workers: &Workers, x: Vector<T>, y: Vector<T>) {
    workers.split(x.len(), GRAIN, |range| {
        // SAFETY: no two ranges overlap, and neither do the vectors, which the caller lets us write.
        unsafe {
            match (x.slice_mut(range.clone()), y.slice_mut(range.clone())) {
                (Some(x), Some(y)) => x.swap_with_slice(y),
                _ => {
                    for i in range {
                        let (old_x, old_y) = (x.get(i), y.get(i));
                        x.set(i, old_y);
                        y.set(i, old_x);
                    }
                }
            }
        }
    });
}

/// `x = alpha · x`.
///
/// # Safety
/// `x` may be written.
pub(super) unsafe fn scal<T: ScalarArithmetic>(workers: &Workers, alpha: T, x: Vector<T>) {
    workers.split(x.len(), GRAIN, |range| {
        simd::vectorize(
            #[inline(always)]
            || {
                // SAFETY: no two ranges overlap, and the caller lets us write the vector.
                unsafe {
                    match x.slice_mut(range.clone()) {
                        Some(x) => x.iter_mut().for_each(|x| *x = blas::scal(alpha, *x)),
                        None => range.for_each(|i| x.set(i, blas::scal(alpha, x.get(i)))),
                    }
                }
            },
        );
    });
}

/// `y = alpha · x + y`.
///
/// # Safety
/// The vectors have the same length and do not overlap; `x` may be read and `y` written.
pub(super) unsafe fn axpy<T: ScalarArithmetic>(workers: &Workers, alpha: T, x: Vector<T>, y: Vector<T>) {
    if alpha != T::ZERO {
        let axpy = |x, y| T::mul_add(alpha, x, y).canonical();
        // SAFETY: the caller's promise.
        unsafe { update(workers, x, y, axpy) }
    }
}

/// `y = f(x, y)`, element by element.
///
/// # Safety
/// The vectors have the same length and do not overlap; `x` may be read and `y` written.
#[inline(always)]
unsafe fn update<T: Copy + Send + Sync>(
    workers: &Workers,
    x: Vector<T>,
    y: Vector<T>,
    f: impl Fn(T, T) -> T + Copy + Sync,
) {
    workers.split(y.len(), GRAIN, |range| {
        simd::vectorize(
            #[inline(always)]
            || {
                // SAFETY: no two ranges overlap, and neither do the vectors, which the caller lets us read and write.
                unsafe {
                    match (x.slice(range.clone()), y.slice_mut(range.clone())) {
                        (Some(x), Some(y)) => y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x, *y)),
                        _ => range.for_each(|i| y.set(i, f(x.get(i), y.get(i)))),
                    }
                }
            },
        );
    });
}
