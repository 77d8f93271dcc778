//! The one implementation of [`Stream`], over a backend's raw stream.

use super::{Stream, same_len};
use crate::backend::{Backend, Node, Space, Transfer};
use crate::buffer::{BlockHandle, Home, ManagedBuffer};
use crate::device::{ManagedDevice, private};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::graph::{Graph, Recorder};
use crate::kernel::{Arg, Grid, Kernel, LaunchArg, checked, launched};
use crate::operation::{Operation, Precision, Ptr};
use crate::pinned::{Elements, Pinned, Unregistered};
use crate::runtime::{Access, Checked, Dropped, Executable, NewStream, Point, Recording, Shared, StreamCore};
use crate::sync::Arc;
use crate::view::{AsView, AsViewMut};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The stream of a [`ManagedDevice`].
pub struct ManagedStream<B: Backend> {
    queue: Arc<Queue<B>>,
    precision: Precision,
    /// What calls are recorded in; `None` if they are executed.
    recording: Option<Arc<Recording<B>>>,
}

/// What the handles of a stream share. Dropping it leaves the stream to the next call on the device.
pub(crate) struct Queue<B: Backend> {
    core: Arc<StreamCore<B>>,
    raw: Arc<B::Stream>,
    shared: Arc<Shared<B>>,
    home: Arc<Home<B>>,
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

impl<B: Backend> Queue<B> {
    /// A public call on this stream, which its errors name.
    #[inline(always)]
    fn call<R>(&self, operation: impl fmt::Display, call: impl FnOnce() -> Result<R>) -> Result<R> {
        self.shared.named(operation, Some(self.core.id), call)
    }

    /// Enqueues a copy. One of nothing is checked like any other, and then left out.
    fn copy(
        &self,
        accesses: &[Access<'_>],
        is_empty: bool,
        copy: impl FnOnce(&B, &B::Stream) -> Result<()>,
    ) -> Result<()> {
        let Queue { core, raw, shared, .. } = self;
        shared.admit(accesses)?;
        if is_empty { Ok(()) } else { shared.enqueue(core, raw, accesses, |backend| copy(backend, raw)) }
    }
}

impl<B: Backend> ManagedStream<B> {
    pub(crate) fn new(shared: &Arc<Shared<B>>) -> Result<Self> {
        Ok(Self::of(shared, shared.new_stream()?))
    }

    fn of(shared: &Arc<Shared<B>>, (core, raw): NewStream<B>) -> Self {
        let home = Arc::new(Home { shared: shared.clone(), shelf: core.shelf.clone() });
        let queue = Arc::new(Queue { core, raw, shared: shared.clone(), home });
        ManagedStream { queue, precision: Precision::Strict, recording: None }
    }

    /// A stream of a device over a raw one that others use too.
    pub(crate) fn import(shared: &Arc<Shared<B>>, raw: B::Stream) -> Result<Self> {
        shared.enter()?;
        Ok(Self::of(shared, shared.add_stream(raw)))
    }

    /// A buffer over memory that others have allocated.
    pub(crate) fn borrow<T: Element>(
        &self,
        ptr: Ptr,
        len: usize,
        keeper: Box<dyn Any + Send + Sync>,
    ) -> Result<ManagedBuffer<T, B>> {
        let Queue { core, shared, home, .. } = &*self.queue;
        let block = self.queue.call("import_buffer", || {
            let bytes = len.checked_mul(size_of::<T>()).ok_or_else(|| too_long(len, size_of::<T>()))?;
            // Kernels align complex numbers to their size, which Rust does not.
            if bytes > 0 && (ptr == Ptr::NULL || !ptr.addr().is_multiple_of(size_of::<T>())) {
                let expected =
                    format_args!("an address that is a multiple of {}, and not 0", size_of::<T>()).to_string();
                return Err(Error::invalid("ptr", expected, format_args!("{ptr:?}")));
            }
            shared.borrow(core, ptr, bytes, keeper)
        });
        Ok(ManagedBuffer::new(BlockHandle::new(block?, home), len))
    }

    /// The raw stream, for software that knows the backend. What it enqueues there by itself is ordered with this stream's calls, but not with
    /// those of other streams on the same memory: for that there is [`enqueue_with`](Self::enqueue_with).
    pub fn raw(&self) -> &B::Stream {
        &self.queue.raw
    }

