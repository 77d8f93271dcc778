//! Streams: queues of work.

use crate::backend::{Backend, Space, Transfer};
use crate::buffer::{BlockHandle, ManagedBuffer};
use crate::device::{Device, ManagedDevice, private};
use crate::element::{Element, ScalarValue};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::operation::{Operation, Precision, Ptr};
use crate::pinned::Pinned;
use crate::runtime::{Access, Checked, Dropped, Point, Shared, StreamCore};
use crate::sync::Arc;
use crate::view::{AsVector, AsVectorMut, AsView, AsViewMut, View, ViewMut};
use std::fmt;

/// The buffer of a stream's device.
pub type BufferOf<S, T> = <<S as Stream>::Device as Device>::Buffer<T>;

/// A queue of work on a device. Clones are handles of the same queue.
///
/// Work on one stream takes effect in the order of the calls; threads that share a stream order their work by the order of their calls.
/// Work on two streams may overlap, except where it touches the same memory: then it is ordered as the calls were.
/// Calls check everything before they enqueue anything: a call refused has changed nothing.
///
/// Sealed: see [`Device`].
pub trait Stream: Clone + fmt::Debug + Send + Sync + Sized + 'static + private::Sealed {
    /// The device the stream belongs to.
    type Device: Device<Stream = Self>;

    /// The device. If all other handles of it are gone, and its default stream with them, this stream takes that one's place.
    fn device(&self) -> Self::Device;

    /// The stream's number on its device, as errors give it.
    fn id(&self) -> u64;

    /// How exact `gemv` and level 3 of [`Blas`](crate::Blas) are on this handle; at first [`Precision::Strict`].
    fn precision(&self) -> Precision;

    /// A handle of the same stream whose `gemv` and level 3 calls are of another precision.
    #[must_use]
    fn with_precision(&self, precision: Precision) -> Self;

    /// A buffer of `len` elements. Their values are unspecified, but reading them is defined.
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory), after which the device is as usable as before.
    fn alloc<T: Element>(&self, len: usize) -> Result<BufferOf<Self, T>>;

    /// `len` elements of pinned host memory. Their values are unspecified, but reading them is defined.
    ///
    /// # Errors
    /// As for [`alloc`](Stream::alloc).
    fn pinned<T: Element>(&self, len: usize) -> Result<Pinned<T, Self::Device>>;

    /// A buffer of `len` elements, each zero.
    ///
    /// # Errors
    /// As for [`alloc`](Stream::alloc).
    fn zeros<T: Element>(&self, len: usize) -> Result<BufferOf<Self, T>> {
        let mut buffer = self.alloc(len)?;
        self.fill(&mut buffer, T::default())?;
        Ok(buffer)
    }

    /// A buffer with a copy of `data`.
    ///
    /// # Errors
    /// As for [`alloc`](Stream::alloc).
    #[allow(clippy::wrong_self_convention)]
    fn from_slice<T: Element>(&self, data: &[T]) -> Result<BufferOf<Self, T>> {
        let mut buffer = self.alloc(data.len())?;
        self.write(&mut buffer, data)?;
        Ok(buffer)
    }

    /// The elements of `x`. Waits for the work before it on this stream, and reports its errors.
    ///
    /// # Errors
    /// Those of the driver, and of earlier work on this stream.
    fn to_vec<T: Element>(&self, x: &impl AsView<T, Self::Device>) -> Result<Vec<T>> {
        let mut data = bytemuck::allocation::zeroed_vec(x.view().len());
        self.read(x, &mut data)?;
        Ok(data)
    }

    /// Copies `data` to `x`; when the call returns `data` may be changed.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ.
    fn write<T: Element>(&self, x: &mut impl AsViewMut<T, Self::Device>, data: &[T]) -> Result<()>;

    /// Copies `x` to `data`. Waits for the work before it on this stream, and reports its errors.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ, and errors of earlier work on this stream.
    fn read<T: Element>(&self, x: &impl AsView<T, Self::Device>, data: &mut [T]) -> Result<()>;

    /// Copies pinned memory to `x`, asynchronously.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ.
    fn upload<T: Element>(
        &self,
        x: &mut impl AsViewMut<T, Self::Device>,
        data: &Pinned<T, Self::Device>,
    ) -> Result<()> {
        self.copy_views(data.view(), x.view_mut(), "upload")
    }

    /// Copies `x` to pinned memory, asynchronously; [`Pinned::read`] waits for it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ.
    fn download<T: Element>(&self, x: &impl AsView<T, Self::Device>, data: &mut Pinned<T, Self::Device>) -> Result<()> {
        self.copy_views(x.view(), ViewMut::exclusive(data.view()), "download")
    }

    /// `y = x`, for buffers, views and [vectors](crate::Vector): also BLAS `copy`.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ.
    fn copy<T: Element>(
        &self,
        x: &impl AsVector<T, Self::Device>,
        y: &mut impl AsVectorMut<T, Self::Device>,
    ) -> Result<()> {
        let (x, y) = (x.vector(), y.vector_mut().as_vector());
        same_len("copy", "y", x.len(), y.len())?;
        match (x.contiguous(), y.contiguous()) {
            (Some(x), Some(y)) => self.copy_views(x, ViewMut::exclusive(y), "copy"),
            _ if x.is_empty() => Ok(()),
            _ => self.submit(
                Checked::TYPED,
                Operation::Copy { x: x.operand(), y: y.operand() },
                &[x.access(false), y.access(true)],
            ),
        }
    }

    /// `y = x`, for matrices of one shape, whatever their leading dimensions and layouts.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the shapes differ.
    fn copy_matrix<T: Element>(
        &self,
        x: &MatrixView<'_, T, Self::Device>,
        y: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        let y = y.as_matrix();
        let (x_shape, y_shape) = ((x.rows(), x.cols()), (y.rows(), y.cols()));
        if x_shape != y_shape {
            let got = format!("{} × {}", y_shape.0, y_shape.1);
            return Err(
                Error::invalid("y", format_args!("{} × {}", x_shape.0, x_shape.1), got).in_operation("copy_matrix")
            );
        }
        let (source, target) = (x.operand(), y.operand());
        if source.is_empty() {
            return Ok(());
        }
        let accesses = [x.access(false), y.access(true)];
        if source.layout != target.layout {
            // A change of layout is the transposition of the source seen as its own transpose.
            let x = x.transposed().operand();
            return self.submit(Checked::TYPED, Operation::Transpose { x, out: target }, &accesses);
        }
        let (run, rows) = source.runs();
        let size = size_of::<T>();
        let transfer = Transfer {
            src: source.ptr,
            src_space: Space::Device,
            dst: target.ptr,
            dst_space: Space::Device,
            row_bytes: run * size,
            rows,
            src_pitch: source.ld * size,
            dst_pitch: target.ld * size,
        };
        self.transfer(Checked::TYPED, transfer, &accesses, "copy_matrix")
    }

    /// Every element of `x` becomes `value`.
    ///
    /// # Errors
    /// Those of the driver.
    fn fill<T: Element>(&self, x: &mut impl AsViewMut<T, Self::Device>, value: T) -> Result<()> {
        let x = x.view_mut().into_view();
        if x.is_empty() {
            return Ok(());
        }
        self.submit(
            Checked::TYPED,
            Operation::Fill { value: ScalarValue::new(value), out: x.span() },
            &[x.part.access(true)],
        )
    }

    /// Calls `function` on the host when the stream gets there.
    ///
    /// The function may wait for other host threads, but not for device work or for another host function; calls to a device from inside it are
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument), while dropping buffers, streams and devices there is fine. If it panics, the next
    /// synchronizing call on the stream returns [`DeviceFault`](crate::ErrorKind::DeviceFault).
    ///
    /// # Errors
    /// Those of the driver; the function is then dropped without having been called.
    fn host_fn(&self, function: impl FnOnce() + Send + 'static) -> Result<()>;

    /// A point after all work enqueued so far.
    ///
    /// # Errors
    /// Those of the driver.
    fn record(&self) -> Result<Event<Self::Device>>;

    /// Makes later work on this stream start after `event`.
    ///
    /// # Errors
    /// Those of the driver, and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the event is of another device.
    fn wait(&self, event: &Event<Self::Device>) -> Result<()>;

    /// Waits on the host until all work enqueued so far has ended.
    ///
    /// # Errors
    /// Those of the work, if not reported yet, and of the driver.
    fn synchronize(&self) -> Result<()>;

    /// Enqueues an operation that has been checked, after what its accesses conflict with.
    #[doc(hidden)]
    fn submit(&self, checked: Checked, operation: Operation, accesses: &[Access<'_>]) -> Result<()>;

    /// Enqueues a copy that has been checked.
    #[doc(hidden)]
    fn transfer(&self, checked: Checked, transfer: Transfer, accesses: &[Access<'_>], name: &'static str)
    -> Result<()>;

    #[doc(hidden)]
    fn copy_views<T: Element>(
        &self,
        x: View<'_, T, Self::Device>,
        y: ViewMut<'_, T, Self::Device>,
        name: &'static str,
    ) -> Result<()> {
        let y = y.into_view();
        same_len(name, "destination", x.len(), y.len())?;
        if x.is_empty() {
            return Ok(());
        }
        let transfer = Transfer {
            src: x.part.ptr(),
            src_space: x.part.block.space,
            dst: y.part.ptr(),
            dst_space: y.part.block.space,
            row_bytes: x.part.bytes,
            rows: 1,
            src_pitch: x.part.bytes,
            dst_pitch: x.part.bytes,
        };
        self.transfer(Checked::TYPED, transfer, &[x.part.access(false), y.part.access(true)], name)
    }
}

pub(crate) fn same_len(operation: &'static str, what: &str, expected: usize, got: usize) -> Result<()> {
    if expected != got {
        let error = Error::invalid(what, format_args!("{expected} elements"), format_args!("{got} elements"));
        return Err(error.in_operation(operation));
    }
    Ok(())
}

/// The stream of a [`ManagedDevice`].
pub struct ManagedStream<B: Backend> {
    queue: Arc<Queue<B>>,
    precision: Precision,
}

/// What the handles of a stream share. Dropping it leaves the stream to the next call on the device.
pub(crate) struct Queue<B: Backend> {
    core: Arc<StreamCore<B>>,
    raw: Arc<B::Stream>,
    shared: Arc<Shared<B>>,
}

impl<B: Backend> fmt::Debug for Queue<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} of {})", self.core.id, self.shared.info.id)
    }
}

