//! Matrices: views with rows, columns, a leading dimension and a layout.

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
            return Err(Error::invalid("leading dimension", format_args!("at least {run}"), ld));
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
        MatrixView::of(self, Shape::new(rows, cols, None, Layout::ColumnMajor)?)
    }

    /// The start of this view as a `rows × cols` matrix with a leading dimension of `ld` elements.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the view is too short, or `ld` less than a column (a row, if row-major).
    pub fn matrix_with(self, rows: usize, cols: usize, ld: usize, layout: Layout) -> Result<MatrixView<'a, T, D>> {
        MatrixView::of(self, Shape::new(rows, cols, Some(ld), layout)?)
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
                let expected = format_args!("room for {rows} × {cols} with leading dimension {ld}").to_string();
                Err(Error::invalid("matrix", expected, format_args!("a view of {} elements", view.len())))
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
        let inside = |at: usize, n: usize, all: usize| at.checked_add(n).is_some_and(|end| end <= all);
        if !inside(row, rows, self.shape.rows) || !inside(col, cols, self.shape.cols) {
            return Err(Error::invalid(
                "block",
                format_args!("a part of a {} × {} matrix", self.shape.rows, self.shape.cols),
                format_args!("{rows} × {cols} at ({row}, {col})"),
            ));
        }
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
        // A single run leads nowhere, so its leading dimension may be any number; backends multiply by it.
        let ld = if runs <= 1 { run.max(1) } else { ld };
        MatrixOperand { ptr: self.view.part.ptr(), dtype: T::DTYPE, rows, cols, ld, layout }
    }

    pub(crate) fn access(&self, write: bool) -> Access<'a> {
        self.view.part.access(write)
    }

    /// The first of `batch` matrices of this shape, `stride` elements apart, that start at the start of `all`: what each access
    /// touches is then the whole of them.
    pub(crate) fn batch(all: View<'a, T, D>, shape: Shape, stride: usize, batch: usize) -> Result<Self> {
        let extent = shape.extent();
        let total = match batch {
            0 => Some(0),
            _ => extent.and_then(|extent| match extent {
                0 => Some(0),
                _ => (batch - 1).checked_mul(stride)?.checked_add(extent),
            }),
        };
        match total {
            Some(total) if total <= all.len() => Ok(MatrixView { view: all.sub(0, total), shape }),
            _ => Err(Error::invalid(
                "batch",
                format_args!("room for {batch} matrices of {} × {}, {stride} apart", shape.rows, shape.cols),
                format_args!("a view of {} elements", all.len()),
            )),
        }
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

    /// The part of `rows × cols` elements whose first is at (`row`, `col`).
    ///
    /// # Errors
    /// As for [`MatrixView::block`].
    pub fn block_mut(&mut self, row: usize, col: usize, rows: usize, cols: usize) -> Result<MatrixViewMut<'_, T, D>> {
        Ok(MatrixViewMut::exclusive(self.matrix.block(row, col, rows, cols)?))
    }
}

/// A strided batch of matrices of one shape.
///
/// Matrix `i` starts `i · stride` elements after the start of the view it was made of.
pub struct Batch<'a, T: Element, D: Device> {
    pub(crate) first: MatrixView<'a, T, D>,
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

/// A strided batch of matrices that can be written.
pub struct BatchMut<'a, T: Element, D: Device> {
    pub(crate) batch: Batch<'a, T, D>,
    marker: PhantomData<&'a mut [T]>,
}

impl<T: Element, D: Device> std::fmt::Debug for Batch<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Batch[{} of {:?}, stride {}]", self.count, self.first, self.stride)
    }
}

impl<T: Element, D: Device> std::fmt::Debug for BatchMut<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.batch.fmt(f)
    }
}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// This view as `count` matrices of `rows × cols`, each with leading dimension `ld`, `stride` elements apart. A stride of 0 reads
    /// the same matrix each time.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the view is too short, or `ld` too small.
    pub fn batch(
        self,
        rows: usize,
        cols: usize,
        ld: usize,
        layout: Layout,
        stride: usize,
        count: usize,
    ) -> Result<Batch<'a, T, D>> {
        let shape = Shape::new(rows, cols, Some(ld), layout)?;
        Ok(Batch { first: MatrixView::batch(self, shape, stride, count)?, stride, count })
    }
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// As [`View::batch`], to be written.
    ///
    /// # Errors
    /// As for [`View::batch`], and if the matrices overlap.
    pub fn batch_mut(
        self,
        rows: usize,
        cols: usize,
        ld: usize,
        layout: Layout,
        stride: usize,
        count: usize,
    ) -> Result<BatchMut<'a, T, D>> {
        let batch = self.into_view().batch(rows, cols, ld, layout, stride, count)?;
        let extent = batch.first.shape.extent().unwrap_or(0);
        if count > 1 && stride < extent {
            let expected = format_args!("at least {extent}, so that matrices do not overlap").to_string();
            return Err(Error::invalid("stride", expected, stride));
        }
        Ok(BatchMut { batch, marker: PhantomData })
    }
}