    /// Enqueues work of software that knows the backend: `enqueue` is called with the raw stream and, for each of `args`, the address and size of
    /// its memory, or its bytes. As for a [launch](Stream::launch), the stream waits before it for work of others on that memory, and work that
    /// comes later on any stream waits for it. A CUDA device's context is the thread's only if somebody has made it so.
    ///
    /// # Safety
    /// What `enqueue` enqueues is on that stream, or the stream waits for it before `enqueue` returns. It touches no memory of the device's but
    /// `args`, and writes only what is there by `&mut`. It makes no call on this device with memory that a graph touches.
    ///
    /// # Errors
    /// Those of `enqueue`, after which it may have enqueued part of its work all the same; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for
    /// memory of another device, inside a host function and on a [recorder](crate::Recorder).
    pub unsafe fn enqueue_with(
        &self,
        args: &[Arg<'_, ManagedDevice<B>>],
        enqueue: impl FnOnce(&B::Stream, &[LaunchArg]) -> Result<()>,
    ) -> Result<()> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        self.queue.call("enqueue_with", || {
            self.refuse_recording("enqueue it before or after the launch")?;
            let (launched, accesses) = launched(args);
            shared.admit(&accesses)?;
            let mut panic = None;
            let result = shared.enqueue(core, raw, &accesses, |backend| {
                let result = catch_unwind(AssertUnwindSafe(|| enqueue(raw, &launched)));
                // Also of what has failed half-way.
                let noted = backend.enqueued(raw);
                match result {
                    Ok(result) => noted.and(result),
                    Err(payload) => {
                        panic = Some(payload);
                        noted
                    }
                }
            });
            // Now that later work waits for what it may have enqueued.
            panic.map_or(result, |payload| resume_unwind(payload))
        })
    }

    /// Makes this the stream that [`Device::default_stream`] gives.
    pub(crate) fn make_default(&self) {
        *self.queue.shared.default.lock() = Arc::downgrade(&self.queue);
    }

    fn allocate(&self, operation: &str, space: Space, len: usize, size: usize) -> Result<BlockHandle<B>> {
        let Queue { core, shared, home, .. } = &*self.queue;
        let block = self.queue.call(operation, || {
            let bytes = len.checked_mul(size).ok_or_else(|| too_long(len, size))?;
            let fresh = || shared.allocate(core, space, bytes);
            match &self.recording {
                None => fresh(),
                Some(recording) => recording.allocate(space, bytes, fresh),
            }
        });
        Ok(BlockHandle::new(block?, home))
    }

    /// A handle of the same stream whose calls are executed.
    fn executing(&self) -> Self {
        ManagedStream { queue: self.queue.clone(), precision: self.precision, recording: None }
    }

    /// Refuses a call that cannot be recorded; `instead` is what can.
    fn refuse_recording(&self, instead: &str) -> Result<()> {
        self.refuse_recorder("self", instead)
    }

    /// The same, where the caller passes the stream as `argument`.
    fn refuse_recorder(&self, argument: &str, instead: &str) -> Result<()> {
        match &self.recording {
            None => Ok(()),
            Some(_) => {
                let expected = format_args!("a stream that executes ({instead})").to_string();
                Err(Error::invalid(argument, expected, "a recorder"))
            }
        }
    }
}

#[cold]
fn too_long(len: usize, size: usize) -> Error {
    Error::invalid("len", "a size in bytes that fits the address space", format_args!("{len} × {size} bytes"))
}

impl<B: Backend> Clone for ManagedStream<B> {
    fn clone(&self) -> Self {
        ManagedStream { queue: self.queue.clone(), precision: self.precision, recording: self.recording.clone() }
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
        let default = ManagedStream { queue: default, precision: Precision::Strict, recording: None };
        ManagedDevice::of_parts(&self.queue.shared, default)
    }

