//! Rows, columns and the diagonal of a matrix, as vectors.

use super::{MatrixView, MatrixViewMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::operation::Layout;
use crate::view::{Vector, VectorMut};

impl<'a, T: Element, D: Device> MatrixView<'a, T, D> {
    /// Row `i`, from 0; its elements lie apart by the leading dimension if columns are contiguous, else by 1.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no such row.
    pub fn row(self, i: usize) -> Result<Vector<'a, T, D>> {
        if i >= self.shape.rows {
            return Err(Error::invalid("i", format_args!("less than {}", self.shape.rows), i).in_operation("row"));
        }
        Ok(self.line((i, 0), self.shape.cols, self.strides().1))
    }

    /// Column `j`, from 0; its elements lie apart by 1 if columns are contiguous, else by the leading dimension.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no such column.
    pub fn col(self, j: usize) -> Result<Vector<'a, T, D>> {
        if j >= self.shape.cols {
            return Err(Error::invalid("j", format_args!("less than {}", self.shape.cols), j).in_operation("col"));
        }
        Ok(self.line((0, j), self.shape.rows, self.strides().0))
    }

    /// The elements (0, 0), (1, 1), …, as many as there are rows or columns, whichever are fewer.
    pub fn diagonal(self) -> Vector<'a, T, D> {
        // The leading dimension of a single row or column may be any number, and then leads nowhere.
        self.line((0, 0), self.shape.rows.min(self.shape.cols), self.shape.ld.saturating_add(1))
    }

    /// From one row to the next and from one column to the next, in elements.
    fn strides(&self) -> (usize, usize) {
        match self.shape.layout {
            Layout::ColumnMajor => (1, self.shape.ld),
            Layout::RowMajor => (self.shape.ld, 1),
        }
    }

    /// `len` elements of this matrix from one of them on, `inc` apart.
    fn line(self, (row, col): (usize, usize), len: usize, inc: usize) -> Vector<'a, T, D> {
        let start = if len == 0 { 0 } else { self.shape.offset(row, col) };
        Vector::inside(self.view.sub(start, self.view.len() - start), len, inc)
    }
}

impl<T: Element, D: Device> MatrixViewMut<'_, T, D> {
    /// As [`MatrixView::row`], to be written.
    ///
    /// # Errors
    /// As for [`MatrixView::row`].
    pub fn row_mut(&mut self, i: usize) -> Result<VectorMut<'_, T, D>> {
        self.matrix.row(i).map(VectorMut::exclusive)
    }

    /// As [`MatrixView::col`], to be written.
    ///
    /// # Errors
    /// As for [`MatrixView::col`].
    pub fn col_mut(&mut self, j: usize) -> Result<VectorMut<'_, T, D>> {
        self.matrix.col(j).map(VectorMut::exclusive)
    }

    /// As [`MatrixView::diagonal`], to be written.
    pub fn diagonal_mut(&mut self) -> VectorMut<'_, T, D> {
        VectorMut::exclusive(self.matrix.diagonal())
    }
}
