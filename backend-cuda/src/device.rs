//! The device: [`warpwave_core::Backend`] for a CUDA device.

use crate::buffer::{self, Block, Source, device};
use crate::context::{Context, Entered, describe, lock};
use crate::cublas::absent;
use crate::driver::Driver;
use crate::error::OUT_OF_MEMORY;
use crate::event::CudaEvent;
use crate::graph::CudaGraph;
use crate::launch::{Memory, Target};
use crate::module::{CudaModule, Retired};
use crate::stream::{CudaStream, Queue};
use crate::transfer::{Host, transfer};
use cudarc::driver::sys::CUstream_st;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use warpwave_core::operation::Ptr;
use warpwave_core::{
    Backend, CompiledModule, DType, DeviceInfo, Error, ErrorKind, HostFn, KernelSource, Launch, Node, Operation,
    OperationKind, Result, Space, Transfer,
};

/// A CUDA device, in its primary context.
#[derive(Debug)]
pub struct CudaBackend {
    context: &'static Context,
    info: DeviceInfo,
    source: Source,
    /// For clearing memory.
    own: Queue,
    /// Every stream that there is.
    streams: Mutex<Vec<Arc<Queue>>>,
    /// Those of them that nobody has; their work may go on.
    idle: Mutex<Vec<Arc<Queue>>>,
    retired: Arc<Retired>,
}

impl CudaBackend {
    /// Opens a device. What [`Backend::open`] gives.
    ///
    /// # Errors
    /// As there.
    pub fn new(index: usize) -> Result<Self> {
        let context = Context::of(index)?;
        let entered = context.enter()?;
        let own = Queue::create(context, &entered)?;
        context.staging.prepare(context, &entered, &own);
        let mut info = context.info.clone();
        let blas = match context.blas(&entered)?.library() {
            Ok(library) => {
                info.versions.push(("cuBLAS".to_owned(), library.version()));
                format!("cuBLAS {}", library.version())
            }
            Err(error) => format!("warpwave; cuBLAS is {}", absent(error)),
        };
        let ours = ["level 1", "ger", "reproducible"].map(|routines| (routines.to_owned(), "warpwave".to_owned()));
        info.providers =
            ours.into_iter().chain(["gemv", "level 3"].map(|routines| (routines.to_owned(), blas.clone()))).collect();
        Ok(CudaBackend {
            context,
            info,
            source: Source::default(),
            own,
            streams: Mutex::default(),
            idle: Mutex::default(),
            retired: Arc::default(),
        })
    }

    /// The same device, taking its memory with `cuMemAllocAsync` from the device's own memory pool, which others in this process may share.
    #[must_use]
    pub fn with_stream_ordered_allocation(mut self) -> Self {
        self.source = Source::StreamOrdered;
        self
    }

    fn enter(&self) -> Result<Entered> {
        self.context.enter()
    }

    /// The stream of others as one of this device's: for [`ManagedDevice::import_stream`](warpwave_core::ManagedDevice::import_stream).
    ///
    /// After each call an event is recorded on it, so that it may be destroyed at any time between calls. What its owner enqueues is in the order
    /// of the calls, by either side.
    ///
    /// # Safety
    /// `raw` is a `CUstream` that exists now, and whenever a call on the result is made; 0 is CUDA's default stream. It is not being captured.
    ///
    /// # Errors
    /// [`InvalidArgument`](warpwave_core::ErrorKind::InvalidArgument) for a stream of another context, and for `CU_STREAM_PER_THREAD`.
    pub unsafe fn foreign_stream(&self, raw: *mut CUstream_st) -> Result<CudaStream> {
        let entered = self.enter()?;
        let queue = Arc::new(Queue::of_others(self.context, &entered, raw)?);
        lock(&self.streams).push(Arc::clone(&queue));
        Ok(CudaStream(queue))
    }

