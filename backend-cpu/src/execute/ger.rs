//! `ger` and `gerc`, to the bits of [`warpwave_core::numerics::blas::ger`].

#[cfg(test)]
mod tests;

use super::gemm::Matrix;
use super::level1::{GRAIN, Vector, match_scalar};
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::operation::{MatrixOperand, Strided};
use warpwave_core::{Op, ScalarValue};

/// Elements of a row or column whose factors are held on the stack.
const BLOCK: usize = 256;

/// `a = alpha · x · yᵀ + a`, or with `y` conjugated.
///
/// # Safety
/// As for [`super::execute`].
pub(crate) unsafe fn ger(
    workers: &Workers,
    conj: bool,
    alpha: ScalarValue,
    x: Strided,
    y: Strided,
    a: MatrixOperand,
) -> Option<()> {
    match_scalar!(a.dtype, T => {
        let alpha: T = alpha.get()?;
        let (x, y, a) = (Vector::new(&x), Vector::new(&y), Matrix::new(&a, Op::N));
        if alpha != T::ZERO {
            // SAFETY: the caller's promise.
            unsafe { update(workers, conj, alpha, x, y, a) }
        }
        Some(())
    })
}

/// # Safety
/// `x` has an element for each row and `y` for each column; they may be read and `a` written.
unsafe fn update<T: ScalarArithmetic>(
    workers: &Workers,
    conj: bool,
    alpha: T,
    x: Vector<T>,
    y: Vector<T>,
    a: Matrix<T>,
) {
    // SAFETY: the caller's promise; the closures get an index of a row and one of a column.
    unsafe {
        let scaled_y = |j: usize| Numeric::mul(alpha, if conj { y.get(j).conj() } else { y.get(j) });
        if a.by_rows() {
            let whole = |_| 0..a.cols;
            runs(workers, a, whole, scaled_y, |i| x.get(i), |scaled_y, x, a| T::mul_add(scaled_y, x, a));
        } else {
            let whole = |_| 0..a.rows;
            let f = |x, scaled_y, a| T::mul_add(scaled_y, x, a);
            runs(workers, a.transposed(), whole, |i| x.get(i), scaled_y, f);
        }
    }
}

/// Element (`i`, `j`) of `a`, whose rows are contiguous, becomes `f(along(j), across(i), a)`, for the `j` in `part(i)`.
///
/// # Safety
/// The part of `a` may be written, and `along` and `across` called for its columns and rows. No part goes past its row.
pub(super) unsafe fn runs<T: ScalarArithmetic>(
    workers: &Workers,
    a: Matrix<T>,
    part: impl Fn(usize) -> Range<usize> + Sync,
    along: impl Fn(usize) -> T + Sync,
    across: impl Fn(usize) -> T + Sync,
    f: impl Fn(T, T, T) -> T + Sync,
) {
    if a.rows == 0 || a.cols == 0 {
        return;
    }
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
                    let (start, end) = (block * BLOCK, a.cols.min((block + 1) * BLOCK));
                    let part = part(i);
                    let (first, last) = (part.start.max(start), part.end.min(end));
                    if first >= last {
                        continue;
                    }
                    if block != held {
                        factors.iter_mut().zip(start..end).for_each(|(factor, j)| *factor = along(j));
                        held = block;
                    }
                    let (factors, scale) = (&factors[first - start..last - start], across(i));
                    // SAFETY: elements of row `i`, of one block, which belong to this piece alone.
                    let run = unsafe { std::slice::from_raw_parts_mut(a.at(i, first), factors.len()) };
                    for (a, &factor) in run.iter_mut().zip(factors) {
                        *a = f(factor, scale, *a).canonical();
                    }
                }
            },
        );
    });
}
