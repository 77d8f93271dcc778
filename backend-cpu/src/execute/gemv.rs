//! `gemv`: the bits of [`warpwave_core::numerics::blas::gemv`], whatever precision is asked for.
//!
//! The work is bound by memory, and the reduction tree costs no more of it than any other order.

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::level1::{GRAIN, Vector, dot_chunk, join, match_scalar};
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic};
use warpwave_core::numerics::tree::{CHUNK, LANES};
use warpwave_core::operation::Gemv;

/// `y = alpha · op(a) · x + beta · y`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn gemv(workers: &Workers, gemv: &Gemv) -> Option<()> {
    match_scalar!(gemv.a.dtype, T => {
        let (alpha, beta): (T, T) = (gemv.alpha.get()?, gemv.beta.get()?);
        let (a, x, y) = (Matrix::<T>::new(&gemv.a, gemv.op), Vector::<T>::new(&gemv.x), Vector::<T>::new(&gemv.y));
        // SAFETY: the caller's promise.
        unsafe {
            if a.cols == 0 || alpha == T::ZERO {
                scale(workers, beta, y);
            } else if a.by_rows() {
                // A row gives as much work as it is long.
                multiply(workers, alpha, a, x, beta, y, 16, rows);
            } else if a.rows <= FEW {
                multiply(workers, alpha, a, x, beta, y, FEW, columns::<T, FEW>);
            } else {
                multiply(workers, alpha, a, x, beta, y, BLOCK, columns::<T, BLOCK>);
            }
        }
        Some(())
    })
}

/// Rows that are summed together where columns are contiguous.
const BLOCK: usize = 256;
/// The same for a matrix with few rows, which needs less room to be made ready.
pub(super) const FEW: usize = 32;

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

/// Reduces some columns, one chunk of the tree, of each row of a matrix, multiplied by a vector.
pub(super) type Sums<T> = unsafe fn(Matrix<T>, Vector<T>, Range<usize>, &mut [T]);

/// `y = alpha · a · x + beta · y`, in blocks of `block` rows: `sums(a, x, chunk, out)` reduces the columns `chunk`,
/// one chunk of the tree, of each row of `a`.
///
/// # Safety
/// `a` has an element of `y` for each row and of `x` for each column; `a` and `x` may be read and `y` written.
/// `block` is at most [`BLOCK`].
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn multiply<T: ScalarArithmetic>(
    workers: &Workers,
    alpha: T,
    a: Matrix<T>,
    x: Vector<T>,
    beta: T,
    y: Vector<T>,
    block: usize,
    sums: Sums<T>,
) {
    let finish = |i: usize, sum: T| {
        // SAFETY: the caller's promise; each row is finished once. With `beta` = 0, `y` is not read.
        unsafe {
            let old = if beta == T::ZERO { T::ZERO } else { y.get(i) };
            y.set(i, blas::update(alpha, sum.canonical(), beta, old).canonical());
        }
    };
    let (blocks, chunks) = (a.rows.div_ceil(block), a.cols.div_ceil(CHUNK));
    // One result for each row and chunk, those of a row together; not needed if there is but one chunk.
    let mut partial = if chunks > 1 { vec![T::ZERO; a.rows * chunks] } else { Vec::new() };
    let results = Vector::from_parts(partial.as_mut_ptr(), 1, partial.len());
    workers.split(blocks * chunks, (GRAIN / (block * a.cols.min(CHUNK))).max(1), |jobs| {
        let mut out = [T::ZERO; BLOCK];
        for job in jobs {
            let (first, chunk) = (job / chunks * block, job % chunks);
            let rows = block.min(a.rows - first);
            let range = chunk * CHUNK..a.cols.min((chunk + 1) * CHUNK);
            // SAFETY: the range is one chunk of columns, and the caller lets us read both.
            unsafe { sums(a.block(first, 0, rows, a.cols), x, range, &mut out[..rows]) };
            for (i, &sum) in (first..).zip(&out[..rows]) {
                if chunks == 1 {
                    finish(i, sum);
                } else {
                    // SAFETY: row `i` and this chunk have a place in `partial`, which outlives the call, and no other
                    // job has it.
                    unsafe { results.set(i * chunks + chunk, sum) };
                }
            }
        }
    });
    if chunks > 1 {
        let partial = &partial;
        workers.split(a.rows, (GRAIN / chunks).max(1), |rows| {
            for i in rows {
                finish(i, join(&partial[i * chunks..(i + 1) * chunks], |a, b| a + b).unwrap_or(T::ZERO));
            }
        });
    }
}