    /// Has `enqueue` put work on a stream, with nobody else's in between.
    fn on<R>(&self, stream: &CudaStream, enqueue: impl FnOnce(&mut Target<'_>) -> Result<R>) -> Result<R> {
        let entered = self.enter()?;
        let (context, queue) = (self.context, &stream.0);
        let event = queue.mark_with(context, &entered)?;
        let work = &mut *lock(&queue.work);
        let mut target = Target { context, entered: &entered, stream: queue.raw, work, memory: self, enqueued: false };
        let result = enqueue(&mut target);
        let enqueued = target.enqueued;
        queue.show_note(work);
        // Also of what has failed half-way.
        let marked = queue.mark(context, &entered, event);
        let result = result.map_err(|error| match error.kind() {
            // Whoever hears of that kind takes it that nothing was enqueued, and calls again.
            ErrorKind::OutOfMemory { .. } if enqueued => {
                let (api, name) =
                    ("after a part of the work was enqueued, a call".to_owned(), error.kind().to_string());
                Error::from(ErrorKind::Driver { api, code: i64::from(OUT_OF_MEMORY), name }).on_device(&context.info.id)
            }
            _ => error,
        });
        marked.and(result)
    }

    /// Releases streams of others that nobody has, and on which all our work has ended.
    fn forget_closed(&self, entered: &Entered) {
        let is_over =
            |queue: &mut Arc<Queue>| queue.closed.load(Ordering::Relaxed) && queue.is_idle(self.context, entered);
        let over: Vec<_> = lock(&self.streams).extract_if(.., is_over).collect();
        over.into_iter().for_each(|queue| queue.destroy(self.context, entered));
    }

    /// A stream that nobody has, to capture or to copy on.
    fn with_stream<R>(&self, f: impl FnOnce(&Entered, &Queue) -> Result<R>) -> Result<R> {
        let entered = self.enter()?;
        let queue = self.queue(&entered)?;
        let result = f(&entered, &queue);
        lock(&self.idle).push(queue);
        result
    }

    /// A copy from or to pageable memory. Not as other work: it waits for the stream, where others may have to enqueue what that waits for.
    ///
    /// # Safety
    /// As for [`transfer`].
    unsafe fn transfer(&self, queue: &Queue, host: Host, at: Ptr, bytes: usize) -> Result<()> {
        let entered = self.enter()?;
        let aside = |copy: &dyn Fn(&Queue) -> Result<()>| self.with_stream(|_, queue| copy(queue));
        // SAFETY: the caller's.
        unsafe { transfer((self.context, &entered), &self.context.staging, queue, (host, at, bytes), aside) }
    }

    /// A stream on which all work has ended: one that somebody has had, or a new one.
    fn queue(&self, entered: &Entered) -> Result<Arc<Queue>> {
        {
            let mut idle = lock(&self.idle);
            if let Some(found) = idle.iter().position(|queue| queue.is_idle(self.context, entered)) {
                let queue = idle.swap_remove(found);
                // What was not reported is nobody's any more.
                queue.take_note();
                return Ok(queue);
            }
        }
        let queue = Arc::new(Queue::create(self.context, entered)?);
        lock(&self.streams).push(Arc::clone(&queue));
        Ok(queue)
    }
}

impl Memory for CudaBackend {
    fn block(&self, entered: &Entered, bytes: usize) -> Result<Block> {
        let bytes = bytes.next_multiple_of(256);
        if let Some(block) = self.context.spare.find(bytes) {
            return Ok(block);
        }
        // Spare memory goes back and forth between all that have the device open, so it is always the plain kind.
        let ptr = buffer::allocate(self.context, entered, Source::Plain, Space::Device, bytes, self.own.raw.0)?;
        Ok(Block { ptr, bytes })
    }

