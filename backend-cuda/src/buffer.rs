//! Memory, and copies of bytes.

use crate::context::{Context, Entered, lock};
use cudarc::driver::sys::{CUDA_MEMCPY2D, CUdeviceptr, CUmemorytype, CUstream};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use warpwave_core::operation::Ptr;
use warpwave_core::{Result, Space, Transfer};

/// The address as the driver has it.
pub(crate) fn device(ptr: Ptr) -> CUdeviceptr {
    ptr.expose() as CUdeviceptr
}

/// Where device memory comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// `cuMemAlloc`.
    #[default]
    Plain,
    /// `cuMemAllocAsync`, from the device's memory pool.
    StreamOrdered,
}

/// Memory of a device or of the host, all bytes zero. `own` is a stream of the backend's own on which nothing else is enqueued.
///
/// # Errors
/// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory), and those of the driver.
pub(crate) fn allocate(
    context: &'static Context,
    entered: &Entered,
    source: Source,
    space: Space,
    bytes: usize,
    own: CUstream,
) -> Result<Ptr> {
    let _disturbs = context.disturb();
    let driver = context.driver;
    match space {
        Space::Device => {
            let mut at: CUdeviceptr = 0;
            let (api, status) = match source {
                // SAFETY: the address is there to be written.
                Source::Plain => ("cuMemAlloc", unsafe { (driver.cuMemAlloc_v2)(&raw mut at, bytes) }),
                Source::StreamOrdered => {
                    // SAFETY: as above.
                    ("cuMemAllocAsync", unsafe { (driver.cuMemAllocAsync)(&raw mut at, bytes, own) })
                }
            };
            context.check_memory(api, status, bytes)?;
            let ptr = Ptr::new(std::ptr::with_exposed_provenance_mut(at as usize));
            let clear = || {
                // SAFETY: just allocated.
                context.check("cuMemsetD8Async", unsafe { (driver.cuMemsetD8Async)(at, 0, bytes, own) })?;
                // SAFETY: the backend's own stream.
                context.check("cuStreamSynchronize", unsafe { (driver.cuStreamSynchronize)(own) })
            };
            if let Err(error) = clear() {
                drop(_disturbs);
                // SAFETY: nobody has seen it.
                let _ = unsafe { free(context, entered, source, space, ptr, own) };
                return Err(error);
            }
            Ok(ptr)
        }
        Space::Pinned => {
            let mut at: *mut c_void = null_mut();
            // All devices may copy from and to it.
            const PORTABLE: u32 = 1;
            // SAFETY: the address is there to be written.
            let status = unsafe { (driver.cuMemHostAlloc)(&raw mut at, bytes, PORTABLE) };
            context.check_memory("cuMemHostAlloc", status, bytes)?;
            // SAFETY: just allocated, so long.
            unsafe { at.cast::<u8>().write_bytes(0, bytes) };
            Ok(Ptr::new(at.cast()))
        }
    }
}

/// Frees memory.
///
/// # Safety
/// It came from [`allocate`] with the same arguments, is freed once, and no work on it is pending.
///
/// # Errors
/// Those of the driver.
pub(crate) unsafe fn free(
    context: &Context,
    _entered: &Entered,
    source: Source,
    space: Space,
    ptr: Ptr,
    own: CUstream,
) -> Result<()> {
    let _disturbs = context.disturb();
    let driver = context.driver;
    match (space, source) {
        // SAFETY: the caller's.
        (Space::Device, Source::Plain) => context.check("cuMemFree", unsafe { (driver.cuMemFree_v2)(device(ptr)) }),
        (Space::Device, Source::StreamOrdered) => {
            // SAFETY: the caller's.
            context.check("cuMemFreeAsync", unsafe { (driver.cuMemFreeAsync)(device(ptr), own) })
        }
        // SAFETY: the caller's.
        (Space::Pinned, _) => context.check("cuMemFreeHost", unsafe { (driver.cuMemFreeHost)(ptr.as_ptr().cast()) }),
    }
}

