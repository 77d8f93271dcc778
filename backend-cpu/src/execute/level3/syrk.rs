//! `syrk` and `herk`: a matrix times its own transpose, on one triangle.

use crate::execute::gemm::{
    Ending, Hermitian, Matrix, Microkernel, SHARED, Symmetric, multiply, parallelism, reproducible,
};
use crate::execute::level1::{GRAIN, match_scalar};
use crate::execute::scratch::zeroed;
use crate::simd::vectorize;
use crate::workers::Workers;
use gemm::Parallelism;
use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, ScalarArithmetic, triangular};
use warpwave_core::operation::RankUpdate;
use warpwave_core::{Op, Precision, Result, Scalar, Uplo};

/// The order of the blocks on the diagonal, of which both triangles are computed.
const BLOCK: usize = 64;

/// `c = alpha · op(a) · op(a)ᵀ + beta · c`, or with the conjugate transpose, on one triangle.
///
/// # Safety
/// As for [`super::super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory); nothing is written then.
pub(in crate::execute) unsafe fn syrk(workers: &Workers, update: &RankUpdate) -> Result<Option<()>> {
    // SAFETY: the caller's promise.
    match_scalar!(update.c.dtype, T => unsafe { run::<T>(workers, update) }.transpose()).transpose()
}

/// # Safety
/// As for [`syrk`].
unsafe fn run<T>(workers: &Workers, update: &RankUpdate) -> Result<Option<()>>
where
    T: Microkernel + ScalarArithmetic<Magnitude: ScalarArithmetic>,
{
    let uplo = update.uplo;
    let (a, c) = (Matrix::<T>::new(&update.a, update.op), Matrix::new(&update.c, Op::N));
    let other = Matrix { conj: a.conj != update.hermitian, ..a.transposed() };
    // SAFETY: the caller's promise.
    unsafe {
        if update.hermitian {
            type Of<T> = <T as Scalar>::Magnitude;
            let (Some(alpha), Some(beta)) = (update.alpha.get::<Of<T>>(), update.beta.get::<Of<T>>()) else {
                return Ok(None);
            };
            if alpha == Numeric::ZERO || a.cols == 0 {
                scale(workers, uplo, c, |i, j, c| triangular::herk_scale(beta, c, i == j));
            } else {
                // Other real scalars than these, made complex ones, would multiply an infinity by an imaginary part of
                // 0.
                let plain = alpha == Numeric::ONE && (beta == Numeric::ZERO || beta == Numeric::ONE);
                let scalars = plain.then(|| [alpha, beta].map(|real| T::scale(real, T::ONE)));
                let ending = Hermitian { uplo, alpha, beta };
                multiply_triangle(workers, update.precision, scalars, [a, other, c], uplo, ending)?;
            }
        } else {
            let (Some(alpha), Some(beta)) = (update.alpha.get::<T>(), update.beta.get::<T>()) else {
                return Ok(None);
            };
            if alpha == T::ZERO || a.cols == 0 {
                scale(workers, uplo, c, |_, _, c| blas::scale(beta, c));
            } else {
                let ending = Symmetric { uplo, alpha, beta };
                multiply_triangle(workers, update.precision, Some([alpha, beta]), [a, other, c], uplo, ending)?;
            }
        }
    }
    Ok(Some(()))
}

/// Replaces the elements of one triangle: element (`i`, `j`) by `f(i, j, element)`.
///
/// # Safety
/// `c` is square, and its triangle may be written.
unsafe fn scale<T: ScalarArithmetic>(
    workers: &Workers,
    uplo: Uplo,
    c: Matrix<T>,
    f: impl Fn(usize, usize, T) -> T + Sync,
) {
    let n = c.rows;
    // Along what is contiguous.
    let (by_rows, lower) = (c.by_rows(), uplo == Uplo::Lower);
    workers.split(n, (2 * GRAIN / n.max(1)).max(1), |runs| {
        for run in runs {
            for along in if lower == by_rows { 0..run + 1 } else { run..n } {
                let (i, j) = if by_rows { (run, along) } else { (along, run) };
                // SAFETY: an element of the triangle, in one range only.
                unsafe { c.set(i, j, f(i, j, c.get(i, j))) };
            }
        }
    });
}

