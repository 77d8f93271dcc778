//! `ger`, to the bits of [`warpwave_core::numerics::blas::ger`].

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::level1::{GRAIN, Vector, match_scalar};
use crate::simd;
use crate::workers::Workers;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::operation::{MatrixOperand, Strided};
use warpwave_core::{Op, ScalarValue};

/// Elements of a row or column whose factors are held on the stack.
const BLOCK: usize = 256;

/// `a = alpha · x · yᵀ + a`.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn ger(
    workers: &Workers,
    alpha: ScalarValue,
    x: Strided,
    y: Strided,
    a: MatrixOperand,
) -> Option<()> {
    match_scalar!(a.dtype, T => {
        let alpha: T = alpha.get()?;
        let (x, y, a) = (Vector::new(&x), Vector::new(&y), Matrix::new(&a, Op::N));
        if alpha != T::ZERO && a.rows != 0 && a.cols != 0 {
            // SAFETY: the caller's promise.
            unsafe { update(workers, alpha, x, y, a) }
        }
        Some(())
    })
}

/// # Safety
/// `x` has an element for each row and `y` for each column; they may be read and `a` written.
unsafe fn update<T: ScalarArithmetic>(workers: &Workers, alpha: T, x: Vector<T>, y: Vector<T>, a: Matrix<T>) {
    // SAFETY: the caller's promise; the closures get an index of a row and one of a column.
    unsafe {
        if a.by_rows() {
            runs(
                workers,
                a,
                |j| Numeric::mul(alpha, y.get(j)),
                |i| x.get(i),
                |scaled_y, x, a| T::mul_add(scaled_y, x, a),
            );
        } else {
            runs(
                workers,
                a.transposed(),
                |i| x.get(i),
                |j| Numeric::mul(alpha, y.get(j)),
                |x, scaled_y, a| T::mul_add(scaled_y, x, a),
            );
        }
    }
}

/// Element (`i`, `j`) of `a`, whose rows are contiguous, becomes `f(along(j), across(i), a)`.
///
/// # Safety
/// `a` may be written, and `along` and `across` called for its columns and rows.
unsafe fn runs<T: ScalarArithmetic>(
    workers: &Workers,
    a: Matrix<T>,
    along: impl Fn(usize) -> T + Sync,
    across: impl Fn(usize) -> T + Sync,
    f: impl Fn(T, T, T) -> T + Sync,
) {
    // A piece is a row within one block of columns. Pieces of the same block follow each other, so that its factors
    // are read once.
    let pieces = a.cols.div_ceil(BLOCK) * a.rows;
    workers.split(pieces, (GRAIN / a.cols.min(BLOCK)).max(1), |range| {
        simd::vectorize(
            #[inline(always)]
            || {
                let mut factors = [T::ZERO; BLOCK];
                let mut held = usize::MAX;
                for piece in range {
                    let (block, i) = (piece / a.rows, piece % a.rows);
                    let start = block * BLOCK;
                    let factors = &mut factors[..(a.cols - start).min(BLOCK)];
                    if block != held {
                        factors.iter_mut().zip(start..).for_each(|(factor, j)| *factor = along(j));
                        held = block;
                    }
                    let scale = across(i);
                    // SAFETY: the elements of row `i` from `start` on, which belong to this piece alone.
                    let run = unsafe { std::slice::from_raw_parts_mut(a.at(i, start), factors.len()) };
                    for (a, &factor) in run.iter_mut().zip(&*factors) {
                        *a = f(factor, scale, *a).canonical();
                    }
                }
            },
        );
    });
}