    fn id(&self) -> u64 {
        self.queue.core.id
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn with_precision(&self, precision: Precision) -> Self {
        ManagedStream { precision, ..self.clone() }
    }

    fn alloc<T: Element>(&self, len: usize) -> Result<ManagedBuffer<T, B>> {
        Ok(ManagedBuffer::new(self.allocate("alloc", Space::Device, len, size_of::<T>())?, len))
    }

    fn pinned<T: Element>(&self, len: usize) -> Result<Pinned<T, ManagedDevice<B>>> {
        Ok(Pinned::new(self.allocate("pinned", Space::Pinned, len, size_of::<T>())?, len))
    }

    fn register<T: Element>(&self, data: Vec<T>) -> Result<Pinned<T, ManagedDevice<B>>, Unregistered<T>> {
        let Queue { core, shared, home, .. } = &*self.queue;
        if let Err(error) = self.queue.call("register", || self.refuse_recording("register it before")) {
            return Err(Unregistered { error, data });
        }
        let (len, bytes, elements) = (data.len(), size_of_val(&*data), Elements::new(data));
        // SAFETY: the vector's own elements, which nobody touches by it as long as it is in parts.
        match unsafe { shared.register(core, Ptr::new(elements.start().cast()), bytes, elements) } {
            Ok(block) => Ok(Pinned::new(BlockHandle::new(block, home), len)),
            Err((error, elements)) => {
                let error = shared.note(error).in_operation("register").on_stream(core.id);
                Err(Unregistered { error, data: elements.into_vec() })
            }
        }
    }

    fn write<T: Element>(&self, x: &mut impl AsViewMut<T, Self::Device>, data: &[T]) -> Result<()> {
        let x = x.view_mut().into_view();
        same_len("write", "data", x.len(), data.len())?;
        let (ptr, bytes) = (x.part.ptr(), x.part.bytes);
        let copy = |backend: &B, raw: &B::Stream| {
            // SAFETY: `x` is `bytes` long, lies in a live block and is borrowed exclusively; this stream has been ordered after
            // conflicting work. `data` is as long and lives over the call, after which the backend does not touch it.
            unsafe { backend.upload(raw, data.as_ptr().cast(), ptr, bytes) }
        };
        self.queue.call("write", || {
            self.refuse_recording("write before the launch, or `upload` from pinned memory")?;
            self.queue.copy(&[x.writes("x")], data.is_empty(), copy)
        })
    }

    fn read<T: Element>(&self, x: &impl AsView<T, Self::Device>, data: &mut [T]) -> Result<()> {
        let Queue { core, shared, .. } = &*self.queue;
        let x = x.view();
        same_len("read", "data", x.len(), data.len())?;
        let (ptr, bytes) = (x.part.ptr(), x.part.bytes);
        let copy = |backend: &B, raw: &B::Stream| {
            // SAFETY: `x` is `bytes` long and lies in a live block; this stream has been ordered after conflicting work. `data` is as
            // long, borrowed exclusively, and lives over the call, after which the backend does not touch it. Every bit pattern is a `T`.
            unsafe { backend.download(raw, ptr, data.as_mut_ptr().cast(), bytes) }
        };
        self.queue.call("read", || {
            self.refuse_recording("read after the launch, or `download` to pinned memory")?;
            let mut result = self.queue.copy(&[x.reads("x")], x.is_empty(), copy);
            if x.is_empty() && result.is_ok() {
                // There is nothing to bring, and the wait for it remains.
                result = shared.backend.synchronize(&self.queue.raw);
            }
            shared.report(core, result)
        })
    }

    fn copy_from_peer<T: Element>(
        &self,
        x: &impl AsView<T, Self::Device>,
        y: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        const NAME: &str = "copy_from_peer";
        let Queue { core, raw, shared, .. } = &*self.queue;
        self.queue.call(NAME, || self.refuse_recording("copy before or after the launch"))?;
        let (x, y) = (x.view(), y.view_mut());
        let source = x.part.block.device.device::<B>().filter(|source| !Arc::ptr_eq(source, shared));
        let Some(source) = source else { return self.copy_views(x, y, NAME, ["x", "y"]) };
        let y = y.into_view();
        same_len(NAME, "y", x.len(), y.len())?;
        self.queue.call(NAME, || shared.copy_from_peer(core, raw, &source, x.reads("x"), y.writes("y")))
    }

    fn record_graph(
        &self,
        body: impl FnOnce(&Recorder<ManagedDevice<B>>) -> Result<()>,
    ) -> Result<Graph<ManagedDevice<B>>> {
        const NAME: &str = "record_graph";
        let shared = &self.queue.shared;
        self.queue.call(NAME, || {
            self.refuse_recording("record each graph by itself")?;
            shared.enter()
        })?;
        let recording = Arc::new(Recording::begin(shared));
        let _under_way = recording.until_dropped();
        let stream = ManagedStream { recording: Some(recording.clone()), ..self.clone() };
        // Its errors are the user's own.
        body(&Recorder::new(stream, recording.clone()))?;
        self.queue.call(NAME, || recording.finish()).map(Graph::new)
    }

    fn host_fn(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        self.queue.call("host_fn", || {
            self.refuse_recording("enqueue it before or after the launch")?;
            shared.host_fn(core, raw, function)
        })
    }

    fn record(&self) -> Result<Event<ManagedDevice<B>>> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        self.queue.call("record", || {
            self.refuse_recording("record before or after the launch")?;
            shared.enter()?;
            Ok(Event::new(core.id, shared.record_point(core, raw)?, shared))
        })
    }

