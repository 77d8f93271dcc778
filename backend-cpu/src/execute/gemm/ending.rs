//! What becomes of the sums of a product.

use std::ops::Range;
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic, triangular};
use warpwave_core::{Scalar, Uplo};

/// Makes results of sums.
pub(in crate::execute) trait Ending<T: GemmArithmetic>: Copy + Sync {
    /// Whether a block, given by its rows and columns, has an element that is to be changed.
    fn changes_any(&self, rows: Range<usize>, cols: Range<usize>) -> bool;

    /// Whether the element at (`i`, `j`) is to be changed.
    fn changes(&self, i: usize, j: usize) -> bool;

    /// Whether elements are read before they are changed.
    fn reads(&self) -> bool;

    /// The element at (`i`, `j`), of its sum and what it was; of the latter 0 if it is not read.
    fn end(&self, i: usize, j: usize, sum: T::Compute, old: T) -> T;
}

/// [`blas::update`] of every element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update<C> {
    pub(super) alpha: C,
    pub(super) beta: C,
}

impl<T: GemmArithmetic> Ending<T> for Update<T::Compute> {
    #[inline(always)]
    fn changes_any(&self, _: Range<usize>, _: Range<usize>) -> bool {
        true
    }

    #[inline(always)]
    fn changes(&self, _: usize, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn reads(&self) -> bool {
        self.beta != T::Compute::ZERO
    }

    #[inline(always)]
    fn end(&self, _: usize, _: usize, sum: T::Compute, old: T) -> T {
        T::narrow(blas::update(self.alpha, sum, self.beta, old.widen()))
    }
}

/// Whether a block, given by its rows and columns, which are not empty, has an element in the triangle.
fn meets(uplo: Uplo, rows: Range<usize>, cols: Range<usize>) -> bool {
    match uplo == Uplo::Lower {
        true => triangular::stored(uplo, rows.end - 1, cols.start),
        false => triangular::stored(uplo, rows.start, cols.end - 1),
    }
}

/// [`blas::update`] of one triangle.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Symmetric<T> {
    pub(in crate::execute) uplo: Uplo,
    pub(in crate::execute) alpha: T,
    pub(in crate::execute) beta: T,
}

impl<T: ScalarArithmetic + GemmArithmetic<Compute = T>> Ending<T> for Symmetric<T> {
    fn changes_any(&self, rows: Range<usize>, cols: Range<usize>) -> bool {
        meets(self.uplo, rows, cols)
    }

    #[inline(always)]
    fn changes(&self, i: usize, j: usize) -> bool {
        triangular::stored(self.uplo, i, j)
    }

    #[inline(always)]
    fn reads(&self) -> bool {
        self.beta != T::ZERO
    }

    #[inline(always)]
    fn end(&self, _: usize, _: usize, sum: T, old: T) -> T {
        blas::update(self.alpha, sum, self.beta, old).canonical()
    }
}

/// [`triangular::herk_update`] of one triangle.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Hermitian<M> {
    pub(in crate::execute) uplo: Uplo,
    pub(in crate::execute) alpha: M,
    pub(in crate::execute) beta: M,
}

impl<T> Ending<T> for Hermitian<<T as Scalar>::Magnitude>
where
    T: ScalarArithmetic<Magnitude: ScalarArithmetic> + GemmArithmetic<Compute = T>,
{
    fn changes_any(&self, rows: Range<usize>, cols: Range<usize>) -> bool {
        meets(self.uplo, rows, cols)
    }

    #[inline(always)]
    fn changes(&self, i: usize, j: usize) -> bool {
        triangular::stored(self.uplo, i, j)
    }

    #[inline(always)]
    fn reads(&self) -> bool {
        self.beta != Numeric::ZERO
    }

    #[inline(always)]
    fn end(&self, i: usize, j: usize, sum: T, old: T) -> T {
        triangular::herk_update(self.alpha, sum, self.beta, old, i == j)
    }
}
