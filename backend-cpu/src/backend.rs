//! The device: [`warpwave_core::Backend`] for the CPU.

use crate::event::CpuEvent;
use crate::fault::Fault;
use crate::graph::{CpuGraph, run_nodes};
use crate::info::device_info;
#[cfg(unix)]
use crate::kernels::{Mode, run_launch};
use crate::memory::Memory;
use crate::need;
use crate::staged::Staging;
use crate::stream::{CpuStream, Kind, Queue, Work, run_host_fn, run_operation};
use crate::transfer::{copy_bytes, transfer};
use crate::workers::{FloatMode, Workers};
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use warpwave_core::operation::Ptr;
use warpwave_core::{
    Backend, DType, DeviceInfo, Error, ErrorKind, HostFn, Node, Operation, OperationKind, Result, Space, Transfer,
};
#[cfg(unix)]
use warpwave_core::{CompiledModule, KernelSource, Launch};

/// The CPU as a device. See the [crate's documentation](crate) for its two modes.
#[derive(Debug)]
pub struct CpuBackend {
    asynchronous: bool,
    workers: Arc<Workers>,
    memory: Memory,
    staging: Staging,
    #[cfg(unix)]
    kernels: Mode,
}

impl CpuBackend {
    /// A device on whose streams a call returns when its work has ended. What [`Backend::open`] gives.
    pub fn inline() -> Self {
        Self::new(false)
    }

    /// A device each of whose streams works through a queue on a thread of its own.
    ///
    /// A call is [`OutOfMemory`](ErrorKind::OutOfMemory), and enqueues nothing, if the queue cannot grow, or if the operation needs
    /// more memory to work in than the machine has. Memory to work in is obtained when the operation runs: if there is none by then,
    /// the outputs are unspecified, and the next [`synchronize`](Backend::synchronize) or [`download`](Backend::download) on that
    /// stream says so. A stream that waits for this one goes on with what it finds, and does not report it: synchronize the stream
    /// that wrote before you trust what another has read.
    pub fn asynchronous() -> Self {
        Self::new(true)
    }

    fn new(asynchronous: bool) -> Self {
        let (workers, memory, staging) = (Arc::new(Workers::new()), Memory::new(), Staging::default());
        CpuBackend {
            asynchronous,
            workers,
            memory,
            staging,
            #[cfg(unix)]
            kernels: Mode::from_environment(),
        }
    }

    /// The same device, for kernels of the user's own whose warps have so many lanes, 32 or 64; of itself it has 32.
    #[cfg(unix)]
    #[must_use]
    pub fn with_warp_size(mut self, lanes: u32) -> Self {
        self.kernels.warp = if lanes == 64 { 64 } else { 32 };
        self
    }

    /// The same device, looking at what kernels of the user's own do, as with `WARPWAVE_CHECK=seed`: blocks and threads run in an order
    /// that is made of the seed and of how many launches there were, and change places anywhere; shared memory holds poison; and an
    /// access to what is neither shared memory nor among the arguments is a [`DeviceFault`](ErrorKind::DeviceFault).
    #[cfg(unix)]
    #[must_use]
    pub fn checking(mut self, seed: u64) -> Self {
        self.kernels.check = Some(Arc::new(AtomicU64::new(seed)));
        self
    }

    /// Refuses an operation that cannot be done in the memory there is, however much of it comes free.
    fn admit(&self, operation: &Operation) -> Result<()> {
        let possible = self.memory.admit(need::at_least(operation));
        possible.map_err(|error| on_device(error).in_operation(operation.kind()))
    }

    /// The same for what is in a graph.
    fn admit_node(&self, node: &Node) -> Result<()> {
        if let Node::Operation(operation) = node { self.admit(operation) } else { Ok(()) }
    }
}

impl Default for CpuBackend {
    fn default() -> Self {
        Self::inline()
    }
}

