//! Streams: queues of work.

mod managed;
mod single;

pub use managed::ManagedStream;
pub(crate) use managed::Queue;
pub(crate) use single::{first, first_of, one};

use crate::backend::{Space, Transfer};
use crate::device::{Device, private};
use crate::element::{Element, ScalarValue};
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::graph::{Graph, Recorder};
use crate::kernel::{Arg, Grid, Kernel};
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::operation::{Operation, Precision};
use crate::pinned::{Pinned, Unregistered};
use crate::runtime::{Access, Checked, Executable};
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
/// # Which calls wait on the host
/// On an inline stream each call does the work before it returns. On any other, those wait whose description says so. Besides, every
/// call that allocates (`alloc`, `pinned`, and all that make a buffer) may wait if memory is exhausted: for work that still uses what the
/// pool could give back to the driver. And a call on memory of a [graph](Graph) waits while another thread is enqueueing a launch that
/// touches it.
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
    /// Waits on the host only if memory is exhausted, as [`Device::trim`] does.
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory), after which the device is as usable as before, and
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if `len` elements are more bytes than can be addressed.
    fn alloc<T: Element>(&self, len: usize) -> Result<BufferOf<Self, T>>;

    /// `len` elements of pinned host memory. Their values are unspecified, but reading them is defined.
    ///
    /// # Errors
    /// As for [`alloc`](Stream::alloc).
    fn pinned<T: Element>(&self, len: usize) -> Result<Pinned<T, Self::Device>>;

    /// Makes a vector's memory pinned where it is. The vector is dropped when the last handle, and graph, that has the memory is gone and the
    /// work on it has ended.
    ///
    /// This takes a driver longer than [`pinned`](Stream::pinned) and a copy of a few hundred KiB; it is for what is large, or was filled by others.
    ///
    /// # Errors
    /// Those of the driver, and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) on a [recorder](crate::Recorder), with the vector as
    /// it was.
    fn register<T: Element>(&self, data: Vec<T>) -> Result<Pinned<T, Self::Device>, Unregistered<T>>;

    /// A buffer of `len` elements, each zero.
    ///
    /// # Errors
    /// As for [`alloc`](Stream::alloc).
    fn zeros<T: Element>(&self, len: usize) -> Result<BufferOf<Self, T>> {
        let mut buffer = self.alloc(len)?;
        self.fill(&mut buffer, T::default())?;
        Ok(buffer)
    }

    /// A buffer with a copy of `data`. May wait, as [`write`](Stream::write) does.
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
    /// Those of the driver, and of earlier work on this stream; [`OutOfMemory`](crate::ErrorKind::OutOfMemory) if the host has no room for
    /// the elements.
    fn to_vec<T: Element>(&self, x: &impl AsView<T, Self::Device>) -> Result<Vec<T>> {
        let len = x.view().len();
        let mut data = bytemuck::allocation::try_zeroed_vec(len).map_err(|()| {
            let error = Error::new(ErrorKind::OutOfMemory { requested: len.saturating_mul(size_of::<T>()), free: 0 });
            error.in_operation("to_vec").on_stream(self.id()).on_device(&self.device().info().id)
        })?;
        self.read(x, &mut data)?;
        Ok(data)
    }

    /// Copies `data` to `x`; when the call returns `data` may be changed.
    ///
    /// So it may have to wait on the host until the stream has got there. The CPU device waits for more than 64 KiB on an asynchronous
    /// stream, and takes less along. [`upload`](Stream::upload) never waits.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ.
    fn write<T: Element>(&self, x: &mut impl AsViewMut<T, Self::Device>, data: &[T]) -> Result<()>;

    /// Copies `x` to `data`. Waits for the work before it on this stream, and reports its errors.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ, and errors of earlier work on this stream.
    fn read<T: Element>(&self, x: &impl AsView<T, Self::Device>, data: &mut [T]) -> Result<()>;

    /// Copies pinned memory to `x`, asynchronously. Only [`Pinned::write`] waits for it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ.
    fn upload<T: Element>(
        &self,
        x: &mut impl AsViewMut<T, Self::Device>,
        data: &Pinned<T, Self::Device>,
    ) -> Result<()> {
        self.copy_views(data.view(), x.view_mut(), "upload", ["data", "x"])
    }

    /// Copies `x` to pinned memory, asynchronously; [`Pinned::read`] and [`Pinned::write`] wait for it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ.
    fn download<T: Element>(&self, x: &impl AsView<T, Self::Device>, data: &mut Pinned<T, Self::Device>) -> Result<()> {
        self.copy_views(x.view(), ViewMut::exclusive(data.view()), "download", ["x", "data"])
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
            (Some(x), Some(y)) => self.copy_views(x, ViewMut::exclusive(y), "copy", ["x", "y"]),
            _ => self.submit(
                Checked::TYPED,
                Operation::Copy { x: x.operand(), y: y.operand() },
                &[x.reads("x"), y.writes("y")],
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
        let accesses = [x.reads("x"), y.writes("y")];
        if source.layout != target.layout {
            // A change of layout is the transposition of the source seen as its own transpose.
            let x = x.transposed().operand();
            return self.submit(Checked::TYPED, Operation::Transpose { x, out: target }, &accesses);
        }
        let (run, rows) = source.runs();
        // One of the dimensions of an empty matrix may be any number.
        let bytes = |elements: usize| if source.is_empty() { 0 } else { elements * size_of::<T>() };
        let transfer = Transfer {
            src: source.ptr,
            src_space: Space::Device,
            dst: target.ptr,
            dst_space: Space::Device,
            row_bytes: bytes(run),
            rows,
            src_pitch: bytes(source.ld),
            dst_pitch: bytes(target.ld),
        };
        self.transfer(Checked::TYPED, transfer, &accesses, "copy_matrix")
    }

    /// Every element of `x`, a buffer, view or [vector](crate::Vector), becomes `value`.
    ///
    /// # Errors
    /// Those of the driver.
    fn fill<T: Element>(&self, x: &mut impl AsVectorMut<T, Self::Device>, value: T) -> Result<()> {
        let x = x.vector_mut().as_vector();
        let (value, out) = (ScalarValue::new(value), x.matrix_operand());
        self.submit(Checked::TYPED, Operation::Fill { value, out }, &[x.writes("x")])
    }

    /// Every element of a matrix becomes `value`; what lies between its rows and its leading dimension stays.
    ///
    /// # Errors
    /// Those of the driver.
    fn fill_matrix<T: Element>(&self, x: &mut MatrixViewMut<'_, T, Self::Device>, value: T) -> Result<()> {
        let x = x.as_matrix();
        let (value, out) = (ScalarValue::new(value), x.operand());
        self.submit(Checked::TYPED, Operation::Fill { value, out }, &[x.writes("x")])
    }

    /// `y = x`, with `x` in the memory of another device of this type; of this one as well. The work on either memory is ordered on both
    /// devices as if they were one. Waits on the host only while another thread gives memory back to the driver, or if a driver refuses
    /// what orders the two.
    ///
    /// If the device of `x` is inline nothing there could wait for the copy, so this call does: it returns when the copy, and with it the
    /// work before it on this stream, has ended.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths differ, [`Unsupported`](crate::ErrorKind::Unsupported) if the
    /// devices cannot reach each other: those of two vendors, to which [`read`](Stream::read) and [`write`](Stream::write) by way of
    /// the host remain.
    fn copy_from_peer<T: Element>(
        &self,
        x: &impl AsView<T, Self::Device>,
        y: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()>;

    /// Records the calls that `body` makes on the [`Recorder`], to be [launched](Graph::launch) as often as one likes. None of
    /// them is executed. See [`Graph`].
    ///
    /// # Errors
    /// Those of `body`, and those of the driver.
    fn record_graph(&self, body: impl FnOnce(&Recorder<Self::Device>) -> Result<()>) -> Result<Graph<Self::Device>>;

    /// Calls `function` on the host when the stream gets there.
    ///
    /// The function may wait for other host threads, but not for device work or for another host function; calls to a device from inside it are
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument), while dropping buffers, streams and devices there is fine. If it panics, the next
    /// synchronizing call on the stream returns [`DeviceFault`](crate::ErrorKind::DeviceFault).
    ///
    /// To wait for a thread that itself waits for this stream is to wait for device work: in [`read`](Stream::read) or
    /// [`synchronize`](Stream::synchronize), for one, or in [`copy_from_peer`](Stream::copy_from_peer) from an inline device.
    ///
    /// On a GPU so it may be to wait for a thread that [compiles](Device::compile) kernels, or calls a routine of a vendor's library for the first
    /// time: to load them, the driver may wait for all work on the device. The kernels of warpwave's own operations are loaded before the first
    /// host function is enqueued, as far as there are images of them.
    ///
    /// Calls are inside if they are made on the thread that runs the function, before it has returned. Where the function waits in a
    /// pool of threads that shares out work, as rayon's `join`, `scope` and parallel iterators do, its thread may meanwhile run tasks of
    /// others; calls to a device that such a task makes are refused as well, though it has nothing to do with the function. On an inline
    /// stream the thread is the one that called `host_fn`: so keep such waits out of functions there if other tasks of that pool
    /// use a device.
    ///
    /// Enqueueing waits only while another thread gives memory back to the driver; on an inline stream it runs the function.
    ///
    /// # Errors
    /// Those of the driver; the function is then dropped without having been called.
    fn host_fn(&self, function: impl FnOnce() + Send + 'static) -> Result<()>;

    /// A point after all work enqueued so far.
    ///
    /// # Errors
    /// Those of the driver.
    fn record(&self) -> Result<Event<Self::Device>>;

    /// Makes later work on this stream start after `event`. The host waits only if the stream is inline.
    ///
    /// # Errors
    /// Those of the driver, and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the event is of another device.
    fn wait(&self, event: &Event<Self::Device>) -> Result<()>;

    /// Waits on the host until all work enqueued so far has ended.
    ///
    /// # Errors
    /// Those of the work, if not reported yet, and of the driver.
    fn synchronize(&self) -> Result<()>;

    /// Launches a kernel of the user's own, with [`args!`](crate::args). It is ordered with all other work by the buffers and views among its
    /// arguments. With no blocks it is checked, and nothing is done. A [`Recorder`] records it.
    ///
    /// What a kernel does wrong, such as an access that a checking device finds, is reported by the next synchronizing call.
    ///
    /// # Safety
    /// The kernel touches no memory but what its arguments are: within the bounds of the buffers and views, and writes only those that are
    /// passed as `&mut`. Two threads of it do not race, it ends, and does nothing else that is undefined in C++.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the kernel is another device's, the grid larger than the device or the
    /// kernel allows, or the arguments not as many, or of the types, that the kernel's text declares; those of the driver.
    unsafe fn launch(
        &self,
        kernel: &Kernel<Self::Device>,
        grid: impl Into<Grid>,
        args: &[Arg<'_, Self::Device>],
    ) -> Result<()>;

    /// Enqueues an operation that has been checked, after what its accesses conflict with.
    #[doc(hidden)]
    fn submit(&self, checked: Checked, operation: Operation, accesses: &[Access<'_>]) -> Result<()>;

    /// Enqueues a copy that has been checked.
    #[doc(hidden)]
    fn transfer(&self, checked: Checked, transfer: Transfer, accesses: &[Access<'_>], name: &'static str)
    -> Result<()>;

    /// Refuses a call that waits, on a stream that records; `instead` is what to call.
    #[doc(hidden)]
    fn waits(&self, checked: Checked, instead: &str) -> Result<()>;

    /// A buffer with a copy of `data` that nothing will write. A graph under recording has it written now, not by each launch.
    #[doc(hidden)]
    fn constant<T: Element>(&self, checked: Checked, data: &[T]) -> Result<BufferOf<Self, T>>;

    /// Enqueues a graph.
    #[doc(hidden)]
    fn launch_graph(&self, checked: Checked, graph: &mut Executable<<Self::Device as Device>::Backend>) -> Result<()>;

    /// `arguments` names the source and the destination.
    #[doc(hidden)]
    fn copy_views<T: Element>(
        &self,
        x: View<'_, T, Self::Device>,
        y: ViewMut<'_, T, Self::Device>,
        name: &'static str,
        arguments: [&'static str; 2],
    ) -> Result<()> {
        let y = y.into_view();
        same_len(name, arguments[1], x.len(), y.len())?;
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
        self.transfer(Checked::TYPED, transfer, &[x.reads(arguments[0]), y.writes(arguments[1])], name)
    }
}

pub(crate) fn same_len(operation: &'static str, what: &str, expected: usize, got: usize) -> Result<()> {
    if expected != got {
        let error = Error::invalid(what, format_args!("{expected} elements"), format_args!("{got} elements"));
        return Err(error.in_operation(operation));
    }
    Ok(())
}
