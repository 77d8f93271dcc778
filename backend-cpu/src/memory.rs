//! The device's memory: ordinary host memory, counted.

use crate::info;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicUsize, Ordering};
use warpwave_core::operation::Ptr;
use warpwave_core::{Error, ErrorKind, Result};

/// What allocations are aligned to, and what their sizes are multiples of.
const ALIGN: usize = 256;

/// Bytes from which on it is worth asking the system what it has: its allocator promises more, and the process would be
/// killed when it uses that.
const LARGE: usize = 64 << 20;

/// Makes room for one more element, and for as many again where the vector is full.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`].
pub(crate) fn grow<T>(vec: &mut Vec<T>) -> Result<()> {
    if vec.len() < vec.capacity() {
        return Ok(());
    }
    let requested = vec.capacity().saturating_mul(2).saturating_mul(size_of::<T>());
    let exhausted = || ErrorKind::OutOfMemory { requested, free: info::available_memory() };
    // 0 is unknown.
    if requested >= LARGE && (1..requested).contains(&info::available_memory()) {
        return Err(exhausted().into());
    }
    Ok(vec.try_reserve(1).map_err(|_| exhausted())?)
}

/// Hands out memory up to what the machine has.
///
/// The system's allocator would promise more, and the process would be killed when it uses what it was promised.
#[derive(Debug)]
pub(crate) struct Memory {
    capacity: usize,
    in_use: AtomicUsize,
}

impl Memory {
    /// As much as the process may have of the machine's memory and swap; without a limit where the system does not say how much
    /// that is.
    pub(crate) fn new() -> Self {
        Memory { capacity: info::total_memory().unwrap_or(usize::MAX), in_use: AtomicUsize::new(0) }
    }

