//! `trsv`, to the bits of [`warpwave_core::numerics::blas::triangular::solve`], whatever precision is asked for.

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::level1::{GRAIN, Vector, match_scalar};
use super::scratch::zeroed;
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::blas::{ScalarArithmetic, triangular};
use warpwave_core::operation::{Strided, TriangularMatrix};
use warpwave_core::{Diag, Result, Scalar, Uplo};

/// Elements that are solved for before the rows of all others take them in.
const BLOCK: usize = 64;
/// Elements of a column that stay in the first-level cache.
const RUN: usize = 1024;
/// Rows whose chains go side by side where rows are contiguous.
const CHAINS: usize = 8;

/// `x` becomes the solution of `op(a) · x = b`, `b` being the old `x`.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory); nothing is written then.
pub(crate) unsafe fn trsv(workers: &Workers, a: TriangularMatrix, x: Strided) -> Result<Option<()>> {
    match_scalar!(x.dtype, T => {
        let x = Vector::<T>::new(&x);
        let matrix = Matrix::<T>::new(&a.matrix, a.op);
        let system = System { matrix, uplo: triangular::transposed(a.uplo, a.op), diag: a.diag };
        // SAFETY: the caller's promise.
        Some(unsafe {
            match matrix.conj {
                true => solve(workers, system, x, <T as Scalar>::conj),
                false => solve(workers, system, x, std::convert::identity),
            }
        })
    })
    .transpose()
}

#[derive(Clone, Copy, Debug)]
struct System<T> {
    matrix: Matrix<T>,
    uplo: Uplo,
    diag: Diag,
}

/// With `of(t)` for the elements of the matrix.
///
/// # Safety
/// As for [`trsv`].
unsafe fn solve<T: ScalarArithmetic>(
    workers: &Workers,
    system: System<T>,
    x: Vector<T>,
    of: impl Fn(T) -> T + Copy + Sync,
) -> Result<()> {
    let n = x.len();
    // Every element is a chain that is interrupted at the ends of blocks, and is its sum until it is solved for.
    let mut sums = zeroed::<T>(n)?;
    // SAFETY: the caller's promise.
    sums.iter_mut().enumerate().for_each(|(i, sum)| *sum = unsafe { x.get(i) });
    let sums = Vector::from_parts(sums.as_mut_ptr(), 1, n);
    for step in (0..n).step_by(BLOCK) {
        let len = BLOCK.min(n - step);
        let (block, others) = match system.uplo == Uplo::Lower {
            true => (step..step + len, step + len..n),
            false => (n - step - len..n - step, 0..n - step - len),
        };
        // SAFETY: the caller's promise; no row is in two ranges.
        unsafe {
            solve_block(system, block.clone(), sums, of);
            workers.split(others.len(), (GRAIN / BLOCK).max(1), |range| {
                let rows = others.start + range.start..others.start + range.end;
                match system.matrix.by_rows() {
                    true => update_by_rows(system, rows, block.clone(), sums, of),
                    false => update_by_columns(system, rows, block.clone(), sums, of),
                }
            });
        }
    }
    for i in 0..n {
        // SAFETY: the caller's promise.
        unsafe { x.set(i, sums.get(i)) };
    }
    Ok(())
}

/// Element `step` of a block in the order of solution.
#[inline(always)]
fn place(uplo: Uplo, block: &Range<usize>, step: usize) -> usize {
    if uplo == Uplo::Lower { block.start + step } else { block.end - 1 - step }
}

