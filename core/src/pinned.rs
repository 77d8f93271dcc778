//! Pinned host memory: the end of an asynchronous copy on the host.

use crate::backend::Backend;
use crate::buffer::BlockHandle;
use crate::device::{Device, ManagedDevice};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::runtime::Shared;
use crate::sync::Arc;
use crate::view::View;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// `len` elements of page-locked host memory, made by [`Stream::pinned`](crate::Stream::pinned), or of a vector by
/// [`Stream::register`](crate::Stream::register).
///
/// Copies between it and a buffer are asynchronous. The host reaches it only through [`read`](Pinned::read) and
/// [`write`](Pinned::write), which wait for the copies that are still under way. A [graph](crate::Graph) that touches it cannot be
/// launched while one of their guards lives, unless both only read.
pub struct Pinned<T: Element, D: Device> {
    handle: BlockHandle<D::Backend>,
    len: usize,
    marker: PhantomData<T>,
}

impl<T: Element, B: Backend> Pinned<T, ManagedDevice<B>> {
    pub(crate) fn new(handle: BlockHandle<B>, len: usize) -> Self {
        Pinned { handle, len, marker: PhantomData }
    }
}

impl<T: Element, D: Device> Pinned<T, D> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements, to be read by the host. Waits for copies into this memory that are under way, and for a call of another thread that
    /// is just enqueueing a [graph](crate::Graph) which writes it.
    ///
    /// It reports no fault of the data that was copied: a synchronizing call on the stream of the work does.
    ///
    /// # Errors
    /// Those of the driver, and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) inside a host function.
    pub fn read(&self) -> Result<PinnedRead<'_, T, D>> {
        self.give_host("Pinned::read", false)?;
        Ok(PinnedRead { pinned: self })
    }

    /// The elements, to be written by the host. Waits for all copies from and into this memory that are under way, and for a call of
    /// another thread that is just enqueueing a [graph](crate::Graph) which touches it.
    ///
    /// # Errors
    /// As for [`read`](Pinned::read).
    pub fn write(&mut self) -> Result<PinnedWrite<'_, T, D>> {
        self.give_host("Pinned::write", true)?;
        Ok(PinnedWrite { pinned: self })
    }

    fn give_host(&self, operation: &str, write: bool) -> Result<()> {
        let shared = self.shared();
        shared.named(operation, None, || shared.give_host(&self.handle.block, write))
    }

    pub(crate) fn view(&self) -> View<'_, T, D> {
        View::whole(&self.handle.block, self.len)
    }

    fn shared(&self) -> &Arc<Shared<D::Backend>> {
        self.handle.shared()
    }

    fn pointer(&self) -> *mut T {
        self.handle.block.ptr.as_ptr().cast()
    }
}

/// A vector that could not be registered, and why: what [`Stream::register`](crate::Stream::register) gives back.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct Unregistered<T: Element> {
    /// Why.
    pub error: Error,
    /// The vector as it was.
    pub data: Vec<T>,
}

impl<T: Element> From<Unregistered<T>> for Error {
    fn from(unregistered: Unregistered<T>) -> Self {
        unregistered.error
    }
}

/// The elements of a vector, which is dropped with it.
pub(crate) struct Elements<T: Element> {
    start: *mut T,
    len: usize,
    capacity: usize,
}

// SAFETY: it is a vector in three parts, which nobody else has.
unsafe impl<T: Element> Send for Elements<T> {}
// SAFETY: shared, it gives its address only.
unsafe impl<T: Element> Sync for Elements<T> {}

impl<T: Element> Elements<T> {
    pub(crate) fn new(data: Vec<T>) -> Self {
        let mut data = ManuallyDrop::new(data);
        Elements { start: data.as_mut_ptr(), len: data.len(), capacity: data.capacity() }
    }

    pub(crate) fn start(&self) -> *mut T {
        self.start
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        let this = ManuallyDrop::new(self);
        // SAFETY: the parts of a vector, put together once.
        unsafe { Vec::from_raw_parts(this.start, this.len, this.capacity) }
    }
}

impl<T: Element> Drop for Elements<T> {
    fn drop(&mut self) {
        // SAFETY: the parts of a vector, put together once: `into_vec` does not come here.
        drop(unsafe { Vec::from_raw_parts(self.start, self.len, self.capacity) });
    }
}

impl<T: Element, D: Device> fmt::Debug for Pinned<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pinned<{}>[{}] on {}", T::DTYPE, self.len, self.shared().info.id)
    }
}

/// Read access of the host to [`Pinned`] memory. One that is forgotten keeps devices from writing there until
/// the next [`PinnedWrite`] is dropped.
#[derive(Debug)]
pub struct PinnedRead<'a, T: Element, D: Device> {
    pinned: &'a Pinned<T, D>,
}

/// Write access of the host to [`Pinned`] memory. One that is forgotten keeps devices from that memory until
/// the next one is dropped.
#[derive(Debug)]
pub struct PinnedWrite<'a, T: Element, D: Device> {
    pinned: &'a mut Pinned<T, D>,
}

impl<T: Element, D: Device> Deref for PinnedRead<'_, T, D> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the block holds `len` initialised elements, aligned to their type and not null even if there are none. No device writes them:
        // the guard's mark refuses new writes while it lives, and those before it were waited for; the borrow keeps the host from writing.
        unsafe { std::slice::from_raw_parts(self.pinned.pointer(), self.pinned.len) }
    }
}

impl<T: Element, D: Device> Deref for PinnedWrite<'_, T, D> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: as in `deref_mut`.
        unsafe { std::slice::from_raw_parts(self.pinned.pointer(), self.pinned.len) }
    }
}

impl<T: Element, D: Device> DerefMut for PinnedWrite<'_, T, D> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the block holds `len` initialised elements, aligned to 256 and not null even if there are none. No device reads or writes
        // them: the guard's mark refuses new work, and work before it was waited for; the exclusive borrow keeps the host's other uses away.
        unsafe { std::slice::from_raw_parts_mut(self.pinned.pointer(), self.pinned.len) }
    }
}

impl<T: Element, D: Device> Drop for PinnedRead<'_, T, D> {
    fn drop(&mut self) {
        self.pinned.handle.block.unguard(false);
    }
}

impl<T: Element, D: Device> Drop for PinnedWrite<'_, T, D> {
    fn drop(&mut self) {
        self.pinned.handle.block.unguard(true);
    }
}
