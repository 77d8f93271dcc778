//! The device: [`warpwave_core::Backend`] for the CPU.

use crate::event::CpuEvent;
use crate::fault::Fault;
use crate::graph::{CpuGraph, run_nodes};
use crate::info::device_info;
use crate::memory::Memory;
use crate::stream::{CpuStream, Kind, Queue, Work, run_host_fn, run_operation};
use crate::transfer::{copy_bytes, transfer};
use crate::workers::{FloatMode, Workers};
use std::sync::Arc;
use std::time::Duration;
use warpwave_core::operation::Ptr;
use warpwave_core::{
    Backend, DType, DeviceInfo, Error, ErrorKind, HostFn, Node, Operation, OperationKind, Result, Space, Transfer,
};

/// Uploads up to this many bytes are copied aside, so that the caller does not wait for the stream.
const STAGED: usize = 1 << 16;

/// The CPU as a device. See the [crate's documentation](crate) for its two modes.
#[derive(Debug)]
pub struct CpuBackend {
    asynchronous: bool,
    workers: Arc<Workers>,
    memory: Memory,
}

impl CpuBackend {
    /// A device on whose streams a call returns when its work has ended. What [`Backend::open`] gives.
    pub fn inline() -> Self {
        Self::new(false)
    }

    /// A device each of whose streams works through a queue on a thread of its own.
    pub fn asynchronous() -> Self {
        Self::new(true)
    }

    fn new(asynchronous: bool) -> Self {
        CpuBackend { asynchronous, workers: Arc::new(Workers::new()), memory: Memory::new() }
    }
}

impl Default for CpuBackend {
    fn default() -> Self {
        Self::inline()
    }
}

// SAFETY: memory is zeroed, aligned and disjoint (`Memory::allocate`) and freed only by `free`. Inline work has ended
// when its call returns; a queue's work is done by one thread in the order of the queue, and a wait holds that thread
// until the event's marker is set by the thread of the other stream, after all the work in front of the marker.
// Operations and copies are passed on as they are, those of a graph one after the other. All memory of CPU devices is
// the process's, and an event's marker can be waited for by any thread, so any two devices are peers. An upload returns when the bytes have been copied, aside or to their
// place, a download when they are in the caller's memory.
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
        device_info(if self.asynchronous { "async" } else { "inline" }, self.workers.threads())
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
            Kind::Queued(queue) => CpuEvent::enqueued(queue.mark()),
        })
    }

    fn wait(&self, stream: &CpuStream, event: &CpuEvent) -> Result<()> {
        let Some(marker) = event.pending() else { return Ok(()) };
        match &stream.0 {
            Kind::Inline(_) => {
                marker.wait();
            }
            // SAFETY: a wait names no memory.
            Kind::Queued(queue) => unsafe { queue.push(Work::Wait(Arc::clone(marker))) },
        }
        Ok(())
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
                // SAFETY: the caller's.
                unsafe { queue.push(Work::Execute(*operation)) };
                Ok(())
            }
        }
    }

    unsafe fn copy(&self, stream: &CpuStream, copy: &Transfer) -> Result<()> {
        match &stream.0 {
            // SAFETY: the caller's.
            Kind::Inline(_) => unsafe { transfer(&self.workers, copy) },
            // SAFETY: the caller's.
            Kind::Queued(queue) => unsafe { queue.push(Work::Transfer(*copy)) },
        }
        Ok(())
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
        if bytes <= STAGED {
            // SAFETY: `src` is readable for `bytes`, which is not 0, and the caller leaves it as it is for the time of
            // this call.
            let src = unsafe { std::slice::from_raw_parts(src, bytes) }.into();
            // SAFETY: the caller vouches for `dst`; the work owns its source.
            unsafe { queue.push(Work::Staged { src, dst }) };
        } else {
            // SAFETY: the caller vouches for both until this call returns, which it does after the work has ended.
            unsafe { queue.push(Work::Bytes { src: Ptr::new(src.cast_mut()), dst, bytes }) };
            queue.drain();
        }
        Ok(())
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
                unsafe { queue.push(Work::Bytes { src, dst, bytes }) };
                queue.drain();
                queue.fault.report()
            }
        }
        .map_err(on_device)
    }

    fn host_fn(&self, stream: &CpuStream, function: HostFn) -> Result<()> {
        match &stream.0 {
            Kind::Inline(fault) => fault.keep(run_host_fn(function)),
            // SAFETY: a host function names no memory.
            Kind::Queued(queue) => unsafe { queue.push(Work::Host(function)) },
        }
        Ok(())
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<CpuGraph> {
        Ok(CpuGraph::new(nodes))
    }

    fn update(&self, graph: &mut CpuGraph, nodes: &[Node], changed: &[usize]) -> Result<()> {
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
            Kind::Queued(queue) => {
                // SAFETY: the caller's.
                unsafe { queue.push(Work::Nodes(Arc::clone(graph.nodes()))) };
                Ok(())
            }
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
            // SAFETY: the caller's.
            Kind::Inline(_) => unsafe { copy_bytes(&self.workers, src, dst, bytes) },
            // SAFETY: the caller's.
            Kind::Queued(queue) => unsafe { queue.push(Work::Bytes { src, dst, bytes }) },
        }
        Ok(())
    }
}

/// Names the device in an error.
fn on_device(error: Error) -> Error {
    error.on_device("cpu")
}
