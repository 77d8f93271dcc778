//! Matrices in memory, with their types.

use crate::execute::level1::Vector;
use warpwave_core::Op;
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::operation::MatrixOperand;

/// A matrix as it enters a routine: transposed already, conjugation still to do.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Matrix<T> {
    /// Element (0, 0).
    pub(in crate::execute) ptr: *mut T,
    pub(in crate::execute) rows: usize,
    pub(in crate::execute) cols: usize,
    /// The distance from one row to the next, in elements; this or the other is 1.
    pub(in crate::execute) row_stride: usize,
    /// The distance from one column to the next, in elements.
    pub(in crate::execute) col_stride: usize,
    /// Whether the elements are to be conjugated.
    pub(in crate::execute) conj: bool,
}

// SAFETY: a `Matrix` is an address; only unsafe functions follow it, and their callers answer for races.
unsafe impl<T: Send> Send for Matrix<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send> Sync for Matrix<T> {}

impl<T: Copy> Matrix<T> {
    /// `op` of the matrix that `operand` describes, whose elements have the size of `T`.
    pub(in crate::execute) fn new(operand: &MatrixOperand, op: Op) -> Self {
        debug_assert_eq!(operand.dtype.size(), size_of::<T>());
        let matrix = Matrix {
            ptr: operand.ptr.as_ptr().cast(),
            rows: operand.rows,
            cols: operand.cols,
            row_stride: operand.row_stride(),
            col_stride: operand.col_stride(),
            conj: op == Op::C,
        };
        if op == Op::N { matrix } else { matrix.transposed() }
    }

    /// A matrix in memory of our own, whose rows are contiguous if `by_rows`, else its columns.
    pub(in crate::execute) fn dense(ptr: *mut T, rows: usize, cols: usize, by_rows: bool) -> Self {
        let (row_stride, col_stride) = if by_rows { (cols, 1) } else { (1, rows) };
        Matrix { ptr, rows, cols, row_stride, col_stride, conj: false }
    }

    #[must_use]
    pub(in crate::execute) fn transposed(self) -> Self {
        Matrix { rows: self.cols, cols: self.rows, row_stride: self.col_stride, col_stride: self.row_stride, ..self }
    }

    /// The same matrix `elements` further on in memory.
    #[must_use]
    pub(in crate::execute) fn moved(self, elements: usize) -> Self {
        Matrix { ptr: self.ptr.wrapping_add(elements), ..self }
    }

    /// `rows × cols` elements, the first of which is (`i`, `j`).
    #[must_use]
    pub(in crate::execute) fn block(self, i: usize, j: usize, rows: usize, cols: usize) -> Self {
        Matrix { ptr: self.at(i, j), rows, cols, ..self }
    }

    /// Whether to go along the rows, which are contiguous then; else the columns are.
    #[inline(always)]
    pub(in crate::execute) fn by_rows(&self) -> bool {
        self.col_stride == 1 && (self.row_stride != 1 || self.rows == 1)
    }

    /// Row `i`.
    pub(in crate::execute) fn row(&self, i: usize) -> Vector<T> {
        Vector::from_parts(self.at(i, 0), self.col_stride as isize, self.cols)
    }

    /// The address of element (`i`, `j`).
    #[inline(always)]
    pub(in crate::execute) fn at(&self, i: usize, j: usize) -> *mut T {
        self.ptr.wrapping_add(i * self.row_stride + j * self.col_stride)
    }

    /// Element (`i`, `j`), as it is in memory.
    ///
    /// # Safety
    /// The element exists, is live, and nobody writes it during the call.
    #[inline(always)]
    pub(in crate::execute) unsafe fn get(&self, i: usize, j: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.at(i, j).read() }
    }

    /// Element (`i`, `j`), conjugated if it has to be.
    ///
    /// # Safety
    /// As for [`get`](Self::get).
    #[inline(always)]
    pub(in crate::execute) unsafe fn entering(&self, i: usize, j: usize) -> T
    where
        T: ScalarArithmetic,
    {
        // SAFETY: the caller's promise.
        let value = unsafe { self.get(i, j) };
        if self.conj { value.conj() } else { value }
    }

    /// Sets element (`i`, `j`).
    ///
    /// # Safety
    /// The element exists, is live, and nobody else touches it during the call.
    #[inline(always)]
    pub(in crate::execute) unsafe fn set(&self, i: usize, j: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.at(i, j).write(value) }
    }
}
