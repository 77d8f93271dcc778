//! The raw driver, `libcuda`, on the stream of warpwave's that both sides enqueue on.

use super::load::{Handle, functions, open};
use super::measure::{Outcome, Work};
use super::nvrtc::Cubin;
use super::{DeviceBuffer, Queue};
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};
use warpwave::{Arg, Element, LaunchArg};

functions! {
    /// Those of `cuda.h` that are called; addresses on the device are numbers there.
    Functions {
        fn cuGetErrorName(c_int, *mut *const c_char);
        fn cuInit(c_uint);
        fn cuDriverGetVersion(*mut c_int);
        fn cuDeviceGet(*mut c_int, c_int);
        fn cuDevicePrimaryCtxRetain(*mut Handle, c_int);
        fn cuCtxSetCurrent(Handle);
        fn cuStreamCreate(*mut Handle, c_uint);
        fn cuStreamSynchronize(Handle);
        fn cuStreamBeginCapture_v2(Handle, c_int);
        fn cuStreamEndCapture(Handle, *mut Handle);
        fn cuEventCreate(*mut Handle, c_uint);
        fn cuEventRecord(Handle, Handle);
        fn cuEventSynchronize(Handle);
        fn cuEventElapsedTime(*mut f32, Handle, Handle);
        fn cuModuleLoadData(*mut Handle, *const c_void);
        fn cuModuleGetFunction(*mut Handle, Handle, *const c_char);
        fn cuLaunchKernel(
            Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void,
        );
        fn cuMemAlloc_v2(*mut u64, usize);
        fn cuMemAllocAsync(*mut u64, usize, Handle);
        fn cuMemFreeAsync(u64, Handle);
        fn cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        fn cuMemFreeHost(*mut c_void);
        fn cuMemcpyHtoDAsync_v2(u64, *const c_void, usize, Handle);
        fn cuMemcpyDtoHAsync_v2(*mut c_void, u64, usize, Handle);
        fn cuGraphInstantiateWithFlags(*mut Handle, Handle, c_ulonglong);
        fn cuGraphLaunch(Handle, Handle);
    }
}

impl Functions {
    /// Nothing, or what a status says.
    fn check(&self, api: &str, status: c_int) -> Outcome<()> {
        if status == 0 {
            return Ok(());
        }
        let mut name = null();
        // SAFETY: the pointer is there to be written.
        let known = unsafe { (self.cuGetErrorName)(status, &raw mut name) } == 0 && !name.is_null();
        // SAFETY: a text of the driver's that ends with a zero and stays.
        let name = if known { unsafe { CStr::from_ptr(name) }.to_string_lossy() } else { "an unknown status".into() };
        Err(format!("{api} returned {name} ({status})").into())
    }
}

/// The driver, with the device's primary context current on this thread.
pub(crate) struct Driver {
    functions: Functions,
    stream: Handle,
    /// Before and after what is timed.
    events: [Handle; 2],
    /// Keeps the stream.
    _queue: Queue,
}

/// A kernel without parameters that does nothing.
#[derive(Clone, Copy)]
pub(crate) struct EmptyKernel(Handle);

/// A captured and instantiated list of launches. It is never destroyed: the process ends soon.
pub(crate) struct Graph(Handle);

/// Pinned memory of the host.
pub(crate) struct Pinned<'a> {
    driver: &'a Driver,
    start: *mut c_void,
    bytes: usize,
}

impl Driver {
    /// Opens the library, makes device 0's primary context current, as CUDA's runtime does, and takes the stream.
    pub(crate) fn open(queue: &Queue) -> Outcome<Self> {
        let functions = Functions::of(open(&["libcuda.so.1"])?)?;
        let (mut device, mut context, mut events) = (0, null_mut(), [null_mut(); 2]);
        // SAFETY: the flags have to be 0.
        functions.check("cuInit", unsafe { (functions.cuInit)(0) })?;
        // SAFETY: the handle is there to be written.
        functions.check("cuDeviceGet", unsafe { (functions.cuDeviceGet)(&raw mut device, 0) })?;
        // SAFETY: as above; the context is kept as long as the process lives.
        let status = unsafe { (functions.cuDevicePrimaryCtxRetain)(&raw mut context, device) };
        functions.check("cuDevicePrimaryCtxRetain", status)?;
        // SAFETY: a context that is not released.
        functions.check("cuCtxSetCurrent", unsafe { (functions.cuCtxSetCurrent)(context) })?;
        for event in &mut events {
            // SAFETY: the handle is there to be written; an event with flags 0 takes the time.
            functions.check("cuEventCreate", unsafe { (functions.cuEventCreate)(event, 0) })?;
        }
        Ok(Driver { functions, stream: queue.raw().raw().cast(), events, _queue: queue.clone() })
    }

