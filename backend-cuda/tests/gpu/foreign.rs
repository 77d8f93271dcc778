//! Streams and memory of other software in this process, and the thread's current context. The other software is the driver itself.

use crate::{Outcome, check, device};
use libloading::Library;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use warpwave_core::operation::Ptr;
use warpwave_core::{Device, ErrorKind, LaunchArg, Ops, Reduce, Stream, args};

/// The driver, as other software would call it.
struct Driver {
    stream_create: unsafe extern "C" fn(*mut *mut c_void, u32) -> u32,
    stream_destroy: unsafe extern "C" fn(*mut c_void) -> u32,
    allocate: unsafe extern "C" fn(*mut u64, usize) -> u32,
    free: unsafe extern "C" fn(u64) -> u32,
    set: unsafe extern "C" fn(u64, u8, usize, *mut c_void) -> u32,
    get_current: unsafe extern "C" fn(*mut *mut c_void) -> u32,
    set_current: unsafe extern "C" fn(*mut c_void) -> u32,
    _library: Library,
}

impl Driver {
    fn new() -> Result<Self, libloading::Error> {
        // SAFETY: the driver, which is loaded already; the types are those of `cuda.h`.
        unsafe {
            let library = Library::new("libcuda.so.1")?;
            Ok(Driver {
                stream_create: *library.get(b"cuStreamCreate\0")?,
                stream_destroy: *library.get(b"cuStreamDestroy_v2\0")?,
                allocate: *library.get(b"cuMemAlloc_v2\0")?,
                free: *library.get(b"cuMemFree_v2\0")?,
                set: *library.get(b"cuMemsetD8Async\0")?,
                get_current: *library.get(b"cuCtxGetCurrent\0")?,
                set_current: *library.get(b"cuCtxSetCurrent\0")?,
                _library: library,
            })
        }
    }
}

fn ok(status: u32) -> Outcome {
    check(status == 0, format_args!("the driver returned {status}"))
}

/// A stream of others is in order with theirs, and may be destroyed while our work on it is waited for.
pub(crate) fn streams() -> Outcome {
    let device = device()?;
    let driver = Driver::new()?;
    let mut raw = null_mut();
    // SAFETY: the handle is there to be written; device 0's context is current since it was opened.
    ok(unsafe { (driver.stream_create)(&raw mut raw, 1) })?;
    // SAFETY: just made.
    let stream = unsafe { device.import_stream(device.backend().foreign_stream(raw.cast())?) }?;
    let n = 1 << 22;
    let mut x = stream.alloc::<u8>(n)?;
    stream.fill(&mut x, 1)?;
    // Others fill the first half, in our order; then we add.
    let enqueue = |raw: &warpwave_cuda::CudaStream, args: &[LaunchArg]| {
        let LaunchArg::Memory { ptr, .. } = &args[0] else { return Err(warpwave_core::Error::unsupported("this")) };
        // SAFETY: half of the memory, on the stream that was asked for.
        let status = unsafe { (driver.set)(ptr.expose() as u64, 7, n / 2, raw.raw().cast()) };
        if status == 0 { Ok(()) } else { Err(warpwave_core::Error::unsupported("this")) }
    };
    // SAFETY: it writes `x` alone.
    unsafe { stream.enqueue_with(args![&mut x], enqueue) }?;
    stream.add_assign(&mut x, &1)?;
    // Nobody waits for it before it is destroyed.
    // SAFETY: no call on it is made any more.
    ok(unsafe { (driver.stream_destroy)(raw) })?;
    let own = device.new_stream()?;
    let got = own.to_vec(&x)?;
    check(
        got[..n / 2].iter().all(|&x| x == 8) && got[n / 2..].iter().all(|&x| x == 2),
        "the order of ours and theirs",
    )?;
    drop((x, stream));
    device.trim()?;
    // The default stream of CUDA's runtime will do; one that is another in each thread will not.
    // SAFETY: both exist always.
    let (legacy, each) = unsafe {
        (
            device.backend().foreign_stream(null_mut()),
            device.backend().foreign_stream(std::ptr::without_provenance_mut(2)),
        )
    };
    // SAFETY: as above.
    let legacy = unsafe { device.import_stream(legacy?) }?;
    let mut y = legacy.alloc::<f32>(1000)?;
    legacy.fill(&mut y, 2.0)?;
    check(legacy.sum(&y)? == 2000.0, "work on the default stream")?;
    check(
        matches!(each.map_err(|e| e.kind().clone()), Err(ErrorKind::InvalidArgument { .. })),
        "a stream for each thread",
    )
}

