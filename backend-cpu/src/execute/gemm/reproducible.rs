//! The reproducible `gemm`: the bits of [`warpwave_core::numerics::blas::gemm`].
//!
//! Every element of `c` is one chain over `k`, so it is the elements that are computed side by side: `c` is cut into
//! blocks that threads share, a block into tiles whose chains are held in registers. Where a chain is interrupted, to
//! pack the next part of `a` and `b`, its sum is kept as it is.

use super::ending::Ending;
use super::microkernel::{Microkernel, with_registers};
use super::register::Register;
use super::{Matrix, Problem};
use crate::execute::scratch;
use crate::simd;
use crate::workers::Workers;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{GemmArithmetic, ScalarArithmetic};
use warpwave_core::{Result, Scalar};

/// Multiplications for which packing costs more than it saves.
const SMALL: usize = 512;
/// Multiplications that are not worth waking another thread for.
const GRAIN: usize = 1 << 19;
/// How much of the dimension summed over is packed at a time.
const DEPTH: usize = 256;
/// Rows of a block, at most.
const ROWS: usize = 128;
/// Columns of a block, at most; a multiple of every tile's.
const COLS: usize = 240;

/// Sums go to `ending`, which has alpha and beta; those of the problem are not looked at.
///
/// # Safety
/// The problem has elements and something to sum over; its inputs may be read, and its outputs written where the ending changes
/// them.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn gemm<T: GemmArithmetic<Compute: Microkernel>, E: Ending<T>>(
    workers: &Workers,
    problem: Problem<'_, T>,
    ending: E,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        if problem.work() <= SMALL {
            small(workers, problem, ending);
            Ok(())
        } else {
            tiled(workers, problem, ending, simd::Level::best())
        }
    }
}

/// With the registers of `level`.
///
/// # Safety
/// As for [`gemm`], and the processor is at that level.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn tiled<T: GemmArithmetic<Compute: Microkernel>, E: Ending<T>>(
    workers: &Workers,
    problem: Problem<'_, T>,
    ending: E,
    level: simd::Level,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { with_registers!(level, T::Compute, blocked::<T, E>(workers, problem, ending)) }
}

/// Element by element, without memory of its own.
///
/// # Safety
/// As for [`gemm`].
pub(super) unsafe fn small<T: GemmArithmetic<Compute: Microkernel>, E: Ending<T>>(
    workers: &Workers,
    problem: Problem<'_, T>,
    ending: E,
) {
    workers.split(problem.batch, (GRAIN / problem.work()).max(1), |products| {
        simd::vectorize(
            #[inline(always)]
            || {
                for index in products {
                    let Problem { a, b, c, .. } = problem.product(index);
                    for j in 0..c.cols {
                        for i in (0..c.rows).filter(|&i| ending.changes(i, j)) {
                            let mut sum = T::Compute::ZERO;
                            for k in 0..a.cols {
                                // SAFETY: indices within the matrices, which the caller lets us read.
                                let (a, b) = unsafe { (element(&a, i, k), element(&b, k, j)) };
                                sum = T::Compute::mul_add(a, b, sum);
                            }
                            // SAFETY: as above, and each product of the batch is in one range only.
                            unsafe { finish(&ending, sum, &c, (i, j), (i, j)) };
                        }
                    }
                }
            },
        );
    });
}

/// Element (`i`, `j`) in the type of the accumulation, conjugated if it has to be.
///
/// # Safety
/// It exists and may be read.
#[inline(always)]
unsafe fn element<T: GemmArithmetic>(matrix: &Matrix<T>, i: usize, j: usize) -> T::Compute {
    // SAFETY: the caller's promise.
    let value = unsafe { matrix.get(i, j) }.widen();
    if matrix.conj { value.conj() } else { value }
}

/// Ends the sum of element (`i`, `j`) of a block of `c`, which is (`row`, `col`) of all of it.
///
/// # Safety
/// The element exists and may be written.
#[inline(always)]
unsafe fn finish<T: GemmArithmetic, E: Ending<T>>(
    ending: &E,
    sum: T::Compute,
    c: &Matrix<T>,
    (i, j): (usize, usize),
    (row, col): (usize, usize),
) {
    // SAFETY: the caller's promise.
    unsafe {
        let old = if ending.reads() { c.get(i, j) } else { T::ZERO };
        c.set(i, j, ending.end(row, col, sum, old));
    }
}

/// In tiles of `H` registers of rows and `N` columns.
///
/// # Safety
/// As for [`gemm`], and the processor has the register.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
unsafe fn blocked<T, E, R, const H: usize, const N: usize>(
    workers: &Workers,
    problem: Problem<'_, T>,
    ending: E,
) -> Result<()>
where
    T: GemmArithmetic<Compute: Microkernel>,
    E: Ending<T>,
    R: Register<Part = <T::Compute as Microkernel>::Part>,
{
    let (m, n) = (problem.c.rows, problem.c.cols);
    let rows = ROWS.min(m.next_multiple_of(H * R::LANES));
    // Enough blocks that every thread has some, as long as a block is worth the packing of its rows.
    let mut cols = COLS.min(n.next_multiple_of(N));
    while cols >= 8 * N && problem.batch * m.div_ceil(rows) * n.div_ceil(cols) < workers.threads().saturating_mul(4) {
        cols = (cols / 2).next_multiple_of(N);
    }
    let (down, across) = (m.div_ceil(rows), n.div_ceil(cols));
    let work = rows * cols * problem.k() * T::Compute::PARTS * T::Compute::PARTS;
    let (blocks, grain) = (problem.batch * down * across, (GRAIN / work).max(1));
    let room = || Scratch::new::<T::Compute>(rows, cols, problem.k().min(DEPTH));
    let mut rooms = scratch::rooms(workers.rooms(blocks, grain), room)?;
    workers.split_in(&mut rooms, blocks, grain, |scratch, jobs| {
        for job in jobs {
            let (index, block) = (job / (down * across), job % (down * across));
            let (i, j) = (block % down * rows, block / down * cols);
            let Problem { a, b, c, .. } = problem.product(index);
            let k = a.cols;
            let c = c.block(i, j, rows.min(m - i), cols.min(n - j));
            if !ending.changes_any(i..i + c.rows, j..j + c.cols) {
                continue;
            }
            let (a, b) = (a.block(i, 0, c.rows, k), b.block(0, j, k, c.cols));
            // SAFETY: the blocks lie in the matrices, and no other job has this block of `c`.
            simd::vectorize(
                #[inline(always)]
                || unsafe { compute::<T, E, R, H, N>(&ending, [a, b, c], (i, j), scratch) },
            );
        }
    });
    Ok(())
}

