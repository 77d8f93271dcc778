//! What an operation reads and writes, with types and lifetimes erased.
//!
//! Operands keep nothing alive: the ordering rules of [`crate::runtime`] see to it that memory outlives the work on it.

use crate::element::DType;
use std::fmt;

/// An address in a device's memory, or in pinned host memory.
///
/// On the CPU device it is an ordinary pointer; elsewhere it must not be followed by the host.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ptr(*mut u8);

// SAFETY: a `Ptr` is a number with provenance; only unsafe code follows it, and says there why it may.
unsafe impl Send for Ptr {}
// SAFETY: as for `Send`.
unsafe impl Sync for Ptr {}

impl Ptr {
    /// The address of a zero-size allocation.
    pub const NULL: Ptr = Ptr(std::ptr::null_mut());

    /// Wraps an address.
    pub const fn new(address: *mut u8) -> Self {
        Ptr(address)
    }

    /// The address as a pointer.
    pub const fn as_ptr(self) -> *mut u8 {
        self.0
    }

    /// The address as a number.
    pub fn addr(self) -> usize {
        self.0.addr()
    }

    /// The address as a number that a pointer may be made of again, by [`with_exposed_provenance`](std::ptr::with_exposed_provenance_mut).
    pub fn expose(self) -> usize {
        self.0.expose_provenance()
    }

    /// The address `bytes` further on. Makes no claim that anything is there.
    #[must_use]
    pub const fn byte_add(self, bytes: usize) -> Ptr {
        Ptr(self.0.wrapping_byte_add(bytes))
    }
}

impl fmt::Debug for Ptr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.addr())
    }
}

/// `len` elements, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The first element.
    pub ptr: Ptr,
    /// The type of each.
    pub dtype: DType,
    /// How many.
    pub len: usize,
}

/// `len` elements, `inc` elements apart: a vector of BLAS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strided {
    /// The lowest address of the vector. With a negative `inc`, element 0 is the one at the highest address, as in reference BLAS.
    pub base: Ptr,
    /// The type of each element.
    pub dtype: DType,
    /// How many.
    pub len: usize,
    /// The distance from one to the next, in elements; never 0 unless `len` is at most 1 or the vector is only read.
    pub inc: isize,
}

impl Strided {
    /// The address of element 0.
    pub fn first(&self) -> Ptr {
        if self.inc < 0 && self.len > 0 {
            self.base.byte_add((self.len - 1) * self.inc.unsigned_abs() * self.dtype.size())
        } else {
            self.base
        }
    }

    /// Whether the elements lie one after the other in order.
    pub fn is_contiguous(&self) -> bool {
        self.inc == 1 || self.len <= 1
    }
}

/// How the elements of a matrix follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Layout {
    /// Columns are contiguous, as in Fortran and BLAS; the leading dimension is the distance between columns.
    #[default]
    ColumnMajor,
    /// Rows are contiguous, as in C; the leading dimension is the distance between rows.
    RowMajor,
}

/// A matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatrixOperand {
    /// Element (0, 0).
    pub ptr: Ptr,
    /// The type of each element.
    pub dtype: DType,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// The leading dimension, in elements.
    pub ld: usize,
    /// What the leading dimension leads.
    pub layout: Layout,
}

impl MatrixOperand {
    /// The distance from one row to the next, in elements.
    pub fn row_stride(&self) -> usize {
        match self.layout {
            Layout::ColumnMajor => 1,
            Layout::RowMajor => self.ld,
        }
    }

    /// The distance from one column to the next, in elements.
    pub fn col_stride(&self) -> usize {
        match self.layout {
            Layout::ColumnMajor => self.ld,
            Layout::RowMajor => 1,
        }
    }

    /// Contiguous runs: (elements in each, how many).
    pub fn runs(&self) -> (usize, usize) {
        match self.layout {
            Layout::ColumnMajor => (self.rows, self.cols),
            Layout::RowMajor => (self.cols, self.rows),
        }
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// The elements in the order of memory, if they lie one after the other.
    pub fn contiguous(&self) -> Option<Span> {
        let (run, runs) = self.runs();
        let dense = self.is_empty() || runs == 1 || self.ld == run;
        dense.then(|| Span { ptr: self.ptr, dtype: self.dtype, len: if self.is_empty() { 0 } else { run * runs } })
    }
}