impl<B: Backend> Drop for Queue<B> {
    fn drop(&mut self) {
        self.shared.deferred.push(Dropped::Stream(self.core.id));
    }
}

impl<B: Backend> ManagedStream<B> {
    pub(crate) fn new(shared: &Arc<Shared<B>>) -> Result<Self> {
        let (core, raw) = shared.new_stream()?;
        let queue = Arc::new(Queue { core, raw, shared: shared.clone() });
        Ok(ManagedStream { queue, precision: Precision::Strict })
    }

    /// Makes this the stream that [`Device::default_stream`] gives.
    pub(crate) fn make_default(&self) {
        *self.queue.shared.default.lock() = Arc::downgrade(&self.queue);
    }

    fn allocate(&self, space: Space, len: usize, size: usize) -> Result<BlockHandle<B>> {
        let Queue { core, shared, .. } = &*self.queue;
        let bytes = len.checked_mul(size).ok_or_else(|| {
            Error::invalid("len", "a size in bytes that fits the address space", format_args!("{len} × {size} bytes"))
        })?;
        let block = shared.allocate(core, space, bytes).map_err(|e| e.in_operation("alloc"))?;
        Ok(BlockHandle::new(block, shared))
    }
}

impl<B: Backend> Clone for ManagedStream<B> {
    fn clone(&self) -> Self {
        ManagedStream { queue: self.queue.clone(), precision: self.precision }
    }
}

