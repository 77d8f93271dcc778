//! Vectors in memory, with their types.

use std::ops::Range;
use warpwave_core::operation::Strided;

/// A vector of BLAS: element `i` lies `i · inc` elements from `first`.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Vector<T> {
    first: *mut T,
    inc: isize,
    len: usize,
}

// SAFETY: a `Vector` is an address; only unsafe functions follow it, and their callers answer for races.
unsafe impl<T: Send> Send for Vector<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send> Sync for Vector<T> {}

impl<T: Copy> Vector<T> {
    /// The vector that `operand` describes, whose elements have the size of `T`.
    pub(in crate::execute) fn new(operand: &Strided) -> Self {
        debug_assert_eq!(operand.dtype.size(), size_of::<T>());
        Vector { first: operand.first().as_ptr().cast(), inc: operand.inc, len: operand.len }
    }

    /// `len` elements from `first` on, `inc` apart.
    pub(in crate::execute) fn from_parts(first: *mut T, inc: isize, len: usize) -> Self {
        Vector { first, inc, len }
    }

    /// `len` elements from element `first` on.
    pub(in crate::execute) fn part(&self, first: usize, len: usize) -> Self {
        Vector { first: self.at(first), inc: self.inc, len }
    }

    /// How many elements.
    #[inline(always)]
    pub(in crate::execute) fn len(&self) -> usize {
        self.len
    }

    /// Whether [`slice`](Self::slice) gives one.
    #[inline(always)]
    pub(in crate::execute) fn is_contiguous(&self) -> bool {
        self.inc == 1 || self.len <= 1
    }

    /// The address of element `i`.
    #[inline(always)]
    pub(in crate::execute) fn at(&self, i: usize) -> *mut T {
        self.first.wrapping_offset(self.inc.wrapping_mul(i as isize))
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i < len`; the element is live, and nobody writes it during the call.
    #[inline(always)]
    pub(in crate::execute) unsafe fn get(&self, i: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.at(i).read() }
    }

    /// Sets element `i`.
    ///
    /// # Safety
    /// `i < len`; the element is live, and nobody else touches it during the call.
    #[inline(always)]
    pub(in crate::execute) unsafe fn set(&self, i: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.at(i).write(value) }
    }

    /// The elements of `range`, if they follow each other in memory.
    ///
    /// # Safety
    /// `range` is not empty and lies in `0..len`; its elements are live, and nobody writes them during `'a`.
    #[inline(always)]
    pub(in crate::execute) unsafe fn slice<'a>(&self, range: Range<usize>) -> Option<&'a [T]> {
        // SAFETY: the caller's promise; the elements of a contiguous vector are exactly those between its ends.
        self.is_contiguous().then(|| unsafe { std::slice::from_raw_parts(self.at(range.start), range.len()) })
    }

    /// The elements of `range`, if they follow each other in memory, to be changed.
    ///
    /// # Safety
    /// `range` is not empty and lies in `0..len`; its elements are live, and nobody else touches them during `'a`.
    #[inline(always)]
    pub(in crate::execute) unsafe fn slice_mut<'a>(&self, range: Range<usize>) -> Option<&'a mut [T]> {
        // SAFETY: the caller's promise; the elements of a contiguous vector are exactly those between its ends.
        self.is_contiguous().then(|| unsafe { std::slice::from_raw_parts_mut(self.at(range.start), range.len()) })
    }
}
