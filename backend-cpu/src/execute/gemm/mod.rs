//! `gemm`: the semantics that hold for every precision, and the choice of who computes it.

mod ending;
mod halves;
mod matrix;
mod microkernel;
mod panels;
mod register;
mod reproducible;
mod strict;
#[cfg(test)]
mod tests;

pub(super) use ending::{Ending, Hermitian, Symmetric};
pub(super) use matrix::Matrix;
pub(super) use microkernel::{Microkernel, with_registers};
pub(super) use register::Register;
pub(super) use strict::{SHARED, multiply, parallelism};

use super::level1::GRAIN;
use super::memory::elements;
use crate::simd;
use crate::workers::Workers;
use ending::Update;
use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, GemmArithmetic};
use warpwave_core::operation::{Gemm, Span};
use warpwave_core::{Complex32, Complex64, DType, Op, Precision, Result, bf16, f16};

/// Where the matrices of a batch lie.
#[derive(Clone, Copy, Debug)]
enum Places<'a> {
    /// The `a`, the `b` and the `c` so many elements apart.
    Strided([usize; 3]),
    /// At the addresses of a table: those of all `a`, then of all `b`, then of all `c`.
    Listed(&'a [u64]),
}

/// A batch of products `c = alpha · a · b + beta · c`.
#[derive(Clone, Copy, Debug)]
struct Problem<'a, T: GemmArithmetic> {
    alpha: T::Compute,
    beta: T::Compute,
    /// Of the first product.
    a: Matrix<T>,
    b: Matrix<T>,
    c: Matrix<T>,
    batch: usize,
    places: Places<'a>,
}

