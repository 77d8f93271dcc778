//! Matrices: views with rows, columns, a leading dimension and a layout.

mod batch;
mod lines;

pub use batch::{Batch, BatchMut};

use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::operation::{Layout, MatrixOperand};
use crate::runtime::Access;
use crate::view::{View, ViewMut};
use std::marker::PhantomData;

/// The shape of a matrix in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) ld: usize,
    pub(crate) layout: Layout,
}

impl Shape {
    fn new(rows: usize, cols: usize, ld: Option<usize>, layout: Layout) -> Result<Shape> {
        let run = match layout {
            Layout::ColumnMajor => rows,
            Layout::RowMajor => cols,
        };
        let ld = ld.unwrap_or(run);
        if ld < run {
            return Err(Error::invalid("ld", format_args!("at least {run}"), ld));
        }
        Ok(Shape { rows, cols, ld, layout })
    }

    /// Elements from the first of the matrix to its last, both included.
    fn extent(&self) -> Option<usize> {
        let (run, runs) = self.runs();
        if run == 0 || runs == 0 {
            return Some(0);
        }
        (runs - 1).checked_mul(self.ld)?.checked_add(run)
    }

    fn runs(&self) -> (usize, usize) {
        match self.layout {
            Layout::ColumnMajor => (self.rows, self.cols),
            Layout::RowMajor => (self.cols, self.rows),
        }
    }

    fn offset(&self, row: usize, col: usize) -> usize {
        match self.layout {
            Layout::ColumnMajor => row + col * self.ld,
            Layout::RowMajor => row * self.ld + col,
        }
    }
}

/// A matrix to be read. Copying it copies no element.
pub struct MatrixView<'a, T: Element, D: Device> {
    view: View<'a, T, D>,
    pub(crate) shape: Shape,
}

/// A matrix to be written. Elements between its rows and its leading dimension are left alone.
pub struct MatrixViewMut<'a, T: Element, D: Device> {
    matrix: MatrixView<'a, T, D>,
    marker: PhantomData<&'a mut [T]>,
}

impl<T: Element, D: Device> Clone for MatrixView<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element, D: Device> Copy for MatrixView<'_, T, D> {}

impl<T: Element, D: Device> std::fmt::Debug for MatrixView<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Shape { rows, cols, ld, layout } = self.shape;
        write!(f, "MatrixView<{}>[{rows} × {cols}; ld {ld}, {layout:?}]", T::DTYPE)
    }
}

impl<T: Element, D: Device> std::fmt::Debug for MatrixViewMut<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.matrix.fmt(f)
    }
}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// The start of this view as a `rows × cols` matrix, column-major and without gaps.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the view is too short.
    pub fn matrix(self, rows: usize, cols: usize) -> Result<MatrixView<'a, T, D>> {
        let shape = Shape::new(rows, cols, None, Layout::ColumnMajor);
        shape.and_then(|shape| MatrixView::of(self, shape)).map_err(|e| e.in_operation("matrix"))
    }

    /// The start of this view as a `rows × cols` matrix with a leading dimension of `ld` elements.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the view is too short, or `ld` less than a column (a row, if row-major).
    pub fn matrix_with(self, rows: usize, cols: usize, ld: usize, layout: Layout) -> Result<MatrixView<'a, T, D>> {
        let shape = Shape::new(rows, cols, Some(ld), layout);
        shape.and_then(|shape| MatrixView::of(self, shape)).map_err(|e| e.in_operation("matrix_with"))
    }
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// As [`View::matrix`], to be written.
    ///
    /// # Errors
    /// As for [`View::matrix`].
    pub fn matrix_mut(self, rows: usize, cols: usize) -> Result<MatrixViewMut<'a, T, D>> {
        Ok(MatrixViewMut::exclusive(self.into_view().matrix(rows, cols)?))
    }

    /// As [`View::matrix_with`], to be written.
    ///
    /// # Errors
    /// As for [`View::matrix_with`].
    pub fn matrix_mut_with(
        self,
        rows: usize,
        cols: usize,
        ld: usize,
        layout: Layout,
    ) -> Result<MatrixViewMut<'a, T, D>> {
        Ok(MatrixViewMut::exclusive(self.into_view().matrix_with(rows, cols, ld, layout)?))
    }
}