    /// Allocates `bytes` zero bytes, aligned to 256.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`]; [`ErrorKind::InvalidArgument`] unless `bytes` is a positive multiple of 256.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Ptr> {
        if bytes == 0 || !bytes.is_multiple_of(ALIGN) {
            return Err(Error::invalid("bytes", format_args!("a positive multiple of {ALIGN}"), bytes));
        }
        let layout = padded(bytes).ok_or_else(|| self.exhausted(bytes))?;
        let grow = |in_use: usize| in_use.checked_add(bytes).filter(|&sum| sum <= self.capacity);
        // Relaxed: the count orders no other memory.
        self.in_use.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grow).map_err(|_| self.exhausted(bytes))?;
        // SAFETY: the layout's size is not zero.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() {
            self.in_use.fetch_sub(bytes, Ordering::Relaxed);
            return Err(self.exhausted(bytes));
        }
        #[cfg(target_os = "linux")]
        huge_pages(base, layout.size());
        let gap = ALIGN - base.addr() % ALIGN;
        // SAFETY: `gap` is at most ALIGN, and the block is `bytes + ALIGN` long. As the base is aligned to a pointer
        // and so is ALIGN, the gap is at least a pointer's size and the place in front of `start` is aligned for one.
        let start = unsafe {
            let start = base.add(gap);
            start.cast::<*mut u8>().sub(1).write(base);
            start
        };
        Ok(Ptr::new(start))
    }

    /// Frees what [`allocate`](Memory::allocate) gave.
    ///
    /// # Safety
    /// `ptr` came from `allocate(bytes)` of this `Memory`, and neither it nor anything in it is used again.
    pub(crate) unsafe fn free(&self, ptr: Ptr, bytes: usize) {
        let Some(layout) = padded(bytes) else { return };
        // SAFETY: `allocate` wrote the block's base in front of `ptr`, and allocated it with this layout.
        unsafe {
            let base = ptr.as_ptr().cast::<*mut u8>().sub(1).read();
            dealloc(base, layout);
        }
        self.in_use.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Refuses what is more than there will ever be.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`].
    pub(crate) fn admit(&self, bytes: usize) -> Result<()> {
        if bytes > self.capacity.min(isize::MAX as usize) { Err(self.exhausted(bytes)) } else { Ok(()) }
    }

    fn exhausted(&self, requested: usize) -> Error {
        let left = self.capacity.saturating_sub(self.in_use.load(Ordering::Relaxed));
        ErrorKind::OutOfMemory { requested, free: info::available_memory().min(left) }.into()
    }
}

/// Room for `bytes` bytes at an aligned address and the base's address in front; `None` if that is more than can be
/// addressed.
///
/// Aligning by hand keeps the allocator on its path for fresh zero pages: asked for an alignment of 256 it would write
/// all the zeros itself, at once and from one thread.
fn padded(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(ALIGN)?, align_of::<*mut u8>()).ok()
}

/// Asks the system for pages of 2 MiB, where a block has room for some: a matrix that is read across its rows touches another
/// page of 4 KiB with every element, which takes longer to look up than the element takes to read.
#[cfg(target_os = "linux")]
fn huge_pages(base: *mut u8, bytes: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    const HUGE: usize = 2 << 20;
    let start = base.align_offset(HUGE);
    let length = bytes.saturating_sub(start) / HUGE * HUGE;
    if length > 0 {
        // SAFETY: the range is inside the block that `base` is the start of. The advice changes what the system does for it, and
        // not what is in it; a system that does not take the advice says so, and nothing is lost.
        unsafe { madvise(base.add(start).cast(), length, MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn bytes_of(ptr: Ptr, bytes: usize) -> &'static mut [u8] {
        // SAFETY: every caller passes a live allocation of this length, and uses the slice before it frees it.
        unsafe { std::slice::from_raw_parts_mut(ptr.as_ptr(), bytes) }
    }

    #[test]
    fn allocations_are_aligned_zero_and_disjoint() {
        let memory = Memory::new();
        let sizes = [256, 512, 768, 4096, 1 << 16, (1 << 20) + 256, 1 << 26];
        // Twice, so that the allocator has dirty memory to give out again.
        for round in 0..2u8 {
            let blocks: Vec<_> = sizes.iter().map(|&bytes| (memory.allocate(bytes).unwrap(), bytes)).collect();
            for (i, &(ptr, bytes)) in blocks.iter().enumerate() {
                assert_eq!(ptr.addr() % 256, 0);
                assert!(bytes_of(ptr, bytes).iter().all(|&b| b == 0), "round {round}, {bytes} bytes");
                bytes_of(ptr, bytes).fill(i as u8 + 1);
            }
            for (i, &(ptr, bytes)) in blocks.iter().enumerate() {
                assert!(bytes_of(ptr, bytes).iter().all(|&b| b == i as u8 + 1));
            }
            assert_eq!(memory.in_use.load(Ordering::Relaxed), sizes.iter().sum::<usize>());
            for (ptr, bytes) in blocks {
                // SAFETY: allocated above, freed once.
                unsafe { memory.free(ptr, bytes) };
            }
            assert_eq!(memory.in_use.load(Ordering::Relaxed), 0);
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused_and_the_rest_goes_on() {
        let memory = Memory::new();
        for bytes in [usize::MAX - 255, isize::MAX as usize - 255, usize::MAX / 4 - 255] {
            match memory.allocate(bytes).unwrap_err().kind() {
                ErrorKind::OutOfMemory { requested, .. } => assert_eq!(*requested, bytes),
                other => panic!("{other}"),
            }
        }
        for bytes in [0, 1, 255, 257] {
            let error = memory.allocate(bytes).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::InvalidArgument { what, .. } if what == "bytes"), "{error}");
        }
        let ptr = memory.allocate(256).unwrap();
        // SAFETY: allocated above, freed once.
        unsafe { memory.free(ptr, 256) };
    }

    #[test]
    fn allocations_together_do_not_exceed_the_capacity() {
        let memory = Memory { capacity: 1024, in_use: AtomicUsize::new(0) };
        let first = memory.allocate(768).unwrap();
        match memory.allocate(512).unwrap_err().kind() {
            ErrorKind::OutOfMemory { requested: 512, free } => assert!(*free <= 256),
            other => panic!("{other}"),
        }
        let second = memory.allocate(256).unwrap();
        // SAFETY: allocated above, freed once.
        unsafe { memory.free(first, 768) };
        let third = memory.allocate(512).unwrap();
        // SAFETY: allocated above, freed once.
        unsafe {
            memory.free(second, 256);
            memory.free(third, 512);
        }
    }
}