impl<'a, T: GemmArithmetic<Compute: Microkernel>> Problem<'a, T> {
    fn new(gemm: &Gemm, places: Places<'a>) -> Option<Self> {
        Some(Problem {
            alpha: gemm.alpha.get()?,
            beta: gemm.beta.get()?,
            a: Matrix::new(&gemm.a, gemm.op_a),
            b: Matrix::new(&gemm.b, gemm.op_b),
            c: Matrix::new(&gemm.c, Op::N),
            batch: gemm.batch,
            places,
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
        let [a, b, c] = match self.places {
            Places::Strided([a, b, c]) => [self.a.moved(index * a), self.b.moved(index * b), self.c.moved(index * c)],
            Places::Listed(table) => {
                let at = |matrix: Matrix<T>, list: usize| {
                    let address = table[list * self.batch + index] as usize;
                    // Whoever made the table has exposed the provenance of what it lists.
                    Matrix { ptr: std::ptr::with_exposed_provenance_mut(address), ..matrix }
                };
                [at(self.a, 0), at(self.b, 1), at(self.c, 2)]
            }
        };
        Problem { a, b, c, batch: 1, places: Places::Strided([0; 3]), ..*self }
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
    unsafe { of_type(workers, gemm, Places::Strided(gemm.strides)) }
}

/// The same for matrices at the addresses in `pointers`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn gemm_batched(workers: &Workers, gemm: &Gemm, pointers: Span) -> Option<Result<()>> {
    if pointers.dtype != DType::U64 || pointers.len != gemm.batch.checked_mul(3)? {
        return None;
    }
    // SAFETY: the caller's promise: the table is there, and so is what it lists.
    unsafe { of_type(workers, gemm, Places::Listed(elements(pointers.ptr, 0, pointers.len))) }
}

/// # Safety
/// As for [`super::execute`].
unsafe fn of_type(workers: &Workers, gemm: &Gemm, places: Places<'_>) -> Option<Result<()>> {
    // SAFETY: the caller's promise.
    unsafe {
        match gemm.a.dtype {
            DType::F32 => run::<f32>(workers, gemm, places, strict::gemm),
            DType::F64 => run::<f64>(workers, gemm, places, strict::gemm),
            DType::C32 => run::<Complex32>(workers, gemm, places, strict::gemm),
            DType::C64 => run::<Complex64>(workers, gemm, places, strict::gemm),
            DType::F16 => run::<f16>(workers, gemm, places, halves::gemm),
            DType::Bf16 => run::<bf16>(workers, gemm, places, halves::gemm),
            _ => None,
        }
    }
}

/// The sums of `a · b`, to the bits of the definition; what becomes of them is for `ending` to say.
///
/// # Safety
/// The dimensions agree, and none of them is 0; `a` and `b` may be read, and `c` written where the ending changes it.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written.
pub(super) unsafe fn reproducible<T: Microkernel, E: Ending<T>>(
    workers: &Workers,
    [a, b, c]: [Matrix<T>; 3],
    ending: E,
) -> Result<()> {
    let (alpha, beta) = (T::ONE, T::ZERO);
    let problem = Problem { alpha, beta, a, b, c, batch: 1, places: Places::Strided([0; 3]) };
    // SAFETY: the caller's promise.
    unsafe { reproducible::gemm(workers, problem, ending) }
}

/// `c = alpha · a · b + beta · c`, to the bits of the definition or within the bound.
///
/// # Safety
/// The dimensions agree, and none of them is 0; `a` and `b` may be read unless `alpha` is 0, and `c` written.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), before anything is written, and only if it is
/// [`Reproducible`](Precision::Reproducible).
pub(super) unsafe fn product<T: Microkernel>(
    workers: &Workers,
    precision: Precision,
    [alpha, beta]: [T; 2],
    [a, b, c]: [Matrix<T>; 3],
) -> Result<()> {
    let problem = Problem { alpha, beta, a, b, c, batch: 1, places: Places::Strided([0; 3]) };
    // SAFETY: the caller's promise.
    unsafe {
        match precision {
            _ if alpha == T::ZERO => {
                scale(workers, problem);
                Ok(())
            }
            Precision::Reproducible => reproducible::gemm(workers, problem, Update { alpha, beta }),
            _ => strict::gemm(workers, problem),
        }
    }
}

/// Fills `batch` matrices, `stride` elements apart, with +0.
///
/// # Safety
/// They may be written.
pub(super) unsafe fn clear<T: Microkernel>(workers: &Workers, c: Matrix<T>, batch: usize, stride: usize) {
    let places = Places::Strided([0, 0, stride]);
    if c.rows > 0 && c.cols > 0 && batch > 0 {
        // SAFETY: the caller's promise; the other two matrices are not touched.
        unsafe { scale(workers, Problem { alpha: T::ZERO, beta: T::ZERO, a: c, b: c, c, batch, places }) };
    }
}

/// # Safety
/// As for [`gemm`]; `bounded` is called with a problem that has elements and something to sum over.
unsafe fn run<T: GemmArithmetic<Compute: Microkernel>>(
    workers: &Workers,
    gemm: &Gemm,
    places: Places<'_>,
    bounded: unsafe fn(&Workers, Problem<'_, T>) -> Result<()>,
) -> Option<Result<()>> {
    let problem = Problem::<T>::new(gemm, places)?;
    if problem.c.rows == 0 || problem.c.cols == 0 || problem.batch == 0 {
        return Some(Ok(()));
    }
    // SAFETY: the caller's promise.
    Some(unsafe {
        if problem.alpha == T::Compute::ZERO || problem.k() == 0 {
            scale(workers, problem);
            Ok(())
        } else if gemm.precision == Precision::Reproducible {
            reproducible::gemm(workers, problem, Update { alpha: problem.alpha, beta: problem.beta })
        } else {
            bounded(workers, problem)
        }
    })
}

/// `c = beta · c`.
///
/// # Safety
/// `c` may be written.
unsafe fn scale<T: GemmArithmetic<Compute: Microkernel>>(workers: &Workers, problem: Problem<'_, T>) {
    let beta = problem.beta;
    if beta == T::Compute::ONE {
        return;
    }
    let by_rows = |c: Matrix<T>| if c.by_rows() { c } else { c.transposed() };
    let Matrix { rows, cols, .. } = by_rows(problem.c);
    workers.split(rows * problem.batch, (GRAIN / cols).max(1), |runs| {
        simd::vectorize(
            #[inline(always)]
            || {
                for run in runs {
                    let row = by_rows(problem.product(run / rows).c).at(run % rows, 0);
                    // SAFETY: a contiguous row of a matrix that the caller lets us write; each is in one range only.
                    let row = unsafe { std::slice::from_raw_parts_mut(row, cols) };
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