impl<'a, T: Element, D: Device> MatrixView<'a, T, D> {
    fn of(view: View<'a, T, D>, shape: Shape) -> Result<Self> {
        match shape.extent() {
            Some(extent) if extent <= view.len() => Ok(MatrixView { view: view.sub(0, extent), shape }),
            _ => {
                let Shape { rows, cols, ld, .. } = shape;
                let expected = format!("a matrix within the view's {} elements", view.len());
                let got = format_args!("{rows} × {cols} with leading dimension {ld}");
                Err(Error::invalid("rows and cols", expected, got))
            }
        }
    }

    /// All elements as one column, for operations that run over a view as over a matrix.
    pub(crate) fn column(view: View<'a, T, D>) -> Self {
        MatrixView {
            view,
            shape: Shape { rows: view.len(), cols: 1, ld: view.len().max(1), layout: Layout::ColumnMajor },
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.shape.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.shape.cols
    }

    /// The leading dimension, in elements.
    pub fn ld(&self) -> usize {
        self.shape.ld
    }

    /// The order of the elements.
    pub fn layout(&self) -> Layout {
        self.shape.layout
    }

    /// The part of `rows × cols` elements whose first is at (`row`, `col`).
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if it does not lie inside this matrix.
    pub fn block(self, row: usize, col: usize, rows: usize, cols: usize) -> Result<MatrixView<'a, T, D>> {
        let within = |what: &str, at: usize, n: usize, all: usize| match at.checked_add(n) {
            Some(end) if end <= all => Ok(()),
            _ => Err(Error::invalid(what, format_args!("a part of {all}"), format_args!("{n} from {at} on"))
                .in_operation("block")),
        };
        within("row and rows", row, rows, self.shape.rows)?;
        within("col and cols", col, cols, self.shape.cols)?;
        let shape = Shape { rows, cols, ..self.shape };
        let start = if rows == 0 || cols == 0 { 0 } else { self.shape.offset(row, col) };
        MatrixView::of(self.view.sub(start, self.view.len() - start), shape)
    }

    /// The same elements as their transpose: columns become rows, and the layout changes. Nothing is copied.
    #[must_use]
    pub fn transposed(self) -> MatrixView<'a, T, D> {
        let Shape { rows, cols, ld, layout } = self.shape;
        let layout = match layout {
            Layout::ColumnMajor => Layout::RowMajor,
            Layout::RowMajor => Layout::ColumnMajor,
        };
        MatrixView { view: self.view, shape: Shape { rows: cols, cols: rows, ld, layout } }
    }

    pub(crate) fn operand(&self) -> MatrixOperand {
        let Shape { rows, cols, ld, layout } = self.shape;
        let (run, runs) = self.shape.runs();
        // A single run leads nowhere, nor do empty ones, so their leading dimension may be any number; backends multiply by it.
        let ld = if runs <= 1 || run == 0 { run.max(1) } else { ld };
        MatrixOperand { ptr: self.view.part.ptr(), dtype: T::DTYPE, rows, cols, ld, layout }
    }

    pub(crate) fn reads(&self, argument: &'static str) -> Access<'a> {
        self.view.reads(argument)
    }

    pub(crate) fn writes(&self, argument: &'static str) -> Access<'a> {
        self.view.writes(argument)
    }
}

impl<'a, T: Element, D: Device> MatrixViewMut<'a, T, D> {
    /// The caller holds the elements exclusively.
    fn exclusive(matrix: MatrixView<'a, T, D>) -> Self {
        MatrixViewMut { matrix, marker: PhantomData }
    }

    /// The matrix, to be read.
    pub fn as_matrix(&self) -> MatrixView<'_, T, D> {
        self.matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.matrix.shape.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.matrix.shape.cols
    }

    /// The leading dimension, in elements.
    pub fn ld(&self) -> usize {
        self.matrix.shape.ld
    }

    /// The order of the elements.
    pub fn layout(&self) -> Layout {
        self.matrix.shape.layout
    }

    /// As [`MatrixView::transposed`], to be written.
    #[must_use]
    pub fn transposed_mut(&mut self) -> MatrixViewMut<'_, T, D> {
        MatrixViewMut::exclusive(self.matrix.transposed())
    }

    /// As [`MatrixView::block`], to be written.
    ///
    /// # Errors
    /// As for [`MatrixView::block`].
    pub fn block_mut(&mut self, row: usize, col: usize, rows: usize, cols: usize) -> Result<MatrixViewMut<'_, T, D>> {
        Ok(MatrixViewMut::exclusive(self.matrix.block(row, col, rows, cols)?))
    }
}
