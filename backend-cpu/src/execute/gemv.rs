//! `gemv`: the bits of [`warpwave_core::numerics::blas::gemv`], whatever precision is asked for.
//!
//! The work is bound by memory, and the reduction tree costs no more of it than any other order.

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::level1::{GRAIN, Products, Vector, dot_chunk, match_scalar};
use super::memory::prefetch;
use super::tree::{self, Lanes, Rows};
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::Result;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic};
use warpwave_core::operation::{Gemv, Ptr};

/// `y = alpha · op(a) · x + beta · y`.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(crate) unsafe fn gemv(workers: &Workers, gemv: &Gemv) -> Option<Result<()>> {
    match_scalar!(gemv.a.dtype, T => {
        let (alpha, beta): (T, T) = (gemv.alpha.get()?, gemv.beta.get()?);
        let (a, x, y) = (Matrix::<T>::new(&gemv.a, gemv.op), Vector::<T>::new(&gemv.x), Vector::<T>::new(&gemv.y));
        // SAFETY: the caller's promise.
        Some(unsafe {
            if a.cols == 0 || alpha == T::ZERO {
                scale(workers, beta, y);
                Ok(())
            } else {
                multiply(workers, alpha, a, x, beta, y)
            }
        })
    })
}

/// `y = beta · y`.
///
/// # Safety
/// `y` may be written.
pub(super) unsafe fn scale<T: ScalarArithmetic + GemmArithmetic<Compute = T>>(
    workers: &Workers,
    beta: T,
    y: Vector<T>,
) {
    workers.split(y.len(), GRAIN, |range| {
        simd::vectorize(
            #[inline(always)]
            || {
                for i in range {
                    // SAFETY: no two ranges overlap, and the caller lets us write the vector. With `beta` = 0, `y` is
                    // not read.
                    unsafe {
                        let old = if beta == T::ZERO { T::ZERO } else { y.get(i) };
                        y.set(i, blas::scale(beta, old));
                    }
                }
            },
        );
    });
}

/// `y = alpha · a · x + beta · y`.
///
/// # Safety
/// `a` has an element of `y` for each row and of `x` for each column; `a` and `x` may be read and `y` written.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
unsafe fn multiply<T: ScalarArithmetic>(
    workers: &Workers,
    alpha: T,
    a: Matrix<T>,
    x: Vector<T>,
    beta: T,
    y: Vector<T>,
) -> Result<()> {
    let finish = |i: usize, sum: T| {
        // SAFETY: the caller's promise; each row is finished once.
        unsafe { update(alpha, sum, beta, y, i) }
    };
    // SAFETY: the caller's promise.
    unsafe { sums(workers, a, x, finish) }
}

/// Element `i` of `y` becomes `alpha · sum + beta · y`.
///
/// # Safety
/// It is there, and may be written. With `beta` = 0 it is not read.
#[inline(always)]
pub(super) unsafe fn update<T: ScalarArithmetic>(alpha: T, sum: T, beta: T, y: Vector<T>, i: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let old = if beta == T::ZERO { T::ZERO } else { y.get(i) };
        y.set(i, blas::update(alpha, sum.canonical(), beta, old).canonical());
    }
}

/// Calls `finish(row, sum)` with the sum of each row of `a` multiplied by `x`, which may be a NaN that is not the canonical one.
///
/// # Safety
/// `a` has an element of `x` for each column; both may be read.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is called.
pub(super) unsafe fn sums<T: ScalarArithmetic>(
    workers: &Workers,
    a: Matrix<T>,
    x: Vector<T>,
    finish: impl Fn(usize, T) + Sync,
) -> Result<()> {
    let (size, item) = ((a.rows, a.cols), size_of::<T>());
    if a.by_rows() {
        let chunk = |i: usize, range: Range<usize>, lanes: &mut Lanes<T>| {
            // SAFETY: the range is one chunk of the columns, and the caller lets us read both.
            unsafe { dot_chunk(a.conj, a.row(i), x, range, lanes) }
        };
        return tree::along(workers, size, item, Products::<T, false>::NEW, chunk, finish);
    }
    let columns = Columns { a, x };
    // SAFETY: there is an element of `x` for each column, and the columns are contiguous.
    unsafe {
        if a.conj {
            tree::across(workers, size, item, Products::<T, true>::NEW, columns, finish)
        } else {
            tree::across(workers, size, item, Products::<T, false>::NEW, columns, finish)
        }
    }
}

/// The elements of contiguous columns, each with that of `x` which it is multiplied by.
#[derive(Clone, Copy)]
struct Columns<T> {
    a: Matrix<T>,
    x: Vector<T>,
}

// SAFETY: a row is a part of a column, of so many elements.
unsafe impl<T: ScalarArithmetic> Rows for Columns<T> {
    type Item = (T, T);

    #[inline(always)]
    unsafe fn row(self, index: usize, lines: Range<usize>) -> impl Iterator<Item = (T, T)> {
        // SAFETY: the caller's promise.
        let (column, x) = unsafe {
            let column = std::slice::from_raw_parts(self.a.at(lines.start, index).cast_const(), lines.len());
            (column, self.x.get(index))
        };
        column.iter().map(
            #[inline(always)]
            move |&a| (a, x),
        )
    }

    #[inline(always)]
    fn prefetch(self, index: usize, lines: Range<usize>) {
        let start = index.wrapping_mul(self.a.col_stride).wrapping_add(lines.start);
        prefetch::<T>(Ptr::new(self.a.ptr.cast()), start, lines.len());
    }
}