/// Memory of others is a buffer like any other, and is theirs again when the work on it has ended.
pub(crate) fn memory() -> Outcome {
    /// Says when it is dropped.
    struct Keeper(Arc<AtomicBool>);
    impl Drop for Keeper {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let device = device()?;
    let driver = Driver::new()?;
    let (n, mut at) = (1 << 24, 0);
    // SAFETY: the address is there to be written.
    ok(unsafe { (driver.allocate)(&raw mut at, 4 * n) })?;
    let dropped = Arc::new(AtomicBool::new(false));
    let ptr = Ptr::new(std::ptr::with_exposed_provenance_mut(at as usize));
    // SAFETY: so much memory, which is freed below, after the keeper was dropped.
    let mut x = unsafe { device.import_buffer::<f32>(ptr, n, Keeper(dropped.clone())) }?;
    let (stream, other) = (device.default_stream(), device.new_stream()?);
    stream.fill(&mut x, 1.0)?;
    check(other.sum(&x)? == n as f32, "the sum of memory of others")?;
    // The work waits for the test.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    other.host_fn(move || {
        let _ = wait.recv();
    })?;
    for _ in 0..20 {
        other.add_assign(&mut x, &1.0)?;
    }
    drop(x);
    // A call looks what has ended, and gives nothing back beside a host function.
    stream.fill(&mut stream.alloc::<u8>(1)?, 1)?;
    check(!dropped.load(Ordering::Acquire), "the memory is theirs while work on it is pending")?;
    drop(go);
    other.synchronize()?;
    stream.fill(&mut stream.alloc::<u8>(1)?, 1)?;
    check(dropped.load(Ordering::Acquire), "the memory is not theirs after the work has ended")?;
    // SAFETY: nobody uses it any more.
    ok(unsafe { (driver.free)(at) })?;
    // SAFETY: it is refused.
    let wrong = unsafe { device.import_buffer::<f32>(Ptr::new(std::ptr::without_provenance_mut(2)), 4, ()) };
    check(
        matches!(wrong.map_err(|e| e.kind().clone()), Err(ErrorKind::InvalidArgument { .. })),
        "an address that is not aligned",
    )
}

/// A call leaves the context of its thread as it was.
pub(crate) fn current_context() -> Outcome {
    let device = device()?;
    let driver = Driver::new()?;
    let current = || {
        let mut current = null_mut();
        // SAFETY: the handle is there to be written.
        unsafe { (driver.get_current)(&raw mut current) };
        current
    };
    let stream = device.default_stream();
    stream.fill(&mut stream.alloc::<u8>(1)?, 1)?;
    let own = current();
    check(!own.is_null(), "device 0 is current in a thread that had nothing")?;
    if warpwave_cuda::CudaDevice::enumerate()?.len() > 1 {
        let second = warpwave_cuda::CudaDevice::open(1)?;
        let stream = second.default_stream();
        stream.fill(&mut stream.alloc::<u8>(1)?, 1)?;
        check(current() == own, "work on device 1 has changed the current context")?;
        // SAFETY: none is a context too.
        ok(unsafe { (driver.set_current)(null_mut()) })?;
        stream.fill(&mut stream.alloc::<u8>(1)?, 1)?;
        check(current().is_null(), "work on device 1 has left a context")?;
    }
    Ok(())
}