/// Reduces the columns `chunk` of each row, where rows are contiguous.
///
/// # Safety
/// `chunk` is not empty, within `a` and `x`, and no longer than a chunk; both may be read.
unsafe fn rows<T: ScalarArithmetic>(a: Matrix<T>, x: Vector<T>, chunk: Range<usize>, sums: &mut [T]) {
    for (i, sum) in sums.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *sum = unsafe { dot_chunk(a.conj, a.row(i), x, chunk.clone()) };
    }
}

/// Reduces the columns `chunk` of each row, where columns are contiguous: at most `N` rows, all at once.
///
/// # Safety
/// As for [`rows`].
pub(super) unsafe fn columns<T: ScalarArithmetic, const N: usize>(
    a: Matrix<T>,
    x: Vector<T>,
    chunk: Range<usize>,
    sums: &mut [T],
) {
    // SAFETY: the caller's promise.
    unsafe {
        if a.conj {
            columns_of::<T, N>(a, x, chunk, sums, T::conj);
        } else {
            columns_of::<T, N>(a, x, chunk, sums, std::convert::identity);
        }
    }
}

/// The levels of the tree over the lanes, that of the root included.
const LEVELS: usize = LANES.ilog2() as usize + 1;

/// [`columns`], with `of(a)` for `a`.
///
/// # Safety
/// As for [`rows`].
unsafe fn columns_of<T: ScalarArithmetic, const N: usize>(
    a: Matrix<T>,
    x: Vector<T>,
    chunk: Range<usize>,
    sums: &mut [T],
    of: impl Fn(T) -> T + Copy,
) {
    simd::vectorize(
        #[inline(always)]
        || {
            // The lanes are computed one after the other and combined as soon as their neighbours are there, as a
            // binary counter carries: `waiting[l]` is the result of 2^l lanes if bit `l` of the number of lanes so
            // far is set.
            let mut waiting = [[T::ZERO; N]; LEVELS];
            let rows = sums.len().min(N);
            let lanes = chunk.len().min(LANES);
            for lane in 0..lanes {
                sums.fill(T::MINUS_ZERO);
                for column in (chunk.start + lane..chunk.end).step_by(LANES) {
                    // SAFETY: `column` is within `a` and `x`, which the caller lets us read; the columns of `a` are
                    // contiguous.
                    let (a, x) = unsafe { (std::slice::from_raw_parts(a.at(0, column), rows), x.get(column)) };
                    for (sum, &a) in sums.iter_mut().zip(a) {
                        *sum = T::mul_add(of(a), x, *sum);
                    }
                }
                let level = lane.trailing_ones() as usize;
                for lower in &waiting[..level] {
                    for (sum, &lower) in sums.iter_mut().zip(lower) {
                        *sum = lower + *sum;
                    }
                }
                waiting[level][..rows].copy_from_slice(sums);
            }
            // What never found its neighbour goes up alone: the fewest lanes, which are the last, come first.
            let first = lanes.trailing_zeros() as usize;
            sums.copy_from_slice(&waiting[first][..rows]);
            for level in (first + 1..LEVELS).filter(|level| lanes >> level & 1 == 1) {
                for (sum, &lower) in sums.iter_mut().zip(&waiting[level]) {
                    *sum = lower + *sum;
                }
            }
        },
    );
}