/// Solves for the elements of a block, which have taken in all others before them.
///
/// # Safety
/// The triangle may be read and the elements of the block written.
unsafe fn solve_block<T: ScalarArithmetic>(
    System { matrix, uplo, diag }: System<T>,
    block: Range<usize>,
    sums: Vector<T>,
    of: impl Fn(T) -> T,
) {
    simd::vectorize(
        #[inline(always)]
        || {
            for step in 0..block.len() {
                let i = place(uplo, &block, step);
                // SAFETY: the caller's promise.
                unsafe {
                    let mut sum = sums.get(i);
                    if matrix.by_rows() {
                        for k in (0..step).map(|step| place(uplo, &block, step)) {
                            sum = T::mul_add(T::negate(of(matrix.get(i, k))), sums.get(k), sum);
                        }
                    }
                    let x = if diag == Diag::Unit { sum } else { T::divide(sum, of(matrix.get(i, i))) }.canonical();
                    sums.set(i, x);
                    if !matrix.by_rows() {
                        let others = if uplo == Uplo::Lower { i + 1..block.end } else { block.start..i };
                        for k in others {
                            sums.set(k, T::mul_add(T::negate(of(matrix.get(k, i))), x, sums.get(k)));
                        }
                    }
                }
            }
        },
    );
}

/// Takes the elements of a block into the sums of some rows, where columns are contiguous: four at a time.
///
/// # Safety
/// The block lies in the triangle for each of the rows, and is solved for; the triangle may be read, and the sums written.
unsafe fn update_by_columns<T: ScalarArithmetic>(
    System { matrix, uplo, .. }: System<T>,
    rows: Range<usize>,
    block: Range<usize>,
    sums: Vector<T>,
    of: impl Fn(T) -> T,
) {
    simd::vectorize(
        #[inline(always)]
        || {
            for start in rows.clone().step_by(RUN) {
                let len = RUN.min(rows.end - start);
                // SAFETY: the caller's promise; the sums lie apart from the matrix and from those of the block.
                unsafe {
                    let Some(sums_here) = sums.slice_mut(start..start + len) else { return };
                    let column = |k: usize| std::slice::from_raw_parts(matrix.at(start, k), len);
                    let mut step = 0;
                    while step + 4 <= block.len() {
                        let at: [usize; 4] = std::array::from_fn(|s| place(uplo, &block, step + s));
                        let [a, b, c, d] = at.map(column);
                        let [x_a, x_b, x_c, x_d] = at.map(|k| sums.get(k));
                        let columns = a.iter().zip(b).zip(c).zip(d);
                        for (sum, (((&a, &b), &c), &d)) in sums_here.iter_mut().zip(columns) {
                            let next = |sum, t, x| T::mul_add(T::negate(of(t)), x, sum);
                            *sum = next(next(next(next(*sum, a, x_a), b, x_b), c, x_c), d, x_d);
                        }
                        step += 4;
                    }
                    for step in step..block.len() {
                        let k = place(uplo, &block, step);
                        let x = sums.get(k);
                        for (sum, &t) in sums_here.iter_mut().zip(column(k)) {
                            *sum = T::mul_add(T::negate(of(t)), x, *sum);
                        }
                    }
                }
            }
        },
    );
}

/// The same where rows are contiguous: some of them side by side.
///
/// # Safety
/// As for [`update_by_columns`].
unsafe fn update_by_rows<T: ScalarArithmetic>(
    System { matrix, uplo, .. }: System<T>,
    rows: Range<usize>,
    block: Range<usize>,
    sums: Vector<T>,
    of: impl Fn(T) -> T,
) {
    simd::vectorize(
        #[inline(always)]
        || {
            for start in rows.clone().step_by(CHAINS) {
                let count = CHAINS.min(rows.end - start);
                // Rows that are missing are the last once more, and not kept.
                let row = |chain: usize| start + chain.min(count - 1);
                // SAFETY: the caller's promise.
                unsafe {
                    let mut chains: [T; CHAINS] = std::array::from_fn(|chain| sums.get(row(chain)));
                    for k in (0..block.len()).map(|step| place(uplo, &block, step)) {
                        let x = sums.get(k);
                        for (chain, sum) in chains.iter_mut().enumerate() {
                            *sum = T::mul_add(T::negate(of(matrix.get(row(chain), k))), x, *sum);
                        }
                    }
                    for (chain, &sum) in chains[..count].iter().enumerate() {
                        sums.set(start + chain, sum);
                    }
                }
            }
        },
    );
}