/// Room for a packed block of `a` and of `b`, and for the sums of a block of `c`.
struct Scratch<R> {
    a: Vec<R>,
    b: Vec<R>,
    sums: Vec<R>,
}

impl<R: ScalarArithmetic> Scratch<R> {
    /// For blocks of `rows` and `cols`, which are multiples of a tile's.
    fn new<T: Microkernel<Part = R>>(rows: usize, cols: usize, depth: usize) -> Result<Self> {
        let room = |elements: usize| scratch::zeroed(elements * T::PARTS);
        Ok(Scratch { a: room(rows * depth)?, b: room(depth * cols)?, sums: room(rows * cols)? })
    }
}

/// One block, whose first element is (`row`, `col`) of all of `c`.
///
/// # Safety
/// The dimensions agree; `a` and `b` may be read and `c` written. `scratch` has room for the block. The processor has
/// the register.
#[inline(always)]
unsafe fn compute<T, E, R, const H: usize, const N: usize>(
    ending: &E,
    [a, b, c]: [Matrix<T>; 3],
    (row, col): (usize, usize),
    scratch: &mut Scratch<R::Part>,
) where
    T: GemmArithmetic<Compute: Microkernel>,
    E: Ending<T>,
    R: Register<Part = <T::Compute as Microkernel>::Part>,
{
    let (height, parts) = (H * R::LANES, T::Compute::PARTS);
    let (down, across) = (c.rows.div_ceil(height), c.cols.div_ceil(N));
    let tile_len = height * N * parts;
    let sums = &mut scratch.sums[..down * across * tile_len];
    sums.fill(Numeric::ZERO);
    for depth in (0..a.cols).step_by(DEPTH) {
        let deep = DEPTH.min(a.cols - depth);
        let panels_a = &mut scratch.a[..down * height * deep * parts];
        let panels_b = &mut scratch.b[..across * N * deep * parts];
        // SAFETY: the blocks lie in `a` and `b`, which the caller lets us read.
        unsafe {
            pack(height, a.block(0, depth, c.rows, deep), panels_a);
            pack(N, b.block(depth, 0, deep, c.cols).transposed(), panels_b);
        }
        let mut tiles = sums.chunks_exact_mut(tile_len);
        for b in panels_b.chunks_exact(N * deep * parts) {
            for (a, tile) in panels_a.chunks_exact(height * deep * parts).zip(&mut tiles) {
                // SAFETY: the caller's promise; the panels and the tile were cut to their lengths.
                unsafe { T::Compute::multiply::<R, H, N, false>(a, b, tile) };
            }
        }
    }
    for (index, tile) in sums.chunks_exact(tile_len).enumerate() {
        let (first_row, first_col) = (index % down * height, index / down * N);
        for j in first_col..c.cols.min(first_col + N) {
            for i in first_row..c.rows.min(first_row + height) {
                let at = (row + i, col + j);
                if ending.changes(at.0, at.1) {
                    let place = (j - first_col) * height + i - first_row;
                    let sum = T::Compute::from_parts(|part| tile[part * N * height + place]);
                    // SAFETY: an element of `c`, which the caller lets us write.
                    unsafe { finish(ending, sum, &c, (i, j), at) };
                }
            }
        }
    }
}

/// Packs a matrix into panels of `width` rows, as [`Microkernel`] wants them. The rows that the last panel has too
/// many are zero.
///
/// # Safety
/// `matrix` may be read.
#[inline(always)]
unsafe fn pack<T: GemmArithmetic<Compute: Microkernel>>(
    width: usize,
    matrix: Matrix<T>,
    panels: &mut [<T::Compute as Microkernel>::Part],
) {
    let parts = T::Compute::PARTS;
    for (panel, first) in panels.chunks_exact_mut(width * matrix.cols * parts).zip((0..matrix.rows).step_by(width)) {
        let rows = width.min(matrix.rows - first);
        if rows < width {
            panel.fill(Numeric::ZERO);
        }
        if rows == width && matrix.row_stride == 1 {
            for (k, step) in panel.chunks_exact_mut(width * parts).enumerate() {
                for i in 0..width {
                    // SAFETY: an element of `matrix`, which the caller lets us read.
                    let value = unsafe { element(&matrix, first + i, k) };
                    for part in 0..parts {
                        step[part * width + i] = value.part(part);
                    }
                }
            }
        } else {
            for i in 0..rows {
                for k in 0..matrix.cols {
                    // SAFETY: an element of `matrix`, which the caller lets us read.
                    let value = unsafe { element(&matrix, first + i, k) };
                    for part in 0..parts {
                        panel[(k * parts + part) * width + i] = value.part(part);
                    }
                }
            }
        }
    }
}