// SAFETY: under the names that the contract's paragraphs have.
// Memory: `Memory::allocate` gives zeroed, aligned, disjoint blocks of the process, pinned ones too, and only `free` ends one.
// What work touches: operations, copies, launches and graphs are passed on as they are, one after the other; for what a kernel of the
// user's own touches its launch answers. An upload returns when its bytes have
// been copied, aside or to their place; a download when all of them are in the caller's memory.
// Order and ends: inline work has ended when its call returns, and an inline wait returns after the event. A queue's work is done by one
// thread in the order of the queue; a wait holds that thread until the marker is set, which the other stream's thread does after all the
// work in front of it. A stream that is destroyed only closes its queue: the thread works through it and keeps it, and every marker,
// alive. `synchronize` waits until the count of what has ended reaches what was enqueued.
// Errors and panics: what is done on a stream's thread, or between an enqueue and the end of a call, is caught (`catch`) and kept as the
// stream's fault; what is refused, for want of memory, is refused before it is in the queue.
// Graphs: a launch shares the list, and an update that finds it shared changes a copy. Peers: memory is the process's and any thread can
// wait for any marker, so any two devices are. Drops: a stream's thread outlives its handle, work in a queue owns what it needs besides
// its operands, and `Memory` has no destructor.
unsafe impl Backend for CpuBackend {
    type Stream = CpuStream;
    type Event = CpuEvent;
    type Graph = CpuGraph;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        Ok(vec![CpuBackend::inline().info()])
    }

    fn open(index: usize) -> Result<Self> {
        if index > 0 {
            return Err(ErrorKind::NoDevice {
                device: format!("cpu:{index}"),
                remedy: "there is one CPU device, number 0, whatever the number of processors".to_owned(),
            }
            .into());
        }
        Ok(CpuBackend::inline())
    }

    fn info(&self) -> DeviceInfo {
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut info = device_info(if self.asynchronous { "async" } else { "inline" }, self.workers.threads());
        #[cfg(unix)]
        {
            info.warp_size = self.kernels.warp;
        }
        info
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        warpwave_core::numerics::contract::supports(kind, dtype)
    }

    fn allocate(&self, _space: Space, bytes: usize) -> Result<Ptr> {
        self.memory.allocate(bytes).map_err(on_device)
    }

    unsafe fn free(&self, _space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.memory.free(ptr, bytes) };
        Ok(())
    }

    unsafe fn register(&self, _ptr: Ptr, _bytes: usize) -> Result<()> {
        // All memory of the process is the device's.
        Ok(())
    }

    unsafe fn unregister(&self, _ptr: Ptr, _bytes: usize) -> Result<()> {
        Ok(())
    }

    fn create_stream(&self) -> Result<CpuStream> {
        let kind = match self.asynchronous {
            true => Kind::Queued(Queue::start(Arc::clone(&self.workers)).map_err(on_device)?),
            false => Kind::Inline(Fault::default()),
        };
        Ok(CpuStream(kind))
    }

    fn destroy_stream(&self, stream: CpuStream) -> Result<()> {
        if let Kind::Queued(queue) = stream.0 {
            queue.close();
        }
        Ok(())
    }

    fn is_inline(&self, stream: &CpuStream) -> bool {
        matches!(stream.0, Kind::Inline(_))
    }

    fn synchronize(&self, stream: &CpuStream) -> Result<()> {
        match &stream.0 {
            Kind::Inline(fault) => fault.report(),
            Kind::Queued(queue) => {
                queue.drain();
                queue.fault.report()
            }
        }
        .map_err(on_device)
    }

    fn record(&self, stream: &CpuStream) -> Result<CpuEvent> {
        Ok(match &stream.0 {
            Kind::Inline(_) => CpuEvent::occurred(),
            Kind::Queued(queue) => CpuEvent::enqueued(queue.mark().map_err(on_device)?),
        })
    }

    fn wait(&self, stream: &CpuStream, event: &CpuEvent) -> Result<()> {
        let Some(marker) = event.pending() else { return Ok(()) };
        match &stream.0 {
            Kind::Inline(_) => {
                marker.wait();
                Ok(())
            }
            // SAFETY: a wait names no memory.
            Kind::Queued(queue) => unsafe { enqueue(queue, Work::Wait(Arc::clone(marker))) },
        }
    }

    fn query(&self, event: &CpuEvent) -> Result<bool> {
        Ok(event.pending().is_none())
    }

    fn synchronize_event(&self, event: &CpuEvent) -> Result<()> {
        event.time();
        Ok(())
    }

    fn elapsed(&self, start: &CpuEvent, end: &CpuEvent) -> Result<Duration> {
        let (start, end) = (start.time(), end.time());
        Ok(end.saturating_duration_since(start))
    }

    fn destroy_event(&self, event: CpuEvent) {
        // Waits that are enqueued hold the marker.
        drop(event);
    }

    unsafe fn execute(&self, stream: &CpuStream, operation: &Operation) -> Result<()> {
        match &stream.0 {
            Kind::Inline(fault) => {
                let _mode = FloatMode::enter();
                // SAFETY: the caller's; the mode is set.
                unsafe { run_operation(&self.workers, operation, fault) }.map_err(on_device)
            }
            Kind::Queued(queue) => {
                self.admit(operation)?;
                // SAFETY: the caller's.
                unsafe { enqueue(queue, Work::Execute(*operation)) }
            }
        }
    }

    #[cfg(unix)]
    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
        let module = self.kernels.compile(source).map_err(on_device)?;
        Ok(Box::new(module))
    }

    #[cfg(unix)]
    unsafe fn launch(&self, stream: &CpuStream, launch: &Launch) -> Result<()> {
        match &stream.0 {
            Kind::Inline(fault) => {
                let _mode = FloatMode::enter();
                // SAFETY: the caller's; the mode is set.
                unsafe { run_launch(&self.workers, launch, fault) }.map_err(on_device)
            }
            // SAFETY: the caller's.
            Kind::Queued(queue) => unsafe { enqueue(queue, Work::Launch(launch.clone())) },
        }
    }

    unsafe fn copy(&self, stream: &CpuStream, copy: &Transfer) -> Result<()> {
        match &stream.0 {
            Kind::Inline(_) => {
                // SAFETY: the caller's.
                unsafe { transfer(&self.workers, copy) };
                Ok(())
            }
            // SAFETY: the caller's.
            Kind::Queued(queue) => unsafe { enqueue(queue, Work::Transfer(*copy)) },
        }
    }

    unsafe fn upload(&self, stream: &CpuStream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let queue = match &stream.0 {
            Kind::Inline(_) => {
                // SAFETY: the caller's.
                unsafe { copy_bytes(&self.workers, Ptr::new(src.cast_mut()), dst, bytes) };
                return Ok(());
            }
            Kind::Queued(queue) => queue,
        };
        // SAFETY: `src` is readable for `bytes`, which is not 0, and the caller leaves it as it is for the time of this call.
        let slice = unsafe { std::slice::from_raw_parts(src, bytes) };
        if let Some(src) = self.staging.copy(slice) {
            // SAFETY: the caller vouches for `dst`; the work owns its source.
            unsafe { enqueue(queue, Work::Staged { src, dst }) }
        } else {
            // SAFETY: the caller vouches for both until this call returns, which it does after the work has ended.
            unsafe { enqueue_and_wait(queue, Work::Bytes { src: Ptr::new(src.cast_mut()), dst, bytes }) }
        }
    }

    unsafe fn download(&self, stream: &CpuStream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        let dst = Ptr::new(dst);
        match &stream.0 {
            Kind::Inline(fault) => {
                // SAFETY: the caller's.
                unsafe { copy_bytes(&self.workers, src, dst, bytes) };
                fault.report()
            }
            Kind::Queued(queue) => {
                // SAFETY: the caller vouches for both until this call returns, which it does after the work has ended.
                unsafe { enqueue_and_wait(queue, Work::Bytes { src, dst, bytes }) }?;
                queue.fault.report()
            }
        }
        .map_err(on_device)
    }

    fn host_fn(&self, stream: &CpuStream, function: HostFn) -> Result<()> {
        match &stream.0 {
            Kind::Inline(fault) => {
                fault.keep(run_host_fn(function));
                Ok(())
            }
            // SAFETY: a host function names no memory.
            Kind::Queued(queue) => unsafe { enqueue(queue, Work::Host(function)) },
        }
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<CpuGraph> {
        nodes.iter().try_for_each(|node| self.admit_node(node))?;
        Ok(CpuGraph::new(nodes))
    }

    fn update(&self, graph: &mut CpuGraph, nodes: &[Node], changed: &[usize]) -> Result<()> {
        changed.iter().try_for_each(|&index| self.admit_node(&nodes[index]))?;
        graph.update(nodes, changed);
        Ok(())
    }

    unsafe fn launch_graph(&self, stream: &CpuStream, graph: &CpuGraph) -> Result<()> {
        match &stream.0 {
            Kind::Inline(fault) => {
                let _mode = FloatMode::enter();
                // SAFETY: the caller's; the mode is set.
                unsafe { run_nodes(&self.workers, graph.nodes(), fault) }.map_err(on_device)
            }
            // SAFETY: the caller's.
            Kind::Queued(queue) => unsafe { enqueue(queue, Work::Nodes(Arc::clone(graph.nodes()))) },
        }
    }

    fn destroy_graph(&self, graph: CpuGraph) {
        // Launches that are queued hold the list.
        drop(graph);
    }

    fn is_peer(&self, _other: &Self) -> bool {
        true
    }

    unsafe fn copy_peer(&self, stream: &CpuStream, _source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        match &stream.0 {
            Kind::Inline(_) => {
                // SAFETY: the caller's.
                unsafe { copy_bytes(&self.workers, src, dst, bytes) };
                Ok(())
            }
            // SAFETY: the caller's.
            Kind::Queued(queue) => unsafe { enqueue(queue, Work::Bytes { src, dst, bytes }) },
        }
    }
}

/// Appends work to a queue.
///
/// # Safety
/// As for [`Queue::push`].
unsafe fn enqueue(queue: &Queue, work: Work) -> Result<()> {
    // SAFETY: the caller's.
    unsafe { queue.push(work) }.map(|_| ()).map_err(on_device)
}

/// Appends work to a queue and waits until it has ended; if this is an error, it was not appended.
///
/// # Safety
/// As for [`Queue::push`], for the time of the call.
unsafe fn enqueue_and_wait(queue: &Queue, work: Work) -> Result<()> {
    // SAFETY: the caller's.
    let number = unsafe { queue.push(work) }.map_err(on_device)?;
    queue.wait_for(number);
    Ok(())
}

/// Names the device in an error.
fn on_device(error: Error) -> Error {
    error.on_device("cpu")
}
