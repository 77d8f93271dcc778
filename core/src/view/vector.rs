//! Vectors: elements with an increment, as BLAS takes them.

use super::{AsView, AsViewMut, View, ViewMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::operation::{Layout, MatrixOperand, Strided};
use crate::runtime::Access;
use std::marker::PhantomData;

/// A vector of BLAS: `len` elements, `inc` elements apart.
pub struct Vector<'a, T: Element, D: Device> {
    view: View<'a, T, D>,
    len: usize,
    inc: isize,
}

/// A vector of BLAS that can be written.
pub struct VectorMut<'a, T: Element, D: Device> {
    vector: Vector<'a, T, D>,
    marker: PhantomData<&'a mut [T]>,
}

impl<T: Element, D: Device> Clone for Vector<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element, D: Device> Copy for Vector<'_, T, D> {}

impl<T: Element, D: Device> std::fmt::Debug for Vector<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vector<{}>[{}; inc {}]", T::DTYPE, self.len, self.inc)
    }
}

impl<T: Element, D: Device> std::fmt::Debug for VectorMut<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VectorMut<{}>[{}; inc {}]", T::DTYPE, self.vector.len, self.vector.inc)
    }
}

impl<'a, T: Element, D: Device> Vector<'a, T, D> {
    /// `len` elements from the start of `x`, `|inc|` apart. With a negative `inc` element 0 is the last of them, as in
    /// reference BLAS; with `inc` 0 every element is the first of `x`.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if `x` is too short, or `len` elements are more than `isize::MAX` bytes.
    pub fn new<X: AsView<T, D> + ?Sized>(x: &'a X, len: usize, inc: isize) -> Result<Self> {
        Vector::of(x.view(), len, inc).map_err(|e| e.in_operation("Vector::new"))
    }

    /// All of a view, with increment 1.
    pub(crate) fn unit(view: View<'a, T, D>) -> Self {
        Vector { view, len: view.len, inc: 1 }
    }

    fn of(view: View<'a, T, D>, len: usize, inc: isize) -> Result<Self> {
        let needed = match len {
            0 => Some(0),
            _ => (len - 1).checked_mul(inc.unsigned_abs()).and_then(|n| n.checked_add(1)),
        };
        if needed.is_none_or(|needed| needed > view.len()) {
            let expected = format!("a vector within the {} elements of `x`", view.len());
            let got = format_args!("{len} elements, {inc} apart");
            return Err(Error::invalid("len and inc", expected, got));
        }
        // Without an increment any length fits; what it is copied to has to fit the address space as well.
        if len.checked_mul(size_of::<T>()).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            let got = format_args!("{len} elements of {} bytes", size_of::<T>());
            return Err(Error::invalid("len", "at most isize::MAX bytes", got));
        }
        Ok(Vector { view: view.sub(0, needed.unwrap_or(0)), len, inc })
    }

    /// `len` elements, `inc` apart, of which the caller knows that they lie inside `view`, the first at its start.
    pub(crate) fn inside(view: View<'a, T, D>, len: usize, inc: usize) -> Self {
        // A lone element has no neighbour, and its increment may be any number: backends multiply by it.
        let inc = if len <= 1 { 1 } else { inc };
        let needed = if len == 0 { 0 } else { (len - 1) * inc + 1 };
        Vector { view: view.sub(0, needed), len, inc: inc as isize }
    }

    /// Elements in the vector.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The increment.
    pub fn inc(&self) -> isize {
        self.inc
    }

    pub(crate) fn operand(&self) -> Strided {
        Strided { base: self.view.part.ptr(), dtype: T::DTYPE, len: self.len, inc: self.inc }
    }

    /// The elements as those of a matrix, in any order: for operations that treat all alike.
    pub(crate) fn matrix_operand(&self) -> MatrixOperand {
        let Strided { base, dtype, len, inc } = self.operand();
        let (rows, cols, ld) = match inc.unsigned_abs() {
            _ if len <= 1 => (len, 1, 1),
            1 => (len, 1, len),
            inc => (1, len, inc),
        };
        MatrixOperand { ptr: base, dtype, rows, cols, ld, layout: Layout::ColumnMajor }
    }

    pub(crate) fn reads(&self, argument: &'static str) -> Access<'a> {
        self.view.reads(argument)
    }

    pub(crate) fn writes(&self, argument: &'static str) -> Access<'a> {
        self.view.writes(argument)
    }

    /// The elements as a view, if they lie one after the other.
    pub(crate) fn contiguous(&self) -> Option<View<'a, T, D>> {
        (self.inc == 1).then_some(self.view)
    }
}

