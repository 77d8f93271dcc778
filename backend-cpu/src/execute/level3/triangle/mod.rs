//! `trmm` and `trsm`: a triangular matrix times many vectors, and solved for many right-hand sides.
//!
//! Both have the bits of [`warpwave_core::numerics::blas::triangular`], whatever precision is asked for: every element is one
//! chain, so it is the vectors that are computed side by side. Some of them, as many as fill the registers, are packed into a
//! [slab](slab), in which the elements of one step follow each other; the steps go through the triangular matrix in groups of
//! rows, each of which is packed once for several slabs.

mod kernel;
mod slab;
mod step;
#[cfg(test)]
mod tests;

use crate::execute::gemm::{Matrix, Microkernel, Register, clear, with_registers};
use crate::execute::level1::match_scalar;
use crate::execute::scratch;
use crate::simd;
use crate::workers::Workers;
use kernel::{Multiply, Routine, Solve};
use slab::Scratch;
use step::Steps;
use warpwave_core::numerics::blas::triangular;
use warpwave_core::operation::TriangularProduct;
use warpwave_core::{Diag, Op, Result, Side, Uplo};

/// Multiplications that are not worth waking another thread for.
const GRAIN: usize = 1 << 19;
/// Slabs that a packed group of rows is used for.
const SLABS: usize = 16;

/// `b = alpha · op(a) · b`, or `alpha · b · op(a)`, with a triangular `a`.
///
/// # Safety
/// As for [`super::super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory); nothing is written then.
pub(in crate::execute) unsafe fn trmm(workers: &Workers, product: &TriangularProduct) -> Result<Option<()>> {
    // SAFETY: the caller's promise.
    match_scalar!(product.b.dtype, T => unsafe {
        match product.side == Side::Left {
            true => run::<T, Multiply<true>>(workers, product),
            false => run::<T, Multiply<false>>(workers, product),
        }.transpose()
    })
    .transpose()
}

/// `b` becomes the solution of `op(a) · x = alpha · b`, or `x · op(a) = alpha · b`, for each matrix of a batch.
///
/// # Safety
/// As for [`super::super::execute`].
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory); nothing is written then.
pub(in crate::execute) unsafe fn trsm(workers: &Workers, product: &TriangularProduct) -> Result<Option<()>> {
    // SAFETY: the caller's promise.
    match_scalar!(product.b.dtype, T => unsafe { run::<T, Solve>(workers, product) }.transpose()).transpose()
}

/// A triangular matrix and vectors.
#[derive(Clone, Copy, Debug)]
struct System<T> {
    alpha: T,
    /// The matrix as it acts on a column vector.
    matrix: Matrix<T>,
    /// The triangle of that.
    uplo: Uplo,
    diag: Diag,
    /// One vector in each row.
    vectors: Matrix<T>,
}

impl<T: Microkernel> System<T> {
    fn new(product: &TriangularProduct, alpha: T) -> Self {
        let a = &product.a;
        let (matrix, uplo) = (Matrix::new(&a.matrix, a.op), triangular::transposed(a.uplo, a.op));
        let b = Matrix::new(&product.b, Op::N);
        if product.side == Side::Left {
            System { alpha, matrix, uplo, diag: a.diag, vectors: b.transposed() }
        } else {
            let uplo = triangular::transposed(uplo, Op::T);
            System { alpha, matrix: matrix.transposed(), uplo, diag: a.diag, vectors: b }
        }
    }

    /// The order of the matrix.
    fn order(&self) -> usize {
        self.matrix.rows
    }

    /// The vectors, `width` at a time.
    #[inline(always)]
    fn slabs(&self, width: usize) -> impl Iterator<Item = Matrix<T>> {
        let vectors = self.vectors;
        let slab = move |i| vectors.block(i, 0, width.min(vectors.rows - i), vectors.cols);
        (0..vectors.rows).step_by(width).map(slab)
    }

    /// Element (`i`, `j`) of the matrix.
    ///
    /// # Safety
    /// It lies in the triangle, which may be read.
    #[inline(always)]
    unsafe fn element(&self, i: usize, j: usize) -> T {
        if i == j && self.diag == Diag::Unit {
            return T::ONE;
        }
        // SAFETY: the caller's promise.
        unsafe { self.matrix.entering(i, j) }
    }
}

/// # Safety
/// As for [`trmm`].
unsafe fn run<T: Steps, K: Routine>(workers: &Workers, product: &TriangularProduct) -> Result<Option<()>> {
    let Some(alpha) = product.alpha.get::<T>() else { return Ok(None) };
    let system = System::new(product, alpha);
    if system.order() == 0 || system.vectors.rows == 0 || product.batch == 0 {
        return Ok(Some(()));
    }
    // SAFETY: the caller's promise.
    unsafe {
        if alpha == T::ZERO {
            clear(workers, Matrix::<T>::new(&product.b, Op::N), product.batch, product.strides[1]);
        } else {
            with_registers!(simd::Level::best(), T, share::<T, K>(workers, system, product.batch, product.strides))?;
        }
    }
    Ok(Some(()))
}

/// Shares the slabs of a batch among the threads.
///
/// # Safety
/// As for [`trmm`]; nothing is empty, and the processor has the register.
unsafe fn share<T, K, R, const H: usize, const N: usize>(
    workers: &Workers,
    system: System<T>,
    batch: usize,
    strides: [usize; 2],
) -> Result<()>
where
    T: Steps,
    K: Routine,
    R: Register<Part = T::Part>,
{
    let (order, count) = (system.order(), system.vectors.rows);
    // As many slabs at a time as leave something for every thread.
    let slabs = count.div_ceil(H * R::LANES).div_ceil(workers.threads()).clamp(1, SLABS);
    let width = slabs * H * R::LANES;
    let pieces = count.div_ceil(width);
    let work = (order * T::PARTS * T::PARTS).saturating_mul(order).saturating_mul(count.saturating_mul(batch)) / 2;
    let grain = (GRAIN / (work / (batch * pieces)).max(1)).max(1);
    let room = || Scratch::<T>::new(order, width, H * R::LANES, N);
    let mut rooms = scratch::rooms(workers.rooms(batch * pieces, grain), room)?;
    workers.split_in(&mut rooms, batch * pieces, grain, |scratch, range| {
        for piece in range {
            let (index, first) = (piece / pieces, piece % pieces * width);
            let piece = System {
                matrix: system.matrix.moved(index * strides[0]),
                vectors: system.vectors.moved(index * strides[1]).block(first, 0, width.min(count - first), order),
                ..system
            };
            // SAFETY: the caller's promise. The vectors of a piece are in no other.
            simd::vectorize(
                #[inline(always)]
                || unsafe { K::run::<T, R, H, N>(&piece, scratch) },
            );
        }
    });
    Ok(())
}
