//! The narrow waist: all that a backend has to implement.
//!
//! A backend moves bytes, orders streams by events and executes [`Operation`]s, one by one or as graphs. It knows nothing of buffers,
//! hazards or pools: [`ManagedDevice`](crate::ManagedDevice) puts those on top, once for all backends.

use crate::element::DType;
use crate::error::{Error, Result};
use crate::info::DeviceInfo;
use crate::kernel::{CompiledModule, KernelSource, Launch};
use crate::operation::{Operation, OperationKind, Ptr};
use std::fmt::Debug;
use std::time::Duration;

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// In the device's own memory.
    Device,
    /// In page-locked host memory that the device reaches.
    Pinned,
}

/// An asynchronous copy of `rows` runs of `row_bytes` bytes between memory of the backend, in either [`Space`].
/// The source and the destination do not overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// Read.
    pub src: Ptr,
    /// Where `src` lies.
    pub src_space: Space,
    /// Written.
    pub dst: Ptr,
    /// Where `dst` lies.
    pub dst_space: Space,
    /// Bytes in each run.
    pub row_bytes: usize,
    /// How many runs.
    pub rows: usize,
    /// Bytes from the start of one run to the next in `src`; at least `row_bytes`.
    pub src_pitch: usize,
    /// Bytes from the start of one run to the next in `dst`; at least `row_bytes`.
    pub dst_pitch: usize,
}

/// One piece of the work of a graph.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // Nearly all are operations.
pub enum Node {
    /// What [`Backend::execute`] does.
    Operation(Operation),
    /// What [`Backend::copy`] does.
    Copy(Transfer),
    /// What [`Backend::launch`] does.
    Launch(Launch),
}

/// A function that a stream calls on the host when it gets there. It does not unwind.
pub type HostFn = Box<dyn FnOnce() + Send + 'static>;

