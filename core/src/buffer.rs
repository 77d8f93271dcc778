//! Buffers.

use crate::backend::Backend;
use crate::device::{Device, ManagedDevice};
use crate::element::Element;
use crate::error::Result;
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::ops::{AsOperand, Operand};
use crate::runtime::{Block, Shared, Shelf, Step};
use crate::sync::Arc;
use crate::view::{AsVector, AsVectorMut, AsView, AsViewMut, Vector, VectorMut, View, ViewMut};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::RangeBounds;

/// `len` elements in a device's memory. Made by [`Stream::alloc`](crate::Stream::alloc), [`zeros`](crate::Stream::zeros) and
/// [`from_slice`](crate::Stream::from_slice).
///
/// Reads take it by `&`, writes by `&mut`, as in ordinary Rust; the work itself runs later, on a stream. Dropping a buffer
/// never waits and never fails: its memory is reused when the work on it has ended. Sealed.
pub trait Buffer<T: Element>:
    AsView<T, Self::Device>
    + AsViewMut<T, Self::Device>
    + AsVector<T, Self::Device>
    + AsVectorMut<T, Self::Device>
    + AsOperand<T, Self::Device>
    + fmt::Debug
    + Send
    + Sync
    + Sized
    + 'static
{
    /// The device the memory belongs to.
    type Device: Device<Buffer<T> = Self>;

    /// Elements in the buffer.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in `range`.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range ends past the buffer, or before it starts.
    fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T, Self::Device>> {
        self.view().slice(range)
    }

    /// The elements in `range`, to be written.
    ///
    /// # Errors
    /// As for [`slice`](Buffer::slice).
    fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T, Self::Device>> {
        let view = self.view_mut().into_view().slice(range)?;
        Ok(ViewMut::exclusive(view))
    }

    /// The elements before `mid`, and those from `mid` on, as two views that can be written at the same time, on two streams for one.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if `mid` is past the end.
    #[allow(clippy::type_complexity)]
    fn split_at_mut(&mut self, mid: usize) -> Result<(ViewMut<'_, T, Self::Device>, ViewMut<'_, T, Self::Device>)> {
        self.view_mut().split_at_mut(mid)
    }

    /// The start of the buffer as a `rows × cols` matrix, column-major and without gaps. Other shapes: [`View::matrix_with`].
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the buffer is too short.
    fn matrix(&self, rows: usize, cols: usize) -> Result<MatrixView<'_, T, Self::Device>> {
        self.view().matrix(rows, cols)
    }

    /// As [`matrix`](Buffer::matrix), to be written.
    ///
    /// # Errors
    /// As for [`matrix`](Buffer::matrix).
    fn matrix_mut(&mut self, rows: usize, cols: usize) -> Result<MatrixViewMut<'_, T, Self::Device>> {
        self.view_mut().matrix_mut(rows, cols)
    }
}

/// Where the blocks of a stream come from and go back to, and the device that they belong to: a handle of a block pays for one
/// reference count only.
pub(crate) struct Home<B: Backend> {
    pub(crate) shared: Arc<Shared<B>>,
    pub(crate) shelf: Arc<Shelf>,
}

/// The handle of a block. Dropping it makes the block reusable on its stream, or leaves it to the next call on the device if another
/// stream has used it, or to the last graph that touches it.
pub(crate) struct BlockHandle<B: Backend> {
    pub(crate) block: ManuallyDrop<Arc<Block>>,
    home: Arc<Home<B>>,
}

impl<B: Backend> BlockHandle<B> {
    pub(crate) fn new(block: Arc<Block>, home: &Arc<Home<B>>) -> Self {
        BlockHandle { block: ManuallyDrop::new(block), home: home.clone() }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared<B>> {
        &self.home.shared
    }
}

impl<B: Backend> Drop for BlockHandle<B> {
    fn drop(&mut self) {
        // SAFETY: taken here once; a value that is being dropped is not used again.
        let block = unsafe { ManuallyDrop::take(&mut self.block) };
        let Home { shared, shelf } = &*self.home;
        if block.is_shared() {
            block.forget_guards();
        }
        shared.give_back(block, shelf);
        if !shared.keeps(Step::DeferredDrop) {
            shared.release_deferred();
        }
    }
}

/// The buffer of a [`ManagedDevice`].
pub struct ManagedBuffer<T: Element, B: Backend> {
    handle: BlockHandle<B>,
    len: usize,
    marker: PhantomData<T>,
}

impl<T: Element, B: Backend> ManagedBuffer<T, B> {
    pub(crate) fn new(handle: BlockHandle<B>, len: usize) -> Self {
        ManagedBuffer { handle, len, marker: PhantomData }
    }
}

impl<T: Element, B: Backend> fmt::Debug for ManagedBuffer<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>[{}] on {}", T::DTYPE, self.len, self.handle.shared().info.id)
    }
}

impl<T: Element, B: Backend> AsView<T, ManagedDevice<B>> for ManagedBuffer<T, B> {
    fn view(&self) -> View<'_, T, ManagedDevice<B>> {
        View::whole(&self.handle.block, self.len)
    }
}

impl<T: Element, B: Backend> AsViewMut<T, ManagedDevice<B>> for ManagedBuffer<T, B> {
    fn view_mut(&mut self) -> ViewMut<'_, T, ManagedDevice<B>> {
        ViewMut::exclusive(View::whole(&self.handle.block, self.len))
    }
}

impl<T: Element, B: Backend> AsVector<T, ManagedDevice<B>> for ManagedBuffer<T, B> {
    fn vector(&self) -> Vector<'_, T, ManagedDevice<B>> {
        Vector::unit(self.view())
    }
}

impl<T: Element, B: Backend> AsVectorMut<T, ManagedDevice<B>> for ManagedBuffer<T, B> {
    fn vector_mut(&mut self) -> VectorMut<'_, T, ManagedDevice<B>> {
        VectorMut::unit(self.view_mut())
    }
}

impl<T: Element, B: Backend> AsOperand<T, ManagedDevice<B>> for ManagedBuffer<T, B> {
    fn operand(&self) -> Operand<'_, T, ManagedDevice<B>> {
        Operand::View(self.view())
    }
}

impl<T: Element, B: Backend> Buffer<T> for ManagedBuffer<T, B> {
    type Device = ManagedDevice<B>;

    fn len(&self) -> usize {
        self.len
    }
}