impl<'a, T: Element, D: Device> VectorMut<'a, T, D> {
    /// As [`Vector::new`], to be written.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if `x` is too short, or if `inc` is 0 and `len` above 1.
    pub fn new<X: AsViewMut<T, D> + ?Sized>(x: &'a mut X, len: usize, inc: isize) -> Result<Self> {
        let vector = if inc == 0 && len > 1 {
            Err(Error::invalid("inc", "not 0 where a vector is written", 0))
        } else {
            Vector::of(x.view_mut().into_view(), len, inc)
        };
        vector.map(VectorMut::exclusive).map_err(|e| e.in_operation("VectorMut::new"))
    }

    /// All of a view, with increment 1.
    pub(crate) fn unit(view: ViewMut<'a, T, D>) -> Self {
        VectorMut { vector: Vector::unit(view.into_view()), marker: PhantomData }
    }

    /// The caller holds the elements exclusively, and no two of them are one.
    pub(crate) fn exclusive(vector: Vector<'a, T, D>) -> Self {
        VectorMut { vector, marker: PhantomData }
    }

    pub(crate) fn as_vector(&self) -> Vector<'a, T, D> {
        self.vector
    }

    /// Elements in the vector.
    pub fn len(&self) -> usize {
        self.vector.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.vector.len == 0
    }

    /// The increment.
    pub fn inc(&self) -> isize {
        self.vector.inc
    }
}

/// What BLAS can read as a vector: buffers and views (increment 1), and [`Vector`].
pub trait AsVector<T: Element, D: Device> {
    /// All of it.
    fn vector(&self) -> Vector<'_, T, D>;
}

/// What BLAS can write as a vector: buffers and views (increment 1), and [`VectorMut`].
pub trait AsVectorMut<T: Element, D: Device>: AsVector<T, D> {
    /// All of it.
    fn vector_mut(&mut self) -> VectorMut<'_, T, D>;
}

impl<T: Element, D: Device> AsVector<T, D> for View<'_, T, D> {
    fn vector(&self) -> Vector<'_, T, D> {
        Vector::unit(*self)
    }
}

impl<T: Element, D: Device> AsVector<T, D> for ViewMut<'_, T, D> {
    fn vector(&self) -> Vector<'_, T, D> {
        Vector::unit(self.view)
    }
}

impl<T: Element, D: Device> AsVectorMut<T, D> for ViewMut<'_, T, D> {
    fn vector_mut(&mut self) -> VectorMut<'_, T, D> {
        VectorMut::unit(self.view_mut())
    }
}

impl<T: Element, D: Device> AsVector<T, D> for Vector<'_, T, D> {
    fn vector(&self) -> Vector<'_, T, D> {
        *self
    }
}

impl<T: Element, D: Device> AsVector<T, D> for VectorMut<'_, T, D> {
    fn vector(&self) -> Vector<'_, T, D> {
        self.vector
    }
}

impl<T: Element, D: Device> AsVectorMut<T, D> for VectorMut<'_, T, D> {
    fn vector_mut(&mut self) -> VectorMut<'_, T, D> {
        VectorMut { vector: self.vector, marker: PhantomData }
    }
}