    fn note(&self, entered: &Entered) -> Result<Ptr> {
        const BYTES: usize = 4096;
        // Far enough apart that no two are written at once.
        const APART: usize = 64;
        if let Some(note) = lock(&self.context.notes).pop() {
            return Ok(note);
        }
        let page = buffer::allocate(self.context, entered, Source::Plain, Space::Pinned, BYTES, self.own.raw.0)?;
        lock(&self.context.notes).extend((1..BYTES / APART).map(|i| page.byte_add(i * APART)));
        Ok(page)
    }
}

impl Drop for CudaBackend {
    fn drop(&mut self) {
        let Ok(entered) = self.enter() else { return };
        // Streams that somebody has are leaked, as they are wherever they are not given back.
        for queue in lock(&self.idle).drain(..) {
            queue.destroy(self.context, &entered);
        }
        self.own.destroy(self.context, &entered);
    }
}

// SAFETY: under the names that the contract's paragraphs have.
// Memory: `buffer::allocate` gives cleared memory of the driver's, which aligns to 256 and frees what `free` names only; pinned memory is the
// process's, reached by the device, and written and read in the order that the driver keeps between its work and the host's waits.
// What work touches: operations are calls of cuBLAS and plans of `warpwave-kernels`, which touch their operands, the stream's scratch memory and
// the stream's note. Uploads and downloads have ended when they return.
// Order and ends: the driver's own: a stream's work is done in the order of the calls, events and waits as CUDA defines them, across contexts too. A
// stream that is given back is used again only when all its work has ended. An event's handle is used again after `destroy_event`; waits that
// are enqueued are for what it was recorded after then (CUDA Driver API, `cuStreamWaitEvent`). No stream is inline.
// Errors and panics: nothing unwinds but for want of host memory. What a call that fails has enqueued is work like any other.
// Graphs: an update gives the driver the new list, or makes a graph of it and leaves the old one as it was; launches have what they were given.
// Peers: all devices of one driver wait for each other's events, and the driver copies between them. Drops: streams and events are handles; the
// context is never released; `Drop` destroys streams, whose work goes on, that were given back.
unsafe impl Backend for CudaBackend {
    type Stream = CudaStream;
    type Event = CudaEvent;
    type Graph = CudaGraph;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        let driver = Driver::get()?;
        (0..driver.devices()?).map(|ordinal| describe(driver, ordinal)).collect()
    }

    fn open(index: usize) -> Result<Self> {
        CudaBackend::new(index)
    }

    fn info(&self) -> DeviceInfo {
        self.info.clone()
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        warpwave_core::numerics::contract::supports(kind, dtype)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        let entered = self.enter()?;
        buffer::allocate(self.context, &entered, self.source, space, bytes, self.own.raw.0)
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, _bytes: usize) -> Result<()> {
        let entered = self.enter()?;
        // SAFETY: the caller's.
        unsafe { buffer::free(self.context, &entered, self.source, space, ptr, self.own.raw.0) }
    }

    unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        let entered = self.enter()?;
        // SAFETY: the caller's.
        unsafe { buffer::register(self.context, &entered, ptr, bytes) }
    }

    unsafe fn unregister(&self, ptr: Ptr, _bytes: usize) -> Result<()> {
        let entered = self.enter()?;
        // SAFETY: the caller's.
        unsafe { buffer::unregister(self.context, &entered, ptr) }
    }

    fn trim(&self) -> Result<usize> {
        let entered = self.enter()?;
        self.forget_closed(&entered);
        let streams: Vec<_> = lock(&self.streams).clone();
        streams.iter().for_each(|queue| queue.trim(self.context, &entered));
        // Modules are launched on these streams alone.
        if streams.iter().all(|queue| queue.is_over(self.context, &entered)) {
            self.retired.unload(self.context, &entered);
        }
        let mut freed = 0;
        for block in self.context.spare.take() {
            // SAFETY: from `block`, and nobody's.
            unsafe {
                buffer::free(self.context, &entered, Source::Plain, Space::Device, block.ptr, self.own.raw.0)?;
            }
            freed += block.bytes;
        }
        Ok(freed)
    }

    fn create_stream(&self) -> Result<CudaStream> {
        let entered = self.enter()?;
        self.queue(&entered).map(CudaStream)
    }

    fn destroy_stream(&self, stream: CudaStream) -> Result<()> {
        if stream.0.is_of_others() {
            stream.0.closed.store(true, Ordering::Relaxed);
            let entered = self.enter()?;
            self.forget_closed(&entered);
            return Ok(());
        }
        // The driver takes tens of microseconds to make one, so it is kept for who asks for the next.
        lock(&self.idle).push(stream.0);
        Ok(())
    }

    fn is_inline(&self, _stream: &CudaStream) -> bool {
        false
    }

    fn synchronize(&self, stream: &CudaStream) -> Result<()> {
        let entered = self.enter()?;
        stream.0.synchronize(self.context, &entered)
    }

    fn record(&self, stream: &CudaStream) -> Result<CudaEvent> {
        let entered = self.enter()?;
        CudaEvent::record(self.context, &entered, stream.0.tail())
    }

    fn wait(&self, stream: &CudaStream, event: &CudaEvent) -> Result<()> {
        self.on(stream, |target| event.hold(target.context, target.entered, target.stream.0))
    }

    fn query(&self, event: &CudaEvent) -> Result<bool> {
        let entered = self.enter()?;
        event.has_occurred(self.context, &entered)
    }

    fn synchronize_event(&self, event: &CudaEvent) -> Result<()> {
        let entered = self.enter()?;
        event.synchronize(self.context, &entered)
    }

    fn elapsed(&self, start: &CudaEvent, end: &CudaEvent) -> Result<Duration> {
        let entered = self.enter()?;
        start.until(self.context, &entered, end)
    }

    fn destroy_event(&self, event: CudaEvent) {
        event.reuse(self.context);
    }

    unsafe fn execute(&self, stream: &CudaStream, operation: &Operation) -> Result<()> {
        // SAFETY: the caller's.
        self.on(stream, |target| unsafe { target.execute(operation) })
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
        let entered = self.enter()?;
        let module =
            CudaModule::new(self.context, &self.retired, &entered, source).map_err(|error| self.context.seen(error))?;
        Ok(Box::new(module))
    }

    unsafe fn launch(&self, stream: &CudaStream, launch: &Launch) -> Result<()> {
        // SAFETY: the caller's.
        self.on(stream, |target| unsafe { target.user_launch(launch) })
    }

    unsafe fn copy(&self, stream: &CudaStream, transfer: &Transfer) -> Result<()> {
        // SAFETY: the caller's.
        self.on(stream, |target| unsafe { buffer::copy(target.context, target.entered, target.stream.0, transfer) })
    }

    unsafe fn upload(&self, stream: &CudaStream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller's.
        unsafe { self.transfer(&stream.0, Host::From(src), dst, bytes) }
    }

    unsafe fn download(&self, stream: &CudaStream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return self.synchronize(stream);
        }
        // SAFETY: the caller's.
        unsafe { self.transfer(&stream.0, Host::To(dst), src, bytes) }?;
        // A fault is reported by a call that has not failed by itself.
        stream.0.report(self.context)
    }

    fn enqueued(&self, stream: &CudaStream) -> Result<()> {
        let entered = self.enter()?;
        let event = stream.0.mark_with(self.context, &entered)?;
        stream.0.mark(self.context, &entered, event)
    }

    fn host_fn(&self, stream: &CudaStream, function: HostFn) -> Result<()> {
        if !self.context.kernels.has_loaded() {
            let entered = self.enter()?;
            self.context.kernels.load_what_is_there(self.context, &entered);
        }
        self.on(stream, |target| stream.0.host_fn(target.context, target.entered, function))
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<CudaGraph> {
        self.with_stream(|entered, queue| CudaGraph::new(self.context, entered, self, queue, nodes))
    }

    fn update(&self, graph: &mut CudaGraph, nodes: &[Node], _changed: &[usize]) -> Result<()> {
        self.with_stream(|entered, queue| graph.update(self.context, entered, self, queue, nodes))
    }

    unsafe fn launch_graph(&self, stream: &CudaStream, graph: &CudaGraph) -> Result<()> {
        // SAFETY: the caller's.
        self.on(stream, |target| unsafe { graph.launch(target) })
    }

    fn destroy_graph(&self, graph: CudaGraph) {
        // On a device that is lost there is nothing to release.
        if let Ok(entered) = self.enter() {
            graph.destroy(self.context, &entered);
        }
    }

    fn is_peer(&self, _other: &Self) -> bool {
        true
    }

    unsafe fn copy_peer(&self, stream: &CudaStream, source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.on(stream, |target| {
            let (context, raw) = (target.context, target.stream.0);
            context.reach(source.context, target.entered);
            // SAFETY: the caller's; both contexts are there.
            let status = unsafe {
                (context.driver.cuMemcpyPeerAsync)(
                    device(dst),
                    context.raw.0,
                    device(src),
                    source.context.raw.0,
                    bytes,
                    raw,
                )
            };
            context.check("cuMemcpyPeerAsync", status)
        })
    }
}