/// # Safety
/// The dimensions agree, and the one that is summed over is not 0; `a` and `b` may be read, and the triangle of `c` written.
/// `ending` ends in the triangle, and beside the diagonal as `alpha` and `beta` in `scalars` do, if there are any.
unsafe fn multiply_triangle<T: Microkernel, E: Ending<T>>(
    workers: &Workers,
    precision: Precision,
    scalars: Option<[T; 2]>,
    [a, b, c]: [Matrix<T>; 3],
    uplo: Uplo,
    ending: E,
) -> Result<()> {
    let n = c.rows;
    if n == 0 {
        return Ok(());
    }
    if precision == Precision::Reproducible {
        // SAFETY: the caller's promise.
        return unsafe { reproducible(workers, [a, b, c], ending) };
    }
    let blocks = n.div_ceil(BLOCK);
    let width = BLOCK.min(n);
    let mut sums = zeroed::<T>(n.saturating_mul(width))?;
    let room = Matrix::dense(sums.as_mut_ptr(), n, width, true);
    // SAFETY: the caller's promise. Every block on the diagonal has rows of the room of its own, and so has every
    // square beside it, which is as high and wide together as it has rows there.
    unsafe {
        each(workers, blocks, BLOCK * BLOCK * a.cols, |index, parallelism| {
            let part = index * BLOCK..n.min((index + 1) * BLOCK);
            block(uplo, part.clone(), part.clone(), [a, b, c], room.at(part.start, 0), &ending, parallelism);
        });
        // Beside the diagonal: squares of twice the order each time, between two blocks of the order before.
        let mut order = BLOCK;
        while order < n {
            each(workers, n.div_ceil(2 * order), order * order * a.cols, |square, parallelism| {
                let start = 2 * order * square;
                let (first, second) = (start..n.min(start + order), n.min(start + order)..n.min(start + 2 * order));
                if second.is_empty() {
                    return;
                }
                let (rows, cols) = if uplo == Uplo::Lower { (second, first) } else { (first, second) };
                if let Some([alpha, beta]) = scalars {
                    let (a, b) =
                        (a.block(rows.start, 0, rows.len(), a.cols), b.block(0, cols.start, b.rows, cols.len()));
                    multiply(alpha, a, b, beta, c.block(rows.start, cols.start, rows.len(), cols.len()), parallelism);
                    return;
                }
                // Strips across what is contiguous in `c`, for which there is room.
                let (by_rows, room, at) = (c.by_rows(), (rows.len() + cols.len()) * width, room.at(start, 0));
                let (strips, along) = if by_rows { (rows, cols) } else { (cols, rows) };
                for strip in strips.clone().step_by(room / along.len()) {
                    let strip = strip..strips.end.min(strip + room / along.len());
                    let (rows, cols) = if by_rows { (strip, along.clone()) } else { (along.clone(), strip) };
                    block(uplo, rows, cols, [a, b, c], at, &ending, parallelism);
                }
            });
            order *= 2;
        }
    }
    Ok(())
}

/// Calls `body` for each of `count` products of `work` multiplications: at the same time if there are enough of them, else one
/// after the other, each shared among the threads.
fn each(workers: &Workers, count: usize, work: usize, body: impl Fn(usize, Parallelism) + Sync) {
    if count >= workers.threads() || work < SHARED {
        workers.split(count, (SHARED / work).max(1), |range| range.for_each(|i| body(i, Parallelism::None)));
    } else {
        workers.install(|| (0..count).for_each(|i| body(i, parallelism(workers))));
    }
}

/// A block: the sums of all of it in the memory at `sums`, and those of the triangle ended.
///
/// # Safety
/// As for [`multiply_triangle`]; there is room for the block at `sums`, which may be written.
unsafe fn block<T: Microkernel, E: Ending<T>>(
    uplo: Uplo,
    rows: Range<usize>,
    cols: Range<usize>,
    [a, b, c]: [Matrix<T>; 3],
    sums: *mut T,
    ending: &E,
    parallelism: Parallelism,
) {
    let a = a.block(rows.start, 0, rows.len(), a.cols);
    let b = b.block(0, cols.start, b.rows, cols.len());
    // Along what is contiguous in `c`, as the sums then are.
    let by_rows = c.by_rows();
    let sums = Matrix::dense(sums, rows.len(), cols.len(), by_rows);
    let (runs, along) = if by_rows { (rows.clone(), cols.clone()) } else { (cols.clone(), rows.clone()) };
    // SAFETY: the caller's promise.
    unsafe { multiply(T::ONE, a, b, T::ZERO, sums, parallelism) };
    vectorize(
        #[inline(always)]
        || {
            for run in runs.clone() {
                let inside = match (uplo == Uplo::Lower) == by_rows {
                    true => along.start..along.end.min(run + 1),
                    false => along.start.max(run)..along.end,
                };
                let at = |along: usize| if by_rows { (run, along) } else { (along, run) };
                let (i, j) = at(inside.start);
                // SAFETY: elements of the triangle that follow each other, which the caller lets us write, and their
                // sums.
                let (sums, c) = unsafe {
                    (
                        std::slice::from_raw_parts(sums.at(i - rows.start, j - cols.start), inside.len()),
                        std::slice::from_raw_parts_mut(c.at(i, j), inside.len()),
                    )
                };
                for ((c, &sum), (i, j)) in c.iter_mut().zip(sums).zip(inside.map(at)) {
                    *c = ending.end(i, j, sum, if ending.reads() { *c } else { T::ZERO });
                }
            }
        },
    );
}