impl<B: Backend> fmt::Debug for ManagedStream<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.queue.fmt(f)
    }
}

impl<B: Backend> private::Sealed for ManagedStream<B> {}

impl<B: Backend> Stream for ManagedStream<B> {
    type Device = ManagedDevice<B>;

    fn device(&self) -> ManagedDevice<B> {
        let default = self.queue.shared.default.lock().upgrade().unwrap_or_else(|| self.queue.clone());
        ManagedDevice::of_parts(&self.queue.shared, ManagedStream { queue: default, precision: Precision::Strict })
    }

    fn id(&self) -> u64 {
        self.queue.core.id
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn with_precision(&self, precision: Precision) -> Self {
        ManagedStream { queue: self.queue.clone(), precision }
    }

    fn alloc<T: Element>(&self, len: usize) -> Result<ManagedBuffer<T, B>> {
        Ok(ManagedBuffer::new(self.allocate(Space::Device, len, size_of::<T>())?, len))
    }

    fn pinned<T: Element>(&self, len: usize) -> Result<Pinned<T, ManagedDevice<B>>> {
        Ok(Pinned::new(self.allocate(Space::Pinned, len, size_of::<T>())?, len))
    }

    fn write<T: Element>(&self, x: &mut impl AsViewMut<T, Self::Device>, data: &[T]) -> Result<()> {
        let x = x.view_mut().into_view();
        same_len("write", "data", x.len(), data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        let (ptr, bytes): (Ptr, usize) = (x.part.ptr(), x.part.bytes);
        let Queue { core, raw, shared } = &*self.queue;
        let copy = |backend: &B| {
            // SAFETY: `x` is `bytes` long, lies in a live block and is borrowed exclusively; `submit` has ordered this stream after
            // conflicting work. `data` is as long and lives over the call, after which the backend does not touch it.
            unsafe { backend.upload(raw, data.as_ptr().cast(), ptr, bytes) }
        };
        shared.submit(core, raw, &[x.part.access(true)], copy).map_err(|e| e.in_operation("write"))
    }

    fn read<T: Element>(&self, x: &impl AsView<T, Self::Device>, data: &mut [T]) -> Result<()> {
        let x = x.view();
        same_len("read", "data", x.len(), data.len())?;
        if data.is_empty() {
            return self.synchronize();
        }
        let (ptr, bytes): (Ptr, usize) = (x.part.ptr(), x.part.bytes);
        let Queue { core, raw, shared } = &*self.queue;
        let copy = |backend: &B| {
            // SAFETY: `x` is `bytes` long and lies in a live block; `submit` has ordered this stream after conflicting work. `data` is as
            // long, borrowed exclusively, and lives over the call, after which the backend does not touch it. Every bit pattern is a `T`.
            unsafe { backend.download(raw, ptr, data.as_mut_ptr().cast(), bytes) }
        };
        let result = shared.submit(core, raw, &[x.part.access(false)], copy);
        shared.report(core, result).map_err(|e| e.in_operation("read"))
    }

    fn host_fn(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        let Queue { core, raw, shared } = &*self.queue;
        shared.host_fn(core, raw, function)
    }

    fn record(&self) -> Result<Event<ManagedDevice<B>>> {
        let Queue { core, raw, shared } = &*self.queue;
        shared.enter()?;
        let point =
            shared.record_point(core, raw).map_err(|e| shared.note(e).on_stream(core.id).in_operation("record"))?;
        Ok(Event::new(core.id, point, shared))
    }

    fn wait(&self, event: &Event<ManagedDevice<B>>) -> Result<()> {
        let Queue { core, raw, shared } = &*self.queue;
        shared.enter()?;
        if event.shared.number != shared.number {
            let expected = format_args!("an event of {}", shared.info.id).to_string();
            return Err(Error::invalid("event", expected, format_args!("{event:?}")).in_operation("wait"));
        }
        let point: &Point<B> = &event.point;
        let result = shared.wait_for_point(core, raw, event.stream, point);
        result.map_err(|e| shared.note(e).on_stream(core.id).in_operation("wait"))
    }

    fn synchronize(&self) -> Result<()> {
        let Queue { core, raw, shared } = &*self.queue;
        shared.synchronize(core, raw).map_err(|e| e.in_operation("synchronize"))
    }

    fn submit(&self, _checked: Checked, operation: Operation, accesses: &[Access<'_>]) -> Result<()> {
        let Queue { core, raw, shared } = &*self.queue;
        let (kind, dtype) = (operation.kind(), operation.dtype());
        if !shared.backend.supports(kind, dtype) {
            let error = Error::unsupported(format_args!("{kind} of {dtype}"));
            return Err(shared.note(error).in_operation(kind));
        }
        let execute = |backend: &B| {
            // SAFETY: the typed method that built the operation has checked it; its operands lie in live blocks, borrowed as the accesses say;
            // `submit` has ordered this stream after conflicting work, and the pool reuses the blocks only when the stream has passed it.
            unsafe { backend.execute(raw, &operation) }
        };
        shared.submit(core, raw, accesses, execute).map_err(|e| e.in_operation(kind))
    }

    fn transfer(
        &self,
        _checked: Checked,
        transfer: Transfer,
        accesses: &[Access<'_>],
        name: &'static str,
    ) -> Result<()> {
        let Queue { core, raw, shared } = &*self.queue;
        let copy = |backend: &B| {
            // SAFETY: as for `submit`: source and destination are views of equal shape, one of them borrowed exclusively, so disjoint.
            unsafe { backend.copy(raw, &transfer) }
        };
        shared.submit(core, raw, accesses, copy).map_err(|e| e.in_operation(name))
    }
}
