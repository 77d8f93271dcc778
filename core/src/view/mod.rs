//! Views: parts of a buffer, contiguous or with an increment.

mod vector;

pub use vector::{AsVector, AsVectorMut, Vector, VectorMut};

use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::operation::{Ptr, Span};
use crate::runtime::{Access, Block};
use crate::sync::Arc;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

/// A part of a block: what every view is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) block: &'a Arc<Block>,
    /// In bytes.
    pub(crate) start: usize,
    pub(crate) bytes: usize,
}

impl<'a> Part<'a> {
    pub(crate) fn ptr(&self) -> Ptr {
        self.block.ptr.byte_add(self.start)
    }

    /// Reading it; `argument` is the name that the public method gives it.
    pub(crate) fn reads(&self, argument: &'static str) -> Access<'a> {
        Access { block: self.block, start: self.start, end: self.start + self.bytes, write: false, argument }
    }

    /// Writing it, and perhaps reading it too.
    pub(crate) fn writes(&self, argument: &'static str) -> Access<'a> {
        Access { write: true, ..self.reads(argument) }
    }
}

/// Borrows as a slice does, and is of a device without owning one.
type ViewMarker<'a, T, D> = PhantomData<(&'a [T], fn() -> D)>;

/// `len` elements of a buffer, to be read. Copying a view copies no element.
///
/// Made by [`Buffer::slice`](crate::Buffer::slice) and the methods here. `D` is the device, so that views of two backends do not mix.
pub struct View<'a, T: Element, D: Device> {
    pub(crate) part: Part<'a>,
    pub(crate) len: usize,
    marker: ViewMarker<'a, T, D>,
}

/// `len` elements of a buffer, to be written.
pub struct ViewMut<'a, T: Element, D: Device> {
    view: View<'a, T, D>,
    /// Keeps the borrow exclusive, and the type from being `Copy`.
    marker: PhantomData<&'a mut [T]>,
}

impl<T: Element, D: Device> Clone for View<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element, D: Device> Copy for View<'_, T, D> {}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    pub(crate) fn whole(block: &'a Arc<Block>, len: usize) -> Self {
        View { part: Part { block, start: 0, bytes: len * size_of::<T>() }, len, marker: PhantomData }
    }

    /// Elements in the view.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements in `range`, counted from the start of this view.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range ends past the view, or before it starts.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<View<'a, T, D>> {
        let Range { start, end } = resolve(range, self.len).map_err(|e| e.in_operation("slice"))?;
        Ok(self.sub(start, end - start))
    }

    /// The elements before `mid`, and those from `mid` on.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if `mid` is past the end.
    pub fn split_at(self, mid: usize) -> Result<(View<'a, T, D>, View<'a, T, D>)> {
        check_mid(mid, self.len)?;
        Ok((self.sub(0, mid), self.sub(mid, self.len - mid)))
    }

    /// Elements `start..start + len`, which lie inside the view.
    pub(crate) fn sub(self, start: usize, len: usize) -> View<'a, T, D> {
        let size = size_of::<T>();
        let part = Part { block: self.part.block, start: self.part.start + start * size, bytes: len * size };
        View { part, len, marker: PhantomData }
    }

    pub(crate) fn span(&self) -> Span {
        Span { ptr: self.part.ptr(), dtype: T::DTYPE, len: self.len }
    }

    pub(crate) fn reads(&self, argument: &'static str) -> Access<'a> {
        self.part.reads(argument)
    }

    pub(crate) fn writes(&self, argument: &'static str) -> Access<'a> {
        self.part.writes(argument)
    }
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// The caller holds the block exclusively, or has split what it holds into disjoint views.
    pub(crate) fn exclusive(view: View<'a, T, D>) -> Self {
        ViewMut { view, marker: PhantomData }
    }

    /// Elements in the view.
    pub fn len(&self) -> usize {
        self.view.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.view.len == 0
    }

    /// The elements in `range`, counted from the start of this view.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range ends past the view, or before it starts.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T, D>> {
        Ok(ViewMut::exclusive(self.view.slice(range)?))
    }

    /// The elements before `mid`, and those from `mid` on, as two views that can be written at the same time.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if `mid` is past the end.
    pub fn split_at_mut(self, mid: usize) -> Result<(ViewMut<'a, T, D>, ViewMut<'a, T, D>)> {
        let (a, b) = self.view.split_at(mid)?;
        Ok((ViewMut::exclusive(a), ViewMut::exclusive(b)))
    }

    /// Gives up the right to write, for as long as the view would have had it.
    pub(crate) fn into_view(self) -> View<'a, T, D> {
        self.view
    }
}

impl<T: Element, D: Device> std::fmt::Debug for View<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "View<{}>[{}]", T::DTYPE, self.len)
    }
}

impl<T: Element, D: Device> std::fmt::Debug for ViewMut<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ViewMut<{}>[{}]", T::DTYPE, self.view.len)
    }
}

pub(crate) fn resolve(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&start) => start.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        _ => {
            let end = match range.end_bound() {
                Bound::Included(end) => format!("={end}"),
                Bound::Excluded(end) => end.to_string(),
                Bound::Unbounded => String::new(),
            };
            let start = match range.start_bound() {
                Bound::Included(start) => start.to_string(),
                Bound::Excluded(start) => format!("(excluded) {start}"),
                Bound::Unbounded => String::new(),
            };
            Err(Error::invalid("range", format_args!("a range within 0..{len}"), format_args!("{start}..{end}")))
        }
    }
}

fn check_mid(mid: usize, len: usize) -> Result<()> {
    if mid > len {
        return Err(Error::invalid("mid", format_args!("at most {len}"), mid).in_operation("split_at"));
    }
    Ok(())
}

/// What can be read as contiguous elements of device `D`: buffers and views.
pub trait AsView<T: Element, D: Device> {
    /// All of it.
    fn view(&self) -> View<'_, T, D>;
}

/// What can be written as contiguous elements of device `D`: buffers and views.
pub trait AsViewMut<T: Element, D: Device>: AsView<T, D> {
    /// All of it.
    fn view_mut(&mut self) -> ViewMut<'_, T, D>;
}

impl<T: Element, D: Device> AsView<T, D> for View<'_, T, D> {
    fn view(&self) -> View<'_, T, D> {
        *self
    }
}

impl<T: Element, D: Device> AsView<T, D> for ViewMut<'_, T, D> {
    fn view(&self) -> View<'_, T, D> {
        self.view
    }
}

impl<T: Element, D: Device> AsViewMut<T, D> for ViewMut<'_, T, D> {
    fn view_mut(&mut self) -> ViewMut<'_, T, D> {
        ViewMut::exclusive(self.view)
    }
}
