//! The operands of an operation, reached by the host.

use crate::reference::Sample;
use warpwave_core::operation::{MatrixOperand, Ptr, Source, Span, Strided};
use warpwave_core::{DType, Op, Operation, ScalarValue};

/// A rectangle of elements in memory; a vector is one column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    first: Ptr,
    pub(super) dtype: DType,
    pub(super) rows: usize,
    pub(super) cols: usize,
    row_stride: isize,
    col_stride: isize,
}

/// An input of an element-wise operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input {
    Elements(Elements),
    Scalar(ScalarValue),
}

impl Elements {
    /// # Safety
    /// Whenever [`get`](Elements::get) and [`set`](Elements::set) are called, on this value or one made from it, the
    /// span lies in live memory that the host reaches, and nobody else touches it.
    pub(super) unsafe fn span(span: Span) -> Self {
        Elements { first: span.ptr, dtype: span.dtype, rows: span.len, cols: 1, row_stride: 1, col_stride: 0 }
    }

    /// # Safety
    /// As for [`span`](Elements::span).
    pub(super) unsafe fn strided(x: Strided) -> Self {
        Elements { first: x.first(), dtype: x.dtype, rows: x.len, cols: 1, row_stride: x.inc, col_stride: 0 }
    }

    /// # Safety
    /// As for [`span`](Elements::span).
    pub(super) unsafe fn matrix(x: MatrixOperand) -> Self {
        Elements {
            first: x.ptr,
            dtype: x.dtype,
            rows: x.rows,
            cols: x.cols,
            row_stride: x.row_stride() as isize,
            col_stride: x.col_stride() as isize,
        }
    }

    /// As it enters a product of real matrices.
    pub(super) fn entering(self, op: Op) -> Self {
        let Elements { rows, cols, row_stride, col_stride, .. } = self;
        match op {
            Op::N => self,
            _ => Elements { rows: cols, cols: rows, row_stride: col_stride, col_stride: row_stride, ..self },
        }
    }

    /// The elements `distance` elements further on.
    pub(super) fn moved(self, distance: usize) -> Self {
        Elements { first: self.first.byte_add(distance * self.dtype.size()), ..self }
    }

    fn place<T: Sample>(&self, row: usize, col: usize) -> *mut T {
        assert!(T::DTYPE == self.dtype && row < self.rows && col < self.cols, "{self:?} has no {row}, {col}");
        let offset = row as isize * self.row_stride + col as isize * self.col_stride;
        self.first.as_ptr().cast::<T>().wrapping_offset(offset)
    }

    pub(super) fn get<T: Sample>(&self, row: usize, col: usize) -> T {
        // SAFETY: an element of the operand, aligned as the operation promises; whoever made the value vouches for the
        // memory.
        unsafe { self.place::<T>(row, col).read() }
    }

    pub(super) fn set<T: Sample>(&self, row: usize, col: usize, value: T) {
        // SAFETY: as in `get`.
        unsafe { self.place::<T>(row, col).write(value) }
    }

    /// Replaces every element.
    pub(super) fn map<T: Sample>(&self, mut f: impl FnMut(T) -> T) {
        for (row, col) in self.places() {
            self.set(row, col, f(self.get(row, col)));
        }
    }

    /// Every (row, column), row by row.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (rows, cols) = (self.rows, self.cols);
        (0..rows).flat_map(move |row| (0..cols).map(move |col| (row, col)))
    }

    /// Every element, row by row.
    pub(super) fn read<T: Sample>(&self) -> Vec<T> {
        self.places().map(|(row, col)| self.get(row, col)).collect()
    }
}

impl Input {
    /// # Safety
    /// As for [`Elements::span`].
    pub(super) unsafe fn of(source: Source) -> Self {
        match source {
            // SAFETY: the caller's.
            Source::Span(span) => Input::Elements(unsafe { Elements::span(span) }),
            Source::Scalar(value) => Input::Scalar(value),
        }
    }

    pub(super) fn get<T: Sample>(&self, i: usize) -> T {
        match self {
            Input::Elements(elements) => elements.get(i, 0),
            Input::Scalar(value) => value.get().unwrap_or_default(),
        }
    }
}

/// Elements of any type, as they lie in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    first: Ptr,
    size: usize,
    len: usize,
}

impl Bytes {
    /// # Safety
    /// Whenever another function of the value is called, the span lies in live memory that the host reaches, and nobody else
    /// touches it.
    pub(super) unsafe fn of(span: Span) -> Self {
        Bytes { first: span.ptr, size: span.dtype.size(), len: span.len }
    }

    fn element(&self, i: usize) -> *mut u8 {
        assert!(i < self.len, "{self:?} has no {i}");
        self.first.byte_add(i * self.size).as_ptr()
    }

    /// Element `i` becomes element `j` of `from`.
    pub(super) fn copy(&self, i: usize, from: &Bytes, j: usize) {
        assert_eq!(self.size, from.size);
        // SAFETY: elements of the two spans, of the same size; whoever made the values vouches for the memory.
        unsafe { from.element(j).copy_to(self.element(i), self.size) };
    }

    /// Element `i` becomes what element `order[i]` was.
    pub(super) fn rearrange(&self, order: &[usize]) {
        let mut before: Vec<u8> = Vec::with_capacity(self.size * self.len);
        for i in 0..self.len {
            // SAFETY: an element of the span; all memory of a backend is initialised.
            before.extend_from_slice(unsafe { std::slice::from_raw_parts(self.element(i), self.size) });
        }
        for (i, &j) in order.iter().enumerate() {
            let element = &before[j * self.size..][..self.size];
            // SAFETY: an element of the span, of that size; `element` is elsewhere.
            unsafe { self.element(i).copy_from_nonoverlapping(element.as_ptr(), self.size) };
        }
    }
}

/// What an operation writes.
///
/// # Safety
/// As for [`Elements::span`].
pub(super) unsafe fn outputs(operation: &Operation) -> Vec<Elements> {
    // SAFETY: the caller's.
    unsafe {
        match *operation {
            Operation::Fill { out, .. } => vec![Elements::matrix(out)],
            Operation::Iota { out, .. }
            | Operation::Cast { out, .. }
            | Operation::Unary { out, .. }
            | Operation::Binary { out, .. }
            | Operation::Compare { out, .. }
            | Operation::Select { out, .. }
            | Operation::Reduce { out, .. }
            | Operation::Count { out, .. }
            | Operation::Dot { out, .. }
            | Operation::Nrm2 { out, .. }
            | Operation::Asum { out, .. }
            | Operation::Iamax { out, .. } => vec![Elements::span(out)],
            Operation::Transpose { out, .. } => vec![Elements::matrix(out)],
            Operation::Copy { y, .. } | Operation::Axpy { y, .. } => vec![Elements::strided(y)],
            Operation::Swap { x, y } => vec![Elements::strided(x), Elements::strided(y)],
            Operation::Scal { x, .. } => vec![Elements::strided(x)],
            Operation::Ger { a, .. } => vec![Elements::matrix(a)],
            Operation::Gemv(gemv) => vec![Elements::strided(gemv.y)],
            Operation::Gemm(gemm) => {
                let c = Elements::matrix(gemm.c);
                (0..gemm.batch).map(|i| c.moved(i * gemm.strides[2])).collect()
            }
            _ => Vec::new(),
        }
    }
}
