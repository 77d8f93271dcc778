//! `gemm` within the bound, by the crate `gemm`.

use super::microkernel::Microkernel;
use super::{Matrix, Problem};
use crate::workers::Workers;
use gemm::Parallelism;
use warpwave_core::Result;
use warpwave_core::numerics::blas::ScalarArithmetic;

/// Multiplications that are worth sharing between threads.
pub(in crate::execute) const SHARED: usize = 1 << 20;

/// # Safety
/// The problem has elements and something to sum over; its inputs may be read and its outputs written.
///
/// # Errors
/// None. (The crate `gemm` ends the process if there is no memory for its panels, a few megabytes.)
pub(super) unsafe fn gemm<T: Microkernel>(workers: &Workers, problem: Problem<'_, T>) -> Result<()> {
    let each = |index: usize, parallelism: Parallelism| {
        let Problem { alpha, beta, a, b, c, .. } = problem.product(index);
        // SAFETY: the caller's promise.
        unsafe { multiply(alpha, a, b, beta, c, parallelism) }
    };
    if problem.work() < SHARED {
        let grain = (SHARED / problem.work()).max(1);
        workers.split(problem.batch, grain, |products| products.for_each(|index| each(index, Parallelism::None)));
    } else {
        workers.install(|| (0..problem.batch).for_each(|index| each(index, parallelism(workers))));
    }
    Ok(())
}

/// All of the device's threads, for use inside [`Workers::install`], where rayon knows no other pool.
pub(in crate::execute) fn parallelism(workers: &Workers) -> Parallelism {
    match workers.installed() {
        1 => Parallelism::None,
        threads => Parallelism::Rayon(threads),
    }
}

/// `c = alpha · a · b + beta · c`.
///
/// # Safety
/// The dimensions agree and are positive; `a` and `b` may be read and `c` written.
pub(in crate::execute) unsafe fn multiply<T: ScalarArithmetic>(
    alpha: T,
    a: Matrix<T>,
    b: Matrix<T>,
    beta: T,
    c: Matrix<T>,
    parallelism: Parallelism,
) {
    // The crate calls the factor of `c` alpha and that of the product beta.
    let (factor_of_c, factor_of_product) = (beta, alpha);
    // SAFETY: the caller's promise; the strides are those of the matrices. `T` is one of the four types that the
    // crate takes.
    unsafe {
        gemm::gemm(
            c.rows,
            c.cols,
            a.cols,
            c.ptr,
            c.col_stride as isize,
            c.row_stride as isize,
            beta != T::ZERO,
            a.ptr.cast_const(),
            a.col_stride as isize,
            a.row_stride as isize,
            b.ptr.cast_const(),
            b.col_stride as isize,
            b.row_stride as isize,
            factor_of_c,
            factor_of_product,
            false,
            a.conj,
            b.conj,
            parallelism,
        );
    }
}
