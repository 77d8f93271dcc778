//! A device of somebody else's, which does not offer everything.

use std::time::Duration;
use warpwave_core::operation::Ptr;
use warpwave_core::{
    Backend, DType, DeviceInfo, Error, HostFn, ManagedDevice, Node, Operation, OperationKind, Result, Space, Transfer,
};
use warpwave_cpu::{CpuBackend, CpuEvent, CpuGraph, CpuStream};

/// The CPU without any operation on 16-bit integers, and without one operation of each kind on other types.
#[derive(Debug)]
pub(crate) struct Partial(CpuBackend);

pub(crate) type PartialDevice = ManagedDevice<Partial>;

/// Whether the device has the operation.
pub(crate) fn offers(kind: OperationKind, dtype: DType) -> bool {
    use OperationKind as K;
    let lacking = [(K::Minimum, DType::F32), (K::Neg, DType::C64), (K::SumRows, DType::U8), (K::Gemm, DType::F16)];
    !matches!(dtype, DType::I16 | DType::U16) && !lacking.contains(&(kind, dtype))
}

// SAFETY: every call goes to a backend that keeps the promises, but for operations that are refused and do nothing.
unsafe impl Backend for Partial {
    type Stream = CpuStream;
    type Event = CpuEvent;
    type Graph = CpuGraph;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        CpuBackend::enumerate()
    }

    fn open(index: usize) -> Result<Self> {
        CpuBackend::open(index).map(Partial)
    }

    fn info(&self) -> DeviceInfo {
        let mut info = self.0.info();
        // Kernels of one's own are not offered either.
        info.max_threads_per_block = 0;
        info
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        offers(kind, dtype) && self.0.supports(kind, dtype)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        self.0.allocate(space, bytes)
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.free(space, ptr, bytes) }
    }

    unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.register(ptr, bytes) }
    }

    unsafe fn unregister(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.unregister(ptr, bytes) }
    }

    fn create_stream(&self) -> Result<CpuStream> {
        self.0.create_stream()
    }

    fn destroy_stream(&self, stream: CpuStream) -> Result<()> {
        self.0.destroy_stream(stream)
    }

    fn is_inline(&self, stream: &CpuStream) -> bool {
        self.0.is_inline(stream)
    }

    fn synchronize(&self, stream: &CpuStream) -> Result<()> {
        self.0.synchronize(stream)
    }

    fn record(&self, stream: &CpuStream) -> Result<CpuEvent> {
        self.0.record(stream)
    }

    fn wait(&self, stream: &CpuStream, event: &CpuEvent) -> Result<()> {
        self.0.wait(stream, event)
    }

    fn query(&self, event: &CpuEvent) -> Result<bool> {
        self.0.query(event)
    }

    fn synchronize_event(&self, event: &CpuEvent) -> Result<()> {
        self.0.synchronize_event(event)
    }

    fn elapsed(&self, start: &CpuEvent, end: &CpuEvent) -> Result<Duration> {
        self.0.elapsed(start, end)
    }

    fn destroy_event(&self, event: CpuEvent) {
        self.0.destroy_event(event);
    }

    unsafe fn execute(&self, stream: &CpuStream, operation: &Operation) -> Result<()> {
        if !offers(operation.kind(), operation.dtype()) {
            return Err(Error::unsupported(format!("{} of {}", operation.kind(), operation.dtype())));
        }
        // SAFETY: the caller's.
        unsafe { self.0.execute(stream, operation) }
    }

    unsafe fn copy(&self, stream: &CpuStream, transfer: &Transfer) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.copy(stream, transfer) }
    }

    unsafe fn upload(&self, stream: &CpuStream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.upload(stream, src, dst, bytes) }
    }

    unsafe fn download(&self, stream: &CpuStream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.download(stream, src, dst, bytes) }
    }

    fn host_fn(&self, stream: &CpuStream, function: HostFn) -> Result<()> {
        self.0.host_fn(stream, function)
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<CpuGraph> {
        self.0.instantiate(nodes)
    }

    fn update(&self, graph: &mut CpuGraph, nodes: &[Node], changed: &[usize]) -> Result<()> {
        self.0.update(graph, nodes, changed)
    }

    unsafe fn launch_graph(&self, stream: &CpuStream, graph: &CpuGraph) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.launch_graph(stream, graph) }
    }

    fn destroy_graph(&self, graph: CpuGraph) {
        self.0.destroy_graph(graph);
    }

    fn is_peer(&self, other: &Self) -> bool {
        self.0.is_peer(&other.0)
    }

    unsafe fn copy_peer(&self, stream: &CpuStream, source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.copy_peer(stream, &source.0, src, dst, bytes) }
    }
}
