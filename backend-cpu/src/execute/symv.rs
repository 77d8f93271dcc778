//! `symv` and `hemv`: the bits of [`warpwave_core::numerics::blas::gemv`] of the whole matrix, whatever precision is asked for.

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::gemv::{scale, sums, update};
use super::level1::{GRAIN, Vector, match_scalar};
use super::level3::Stored;
use super::scratch::zeroed;
use crate::workers::Workers;
use std::sync::OnceLock;
use warpwave_core::Result;
use warpwave_core::numerics::Numeric;
use warpwave_core::operation::Symv;

/// Rows that are written out together.
const ROWS: usize = 32;

/// `y = alpha · a · x + beta · y` with a symmetric or Hermitian `a`.
///
/// [`ROWS`] rows of the whole matrix at a time are written out, columns contiguous, and multiplied while they are in the cache.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory); nothing is written then.
pub(crate) unsafe fn symv(workers: &Workers, symv: &Symv) -> Result<Option<()>> {
    let done: Option<Result<()>> = match_scalar!(symv.a.dtype, T => {
        let (alpha, beta): (T, T) = match (symv.alpha.get(), symv.beta.get()) {
            (Some(alpha), Some(beta)) => (alpha, beta),
            _ => return Ok(None),
        };
        let (x, y) = (Vector::new(&symv.x), Vector::new(&symv.y));
        let a = Stored::new(&symv.a, symv.uplo, symv.hermitian);
        // SAFETY: the caller's promise.
        unsafe {
            if alpha == T::ZERO {
                scale(workers, beta, y);
                Some(Ok(()))
            } else {
                Some(by_blocks(workers, [alpha, beta], a, x, y))
            }
        }
    });
    done.transpose()
}

/// # Safety
/// `a` has a row for each element of `x` and of `y`; its triangle and `x` may be read, and `y` written.
unsafe fn by_blocks<T: super::gemm::Microkernel>(
    workers: &Workers,
    [alpha, beta]: [T; 2],
    a: Stored<T>,
    x: Vector<T>,
    y: Vector<T>,
) -> Result<()> {
    let n = y.len();
    if n == 0 {
        return Ok(());
    }
    // Columns that are contiguous in memory: those of the matrix, or of its transpose, which is the matrix or its conjugate.
    let (columns_of, conj) = match a.matrix.by_rows() {
        true => (a, a.hermitian),
        false => (a.transposed(), false),
    };
    let blocks = n.div_ceil(ROWS);
    let jobs = blocks.min(2 * workers.threads()).min(n.saturating_mul(n) / GRAIN).max(1);
    let size = n.saturating_mul(ROWS.min(n));
    let mut room = zeroed::<T>(jobs.saturating_mul(size))?;
    let mut products = zeroed::<T>(n)?;
    let room = Vector::from_parts(room.as_mut_ptr(), 1, room.len());
    let products = Vector::from_parts(products.as_mut_ptr(), 1, n);
    let failed = OnceLock::new();
    workers.split(jobs, 1, |range| {
        for job in range {
            for block in blocks * job / jobs..blocks * (job + 1) / jobs {
                let (first, rows) = (block * ROWS, ROWS.min(n - block * ROWS));
                let part = Matrix::dense(room.at(job * size), rows, n, false);
                // SAFETY: the caller's promise. The room of a job is its own, and so are its products.
                let done = unsafe {
                    columns_of.write(0..n, first..first + rows, part.transposed(), conj);
                    sums(&Workers::alone(), part, x, |row, sum| products.set(first + row, sum))
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
    for i in 0..n {
        // SAFETY: the caller's promise.
        unsafe { update(alpha, products.get(i), beta, y, i) };
    }
    Ok(())
}