    fn check(&self, api: &str, status: c_int) -> Outcome<()> {
        self.functions.check(api, status)
    }

    /// The version of CUDA that the driver serves.
    pub(crate) fn cuda_version(&self) -> Outcome<String> {
        let mut version = 0;
        // SAFETY: the number is there to be written.
        self.check("cuDriverGetVersion", unsafe { (self.functions.cuDriverGetVersion)(&raw mut version) })?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// The stream, for a library that enqueues on it.
    pub(crate) fn stream(&self) -> Handle {
        self.stream
    }

    /// Waits until the stream has done all its work.
    fn synchronize(&self) -> Outcome<()> {
        // SAFETY: the stream is kept.
        self.check("cuStreamSynchronize", unsafe { (self.functions.cuStreamSynchronize)(self.stream) })
    }

    /// How long the stream takes, by the device's clock, for what `work` enqueues in so many calls.
    pub(crate) fn device_time(&self, calls: usize, work: Work<'_>) -> Outcome<Duration> {
        let [start, end] = self.events;
        let record = |event| {
            // SAFETY: an event and a stream of one context.
            self.check("cuEventRecord", unsafe { (self.functions.cuEventRecord)(event, self.stream) })
        };
        record(start)?;
        for _ in 0..calls {
            work()?;
        }
        record(end)?;
        // SAFETY: an event of ours, recorded above.
        self.check("cuEventSynchronize", unsafe { (self.functions.cuEventSynchronize)(end) })?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: the number is there to be written, and both events have been recorded.
        let status = unsafe { (self.functions.cuEventElapsedTime)(&raw mut milliseconds, start, end) };
        self.check("cuEventElapsedTime", status)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3)?)
    }

    /// How long the host takes for so many calls of `work` and for the wait until the stream has done what they enqueue.
    pub(crate) fn host_time(&self, calls: usize, work: Work<'_>) -> Outcome<Duration> {
        self.synchronize()?;
        let start = Instant::now();
        for _ in 0..calls {
            work()?;
        }
        self.synchronize()?;
        Ok(start.elapsed())
    }

    /// Loads the kernel of an image.
    pub(crate) fn load(&self, cubin: &Cubin) -> Outcome<EmptyKernel> {
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: an ELF file of NVRTC's, which says itself how long it is; the driver copies what it needs of it.
        let status = unsafe { (self.functions.cuModuleLoadData)(&raw mut module, cubin.bytes().as_ptr().cast()) };
        self.check("cuModuleLoadData", status)?;
        // SAFETY: the handle is there to be written, the name ends with a zero, and the module stays loaded.
        let status = unsafe { (self.functions.cuModuleGetFunction)(&raw mut function, module, Cubin::KERNEL.as_ptr()) };
        self.check("cuModuleGetFunction", status)?;
        Ok(EmptyKernel(function))
    }

    /// Launches a block of 32 threads on the stream.
    pub(crate) fn launch(&self, kernel: EmptyKernel) -> Outcome<()> {
        self.launch_on(self.stream, kernel)
    }

    fn launch_on(&self, stream: Handle, kernel: EmptyKernel) -> Outcome<()> {
        // SAFETY: the kernel has no parameters, so no argument is read; it stays loaded.
        let status =
            unsafe { (self.functions.cuLaunchKernel)(kernel.0, 1, 1, 1, 32, 1, 1, 0, stream, null_mut(), null_mut()) };
        self.check("cuLaunchKernel", status)
    }

    /// Captures so many launches, one after the other, and makes a graph of them.
    pub(crate) fn capture(&self, kernel: EmptyKernel, launches: usize) -> Outcome<Graph> {
        const NON_BLOCKING: c_uint = 1;
        /// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`: what other threads do makes no difference.
        const THREAD_LOCAL: c_int = 1;
        let (mut stream, mut graph, mut executable) = (null_mut(), null_mut(), null_mut());
        // One of its own, so that a failure leaves warpwave's stream as it was.
        // SAFETY: the handle is there to be written.
        let status = unsafe { (self.functions.cuStreamCreate)(&raw mut stream, NON_BLOCKING) };
        self.check("cuStreamCreate", status)?;
        // SAFETY: a stream on which nothing else is enqueued.
        let status = unsafe { (self.functions.cuStreamBeginCapture_v2)(stream, THREAD_LOCAL) };
        self.check("cuStreamBeginCapture", status)?;
        let launched = (0..launches).try_for_each(|_| self.launch_on(stream, kernel));
        // SAFETY: the capture of this stream, which has begun; the handle is there to be written.
        let status = unsafe { (self.functions.cuStreamEndCapture)(stream, &raw mut graph) };
        launched?;
        self.check("cuStreamEndCapture", status)?;
        // SAFETY: the handle is there to be written, and the graph is complete.
        let status = unsafe { (self.functions.cuGraphInstantiateWithFlags)(&raw mut executable, graph, 0) };
        self.check("cuGraphInstantiate", status)?;
        Ok(Graph(executable))
    }

    /// Launches a graph on the stream.
    pub(crate) fn launch_graph(&self, graph: &Graph) -> Outcome<()> {
        // SAFETY: a graph of this context that is never destroyed.
        self.check("cuGraphLaunch", unsafe { (self.functions.cuGraphLaunch)(graph.0, self.stream) })
    }

    /// Takes memory from the driver's pool, in the order of the stream, and gives it back.
    pub(crate) fn alloc_and_free(&self, bytes: usize) -> Outcome<()> {
        let mut address = 0;
        // SAFETY: the number is there to be written.
        let status = unsafe { (self.functions.cuMemAllocAsync)(&raw mut address, bytes, self.stream) };
        self.check("cuMemAllocAsync", status)?;
        // SAFETY: allocated on this stream, and freed once.
        let status = unsafe { (self.functions.cuMemFreeAsync)(black_box(address), self.stream) };
        self.check("cuMemFreeAsync", status)
    }

    /// Memory of the device's for a library to work in; it is never freed.
    pub(crate) fn workspace(&self, bytes: usize) -> Outcome<*mut c_void> {
        let mut address = 0;
        // SAFETY: the number is there to be written.
        self.check("cuMemAlloc", unsafe { (self.functions.cuMemAlloc_v2)(&raw mut address, bytes) })?;
        Ok(pointer(address))
    }

    /// Pinned memory, of the kind that warpwave's is.
    pub(crate) fn pinned(&self, bytes: usize) -> Outcome<Pinned<'_>> {
        /// `CU_MEMHOSTALLOC_PORTABLE`.
        const PORTABLE: c_uint = 1;
        let mut start = null_mut();
        // SAFETY: the pointer is there to be written.
        let status = unsafe { (self.functions.cuMemHostAlloc)(&raw mut start, bytes, PORTABLE) };
        self.check("cuMemHostAlloc", status)?;
        // SAFETY: just allocated, so long.
        unsafe { start.cast::<u8>().write_bytes(0, bytes) };
        Ok(Pinned { driver: self, start, bytes })
    }

    /// Enqueues a copy of all of `source` to the device.
    ///
    /// # Safety
    /// `address` is the start of as much memory of the device's, which stays until the stream has passed this, as does `source`.
    pub(crate) unsafe fn upload(&self, address: u64, source: &Pinned<'_>) -> Outcome<()> {
        // SAFETY: the caller's.
        let status = unsafe { (self.functions.cuMemcpyHtoDAsync_v2)(address, source.start, source.bytes, self.stream) };
        self.check("cuMemcpyHtoDAsync", status)
    }

    /// Enqueues a copy from the device to all of `target`.
    ///
    /// # Safety
    /// As for [`upload`](Self::upload), of `target`.
    pub(crate) unsafe fn download(&self, target: &mut Pinned<'_>, address: u64) -> Outcome<()> {
        // SAFETY: the caller's.
        let status = unsafe { (self.functions.cuMemcpyDtoHAsync_v2)(target.start, address, target.bytes, self.stream) };
        self.check("cuMemcpyDtoHAsync", status)
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        // The stream may still be copying, if an error has cut a measurement short.
        if self.driver.synchronize().is_ok() {
            // SAFETY: from `cuMemHostAlloc`, freed once, and no copy is under way. A refusal leaks it.
            unsafe { (self.driver.functions.cuMemFreeHost)(self.start) };
        }
    }
}

/// The address of a buffer of warpwave's, as the driver counts it.
pub(crate) fn address_of<T: Element>(stream: &Queue, buffer: &mut DeviceBuffer<T>) -> Outcome<u64> {
    let mut address = None;
    // SAFETY: nothing is enqueued.
    unsafe {
        stream.enqueue_with(&[Arg::write(buffer)], |_, launched| {
            if let [LaunchArg::Memory { ptr, .. }] = launched {
                address = Some(ptr.expose() as u64);
            }
            Ok(())
        })
    }?;
    address.ok_or_else(|| "warpwave has not said where the buffer is".into())
}

/// An address on the device as libraries want it.
pub(crate) fn pointer(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// The version of the kernel's module, which is what `nvidia-smi` prints: the driver's functions do not say it.
pub(crate) fn module_version() -> Option<String> {
    let text = ["/proc/driver/nvidia/version", "/sys/module/nvidia/version"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok())?;
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    text.split_whitespace().find(is_version).map(str::to_owned)
}
