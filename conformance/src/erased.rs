//! A device with its type erased: the suite is compiled once, not once for each backend.

use std::any::Any;
use std::fmt;
use std::time::Duration;
use warpwave_core::operation::Ptr;
use warpwave_core::{
    Backend, CompiledModule, DType, Device, DeviceInfo, Error, HostFn, KernelSource, Launch, ManagedDevice, Node,
    Operation, OperationKind, Result, Space, Transfer,
};

/// The device that the suite runs on: another one's backend, called through a table of functions.
pub type Subject = ManagedDevice<Erased>;

/// Makes a [`Subject`] of a device. It has streams, memory and a pool of its own, from the same backend.
///
/// # Errors
/// Those of [`Backend::create_stream`].
pub fn subject<D: Device>(device: &D) -> Result<Subject> {
    ManagedDevice::new(Erased(Box::new(Of(device.clone()))))
}

/// Any backend.
pub struct Erased(Box<dyn Calls>);

/// A raw stream, event or graph of some backend.
pub struct Opaque(Box<dyn Any + Send + Sync>);

impl fmt::Debug for Erased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Erased({})", self.0.info().id)
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opaque")
    }
}

/// [`Backend`], with streams, events and graphs of any type.
///
/// # Safety
/// As for [`Backend`]; the unsafe functions have the requirements of its functions of the same names.
unsafe trait Calls: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn again(&self) -> Box<dyn Calls>;
    fn count(&self) -> Result<usize>;
    fn open(&self, index: usize) -> Result<Box<dyn Calls>>;
    fn info(&self) -> DeviceInfo;
    fn supports(&self, kind: OperationKind, dtype: DType) -> bool;
    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr>;
    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()>;
    unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()>;
    unsafe fn unregister(&self, ptr: Ptr, bytes: usize) -> Result<()>;
    fn trim(&self) -> Result<usize>;
    fn create_stream(&self) -> Result<Opaque>;
    fn destroy_stream(&self, stream: Opaque) -> Result<()>;
    fn is_inline(&self, stream: &Opaque) -> bool;
    fn synchronize(&self, stream: &Opaque) -> Result<()>;
    fn record(&self, stream: &Opaque) -> Result<Opaque>;
    fn wait(&self, stream: &Opaque, event: &Opaque) -> Result<()>;
    fn query(&self, event: &Opaque) -> Result<bool>;
    fn synchronize_event(&self, event: &Opaque) -> Result<()>;
    fn elapsed(&self, start: &Opaque, end: &Opaque) -> Result<Duration>;
    fn destroy_event(&self, event: Opaque);
    unsafe fn execute(&self, stream: &Opaque, operation: &Operation) -> Result<()>;
    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>>;
    unsafe fn launch(&self, stream: &Opaque, launch: &Launch) -> Result<()>;
    unsafe fn copy(&self, stream: &Opaque, transfer: &Transfer) -> Result<()>;
    unsafe fn upload(&self, stream: &Opaque, src: *const u8, dst: Ptr, bytes: usize) -> Result<()>;
    unsafe fn download(&self, stream: &Opaque, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()>;
    fn enqueued(&self, stream: &Opaque) -> Result<()>;
    fn host_fn(&self, stream: &Opaque, function: HostFn) -> Result<()>;
    fn instantiate(&self, nodes: &[Node]) -> Result<Opaque>;
    fn update(&self, graph: &mut Opaque, nodes: &[Node], changed: &[usize]) -> Result<()>;
    unsafe fn launch_graph(&self, stream: &Opaque, graph: &Opaque) -> Result<()>;
    fn destroy_graph(&self, graph: Opaque);
    fn is_peer(&self, other: &dyn Calls) -> bool;
    unsafe fn copy_peer(&self, stream: &Opaque, source: &dyn Calls, src: Ptr, dst: Ptr, bytes: usize) -> Result<()>;
}

/// The backend of a device. The device's handle keeps it open.
struct Of<D: Device>(D);

type StreamOf<D> = <<D as Device>::Backend as Backend>::Stream;
type EventOf<D> = <<D as Device>::Backend as Backend>::Event;
type GraphOf<D> = <<D as Device>::Backend as Backend>::Graph;

impl Erased {
    /// The same backend once more.
    pub(crate) fn again(&self) -> Erased {
        Erased(self.0.again())
    }

    /// How many devices of the kind there are.
    pub(crate) fn count(&self) -> Result<usize> {
        self.0.count()
    }