    fn wait(&self, event: &Event<ManagedDevice<B>>) -> Result<()> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        self.queue.call("wait", || {
            self.refuse_recording("wait before the launch")?;
            shared.enter()?;
            shared.check_opening(&event.shared.opening, "event", "an event")?;
            let point: &Point<B> = &event.point;
            shared.wait_for_point(core, raw, event.stream, point)
        })
    }

    fn synchronize(&self) -> Result<()> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        self.queue.call("synchronize", || {
            self.refuse_recording("synchronize after the launch")?;
            shared.synchronize(core, raw)
        })
    }

    unsafe fn launch(
        &self,
        kernel: &Kernel<ManagedDevice<B>>,
        grid: impl Into<Grid>,
        args: &[Arg<'_, ManagedDevice<B>>],
    ) -> Result<()> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        let grid = grid.into();
        let call = || {
            shared.check_opening(&kernel.held.opening, "kernel", "a kernel")?;
            let (launch, accesses) = checked(kernel, grid, args, &shared.info)?;
            shared.admit(&accesses)?;
            let enqueue = |backend: &B| {
                // SAFETY: the caller vouches for the kernel; its memory lies in live blocks, borrowed as the accesses say; `enqueue` has
                // ordered this stream after conflicting work, and the pool reuses the blocks only when the stream has passed it.
                unsafe { backend.launch(raw, &launch) }
            };
            match &self.recording {
                Some(recording) => {
                    recording.launch((!grid.is_empty()).then(|| Node::Launch(launch.clone())), &accesses)
                }
                None if grid.is_empty() => Ok(()),
                None => shared.enqueue(core, raw, &accesses, enqueue),
            }
        };
        self.queue.call("launch", || call().map_err(|e| e.in_kernel(&kernel.info().name)))
    }

    fn submit(&self, _checked: Checked, operation: Operation, accesses: &[Access<'_>]) -> Result<()> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        let (kind, dtype) = (operation.kind(), operation.dtype());
        let execute = |backend: &B| {
            // SAFETY: the typed method that built the operation has checked it; its operands lie in live blocks, borrowed as the accesses
            // say; `enqueue` has ordered this stream after conflicting work, and the pool reuses the blocks only when the stream has passed it.
            unsafe { backend.execute(raw, &operation) }
        };
        self.queue.call(kind, || {
            shared.admit(accesses)?;
            if !shared.backend.supports(kind, dtype) {
                return Err(Error::unsupported(format_args!("{kind} of {dtype}")));
            }
            match &self.recording {
                Some(recording) => recording.operation(operation, accesses),
                None if operation.is_empty() => Ok(()),
                None => shared.retry_out_of_memory(|| shared.enqueue(core, raw, accesses, execute)),
            }
        })
    }

    fn transfer(
        &self,
        _checked: Checked,
        transfer: Transfer,
        accesses: &[Access<'_>],
        name: &'static str,
    ) -> Result<()> {
        let is_empty = transfer.row_bytes == 0 || transfer.rows == 0;
        let copy = |backend: &B, raw: &B::Stream| {
            // SAFETY: as for `submit`: source and destination are views of equal shape, one of them borrowed exclusively, so disjoint.
            unsafe { backend.copy(raw, &transfer) }
        };
        self.queue.call(name, || match &self.recording {
            None => self.queue.copy(accesses, is_empty, copy),
            Some(recording) => {
                self.queue.shared.admit(accesses)?;
                recording.copy((!is_empty).then_some(Node::Copy(transfer)), accesses)
            }
        })
    }

    fn waits(&self, _checked: Checked, instead: &str) -> Result<()> {
        let Queue { core, shared, .. } = &*self.queue;
        self.refuse_recording(instead).map_err(|e| shared.note(e).on_stream(core.id))
    }

    fn constant<T: Element>(&self, _checked: Checked, data: &[T]) -> Result<ManagedBuffer<T, B>> {
        // On a recorder the memory is written now, once, and is no temporary that the graph might write.
        self.executing().from_slice(data)
    }

    fn launch_graph(&self, _checked: Checked, graph: &mut Executable<B>) -> Result<()> {
        let Queue { core, raw, shared, .. } = &*self.queue;
        self.queue.call("launch", || {
            shared.enter()?;
            self.refuse_recorder("stream", "launch a graph by itself")?;
            graph.shared.check_opening(&shared.opening, "stream", "a stream")?;
            graph.launch(core, raw)
        })
    }
}
