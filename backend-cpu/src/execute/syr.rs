//! `syr` and `her`, to the bits of [`warpwave_core::numerics::blas::ger`] and [`her`](triangular::her).

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::ger::runs;
use super::level1::{GRAIN, Vector, match_scalar};
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{ScalarArithmetic, triangular};
use warpwave_core::operation::{MatrixOperand, Strided};
use warpwave_core::{Op, Scalar, ScalarValue, Uplo};

/// `a = alpha · x · xᵀ + a` on one triangle, or with the second `x` conjugated and a real `alpha`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn syr(
    workers: &Workers,
    hermitian: bool,
    uplo: Uplo,
    alpha: ScalarValue,
    x: Strided,
    a: MatrixOperand,
) -> Option<()> {
    match_scalar!(a.dtype, T => {
        let (x, a) = (Vector::<T>::new(&x), Matrix::new(&a, Op::N));
        // SAFETY: the caller's promise.
        unsafe {
            if hermitian {
                let alpha: <T as Scalar>::Magnitude = alpha.get()?;
                if alpha != Numeric::ZERO {
                    her(workers, uplo, alpha, x, a);
                }
            } else {
                let alpha: T = alpha.get()?;
                if alpha != T::ZERO {
                    update(workers, uplo, 0, |j| T::mul(alpha, x.get(j)), x, a);
                }
            }
        }
        Some(())
    })
}

/// The columns of row `i` that lie in the triangle of a matrix of order `n`, at least `gap` beside the diagonal.
fn part(uplo: Uplo, n: usize, gap: usize, i: usize) -> Range<usize> {
    if uplo == Uplo::Lower { 0..i + 1 - gap } else { i + gap..n }
}

/// # Safety
/// `a` is square and may be written in the triangle; `x` has an element for each row, and may be read.
unsafe fn her<T: ScalarArithmetic<Magnitude: ScalarArithmetic>>(
    workers: &Workers,
    uplo: Uplo,
    alpha: T::Magnitude,
    x: Vector<T>,
    a: Matrix<T>,
) {
    // SAFETY: the caller's promise. The diagonal is left to the loop below, which has every element of it once.
    unsafe {
        update(workers, uplo, 1, |j| T::scale(alpha, x.get(j).conj()), x, a);
        workers.split(a.rows, GRAIN, |range| {
            for i in range {
                a.set(i, i, triangular::her(alpha, x.get(i), x.get(i), a.get(i, i), true));
            }
        });
    }
}

/// Element (`i`, `j`) of `a` becomes `fma(xᵢ, scaled(j), a)`, in the triangle and at least `gap` beside the diagonal.
///
/// # Safety
/// As for [`her`]; `scaled` may be called for every row.
unsafe fn update<T: ScalarArithmetic>(
    workers: &Workers,
    uplo: Uplo,
    gap: usize,
    scaled: impl Fn(usize) -> T + Sync,
    x: Vector<T>,
    a: Matrix<T>,
) {
    let n = a.rows;
    // SAFETY: the caller's promise; the closures get an index of a row and one of a column.
    unsafe {
        if a.by_rows() {
            let part = |i| part(uplo, n, gap, i);
            runs(workers, a, part, scaled, |i| x.get(i), |scaled, x, a| T::mul_add(scaled, x, a));
        } else {
            let part = |j| part(triangular::transposed(uplo, Op::T), n, gap, j);
            runs(workers, a.transposed(), part, |i| x.get(i), scaled, |x, scaled, a| T::mul_add(scaled, x, a));
        }
    }
}
