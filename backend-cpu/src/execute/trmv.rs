//! `trmv`: the bits of [`warpwave_core::numerics::blas::dot`] of the part of each row inside the triangle, whatever precision is
//! asked for.

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::level1::{GRAIN, Vector, dot_product, match_scalar};
use super::level3::{straight, turned};
use super::scratch::zeroed;
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use std::sync::OnceLock;
use warpwave_core::numerics::blas::{ScalarArithmetic, triangular};
use warpwave_core::operation::{Strided, TriangularMatrix};
use warpwave_core::{Diag, Result, Uplo};

/// Rows that are copied together.
const ROWS: usize = 32;

/// `x = op(a) · x` with a triangular `a`.
///
/// Where rows are not contiguous, or their ones on the diagonal are not there, a few at a time are copied.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory); nothing is written then.
pub(crate) unsafe fn trmv(workers: &Workers, a: TriangularMatrix, x: Strided) -> Result<Option<()>> {
    // SAFETY: the caller's promise.
    match_scalar!(x.dtype, T => Some(unsafe { multiply::<T>(workers, a, Vector::new(&x)) })).transpose()
}

/// The columns of row `i` that lie in the triangle of a matrix of order `n`.
fn part(uplo: Uplo, n: usize, i: usize) -> Range<usize> {
    if uplo == Uplo::Lower { 0..i + 1 } else { i..n }
}

/// # Safety
/// As for [`trmv`].
unsafe fn multiply<T: ScalarArithmetic>(workers: &Workers, a: TriangularMatrix, x: Vector<T>) -> Result<()> {
    let n = x.len();
    if n == 0 {
        return Ok(());
    }
    let (matrix, uplo) = (Matrix::<T>::new(&a.matrix, a.op), triangular::transposed(a.uplo, a.op));
    let blocks = n.div_ceil(ROWS);
    let jobs = blocks.min(2 * workers.threads()).min(n.saturating_mul(n) / (2 * GRAIN)).max(1);
    let size = n.saturating_mul(ROWS.min(n));
    let mut old = zeroed::<T>(n)?;
    let mut room = zeroed::<T>(jobs.saturating_mul(size))?;
    let mut products = zeroed::<T>(n)?;
    // SAFETY: the caller's promise.
    old.iter_mut().enumerate().for_each(|(i, old)| *old = unsafe { x.get(i) });
    let old = Vector::from_parts(old.as_mut_ptr(), 1, n);
    let room = Vector::from_parts(room.as_mut_ptr(), 1, room.len());
    let products = Vector::from_parts(products.as_mut_ptr(), 1, n);
    let failed = OnceLock::new();
    workers.split(jobs, 1, |range| {
        for job in range {
            for block in blocks * job / jobs..blocks * (job + 1) / jobs {
                let rows = block * ROWS..n.min((block + 1) * ROWS);
                // SAFETY: the caller's promise. The room of a job is its own, and so are its products.
                let done = unsafe {
                    let part = |i: usize| part(uplo, n, i);
                    let multiply = |i: usize, row: Vector<T>| {
                        let (row, old) =
                            (row.part(part(i).start, part(i).len()), old.part(part(i).start, part(i).len()));
                        dot_product(&Workers::alone(), matrix.conj, row, old, products.part(i, 1))
                    };
                    if matrix.by_rows() && a.diag != Diag::Unit {
                        rows.clone().try_for_each(|i| multiply(i, matrix.row(i)))
                    } else {
                        let copied = Matrix::dense(room.at(job * size), rows.len(), n, true);
                        copy(matrix, uplo, a.diag, rows.clone(), copied);
                        rows.clone().enumerate().try_for_each(|(row, i)| {
                            if a.diag == Diag::Unit {
                                copied.set(row, i, T::ONE);
                            }
                            multiply(i, copied.row(row))
                        })
                    }
                };
                if let Err(error) = done {
                    failed.get_or_init(|| error);
                    return;
                }
            }
        }
    });
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    // SAFETY: the caller's promise.
    (0..n).for_each(|i| unsafe { x.set(i, products.get(i)) });
    Ok(())
}

/// Copies the parts of some rows that lie in the triangle, without ones on the diagonal.
///
/// # Safety
/// The triangle may be read, and `to` written, which has the columns of `matrix` and as many rows as there are in `rows`.
unsafe fn copy<T: ScalarArithmetic>(matrix: Matrix<T>, uplo: Uplo, diag: Diag, rows: Range<usize>, to: Matrix<T>) {
    let n = matrix.cols;
    let beside = if uplo == Uplo::Lower { 0..rows.start } else { rows.end..n };
    simd::vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            unsafe {
                if !beside.is_empty() {
                    let to_beside = to.block(0, beside.start, rows.len(), beside.len());
                    if matrix.by_rows() {
                        straight(matrix.block(rows.start, beside.start, rows.len(), beside.len()), to_beside, |x| x);
                    } else {
                        let from = matrix.transposed().block(beside.start, rows.start, beside.len(), rows.len());
                        turned(from, to_beside, |x| x);
                    }
                }
                for (row, i) in rows.clone().enumerate() {
                    for j in rows.clone().filter(|&j| triangular::stored(uplo, i, j) && !(i == j && diag == Diag::Unit))
                    {
                        to.set(row, j, matrix.get(i, j));
                    }
                }
            }
        },
    );
}