/// What a backend implements. Every call may come from any thread, at any time, several at once. None but [`info`](Backend::info) and
/// [`supports`](Backend::supports) is made from inside a [host function](Backend::host_fn), and none while a lock of `warpwave-core` is held.
///
/// # Safety
/// Safe code relies on what an implementation promises. Work *has ended* when it touches no memory any more, and all that it wrote is there
/// for whoever comes after.
///
/// **Memory.** What [`allocate`](Backend::allocate) returns is `bytes` long, aligned to 256, initialised (reading it is defined, whatever it
/// holds), disjoint from every other live allocation, and stays until [`free`](Backend::free) is called, also if the backend is dropped
/// before. In [`Space::Pinned`] it is ordinary memory of the process besides: the host reads and writes it at its address while no work
/// touches it; work enqueued later finds what the host wrote, and the host finds what work wrote that has ended.
///
/// **What work touches.** [`execute`](Backend::execute), [`launch`](Backend::launch), [`copy`](Backend::copy), [`copy_peer`](Backend::copy_peer),
/// [`launch_graph`](Backend::launch_graph), [`upload`](Backend::upload) and [`download`](Backend::download) touch no memory but their
/// operands, and memory that the backend has for itself; of the operands they write only what is an output, and nothing once the stream
/// has passed them. [`upload`](Backend::upload) and [`download`](Backend::download) never touch host memory after they have returned, and
/// a `download` that returned `Ok` has written all of it with values of the source's. [`synchronize`](Backend::synchronize),
/// [`record`](Backend::record), [`wait`](Backend::wait) and [`instantiate`](Backend::instantiate) touch no operands at all.
///
/// **Order.** Work on one stream takes effect in the order of the calls that enqueued it: that of a call which has returned before another
/// begins comes before the other's; that of calls which overlap in any order, or at the same time on an inline stream. An event comes
/// after all work whose calls had returned when [`record`](Backend::record) was called. Work enqueued after [`wait`](Backend::wait) has returned
/// `Ok` starts after all the work before the event has ended. All this holds for graphs and copies between peers as for single operations,
/// and after [`destroy_stream`](Backend::destroy_stream) and [`destroy_event`](Backend::destroy_event): work goes on, waits hold, and the
/// events of a destroyed stream remain what they are.
///
/// **Ends.** The pool reuses and frees memory, and gives pinned memory to the host, on the strength of these alone:
/// - [`query`](Backend::query) returns `true`, and [`synchronize_event`](Backend::synchronize_event) returns `Ok`, only after all work
///   before the event has ended, and so has all that this work waited for;
/// - [`synchronize`](Backend::synchronize) returns, but with [`DeviceLost`](crate::ErrorKind::DeviceLost) or
///   [`Driver`](crate::ErrorKind::Driver), only after all work enqueued on the stream before has ended: other errors are those of that work;
/// - [`is_inline`](Backend::is_inline) gives the same answer for a stream always, and `true` only if whatever a call on it was to do has
///   ended when the call returns, with an error too; a [`wait`](Backend::wait) on it returns `Ok` only after the event.
///
/// **Errors and panics.** Whatever is enqueued by a call that returns an error obeys all of the above. No call unwinds after it has enqueued
/// work or while work of its own uses host memory: what it left would be known to nobody. Neither does [`host_fn`](Backend::host_fn)
/// after it has taken the function over.
///
/// **Graphs.** A graph does what the last list says that [`instantiate`](Backend::instantiate) or a successful
/// [`update`](Backend::update) was given, or after an update that failed what it did before. Nothing of those lists is borrowed after
/// the calls. [`destroy_graph`](Backend::destroy_graph) is called after all launches have ended.
///
/// **Peers.** [`is_peer`](Backend::is_peer) is symmetric and always gives the same answer. If it is `true`, `wait` takes events of either
/// device on streams of the other, with the same effect as on its own.
///
/// **Drops.** Dropping a stream, an event, a graph or the backend itself, without the call that releases it, ends no work and releases no
/// memory that work touches. The runtime does so where a device is lost or a driver refuses.
pub unsafe trait Backend: Debug + Send + Sync + Sized + 'static {
    /// A queue of work. Dropping one without [`destroy_stream`](Backend::destroy_stream) leaks it and does nothing else.
    type Stream: Debug + Send + Sync;
    /// A point in a stream's work, and its time. Dropping one without [`destroy_event`](Backend::destroy_event) leaks it and does
    /// nothing else.
    type Event: Debug + Send + Sync;
    /// Work that is enqueued as one piece, as often as one likes. Dropping one without [`destroy_graph`](Backend::destroy_graph) leaks
    /// it and does nothing else.
    type Graph: Debug + Send + Sync;

    /// The devices that this backend finds, in the order of [`open`](Backend::open)'s index.
    ///
    /// # Errors
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if a library or driver cannot be used. No device is an empty list.
    fn enumerate() -> Result<Vec<DeviceInfo>>;

    /// Opens a device.
    ///
    /// # Errors
    /// [`NoDevice`](crate::ErrorKind::NoDevice) past the end of [`enumerate`](Backend::enumerate), and its errors.
    fn open(index: usize) -> Result<Self>;

    /// The device's description. May be asked for inside a host function, so it is kept and not asked of the driver.
    fn info(&self) -> DeviceInfo;

    /// Whether [`execute`](Backend::execute) takes this operation for this type of input. May be asked inside a host function.
    fn supports(&self, kind: OperationKind, dtype: DType) -> bool;

    /// Allocates memory; `bytes` is a positive multiple of 256.
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory), after which the device is as usable as before.
    fn allocate(&self, space: Space, bytes: usize) -> Result<Ptr>;

    /// Frees memory. May wait for the device: also for work that was enqueued through other devices of the same
    /// [UUID](DeviceInfo::uuid), but for no others.
    ///
    /// # Safety
    /// `ptr` came from [`allocate`](Backend::allocate) with the same `space` and `bytes`, is freed once, and no work that touches it
    /// is pending.
    ///
    /// # Errors
    /// Those of the driver; the memory is then leaked.
    unsafe fn free(&self, space: Space, ptr: Ptr, bytes: usize) -> Result<()>;

    /// Makes ordinary memory of the host pinned: until [`unregister`](Backend::unregister) it is as what
    /// [`allocate`](Backend::allocate) gives in [`Space::Pinned`], but for its alignment.
    ///
    /// # Safety
    /// `ptr` is the start of `bytes` initialised bytes, more than 0, which stay allocated until then, and which nothing else has
    /// registered.
    ///
    /// # Errors
    /// Those of the driver; nothing was registered then.
    unsafe fn register(&self, ptr: Ptr, bytes: usize) -> Result<()>;

    /// Makes registered memory ordinary again. May wait as [`free`](Backend::free) may.
    ///
    /// # Safety
    /// It was registered with the same arguments, and no work that touches it is pending.
    ///
    /// # Errors
    /// Those of the driver; it may then still be registered.
    unsafe fn unregister(&self, ptr: Ptr, bytes: usize) -> Result<()>;

    /// Gives the driver what the backend keeps of memory for work of its own and does not use now; returns how many bytes. May wait for the
    /// device as [`free`](Backend::free) may. Called where memory is exhausted or given back, and when the device is closed.
    ///
    /// # Errors
    /// Those of the driver; what was not freed is kept or leaked.
    fn trim(&self) -> Result<usize> {
        Ok(0)
    }

    /// Makes a stream.
    ///
    /// # Errors
    /// Those of the driver.
    fn create_stream(&self) -> Result<Self::Stream>;

    /// Releases a stream. Work already enqueued still runs.
    ///
    /// # Errors
    /// Those of the driver; the stream is then leaked.
    fn destroy_stream(&self, stream: Self::Stream) -> Result<()>;

    /// Whether every call that enqueues work on this stream returns only when the work has ended, or what it has done of it.
    fn is_inline(&self, stream: &Self::Stream) -> bool;

    /// Waits until all work enqueued so far has ended.
    ///
    /// # Errors
    /// Errors of that work that were not reported yet, and those of the driver.
    fn synchronize(&self, stream: &Self::Stream) -> Result<()>;

    /// Makes an event that occurs when all work enqueued so far has ended.
    ///
    /// # Errors
    /// Those of the driver; nothing was recorded then.
    fn record(&self, stream: &Self::Stream) -> Result<Self::Event>;

    /// Makes later work of `stream` wait for the event. The host waits only if the stream is [inline](Backend::is_inline). The event
    /// may be of a [peer](Backend::is_peer).
    ///
    /// # Errors
    /// Those of the driver; later work does not wait then.
    fn wait(&self, stream: &Self::Stream, event: &Self::Event) -> Result<()>;

    /// Whether the event has occurred: all work before it has ended. Does not wait.
    ///
    /// # Errors
    /// Those of the driver.
    fn query(&self, event: &Self::Event) -> Result<bool>;

    /// Waits on the host until the event has occurred. If this fails nothing is known of it.
    ///
    /// # Errors
    /// Those of the driver.
    fn synchronize_event(&self, event: &Self::Event) -> Result<()>;

    /// The time from one event to another, negative differences as zero. Waits for both.
    ///
    /// # Errors
    /// Those of the driver.
    fn elapsed(&self, start: &Self::Event, end: &Self::Event) -> Result<Duration>;

    /// Releases an event. Waits for it that are already enqueued still hold.
    fn destroy_event(&self, event: Self::Event);

    /// Enqueues an operation.
    ///
    /// # Safety
    /// The operands lie inside live allocations of this backend, are aligned to their types, hold to what [`crate::operation`]
    /// promises, and stay allocated and free of conflicting accesses until the stream has passed the operation.
    ///
    /// # Errors
    /// Those of the driver. What the operation writes is unspecified then, and it may still be written until the stream has
    /// passed this point. Not so after [`OutOfMemory`](crate::ErrorKind::OutOfMemory): nothing was enqueued and nothing is written, and
    /// the runtime frees what it keeps of memory and calls once more.
    unsafe fn execute(&self, stream: &Self::Stream, operation: &Operation) -> Result<()>;

    /// Compiles kernels.
    ///
    /// # Errors
    /// [`Compile`](crate::ErrorKind::Compile) with the compiler's words, [`Unavailable`](crate::ErrorKind::Unavailable) without a compiler.
    fn compile(&self, source: KernelSource<'_>) -> Result<Box<dyn CompiledModule>> {
        let _ = source;
        Err(Error::unsupported("kernels of one's own"))
    }

    /// Enqueues a launch of a kernel that this backend has compiled.
    ///
    /// # Safety
    /// As for [`execute`](Backend::execute), with the memory among the arguments as the operands. The kernel touches no other, and does
    /// nothing else that is undefined.
    ///
    /// # Errors
    /// As for [`execute`](Backend::execute).
    unsafe fn launch(&self, stream: &Self::Stream, launch: &Launch) -> Result<()> {
        let _ = (stream, launch);
        Err(Error::unsupported("kernels of one's own"))
    }

    /// Enqueues a copy.
    ///
    /// # Safety
    /// As for [`execute`](Backend::execute).
    ///
    /// # Errors
    /// As for [`execute`](Backend::execute).
    unsafe fn copy(&self, stream: &Self::Stream, transfer: &Transfer) -> Result<()>;

    /// Copies from pageable host memory, in stream order; returns when `src` may be changed.
    ///
    /// # Safety
    /// As for [`execute`](Backend::execute), and `src` is readable for `bytes`.
    ///
    /// # Errors
    /// As for [`execute`](Backend::execute).
    unsafe fn upload(&self, stream: &Self::Stream, src: *const u8, dst: Ptr, bytes: usize) -> Result<()>;

    /// Copies to pageable host memory, in stream order; returns when the bytes are there.
    ///
    /// # Safety
    /// As for [`execute`](Backend::execute), and `dst` is writable for `bytes`.
    ///
    /// # Errors
    /// As for [`execute`](Backend::execute), and errors of earlier work that were not reported yet.
    unsafe fn download(&self, stream: &Self::Stream, src: Ptr, dst: *mut u8, bytes: usize) -> Result<()>;

    /// Somebody else has enqueued work on the stream: what [`ManagedStream::enqueue_with`](crate::ManagedStream::enqueue_with) has called. Later
    /// events come after it.
    ///
    /// # Errors
    /// Those of the driver.
    fn enqueued(&self, stream: &Self::Stream) -> Result<()> {
        let _ = stream;
        Ok(())
    }

    /// Enqueues a function that is called on the host.
    ///
    /// # Errors
    /// Those of the driver; the function is then dropped without having been called.
    fn host_fn(&self, stream: &Self::Stream, function: HostFn) -> Result<()>;

    /// Makes a graph of a list of work, which is not empty. Executes nothing. The device memory that the work needs besides its
    /// operands is obtained here: launching allocates none.
    ///
    /// # Errors
    /// Those of the driver.
    fn instantiate(&self, nodes: &[Node]) -> Result<Self::Graph>;

    /// Has later launches do `nodes`. They are those that the graph was made of, but for the scalars of the ones at the indices
    /// `changed`, which ascend. Launches already enqueued keep the scalars that they had.
    ///
    /// # Errors
    /// Those of the driver; the graph is then as it was.
    fn update(&self, graph: &mut Self::Graph, nodes: &[Node], changed: &[usize]) -> Result<()>;

    /// Enqueues the work of a graph, in the order of its list. Launches of one graph never overlap: the caller orders them.
    ///
    /// # Safety
    /// As for [`execute`](Backend::execute), for each piece of it.
    ///
    /// # Errors
    /// As for [`execute`](Backend::execute), for what any piece of it writes, and
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) if it works on the host and finds no memory there for intermediate results.
    unsafe fn launch_graph(&self, stream: &Self::Stream, graph: &Self::Graph) -> Result<()>;

    /// Releases a graph, whose launches have ended.
    fn destroy_graph(&self, graph: Self::Graph);

    /// Whether this device and `other` can work together: [`copy_peer`](Backend::copy_peer) copies between their memories, and
    /// streams of either [wait](Backend::wait) for events of the other. A device is its own peer.
    fn is_peer(&self, other: &Self) -> bool;

    /// Enqueues a copy of `bytes` bytes from the memory of `source`, a [peer](Backend::is_peer), to this device's. `stream` is this
    /// device's.
    ///
    /// # Safety
    /// As for [`execute`](Backend::execute), with `src` in memory of `source`.
    ///
    /// # Errors
    /// As for [`execute`](Backend::execute).
    unsafe fn copy_peer(&self, stream: &Self::Stream, source: &Self, src: Ptr, dst: Ptr, bytes: usize) -> Result<()>;
}
