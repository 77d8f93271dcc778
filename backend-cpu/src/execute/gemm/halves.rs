//! `gemm` of `f16` and `bf16` within the bound: converted to `f32`, block by block, and rounded once.
//!
//! The crate `gemm` has a routine for `f16`, but it rounds partial sums to `f16`.

use super::strict::{SHARED, multiply};
use super::{Matrix, Problem, split};
use crate::execute::scratch;
use crate::simd;
use crate::workers::Workers;
use gemm::Parallelism;
use warpwave_core::Result;
use warpwave_core::numerics::blas::{self, GemmArithmetic};

/// The largest block of `c`, whose sums are held in `f32`: 4 MiB.
const BLOCK: usize = 1024;
/// How much of the dimension summed over is converted at a time: 2 MiB each of `a` and `b`.
const DEPTH: usize = 512;

/// # Safety
/// The problem has elements and something to sum over; its inputs may be read and its outputs written.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn gemm<T: GemmArithmetic<Compute = f32>>(workers: &Workers, problem: Problem<'_, T>) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        if problem.work() < SHARED {
            let grain = (SHARED / problem.work()).max(1);
            let count = workers.rooms(problem.batch, grain);
            let mut rooms = scratch::rooms(count, || Scratch::new(&problem))?;
            workers.split_in(&mut rooms, problem.batch, grain, |scratch, products| {
                products.for_each(|index| product(None, problem.product(index), scratch));
            });
        } else {
            let mut scratch = Scratch::new(&problem)?;
            workers.install(|| {
                (0..problem.batch).for_each(|index| product(Some(workers), problem.product(index), &mut scratch));
            });
        }
    }
    Ok(())
}

/// Room for one block of each matrix, used again for every other.
struct Scratch {
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
}

impl Scratch {
    fn new<T: GemmArithmetic<Compute = f32>>(problem: &Problem<'_, T>) -> Result<Self> {
        let (m, n, k) = (problem.c.rows.min(BLOCK), problem.c.cols.min(BLOCK), problem.k().min(DEPTH));
        Ok(Scratch { a: scratch::zeroed(m * k)?, b: scratch::zeroed(k * n)?, c: scratch::zeroed(m * n)? })
    }
}

/// # Safety
/// As for [`gemm`]; `scratch` was made for this problem or for one with the same dimensions.
unsafe fn product<T: GemmArithmetic<Compute = f32>>(
    workers: Option<&Workers>,
    problem: Problem<'_, T>,
    scratch: &mut Scratch,
) {
    let (m, n, k) = (problem.c.rows, problem.c.cols, problem.k());
    for j in (0..n).step_by(BLOCK) {
        for i in (0..m).step_by(BLOCK) {
            let c = problem.c.block(i, j, BLOCK.min(m - i), BLOCK.min(n - j));
            let sums = Matrix::dense(scratch.c.as_mut_ptr(), c.rows, c.cols, c.by_rows());
            for depth in (0..k).step_by(DEPTH) {
                let deep = DEPTH.min(k - depth);
                // SAFETY: the blocks lie in the matrices, which the caller lets us read, and the scratch is as large
                // as the largest of them. The first product does not read `sums`.
                unsafe {
                    let a = widen(workers, problem.a.block(i, depth, c.rows, deep), &mut scratch.a);
                    let b = widen(workers, problem.b.block(depth, j, deep, c.cols), &mut scratch.b);
                    let parallelism = match workers {
                        Some(workers) if workers.installed() > 1 => Parallelism::Rayon(workers.installed()),
                        _ => Parallelism::None,
                    };
                    multiply(1.0, a, b, if depth == 0 { 0.0 } else { 1.0 }, sums, parallelism);
                }
            }
            // SAFETY: the caller lets us write `c`; `sums` has its dimensions and its order.
            unsafe { finish(workers, problem.alpha, sums, problem.beta, c) };
        }
    }
}

/// `matrix` in `f32`, in the same order of elements.
///
/// # Safety
/// `matrix` may be read; `scratch` has room for it.
pub(super) unsafe fn widen<T: GemmArithmetic<Compute = f32>>(
    workers: Option<&Workers>,
    matrix: Matrix<T>,
    scratch: &mut [f32],
) -> Matrix<f32> {
    let by_rows = matrix.by_rows();
    let wide = Matrix::dense(scratch.as_mut_ptr(), matrix.rows, matrix.cols, by_rows);
    let (from, to) = if by_rows { (matrix, wide) } else { (matrix.transposed(), wide.transposed()) };
    split(workers, from.rows, (super::GRAIN / from.cols).max(1), |rows| {
        simd::vectorize(
            #[inline(always)]
            || {
                for i in rows {
                    // SAFETY: a contiguous row of each; every row of `to` is in one range only, and `scratch` has
                    // room for it.
                    let (from, to) = unsafe {
                        let to = std::slice::from_raw_parts_mut(to.at(i, 0), to.cols);
                        (std::slice::from_raw_parts(from.at(i, 0), from.cols), to)
                    };
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = from.widen());
                }
            },
        );
    });
    wide
}

/// `c = alpha · sums + beta · c`, rounded once.
///
/// # Safety
/// `c` may be written; `sums` has the same dimensions and the same order, and may be read.
unsafe fn finish<T: GemmArithmetic<Compute = f32>>(
    workers: Option<&Workers>,
    alpha: f32,
    sums: Matrix<f32>,
    beta: f32,
    c: Matrix<T>,
) {
    let (sums, c) = if c.by_rows() { (sums, c) } else { (sums.transposed(), c.transposed()) };
    split(workers, c.rows, (super::GRAIN / c.cols).max(1), |rows| {
        simd::vectorize(
            #[inline(always)]
            || {
                for i in rows {
                    // SAFETY: a contiguous row of each; every row of `c` is in one range only.
                    let (sums, c) = unsafe {
                        let c = std::slice::from_raw_parts_mut(c.at(i, 0), c.cols);
                        (std::slice::from_raw_parts(sums.at(i, 0), c.len()), c)
                    };
                    for (c, &sum) in c.iter_mut().zip(sums) {
                        *c = T::narrow(blas::update(alpha, sum, beta, c.widen()));
                    }
                }
            },
        );
    });
}
