//! A device chosen at run time.

use crate::{
    Backend, CompiledModule, DType, DeviceInfo, Error, ErrorKind, HostFn, KernelSource, Launch, ManagedDevice, Node,
    Operation, OperationKind, Result, Space, Transfer,
};
use std::time::Duration;
use warpwave_core::operation::Ptr;

/// A [`Device`](crate::Device) of any backend that is compiled in. It costs one `match` per call.
pub type AnyDevice = ManagedDevice<AnyBackend>;

/// What is of another backend than the device it is given to.
fn foreign(what: &'static str) -> Error {
    Error::invalid(what, "one of this device's backend", "one of another backend")
}

/// There is no device of this number.
fn past_the_end(asked: usize) -> Error {
    let devices = crate::device_names();
    let remedy = format!("there are {}: {}, by the numbers from 0 on", devices.len(), devices.join(", "));
    ErrorKind::NoDevice { device: format!("number {asked}"), remedy }.into()
}

/// Makes [`AnyBackend`] and what belongs to it of the backends that are compiled in.
macro_rules! any_of {
    ($( $(#[$of:meta])* $Variant:ident: $Backend:ident, $Stream:ident, $Event:ident, $Graph:ident, $doc:literal; )*) => {
        $( $(#[$of])* use crate::{$Backend, $Event, $Graph, $Stream}; )*

        /// The backend of [`AnyDevice`].
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant)] // There is one for each device.
        #[non_exhaustive]
        pub enum AnyBackend {
            $( $(#[$of])* #[doc = $doc] $Variant($Backend), )*
        }

        /// The raw stream of [`AnyBackend`].
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum AnyStream {
            $( $(#[$of])* #[doc = $doc] $Variant($Stream), )*
        }

        /// The raw event of [`AnyBackend`].
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum AnyEvent {
            $( $(#[$of])* #[doc = $doc] $Variant($Event), )*
        }

        /// The graph of [`AnyBackend`].
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum AnyGraph {
            $( $(#[$of])* #[doc = $doc] $Variant($Graph), )*
        }

        #[allow(unreachable_patterns)] // With one backend nothing is of another.
        // SAFETY: every call goes to the one backend that made the memory, the stream, the event and the graph, so what that backend
        // promises holds; only devices of one backend are peers. What is of another backend is refused.
        unsafe impl Backend for AnyBackend {
            type Stream = AnyStream;
            type Event = AnyEvent;
            type Graph = AnyGraph;

            fn enumerate() -> Result<Vec<DeviceInfo>> {
                let mut all = Vec::new();
                $( $(#[$of])* all.extend($Backend::enumerate().unwrap_or_default()); )*
                Ok(all)
            }

            fn open(index: usize) -> Result<Self> {
                let (asked, mut index) = (index, index);
                $( $(#[$of])* {
                    let here = $Backend::enumerate().map_or(0, |devices| devices.len());
                    if index < here {
                        return $Backend::open(index).map(AnyBackend::$Variant);
                    }
                    index -= here;
                } )*
                let _ = index;
                Err(past_the_end(asked))
            }

            fn info(&self) -> DeviceInfo {
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => backend.info(), )* }
            }

            fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => backend.supports(kind, dtype), )* }
            }

            fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => backend.allocate(space, bytes), )* }
            }

            unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
                // SAFETY: the caller's promise, passed on.
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => unsafe { backend.free(space, ptr, bytes) }, )* }
            }

            unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()> {
                // SAFETY: the caller's promise, passed on.
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => unsafe { backend.register(ptr, bytes) }, )* }
            }

            unsafe fn unregister(&self, ptr: Ptr, bytes: usize) -> Result<()> {
                // SAFETY: the caller's promise, passed on.
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => unsafe { backend.unregister(ptr, bytes) }, )* }
            }

            fn trim(&self) -> Result<usize> {
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => backend.trim(), )* }
            }

            fn create_stream(&self) -> Result<AnyStream> {
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => backend.create_stream().map(AnyStream::$Variant), )* }
            }

            fn destroy_stream(&self, stream: AnyStream) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => backend.destroy_stream(stream), )*
                    _ => Err(foreign("stream")),
                }
            }

            fn is_inline(&self, stream: &AnyStream) -> bool {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => backend.is_inline(stream), )*
                    _ => false,
                }
            }

            fn synchronize(&self, stream: &AnyStream) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => backend.synchronize(stream), )*
                    _ => Err(foreign("stream")),
                }
            }

            fn record(&self, stream: &AnyStream) -> Result<AnyEvent> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => {
                        backend.record(stream).map(AnyEvent::$Variant)
                    } )*
                    _ => Err(foreign("stream")),
                }
            }

            fn wait(&self, stream: &AnyStream, event: &AnyEvent) -> Result<()> {
                match (self, stream, event) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream), AnyEvent::$Variant(event)) => {
                        backend.wait(stream, event)
                    } )*
                    _ => Err(foreign("event")),
                }
            }

            fn query(&self, event: &AnyEvent) -> Result<bool> {
                match (self, event) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyEvent::$Variant(event)) => backend.query(event), )*
                    _ => Err(foreign("event")),
                }
            }

            fn synchronize_event(&self, event: &AnyEvent) -> Result<()> {
                match (self, event) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyEvent::$Variant(event)) => backend.synchronize_event(event), )*
                    _ => Err(foreign("event")),
                }
            }

            fn elapsed(&self, start: &AnyEvent, end: &AnyEvent) -> Result<Duration> {
                match (self, start, end) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyEvent::$Variant(start), AnyEvent::$Variant(end)) => {
                        backend.elapsed(start, end)
                    } )*
                    _ => Err(foreign("event")),
                }
            }

            fn destroy_event(&self, event: AnyEvent) {
                match (self, event) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyEvent::$Variant(event)) => backend.destroy_event(event), )*
                    // Leaked.
                    _ => {}
                }
            }

            unsafe fn execute(&self, stream: &AnyStream, operation: &Operation) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => {
                        // SAFETY: the caller's promise, passed on.
                        unsafe { backend.execute(stream, operation) }
                    } )*
                    _ => Err(foreign("stream")),
                }
            }

            fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => backend.compile(source), )* }
            }

            unsafe fn launch(&self, stream: &AnyStream, launch: &Launch) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => {
                        // SAFETY: the caller's promise, passed on.
                        unsafe { backend.launch(stream, launch) }
                    } )*
                    _ => Err(foreign("stream")),
                }
            }

            unsafe fn copy(&self, stream: &AnyStream, transfer: &Transfer) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => {
                        // SAFETY: the caller's promise, passed on.
                        unsafe { backend.copy(stream, transfer) }
                    } )*
                    _ => Err(foreign("stream")),
                }
            }

            unsafe fn upload(&self, stream: &AnyStream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => {
                        // SAFETY: the caller's promise, passed on.
                        unsafe { backend.upload(stream, src, dst, bytes) }
                    } )*
                    _ => Err(foreign("stream")),
                }
            }

            unsafe fn download(&self, stream: &AnyStream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => {
                        // SAFETY: the caller's promise, passed on.
                        unsafe { backend.download(stream, src, dst, bytes) }
                    } )*
                    _ => Err(foreign("stream")),
                }
            }

            fn enqueued(&self, stream: &AnyStream) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => backend.enqueued(stream), )*
                    _ => Err(foreign("stream")),
                }
            }

            fn host_fn(&self, stream: &AnyStream, function: HostFn) -> Result<()> {
                match (self, stream) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream)) => backend.host_fn(stream, function), )*
                    _ => Err(foreign("stream")),
                }
            }

            fn instantiate(&self, nodes: &[Node]) -> Result<AnyGraph> {
                match self { $( $(#[$of])* AnyBackend::$Variant(backend) => backend.instantiate(nodes).map(AnyGraph::$Variant), )* }
            }

            fn update(&self, graph: &mut AnyGraph, nodes: &[Node], changed: &[usize]) -> Result<()> {
                match (self, graph) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyGraph::$Variant(graph)) => backend.update(graph, nodes, changed), )*
                    _ => Err(foreign("graph")),
                }
            }

            unsafe fn launch_graph(&self, stream: &AnyStream, graph: &AnyGraph) -> Result<()> {
                match (self, stream, graph) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream), AnyGraph::$Variant(graph)) => {
                        // SAFETY: the caller's promise, passed on.
                        unsafe { backend.launch_graph(stream, graph) }
                    } )*
                    _ => Err(foreign("graph")),
                }
            }

            fn destroy_graph(&self, graph: AnyGraph) {
                match (self, graph) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyGraph::$Variant(graph)) => backend.destroy_graph(graph), )*
                    // Leaked.
                    _ => {}
                }
            }

            fn is_peer(&self, other: &Self) -> bool {
                match (self, other) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyBackend::$Variant(other)) => backend.is_peer(other), )*
                    _ => false,
                }
            }

            unsafe fn copy_peer(&self, stream: &AnyStream, source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
                match (self, stream, source) {
                    $( $(#[$of])* (AnyBackend::$Variant(backend), AnyStream::$Variant(stream), AnyBackend::$Variant(source)) => {
                        // SAFETY: the caller's promise, passed on.
                        unsafe { backend.copy_peer(stream, source, src, dst, bytes) }
                    } )*
                    _ => Err(foreign("source")),
                }
            }
        }
    };
}

any_of! {
    Cpu: CpuBackend, CpuStream, CpuEvent, CpuGraph, "The CPU.";
    #[cfg(feature = "cuda-base")]
    Cuda: CudaBackend, CudaStream, CudaEvent, CudaGraph, "A CUDA device.";
}
