//! `gemm` within the bound, by the crate `gemm`; where there is no memory for that, by our own kernels, whose results are within the
//! bound too.

use super::ending::Update;
use super::microkernel::Microkernel;
use super::{Matrix, Places, Problem, panels, reproducible};
use crate::simd;
use crate::workers::Workers;
use gemm::Parallelism;
use std::ops::Range;
use warpwave_core::Result;

/// Multiplications that are worth sharing between threads.
pub(in crate::execute) const SHARED: usize = 1 << 20;

/// # Safety
/// The problem has elements and something to sum over; its inputs may be read and its outputs written.
///
/// # Errors
/// None.
pub(super) unsafe fn gemm<T: Microkernel>(workers: &Workers, problem: Problem<'_, T>) -> Result<()> {
    if problem.work() < SHARED {
        let alone = Workers::alone();
        let grain = (SHARED / problem.work()).max(1);
        // SAFETY: the caller's promise; each product is in one range only.
        workers.split(problem.batch, grain, |range| unsafe { products(&alone, problem, range, Parallelism::None) });
    } else {
        // SAFETY: the caller's promise.
        workers.install(|| unsafe { products(workers, problem, 0..problem.batch, parallelism(workers)) });
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
pub(in crate::execute) unsafe fn multiply<T: Microkernel>(
    alpha: T,
    a: Matrix<T>,
    b: Matrix<T>,
    beta: T,
    c: Matrix<T>,
    parallelism: Parallelism,
) {
    let problem = Problem { alpha, beta, a, b, c, batch: 1, places: Places::Strided([0; 3]) };
    // SAFETY: the caller's promise.
    unsafe { products(&Workers::alone(), problem, 0..1, parallelism) };
}

/// Some products of a batch, one after the other. `workers` share them where the crate is not called.
///
/// # Safety
/// As for [`gemm`].
unsafe fn products<T: Microkernel>(
    workers: &Workers,
    problem: Problem<'_, T>,
    range: Range<usize>,
    parallelism: Parallelism,
) {
    let Matrix { rows, cols, row_stride, col_stride, .. } = problem.c;
    // As the crate turns them.
    let (rows, cols) = if col_stride < row_stride { (cols, rows) } else { (rows, cols) };
    let bytes = panels::bytes(rows, cols, problem.k(), size_of::<T>(), parallelism);
    let panels = panels::obtainable(bytes, parallelism);
    for index in range {
        let product = problem.product(index);
        // SAFETY: the caller's promise.
        unsafe { if panels { by_crate(product, parallelism) } else { by_ourselves(workers, product) } };
    }
}

/// With less memory, and at last with none at all.
///
/// # Safety
/// As for [`gemm`].
unsafe fn by_ourselves<T: Microkernel>(workers: &Workers, problem: Problem<'_, T>) {
    let ending = Update { alpha: problem.alpha, beta: problem.beta };
    let alone = Workers::alone();
    for workers in [workers, &alone] {
        // SAFETY: the caller's promise.
        if unsafe { reproducible::tiled(workers, problem, ending, simd::Level::best()) }.is_ok() {
            return;
        }
    }
    // SAFETY: the caller's promise; an attempt that fails has written nothing.
    unsafe { reproducible::small(&alone, problem, ending) };
}

/// # Safety
/// As for [`gemm`].
pub(super) unsafe fn by_crate<T: Microkernel>(problem: Problem<'_, T>, parallelism: Parallelism) {
    let Problem { alpha, beta, a, b, c, .. } = problem;
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
