//! A device chosen at run time.

use crate::{
    Backend, CompiledModule, CpuBackend, CpuEvent, CpuGraph, CpuStream, DType, DeviceInfo, HostFn, KernelSource,
    Launch, ManagedDevice, Node, Operation, OperationKind, Result, Space, Transfer,
};
use std::time::Duration;
use warpwave_core::operation::Ptr;

/// A [`Device`](crate::Device) of any backend that is compiled in. It costs one `match` per call.
pub type AnyDevice = ManagedDevice<AnyBackend>;

/// The backend of [`AnyDevice`].
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyBackend {
    /// The CPU.
    Cpu(CpuBackend),
}

/// The raw stream of [`AnyBackend`].
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyStream {
    /// The CPU's.
    Cpu(CpuStream),
}

/// The raw event of [`AnyBackend`].
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyEvent {
    /// The CPU's.
    Cpu(CpuEvent),
}

/// The graph of [`AnyBackend`].
#[derive(Debug)]
#[non_exhaustive]
pub enum AnyGraph {
    /// The CPU's.
    Cpu(CpuGraph),
}

// SAFETY: every call goes to the one backend that made the memory, the stream, the event and the graph, so what that backend promises
// holds; only devices of one backend are peers.
unsafe impl Backend for AnyBackend {
    type Stream = AnyStream;
    type Event = AnyEvent;
    type Graph = AnyGraph;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        CpuBackend::enumerate()
    }

    fn open(index: usize) -> Result<Self> {
        CpuBackend::open(index).map(AnyBackend::Cpu)
    }

    fn info(&self) -> DeviceInfo {
        let AnyBackend::Cpu(cpu) = self;
        cpu.info()
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        let AnyBackend::Cpu(cpu) = self;
        cpu.supports(kind, dtype)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        let AnyBackend::Cpu(cpu) = self;
        cpu.allocate(space, bytes)
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        let AnyBackend::Cpu(cpu) = self;
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.free(space, ptr, bytes) }
    }

    fn create_stream(&self) -> Result<AnyStream> {
        let AnyBackend::Cpu(cpu) = self;
        cpu.create_stream().map(AnyStream::Cpu)
    }

    fn destroy_stream(&self, stream: AnyStream) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        cpu.destroy_stream(stream)
    }

    fn is_inline(&self, stream: &AnyStream) -> bool {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        cpu.is_inline(stream)
    }

    fn synchronize(&self, stream: &AnyStream) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        cpu.synchronize(stream)
    }

    fn record(&self, stream: &AnyStream) -> Result<AnyEvent> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        cpu.record(stream).map(AnyEvent::Cpu)
    }

    fn wait(&self, stream: &AnyStream, event: &AnyEvent) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream), AnyEvent::Cpu(event)) = (self, stream, event);
        cpu.wait(stream, event)
    }

    fn query(&self, event: &AnyEvent) -> Result<bool> {
        let (AnyBackend::Cpu(cpu), AnyEvent::Cpu(event)) = (self, event);
        cpu.query(event)
    }

    fn synchronize_event(&self, event: &AnyEvent) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyEvent::Cpu(event)) = (self, event);
        cpu.synchronize_event(event)
    }

    fn elapsed(&self, start: &AnyEvent, end: &AnyEvent) -> Result<Duration> {
        let (AnyBackend::Cpu(cpu), AnyEvent::Cpu(start), AnyEvent::Cpu(end)) = (self, start, end);
        cpu.elapsed(start, end)
    }

    fn destroy_event(&self, event: AnyEvent) {
        let (AnyBackend::Cpu(cpu), AnyEvent::Cpu(event)) = (self, event);
        cpu.destroy_event(event);
    }

    unsafe fn execute(&self, stream: &AnyStream, operation: &Operation) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.execute(stream, operation) }
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
        let AnyBackend::Cpu(cpu) = self;
        cpu.compile(source)
    }

    unsafe fn launch(&self, stream: &AnyStream, launch: &Launch) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.launch(stream, launch) }
    }

    unsafe fn copy(&self, stream: &AnyStream, transfer: &Transfer) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.copy(stream, transfer) }
    }

    unsafe fn upload(&self, stream: &AnyStream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.upload(stream, src, dst, bytes) }
    }

    unsafe fn download(&self, stream: &AnyStream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.download(stream, src, dst, bytes) }
    }

    fn host_fn(&self, stream: &AnyStream, function: HostFn) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream)) = (self, stream);
        cpu.host_fn(stream, function)
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<AnyGraph> {
        let AnyBackend::Cpu(cpu) = self;
        cpu.instantiate(nodes).map(AnyGraph::Cpu)
    }

    fn update(&self, graph: &mut AnyGraph, nodes: &[Node], changed: &[usize]) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyGraph::Cpu(graph)) = (self, graph);
        cpu.update(graph, nodes, changed)
    }

    unsafe fn launch_graph(&self, stream: &AnyStream, graph: &AnyGraph) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream), AnyGraph::Cpu(graph)) = (self, stream, graph);
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.launch_graph(stream, graph) }
    }

    fn destroy_graph(&self, graph: AnyGraph) {
        let (AnyBackend::Cpu(cpu), AnyGraph::Cpu(graph)) = (self, graph);
        cpu.destroy_graph(graph);
    }

    fn is_peer(&self, other: &Self) -> bool {
        let (AnyBackend::Cpu(cpu), AnyBackend::Cpu(other)) = (self, other);
        cpu.is_peer(other)
    }

    unsafe fn copy_peer(&self, stream: &AnyStream, source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        let (AnyBackend::Cpu(cpu), AnyStream::Cpu(stream), AnyBackend::Cpu(source)) = (self, stream, source);
        // SAFETY: the caller's promise, passed on.
        unsafe { cpu.copy_peer(stream, source, src, dst, bytes) }
    }
}