/// Makes memory of the host pinned.
///
/// # Safety
/// As for [`Backend::register`](warpwave_core::Backend::register).
///
/// # Errors
/// Those of the driver.
pub(crate) unsafe fn register(context: &Context, _entered: &Entered, ptr: Ptr, bytes: usize) -> Result<()> {
    // All devices may copy from and to it.
    const PORTABLE: u32 = 1;
    let _disturbs = context.disturb();
    // SAFETY: the caller's.
    let status = unsafe { (context.driver.cuMemHostRegister_v2)(ptr.as_ptr().cast(), bytes, PORTABLE) };
    context.check_memory("cuMemHostRegister", status, bytes)
}

/// Makes it ordinary again.
///
/// # Safety
/// As for [`Backend::unregister`](warpwave_core::Backend::unregister).
///
/// # Errors
/// Those of the driver.
pub(crate) unsafe fn unregister(context: &Context, _entered: &Entered, ptr: Ptr) -> Result<()> {
    let _disturbs = context.disturb();
    // SAFETY: the caller's.
    let status = unsafe { (context.driver.cuMemHostUnregister)(ptr.as_ptr().cast()) };
    context.check("cuMemHostUnregister", status)
}

/// A piece of device memory that the backend has for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) ptr: Ptr,
    pub(crate) bytes: usize,
}

/// Pieces that nobody uses: what streams and graphs work in comes from here and goes back here. Only [`take`](Spare::take) gives memory back to
/// the driver.
#[derive(Debug, Default)]
pub(crate) struct Spare(Mutex<Vec<Block>>);

impl Spare {
    /// The smallest piece of at least so many bytes, unless that is more than four times as much.
    pub(crate) fn find(&self, bytes: usize) -> Option<Block> {
        let mut blocks = lock(&self.0);
        let fits = |block: &Block| block.bytes >= bytes && block.bytes / 4 <= bytes;
        let best = blocks.iter().enumerate().filter(|(_, block)| fits(block)).min_by_key(|(_, block)| block.bytes)?.0;
        Some(blocks.swap_remove(best))
    }

    /// Keeps a piece on which no work is pending.
    pub(crate) fn keep(&self, block: Block) {
        lock(&self.0).push(block);
    }

    /// All of them.
    pub(crate) fn take(&self) -> Vec<Block> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// Enqueues a [`Transfer`].
///
/// # Safety
/// As for [`Backend::copy`](warpwave_core::Backend::copy).
///
/// # Errors
/// Those of the driver.
pub(crate) unsafe fn copy(context: &Context, _entered: &Entered, stream: CUstream, transfer: &Transfer) -> Result<()> {
    let Transfer { src, dst, row_bytes, rows, src_pitch, dst_pitch, .. } = *transfer;
    if rows == 0 || row_bytes == 0 {
        return Ok(());
    }
    let run = |src: Ptr, dst: Ptr, bytes: usize| {
        // SAFETY: the caller's; which memory an address is of the driver knows.
        let status = unsafe { (context.driver.cuMemcpyAsync)(device(dst), device(src), bytes, stream) };
        context.check("cuMemcpyAsync", status)
    };
    if rows == 1 || (src_pitch == row_bytes && dst_pitch == row_bytes) {
        return run(src, dst, row_bytes * rows);
    }
    if src_pitch.max(dst_pitch) > context.max_pitch {
        // There are not many rows so far apart.
        return (0..rows)
            .try_for_each(|row| run(src.byte_add(row * src_pitch), dst.byte_add(row * dst_pitch), row_bytes));
    }
    let kind = |space| match space {
        Space::Device => CUmemorytype::CU_MEMORYTYPE_DEVICE,
        Space::Pinned => CUmemorytype::CU_MEMORYTYPE_HOST,
    };
    let copy = CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: kind(transfer.src_space),
        srcHost: src.as_ptr().cast_const().cast(),
        srcDevice: device(src),
        srcArray: null_mut(),
        srcPitch: src_pitch,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: kind(transfer.dst_space),
        dstHost: dst.as_ptr().cast(),
        dstDevice: device(dst),
        dstArray: null_mut(),
        dstPitch: dst_pitch,
        WidthInBytes: row_bytes,
        Height: rows,
    };
    // SAFETY: the caller's; the description outlives the call.
    context.check("cuMemcpy2DAsync", unsafe { (context.driver.cuMemcpy2DAsync_v2)(&raw const copy, stream) })
}
