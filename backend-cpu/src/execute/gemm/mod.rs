//! `gemm`: the semantics that hold for every precision, and the choice of who computes it.

mod halves;
mod matrix;
mod microkernel;
mod register;
mod reproducible;
mod strict;
#[cfg(test)]
mod tests;

pub(super) use matrix::Matrix;

use super::level1::GRAIN;
use crate::simd;
use crate::workers::Workers;
use microkernel::Microkernel;
use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, GemmArithmetic};
use warpwave_core::operation::Gemm;
use warpwave_core::{Complex32, Complex64, DType, Op, Precision, Result, bf16, f16};

/// A batch of products `c = alpha · a · b + beta · c`.
#[derive(Clone, Copy, Debug)]
struct Problem<T: GemmArithmetic> {
    alpha: T::Compute,
    beta: T::Compute,
    /// Of the first product.
    a: Matrix<T>,
    b: Matrix<T>,
    c: Matrix<T>,
    batch: usize,
    strides: [usize; 3],
}

impl<T: GemmArithmetic<Compute: Microkernel>> Problem<T> {
    fn new(gemm: &Gemm) -> Option<Self> {
        Some(Problem {
            alpha: gemm.alpha.get()?,
            beta: gemm.beta.get()?,
            a: Matrix::new(&gemm.a, gemm.op_a),
            b: Matrix::new(&gemm.b, gemm.op_b),
            c: Matrix::new(&gemm.c, Op::N),
            batch: gemm.batch,
            strides: gemm.strides,
        })
    }

    /// The dimension that is summed over.
    fn k(&self) -> usize {
        self.a.cols
    }

    /// Real multiplications in one product.
    fn work(&self) -> usize {
        let each = T::Compute::PARTS * T::Compute::PARTS;
        each.saturating_mul(self.c.rows).saturating_mul(self.c.cols).saturating_mul(self.k())
    }

    /// Product `index` of the batch, by itself.
    fn product(&self, index: usize) -> Self {
        let [a, b, c] = self.strides;
        Problem {
            a: self.a.moved(index * a),
            b: self.b.moved(index * b),
            c: self.c.moved(index * c),
            batch: 1,
            ..*self
        }
    }
}

/// `c = alpha · op(a) · op(b) + beta · c`, for each matrix of a batch.
///
/// # Safety
/// As for [`super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(crate) unsafe fn gemm(workers: &Workers, gemm: &Gemm) -> Option<Result<()>> {
    // SAFETY: the caller's promise.
    unsafe {
        match gemm.a.dtype {
            DType::F32 => run::<f32>(workers, gemm, strict::gemm),
            DType::F64 => run::<f64>(workers, gemm, strict::gemm),
            DType::C32 => run::<Complex32>(workers, gemm, strict::gemm),
            DType::C64 => run::<Complex64>(workers, gemm, strict::gemm),
            DType::F16 => run::<f16>(workers, gemm, halves::gemm),
            DType::Bf16 => run::<bf16>(workers, gemm, halves::gemm),
            _ => None,
        }
    }
}

/// # Safety
/// As for [`gemm`]; `bounded` is called with a problem that has elements and something to sum over.
unsafe fn run<T: GemmArithmetic<Compute: Microkernel>>(
    workers: &Workers,
    gemm: &Gemm,
    bounded: unsafe fn(&Workers, Problem<T>) -> Result<()>,
) -> Option<Result<()>> {
    let problem = Problem::<T>::new(gemm)?;
    if problem.c.rows == 0 || problem.c.cols == 0 || problem.batch == 0 {
        return Some(Ok(()));
    }
    // SAFETY: the caller's promise.
    Some(unsafe {
        if problem.alpha == T::Compute::ZERO || problem.k() == 0 {
            scale(workers, problem);
            Ok(())
        } else if gemm.precision == Precision::Reproducible {
            reproducible::gemm(workers, problem)
        } else {
            bounded(workers, problem)
        }
    })
}

/// `c = beta · c`.
///
/// # Safety
/// `c` may be written.
unsafe fn scale<T: GemmArithmetic>(workers: &Workers, problem: Problem<T>) {
    let beta = problem.beta;
    if beta == T::Compute::ONE {
        return;
    }
    let c = if problem.c.by_rows() { problem.c } else { problem.c.transposed() };
    workers.split(c.rows * problem.batch, (GRAIN / c.cols).max(1), |runs| {
        simd::vectorize(
            #[inline(always)]
            || {
                for run in runs {
                    let row = c.moved(run / c.rows * problem.strides[2]).at(run % c.rows, 0);
                    // SAFETY: a contiguous row of a matrix that the caller lets us write; each is in one range only.
                    let row = unsafe { std::slice::from_raw_parts_mut(row, c.cols) };
                    if beta == T::Compute::ZERO {
                        row.fill(T::ZERO);
                    } else {
                        row.iter_mut().for_each(|c| *c = blas::scale(beta, *c));
                    }
                }
            },
        );
    });
}

/// [`Workers::split`], or the whole range at once without workers.
fn split(workers: Option<&Workers>, len: usize, grain: usize, body: impl Fn(Range<usize>) + Sync) {
    match workers {
        Some(workers) => workers.split(len, grain, body),
        None if len > 0 => body(0..len),
        None => {}
    }
}
