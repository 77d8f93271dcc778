//! Matrices of which one triangle is stored, written out.

use super::copy::{straight, turned};
use crate::execute::gemm::{Matrix, Microkernel};
use crate::execute::level1::GRAIN;
use crate::simd;
use crate::workers::Workers;
use std::ops::Range;
use warpwave_core::numerics::blas::triangular;
use warpwave_core::operation::MatrixOperand;
use warpwave_core::{Op, Uplo};

/// Rows that are written together.
const TILE: usize = 32;

/// A matrix of which one triangle is stored.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Stored<T> {
    pub(in crate::execute) matrix: Matrix<T>,
    pub(in crate::execute) uplo: Uplo,
    pub(in crate::execute) hermitian: bool,
}

impl<T: Microkernel> Stored<T> {
    /// The matrix that `operand` describes.
    pub(in crate::execute) fn new(operand: &MatrixOperand, uplo: Uplo, hermitian: bool) -> Self {
        Stored { matrix: Matrix::new(operand, Op::N), uplo, hermitian }
    }

    /// Element (`i`, `j`) of the whole matrix.
    ///
    /// # Safety
    /// It exists, and the triangle may be read.
    #[inline(always)]
    unsafe fn get(&self, i: usize, j: usize) -> T {
        // SAFETY: the caller's promise; the closure is called inside the triangle.
        let at = |i, j| unsafe { self.matrix.get(i, j) };
        match self.hermitian {
            true => triangular::hermitian(self.uplo, i, j, at),
            false => triangular::symmetric(self.uplo, i, j, at),
        }
    }

    /// A block that the diagonal does not go through, or which is square and has it as its own: where it is, or in `room`.
    ///
    /// # Safety
    /// The block lies in the matrix, whose triangle may be read; `room` has place for it if it is square.
    pub(super) unsafe fn block(
        &self,
        workers: &Workers,
        rows: Range<usize>,
        cols: Range<usize>,
        room: &mut [T],
    ) -> Matrix<T> {
        if rows == cols {
            let matrix = self.matrix.block(rows.start, cols.start, rows.len(), cols.len());
            // SAFETY: the caller's promise.
            return unsafe { Stored { matrix, ..*self }.whole(workers, room) };
        }
        if triangular::stored(self.uplo, rows.start, cols.start) {
            return self.matrix.block(rows.start, cols.start, rows.len(), cols.len());
        }
        let mirrored = self.matrix.block(cols.start, rows.start, cols.len(), rows.len()).transposed();
        Matrix { conj: self.hermitian, ..mirrored }
    }

    /// All of the matrix, written out in `room`.
    ///
    /// # Safety
    /// The triangle may be read; `room` has place for all.
    pub(super) unsafe fn whole(&self, workers: &Workers, room: &mut [T]) -> Matrix<T> {
        let n = self.matrix.rows;
        let full = Matrix::dense(room.as_mut_ptr(), n, n, self.matrix.by_rows());
        // Along what is contiguous, in both.
        let (from, to) = match self.matrix.by_rows() {
            true => (*self, full),
            false => (self.transposed(), full.transposed()),
        };
        workers.split(n.div_ceil(TILE), (GRAIN / (n * TILE)).max(1), |tiles| {
            let rows = tiles.start * TILE..n.min(tiles.end * TILE);
            let to = to.block(rows.start, 0, rows.len(), n);
            // SAFETY: rows of `to`, which are in one range only; `room` is as large as all of them.
            unsafe { from.write(rows, 0..n, to, false) };
        });
        full
    }

    /// The same matrix, of which the other triangle is stored.
    #[must_use]
    pub(in crate::execute) fn transposed(&self) -> Self {
        Stored { matrix: self.matrix.transposed(), uplo: triangular::transposed(self.uplo, Op::T), ..*self }
    }

    /// Writes some rows and columns of the whole matrix, whose rows are contiguous, as those of `to` are; with `conj` of its
    /// conjugate.
    ///
    /// # Safety
    /// The triangle may be read. `to` may be written, and has their number of rows and columns.
    pub(in crate::execute) unsafe fn write(&self, rows: Range<usize>, cols: Range<usize>, to: Matrix<T>, conj: bool) {
        let lower = self.uplo == Uplo::Lower;
        simd::vectorize(
            #[inline(always)]
            || {
                for start in rows.clone().step_by(TILE) {
                    let strip = start..rows.end.min(start + TILE);
                    let to = |cols_here: &Range<usize>| {
                        to.block(strip.start - rows.start, cols_here.start - cols.start, strip.len(), cols_here.len())
                    };
                    let left = cols.start..cols.end.min(strip.start).max(cols.start);
                    let right = cols.start.max(strip.end).min(cols.end)..cols.end;
                    let middle = left.end..right.start;
                    // SAFETY: the caller's promise; the diagonal goes through neither.
                    unsafe {
                        self.write_beside(strip.start, left.start, to(&left), lower, conj);
                        self.write_beside(strip.start, right.start, to(&right), !lower, conj);
                    }
                    for (row, i) in strip.clone().enumerate() {
                        for (col, j) in middle.clone().enumerate() {
                            // SAFETY: the caller's promise.
                            unsafe {
                                // What is real has the imaginary part +0, and so has its conjugate.
                                let value = self.get(i, j);
                                let real = i == j && self.hermitian;
                                to(&middle).set(row, col, if conj && !real { value.conj() } else { value });
                            }
                        }
                    }
                }
            },
        );
    }

    /// A block whose first element is (`i`, `j`), and which the diagonal does not go through: stored, or the mirror image of one that
    /// is.
    ///
    /// # Safety
    /// As for [`write`](Self::write).
    #[inline(always)]
    unsafe fn write_beside(&self, i: usize, j: usize, to: Matrix<T>, stored: bool, conj: bool) {
        if to.cols == 0 {
            return;
        }
        let (straight_from, turned_from) =
            (self.matrix.block(i, j, to.rows, to.cols), self.matrix.block(j, i, to.cols, to.rows));
        // SAFETY: the caller's promise.
        unsafe {
            match (stored, conj != (self.hermitian && !stored)) {
                (true, false) => straight(straight_from, to, |x| x),
                (true, true) => straight(straight_from, to, T::conj),
                (false, false) => turned(turned_from, to, |x| x),
                (false, true) => turned(turned_from, to, T::conj),
            }
        }
    }
}