    /// Opens one of them.
    pub(crate) fn open_other(&self, index: usize) -> Result<Erased> {
        self.0.open(index).map(Erased)
    }
}

impl Opaque {
    fn new(value: impl Any + Send + Sync) -> Self {
        Opaque(Box::new(value))
    }

    fn get<T: Any>(&self) -> Result<&T> {
        self.0.downcast_ref().ok_or_else(foreign)
    }

    fn get_mut<T: Any>(&mut self) -> Result<&mut T> {
        self.0.downcast_mut().ok_or_else(foreign)
    }

    fn take<T: Any>(self) -> Result<T> {
        self.0.downcast().map(|value| *value).map_err(|_| foreign())
    }
}

fn foreign() -> Error {
    Error::invalid("stream, event, graph or device", "one of this backend", "one of another")
}

// SAFETY: each call goes to one and the same backend, with the streams, events and graphs that it made.
unsafe impl<D: Device> Calls for Of<D> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn again(&self) -> Box<dyn Calls> {
        Box::new(Of(self.0.clone()))
    }

    fn count(&self) -> Result<usize> {
        Ok(D::enumerate()?.len())
    }

    fn open(&self, index: usize) -> Result<Box<dyn Calls>> {
        Ok(Box::new(Of(D::open(index)?)))
    }

    fn info(&self) -> DeviceInfo {
        self.0.backend().info()
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        self.0.backend().supports(kind, dtype)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        self.0.backend().allocate(space, bytes)
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().free(space, ptr, bytes) }
    }

    unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.backend().register(ptr, bytes) }
    }

    unsafe fn unregister(&self, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.0.backend().unregister(ptr, bytes) }
    }

    fn trim(&self) -> Result<usize> {
        self.0.backend().trim()
    }

    fn create_stream(&self) -> Result<Opaque> {
        self.0.backend().create_stream().map(Opaque::new)
    }

    fn destroy_stream(&self, stream: Opaque) -> Result<()> {
        self.0.backend().destroy_stream(stream.take()?)
    }

    fn is_inline(&self, stream: &Opaque) -> bool {
        stream.get::<StreamOf<D>>().is_ok_and(|stream| self.0.backend().is_inline(stream))
    }

    fn synchronize(&self, stream: &Opaque) -> Result<()> {
        self.0.backend().synchronize(stream.get()?)
    }

    fn record(&self, stream: &Opaque) -> Result<Opaque> {
        self.0.backend().record(stream.get()?).map(Opaque::new)
    }

    fn wait(&self, stream: &Opaque, event: &Opaque) -> Result<()> {
        self.0.backend().wait(stream.get()?, event.get()?)
    }

    fn query(&self, event: &Opaque) -> Result<bool> {
        self.0.backend().query(event.get()?)
    }

    fn synchronize_event(&self, event: &Opaque) -> Result<()> {
        self.0.backend().synchronize_event(event.get()?)
    }

    fn elapsed(&self, start: &Opaque, end: &Opaque) -> Result<Duration> {
        self.0.backend().elapsed(start.get()?, end.get()?)
    }

    fn destroy_event(&self, event: Opaque) {
        if let Ok(event) = event.take::<EventOf<D>>() {
            self.0.backend().destroy_event(event);
        }
    }

    unsafe fn execute(&self, stream: &Opaque, operation: &Operation) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().execute(stream.get()?, operation) }
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
        self.0.backend().compile(source)
    }

    unsafe fn launch(&self, stream: &Opaque, launch: &Launch) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().launch(stream.get()?, launch) }
    }

    unsafe fn copy(&self, stream: &Opaque, transfer: &Transfer) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().copy(stream.get()?, transfer) }
    }

    unsafe fn upload(&self, stream: &Opaque, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().upload(stream.get()?, src, dst, bytes) }
    }

    unsafe fn download(&self, stream: &Opaque, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().download(stream.get()?, src, dst, bytes) }
    }

    fn enqueued(&self, stream: &Opaque) -> Result<()> {
        self.0.backend().enqueued(stream.get()?)
    }

    fn host_fn(&self, stream: &Opaque, function: HostFn) -> Result<()> {
        self.0.backend().host_fn(stream.get()?, function)
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<Opaque> {
        self.0.backend().instantiate(nodes).map(Opaque::new)
    }

    fn update(&self, graph: &mut Opaque, nodes: &[Node], changed: &[usize]) -> Result<()> {
        self.0.backend().update(graph.get_mut()?, nodes, changed)
    }

    unsafe fn launch_graph(&self, stream: &Opaque, graph: &Opaque) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().launch_graph(stream.get()?, graph.get()?) }
    }

    fn destroy_graph(&self, graph: Opaque) {
        if let Ok(graph) = graph.take::<GraphOf<D>>() {
            self.0.backend().destroy_graph(graph);
        }
    }

    fn is_peer(&self, other: &dyn Calls) -> bool {
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self.0.backend().is_peer(other.0.backend()))
    }

    unsafe fn copy_peer(&self, stream: &Opaque, source: &dyn Calls, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        let source = source.as_any().downcast_ref::<Self>().ok_or_else(foreign)?;
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.backend().copy_peer(stream.get()?, source.0.backend(), src, dst, bytes) }
    }
}

// SAFETY: `Calls` promises what `Backend` does.
unsafe impl Backend for Erased {
    type Stream = Opaque;
    type Event = Opaque;
    type Graph = Opaque;

    fn enumerate() -> Result<Vec<DeviceInfo>> {
        Ok(Vec::new())
    }

    fn open(_index: usize) -> Result<Self> {
        Err(Error::invalid("device", "a device that is already open, for `subject`", "an index"))
    }

    fn info(&self) -> DeviceInfo {
        self.0.info()
    }

    fn supports(&self, kind: OperationKind, dtype: DType) -> bool {
        self.0.supports(kind, dtype)
    }

    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr> {
        self.0.allocate(space, bytes)
    }

    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
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

    fn trim(&self) -> Result<usize> {
        self.0.trim()
    }

    fn create_stream(&self) -> Result<Opaque> {
        self.0.create_stream()
    }

    fn destroy_stream(&self, stream: Opaque) -> Result<()> {
        self.0.destroy_stream(stream)
    }

    fn is_inline(&self, stream: &Opaque) -> bool {
        self.0.is_inline(stream)
    }

    fn synchronize(&self, stream: &Opaque) -> Result<()> {
        self.0.synchronize(stream)
    }

    fn record(&self, stream: &Opaque) -> Result<Opaque> {
        self.0.record(stream)
    }

    fn wait(&self, stream: &Opaque, event: &Opaque) -> Result<()> {
        self.0.wait(stream, event)
    }

    fn query(&self, event: &Opaque) -> Result<bool> {
        self.0.query(event)
    }

    fn synchronize_event(&self, event: &Opaque) -> Result<()> {
        self.0.synchronize_event(event)
    }

    fn elapsed(&self, start: &Opaque, end: &Opaque) -> Result<Duration> {
        self.0.elapsed(start, end)
    }

    fn destroy_event(&self, event: Opaque) {
        self.0.destroy_event(event);
    }

    unsafe fn execute(&self, stream: &Opaque, operation: &Operation) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.execute(stream, operation) }
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
        self.0.compile(source)
    }

    unsafe fn launch(&self, stream: &Opaque, launch: &Launch) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.launch(stream, launch) }
    }

    unsafe fn copy(&self, stream: &Opaque, transfer: &Transfer) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.copy(stream, transfer) }
    }

    unsafe fn upload(&self, stream: &Opaque, src: *const u8, dst: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.upload(stream, src, dst, bytes) }
    }

    unsafe fn download(&self, stream: &Opaque, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.download(stream, src, dst, bytes) }
    }

    fn enqueued(&self, stream: &Opaque) -> Result<()> {
        self.0.enqueued(stream)
    }

    fn host_fn(&self, stream: &Opaque, function: HostFn) -> Result<()> {
        self.0.host_fn(stream, function)
    }

    fn instantiate(&self, nodes: &[Node]) -> Result<Opaque> {
        self.0.instantiate(nodes)
    }

    fn update(&self, graph: &mut Opaque, nodes: &[Node], changed: &[usize]) -> Result<()> {
        self.0.update(graph, nodes, changed)
    }

    unsafe fn launch_graph(&self, stream: &Opaque, graph: &Opaque) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.launch_graph(stream, graph) }
    }

    fn destroy_graph(&self, graph: Opaque) {
        self.0.destroy_graph(graph);
    }

    fn is_peer(&self, other: &Self) -> bool {
        self.0.is_peer(&*other.0)
    }

    unsafe fn copy_peer(&self, stream: &Opaque, source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.copy_peer(stream, &*source.0, src, dst, bytes) }
    }
}
